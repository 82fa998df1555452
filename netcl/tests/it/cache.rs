//! The cache of programs: damaged and unwritable folders, processes that race or are killed, its limit. Whatever is wrong
//! with it, programs are built from source and nothing is lost.

use netcl::__private::{ModelCore, Seed};
use netcl::raw::{Grid, KernelSpec};
use netcl::{DType, Device, DeviceManager, Tensor, cache};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::log;
use netcl_fixtures::plans::{affine_square, function, toy_schema};
use netcl_fixtures::processes::{self, command, names, scratch, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

// ---- what runs in processes of their own ----

/// The tests below start this program again with a role.
#[test]
#[ignore = "run by the others, in processes of their own"]
fn child() {
    let role = processes::role();
    log::warnings();
    match role.as_str() {
        role @ ("compute" | "compute in a shared context") => {
            let mut device = played_on();
            if role != "compute" {
                device = DeviceManager::global().shared_context(&[device.clone(), device]).unwrap().remove(1);
            }
            let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
            let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[1, 3]).unwrap();
            let w = core.tensor("layer.w").unwrap().to_vec::<f32>().unwrap();
            let y = function(&affine_square()).call(Some(&core), "", &[&x], &[]).unwrap();
            for ((y, w), x) in y[0].to_vec::<f32>().unwrap().iter().zip(w).zip([1.0, 2.0, 3.0]) {
                assert!((y - (x * w + 0.25f32).powi(2)).abs() < 1e-5, "{y}");
            }
            let stats = device.program_stats();
            println!("built {} loaded {} refused {}", stats.built, stats.loaded, stats.refused);
        }
        "build many" => {
            let device = played_on();
            for number in 0..5 {
                let source = format!("__kernel void number(__global uint* x) {{ x[get_global_id(0)] = {number}; }}");
                let kernel = KernelSpec::from_source("number", &source).build(&device).unwrap();
                let x = Tensor::zeros(&device, &[4], DType::U32).unwrap();
                // SAFETY: one work-item for each of the 4 elements.
                unsafe { kernel.launch(&[(&x).into()], &Grid::from(4)) }.unwrap();
                assert_eq!(x.to_vec::<u32>().unwrap(), [number; 4]);
            }
        }
        "list" => {
            let entries = cache::entries().unwrap();
            let bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
            assert!(bytes <= cache::limit().unwrap());
            assert!(cache::verify().unwrap().iter().all(|(_, health)| health.is_whole()));
            println!("programs {}", entries.iter().filter(|entry| entry.kind == cache::Kind::Program).count());
            println!("cleared {}", cache::clear().unwrap().files == entries.len());
        }
        other => panic!("no role `{other}`"),
    }
}

/// The device that the process was told to use.
fn played_on() -> Device {
    Device::select(&std::env::var("NETCL_DEVICE").expect("set by `playing`")).unwrap()
}

/// This program again, playing `role` on the device. PoCL keeps no programs of its own, so that netcl does.
fn playing(role: &str, device: &Device) -> Command {
    let mut command = command(module_path!(), role);
    command.env("NETCL_DEVICE", &device.profile().selector).env("POCL_KERNEL_CACHE", "0");
    command
}

/// The number of programs that a process of its own built, loaded and found refused, with that cache folder.
fn compute(device: &Device, cache: &Path) -> [u64; 3] {
    statistics(&playing("compute", device).env("NETCL_CACHE_DIR", cache).output().unwrap())
}

fn statistics(output: &Output) -> [u64; 3] {
    let text = text(output);
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|line| line.contains("built ")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words[words.iter().position(|known| *known == word).unwrap() + 1].parse().unwrap();
    [after("built"), after("loaded"), after("refused")]
}

/// What the process that lists the cache prints after `word`, and that every file is whole.
fn listed(device: &Device, cache: &Path, limit: &str) -> usize {
    let output =
        playing("list", device).env("NETCL_CACHE_DIR", cache).env("NETCL_CACHE_LIMIT_MB", limit).output().unwrap();
    let text = text(&output);
    assert!(output.status.success() && text.contains("cleared true"), "{text}");
    let count = text.split_once("programs ").unwrap().1;
    count.split_whitespace().next().unwrap().parse().unwrap()
}

// ---- tests ----

/// FNV-1a, 64 bits, as the files have it.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A cached program whose binary is no binary, everything else being right.
fn with_a_wrong_binary(whole: &[u8]) -> Vec<u8> {
    let start = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let length = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().unwrap()) as usize;
    let binary = start + 8 + length(start);
    let mut bytes = whole[..binary].to_vec();
    bytes.extend(100u64.to_le_bytes());
    bytes.extend([b'?'; 100]);
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

#[test]
fn a_damaged_program_is_built_again() {
    for device in with_driver() {
        let cache = scratch("programs");
        assert_eq!(compute(&device, &cache), [1, 0, 0]);
        let folder = cache.join("programs");
        // The other file says what was found out about the device.
        let programs = names(&folder).into_iter().map(|name| folder.join(name)).filter(|path| {
            let text = fs::read(path).unwrap();
            text.windows(16).any(|part| part == b"\noptions -cl-std")
        });
        let [path]: [PathBuf; 1] = programs.collect::<Vec<_>>().try_into().unwrap();
        let whole = fs::read(&path).unwrap();
        assert_eq!(compute(&device, &cache), [0, 1, 0], "a good file is taken");
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 0x10;
        for (what, damaged, refused) in [
            ("empty", Vec::new(), 0),
            ("cut short", whole[..whole.len() / 2].to_vec(), 0),
            ("one byte too few", whole[..whole.len() - 1].to_vec(), 0),
            ("one bit flipped", flipped, 0),
            ("no binary of the driver", with_a_wrong_binary(&whole), 1),
        ] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(compute(&device, &cache), [1, 0, refused], "{what}");
            assert_eq!(compute(&device, &cache), [0, 1, 0], "{what}: the file is good again");
        }
        fs::remove_dir_all(&cache).unwrap();
    }
}

#[test]
fn a_cache_that_cannot_be_written_does_no_harm() {
    for device in with_driver() {
        let folder = scratch("unwritable");
        let file = folder.join("file");
        fs::write(&file, b"not a folder").unwrap();
        assert_eq!(compute(&device, &file), [1, 0, 0], "a file where the folder should be");
        if cfg!(target_os = "linux") {
            // Nobody may write there, whoever they are.
            assert_eq!(compute(&device, Path::new("/proc/netcl")), [1, 0, 0], "a read-only file system");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let closed = folder.join("closed");
            fs::create_dir(&closed).unwrap();
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
            assert_eq!(compute(&device, &closed), [1, 0, 0], "a read-only folder");
            fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn two_processes_race_on_one_cache() {
    for device in with_driver() {
        let cache = scratch("race");
        for _ in 0..3 {
            let racers: Vec<_> = (0..3)
                .map(|_| {
                    let mut racer = playing("compute", &device);
                    racer.env("NETCL_CACHE_DIR", &cache).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
                })
                .collect();
            for racer in racers {
                let [built, loaded, refused] = statistics(&racer.wait_with_output().unwrap());
                assert_eq!((built + loaded, refused), (1, 0));
            }
            assert_eq!(compute(&device, &cache), [0, 1, 0], "whoever came last left a whole file");
            assert!(names(&cache.join("programs")).iter().all(|name| !name.ends_with(".tmp")));
            assert_eq!(listed(&device, &cache, ""), 1);
        }
        fs::remove_dir_all(&cache).unwrap();
    }
}

#[test]
fn a_process_killed_while_it_writes_leaves_whole_files() {
    for device in with_driver() {
        let cache = scratch("killed");
        assert_eq!(compute(&device, &cache), [1, 0, 0]);
        for round in 0..6u64 {
            let mut builder = playing("build many", &device);
            builder.env("NETCL_CACHE_DIR", &cache).stdout(Stdio::null()).stderr(Stdio::null());
            let mut builder = builder.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(60 + 45 * round));
            builder.kill().unwrap();
            builder.wait().unwrap();
        }
        assert_eq!(compute(&device, &cache), [0, 1, 0]);
        assert!(listed(&device, &cache, "") >= 1);
        fs::remove_dir_all(&cache).unwrap();
    }
}

#[test]
fn processes_keep_the_folder_within_its_limit() {
    for device in with_driver() {
        let cache = scratch("limited");
        let build = |limit: &str| {
            let mut builder = playing("build many", &device);
            builder.env("NETCL_CACHE_DIR", &cache).env("NETCL_CACHE_LIMIT_MB", limit);
            builder.stdout(Stdio::null()).spawn().unwrap()
        };
        assert!(build("").wait().unwrap().success());
        let sizes = |folder: &Path| -> Vec<u64> {
            let metadata = |name: &String| fs::metadata(folder.join(name)).unwrap().len();
            names(folder).iter().map(metadata).collect()
        };
        let folder = cache.join("programs");
        let before = sizes(&folder);
        assert!(before.len() >= 5);
        fs::remove_dir_all(&folder).unwrap();
        // Room for about three.
        let limit = 3 * before.iter().max().unwrap();
        let limit_mb = format!("{}", limit as f64 / f64::from(1 << 20));
        let builders = [build(&limit_mb), build(&limit_mb)];
        for mut builder in builders {
            assert!(builder.wait().unwrap().success());
        }
        let after = sizes(&folder);
        assert!(!after.is_empty() && after.iter().sum::<u64>() <= limit, "{after:?}, {limit}");
        listed(&device, &cache, &limit_mb);
        fs::remove_dir_all(&cache).unwrap();
    }
}

#[test]
fn devices_in_a_shared_context_use_the_cache_too() {
    for device in with_driver() {
        let shared = |cache: &Path| {
            let mut computing = playing("compute in a shared context", &device);
            statistics(&computing.env("NETCL_CACHE_DIR", cache).output().unwrap())
        };
        let cache = scratch("shared");
        assert_eq!(shared(&cache), [1, 0, 0]);
        assert_eq!(shared(&cache), [0, 1, 0]);
        assert_eq!(compute(&device, &cache), [0, 1, 0], "the device alone takes the same");
        fs::remove_dir_all(&cache).unwrap();
    }
}

/// What one plants: where the cache, its folder of programs and a program in it are.
#[cfg(unix)]
type Plant = fn(cache: &Path, programs: &Path, program: &Path);

/// What others may have written, or have put there, is not used, with one warning; programs are built, nothing waits, and
/// what is a file's fault alone is mended.
#[cfg(unix)]
#[test]
fn what_others_may_have_planted_is_not_used() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, lchown, symlink};
    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    const OTHER: Option<u32> = Some(65534);
    // Whether it is the file alone that is refused, and whether only root can plant it.
    let cases: [(&str, bool, bool, Plant); 11] = [
        ("a cache that all may write", false, false, |cache, _, _| mode(cache, 0o777)),
        ("a folder of programs that a group may write", false, false, |_, programs, _| mode(programs, 0o770)),
        ("a folder of programs that all may add to", false, false, |_, programs, _| mode(programs, 0o1777)),
        ("another user's cache", false, true, |cache, _, _| chown(cache, OTHER, OTHER).unwrap()),
        ("another user's folder of programs", false, true, |_, programs, _| chown(programs, OTHER, OTHER).unwrap()),
        ("another user's link to a folder of programs", false, true, |cache, programs, _| {
            fs::rename(programs, cache.join("mine")).unwrap();
            symlink("mine", programs).unwrap();
            lchown(programs, OTHER, OTHER).unwrap();
        }),
        ("a program that all may write", true, false, |_, _, program| mode(program, 0o666)),
        ("a program that a group may write", true, false, |_, _, program| mode(program, 0o620)),
        ("another user's program", true, true, |_, _, program| chown(program, OTHER, OTHER).unwrap()),
        ("a link to a program", true, false, |cache, _, program| {
            fs::rename(program, cache.join("elsewhere")).unwrap();
            symlink(cache.join("elsewhere"), program).unwrap();
        }),
        ("a pipe for a program", true, false, |_, _, program| {
            fs::remove_file(program).unwrap();
            pipe(program);
        }),
    ];
    let Some(device) = with_driver().into_iter().next() else { return };
    let cache = scratch("planted");
    let is_root = fs::metadata(&cache).unwrap().uid() == 0;
    let programs = cache.join("programs");
    assert_eq!(compute(&device, &cache), [1, 0, 0]);
    assert_eq!(fs::metadata(&programs).unwrap().mode() & 0o7777, 0o700);
    let kept: Vec<(PathBuf, Vec<u8>)> = names(&programs)
        .into_iter()
        .map(|name| programs.join(name))
        .inspect(|path| assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, 0o600))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    let is_program = |bytes: &[u8]| bytes.windows(16).any(|part| part == b"\noptions -cl-std");
    let program = kept.iter().find(|(_, bytes)| is_program(bytes)).unwrap().0.clone();
    for (what, file_alone, needs_root, plant) in cases {
        if needs_root && !is_root {
            eprintln!("{what}: only root gives files away");
            continue;
        }
        scratch("planted");
        for folder in [&programs, &cache.join("tuning")] {
            fs::create_dir(folder).unwrap();
            mode(folder, 0o700);
        }
        for (path, bytes) in &kept {
            fs::write(path, bytes).unwrap();
            mode(path, 0o600);
        }
        // Things on which an opening would wait, where netcl looks for its own.
        pipe(&programs.join(".0123456789abcdef.netcl.tmp"));
        pipe(&cache.join("tuning/.lock"));
        plant(&cache, &programs, &program);
        let output = playing("compute", &device).env("NETCL_CACHE_DIR", &cache).output().unwrap();
        let text = text(&output);
        let warnings: Vec<&str> = text.lines().filter(|line| line.contains("WARN netcl")).collect();
        assert_eq!(statistics(&output), [1, 0, 0], "{what}: {text}");
        assert!(matches!(&warnings[..], [only] if only.contains("is not used")), "{what}: {warnings:?}");
        let after = if file_alone { [0, 1, 0] } else { [1, 0, 0] };
        assert_eq!(compute(&device, &cache), after, "{what}: afterwards");
        if file_alone {
            assert_eq!(
                fs::symlink_metadata(&program).unwrap().mode() & 0o177_777,
                0o100_600,
                "{what}: it is a file of ours"
            );
        }
    }
    fs::remove_dir_all(&cache).unwrap();
}

/// PoCL compiles every kernel once more for whoever asks for a program's binary.
#[test]
fn a_driver_that_keeps_its_programs_is_not_asked_for_them() {
    let pocl = |device: &Device| device.profile().platform == "Portable Computing Language";
    for device in with_driver().into_iter().filter(pocl) {
        let cache = scratch("kept-by-the-driver");
        for _ in 0..2 {
            let mut computing = playing("compute", &device);
            computing.env("NETCL_CACHE_DIR", &cache).env("POCL_KERNEL_CACHE", "1").env("POCL_CACHE_DIR", &cache);
            assert_eq!(statistics(&computing.output().unwrap()), [1, 0, 0]);
        }
        assert_eq!(listed(&device, &cache, ""), 0);
        fs::remove_dir_all(&cache).unwrap();
    }
}
