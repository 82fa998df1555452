//! What goes wrong outside netcl: damaged files, full disks, killed processes, sizes beyond reason. Each is an error that says what to do, or does no harm, and nothing already computed is lost.

use netcl::__private::kernels::dim::Dim;
use netcl::__private::kernels::dtype::DType;
use netcl::__private::kernels::layers::{Init, TensorSpec};
use netcl::__private::kernels::plan::Target;
use netcl::__private::{ModelCore, Schema, Seed};
use netcl::algorithms::{Order, Random, bincount, sort};
use netcl::data::DataLoader;
use netcl::select::TuneOptions;
use netcl::{Device, Error, Model, Tensor, io};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::plans::{affine_square, function, n, toy_schema};
use netcl_fixtures::processes::{self, command, command_within, names, scratch, text};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;

/// A model of one parameter of 4 MiB and one small one.
struct Wide(ModelCore);

impl Wide {
    fn new(seed: u64) -> Wide {
        Wide(ModelCore::new(&Device::host(), Seed(seed), &Wide::schema()).unwrap())
    }

    fn bits(&self) -> Vec<u32> {
        let numbers = self.parameters().into_iter().flat_map(|(_, tensor)| tensor.to_vec::<f32>().unwrap());
        numbers.map(f32::to_bits).collect()
    }
}

impl Model for Wide {
    fn schema() -> Schema {
        let spec = |shape: &[usize]| TensorSpec {
            name: "weight",
            shape: shape.to_vec(),
            dtype: DType::F32,
            init: Init::Uniform { bound: 1.0 },
            trainable: true,
        };
        let mut schema = Schema::new();
        schema.add("wide", spec(&[1 << 10, 1 << 10]));
        schema.add("small", spec(&[3]));
        schema
    }

    fn core(&self) -> &ModelCore {
        &self.0
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.0
    }
}

// ---- what runs in processes of their own ----

/// The tests below start this program again with a role.
#[test]
#[ignore = "run by the others, in processes of their own"]
fn child() {
    let role = processes::role();
    let file = std::env::var_os("NETCL_TEST_FILE").map(PathBuf::from).unwrap_or_default();
    match role.as_str() {
        "save forever" => loop {
            for seed in [1, 2] {
                io::save(&Wide::new(seed), &file).unwrap();
            }
        },
        "save beyond a limit" => {
            let (model, other) = (Wide::new(2), Wide::new(3));
            let before = model.bits();
            let error = io::save(&model, &file).unwrap_err();
            assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
            println!("error: {error}");
            // What is in memory is as it was, and the process goes on.
            assert_eq!(model.bits(), before);
            assert_ne!(other.bits(), before);
        }
        "ask for too much" => {
            let device = Device::host();
            let x = Tensor::from_slice(&device, &[1u32, 1], &[2]).unwrap();
            let refused = [
                // More bins than memory, and numbers that are there once and not twice.
                bincount(&x, (1 << 31) - 1).unwrap_err(),
                Random::new(&device, 1, 0).uniform(&[600 << 20]).unwrap_err(),
            ];
            for error in refused {
                let Error::OutOfMemory { device, .. } = &error else { panic!("{error}") };
                assert!(device.ends_with("(host memory)"), "{error}");
            }
            assert_eq!(bincount(&x, 2).unwrap().to_vec::<u32>().unwrap(), [0, 2]);
        }
        "fill the memory" => {
            let device = Device::host();
            let ones = || Tensor::full(&device, 1f32, &[1 << 20]);
            let x = ones().unwrap();
            let data = vec![0u8; 4 << 20];
            let flags = Tensor::full(&device, true, &[4 << 20]).unwrap();
            // Each gets a share of what is there until there is no more, which is then given back.
            let error = until_full(ones);
            let Error::OutOfMemory { .. } = &error else { panic!("{error}") };
            let error = until_full(|| x.to_host_async::<f32>()?.wait());
            let Error::OutOfMemory { .. } = &error else { panic!("{error}") };
            let error = until_full(|| flags.to_host_async::<bool>()?.wait());
            let Error::OutOfMemory { .. } = &error else { panic!("{error}") };
            let error = until_full(|| flags.to_vec::<bool>());
            let Error::OutOfMemory { .. } = &error else { panic!("{error}") };
            let error = until_full(|| DataLoader::new(&device, &data, &[], &data, &[]));
            let Error::OutOfMemory { .. } = &error else { panic!("{error}") };
            assert_eq!(x.sum_all().item::<f32>().unwrap(), (1 << 20) as f32);
        }
        "compute alone" => {
            // Its initial values, a product and a sort are what all threads share.
            let model = Wide::new(1);
            let x = model.tensor("wide").unwrap();
            let sums = x.matmul(&x).to_vec::<f32>().unwrap();
            assert!(sums.iter().all(|sum| sum.is_finite()));
            let flat = x.reshape([1 << 20]);
            let sorted = sort(&flat, Order::Ascending).unwrap().to_vec::<f32>().unwrap();
            assert!(sorted.is_sorted());
            let threads = fs::read_dir("/proc/self/task").map_or(2, Iterator::count);
            println!(" {threads} threads");
        }
        other => panic!("no role `{other}`"),
    }
}

/// Keeps what `make` gives until it gives an error.
fn until_full<T>(make: impl Fn() -> Result<T, Error>) -> Error {
    let mut kept = Vec::with_capacity(200);
    loop {
        match make() {
            Ok(made) => kept.push(made),
            Err(error) => return error,
        }
    }
}

// ---- memory ----

/// Whatever is as large as data is an error where there is no memory for it: each of these ended the process.
#[cfg(unix)]
#[test]
fn memory_that_runs_short_is_an_error() {
    let output = command_within("ulimit -v 500000", module_path!(), "fill the memory").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// What the host computes beside device memory is as long as the program says.
#[cfg(unix)]
#[test]
fn host_memory_that_is_not_there_is_an_error() {
    let output = command_within("ulimit -v 4000000", module_path!(), "ask for too much").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// No thread can be made: a stack is larger than all memory that there is.
#[cfg(unix)]
#[test]
fn without_threads_the_caller_computes() {
    let mut alone = command_within("ulimit -v 4000000", module_path!(), "compute alone");
    let output = alone.env("RUST_MIN_STACK", "8000000000").output().unwrap();
    let text = text(&output);
    assert!(output.status.success() && text.contains(" 1 threads"), "{text}");
}

/// The host's own threads are the only ones: rayon's global pool, a second set, is never started.
#[cfg(target_os = "linux")]
#[test]
fn there_is_one_set_of_threads() {
    let output = command(module_path!(), "compute alone").env("RAYON_NUM_THREADS", "7").output().unwrap();
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    // The process's own, the test's, and seven.
    assert!(text.contains(" 9 threads"), "{text}");
}

// ---- weight files ----

/// A limit on the size of files fails midway, as a full disk does, and needs no file system of its own.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_weights() {
    let folder = scratch("full");
    let file = folder.join("model.safetensors");
    io::save(&Wide::new(1), &file).unwrap();
    let whole = fs::read(&file).unwrap();
    let limits = "trap '' XFSZ; ulimit -f 1000";
    let output =
        command_within(limits, module_path!(), "save beyond a limit").env("NETCL_TEST_FILE", &file).output().unwrap();
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("error: cannot write ") && text.contains("model.safetensors"), "{text}");
    assert!(fs::read(&file).unwrap() == whole, "the old file is as it was");
    assert_eq!(names(&folder), ["model.safetensors"], "no temporary file stays");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_process_killed_while_saving_leaves_whole_weights() {
    let folder = scratch("killed");
    let file = folder.join("model.safetensors");
    let (first, second) = (Wide::new(1).bits(), Wide::new(2).bits());
    let mut midway = 0;
    for round in 0..8u64 {
        let _ = fs::remove_file(&file);
        let mut child = command(module_path!(), "save forever")
            .env("NETCL_TEST_FILE", &file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !file.exists() {
            assert!(child.try_wait().unwrap().is_none(), "the child ended before it saved");
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_millis(7 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut model = Wide::new(9);
        io::load(&mut model, &file).unwrap();
        let found = model.bits();
        assert!(found == first || found == second, "the file is the one model or the other");
        // What the killed process was writing lies beside it, until somebody saves there again.
        let left = || names(&folder).iter().filter(|name| name.ends_with(".tmp")).count();
        midway += left();
        io::save(&model, folder.join("another")).unwrap();
        assert_eq!(left(), 0);
    }
    eprintln!("{midway} of 8 processes were killed midway");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn two_threads_may_save_to_one_file() {
    let folder = scratch("threads");
    let file = folder.join("model.safetensors");
    let models = [Wide::new(1), Wide::new(2)];
    std::thread::scope(|scope| {
        for model in &models {
            scope.spawn(|| (0..5).for_each(|_| io::save(model, &file).unwrap()));
        }
    });
    let mut found = Wide::new(9);
    io::load(&mut found, &file).unwrap();
    assert!(models.iter().any(|model| model.bits() == found.bits()));
    assert_eq!(names(&folder), ["model.safetensors"]);
    fs::remove_dir_all(&folder).unwrap();
}

/// A safetensors file with that header and that many bytes of data.
fn file_of(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

/// A matrix, named as layers name theirs.
struct Matrix(ModelCore);

impl Model for Matrix {
    fn schema() -> Schema {
        let mut schema = Schema::new();
        let init = Init::Constant(0.5);
        let spec = TensorSpec { name: "weight", shape: vec![2, 2], dtype: DType::F32, init, trainable: true };
        schema.add("line.weight", spec);
        schema
    }

    fn core(&self) -> &ModelCore {
        &self.0
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.0
    }
}

#[test]
fn foreign_matrices_are_refused_unless_asked_for() {
    let folder = scratch("foreign");
    let file = folder.join("model.safetensors");
    let mut model = Matrix(ModelCore::new(&Device::host(), Seed(1), &Matrix::schema()).unwrap());
    let weights = |model: &Matrix| model.tensor("line.weight").unwrap().to_vec::<f32>().unwrap();
    // As PyTorch's library writes it.
    let tensor = r#""line.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}"#;
    fs::write(&file, file_of(&format!(r#"{{"__metadata__":{{"format":"pt"}},{tensor}}}"#), 16)).unwrap();
    let error = io::load(&mut model, &file).unwrap_err().to_string();
    for part in ["model.safetensors", "netcl has not written it", "`line.weight` [2, 2]", "`netcl::io::load_foreign`"] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(weights(&model), [0.5; 4], "nothing is loaded");
    io::load_foreign(&mut model, &file).unwrap();
    assert_eq!(weights(&model), [0.0; 4]);
    // A later netcl may lay them out otherwise, and says so.
    fs::write(&file, file_of(&format!(r#"{{"__metadata__":{{"netcl.layout":"2"}},{tensor}}}"#), 16)).unwrap();
    let error = io::load(&mut model, &file).unwrap_err().to_string();
    assert!(error.contains("its layout is `2`"), "{error}");
    io::save(&model, &file).unwrap();
    io::load(&mut model, &file).unwrap();
}

#[test]
fn damaged_weights_are_refused_and_nothing_is_loaded() {
    let folder = scratch("damaged");
    let file = folder.join("model.safetensors");
    let (saved, mut model) = (Wide::new(1), Wide::new(2));
    io::save(&saved, &file).unwrap();
    let whole = fs::read(&file).unwrap();
    let before = model.bits();
    let wide = r#""wide":{"dtype":"F32","shape":[1024,1024],"data_offsets":[0,4194304]}"#;
    let small = |dtype: &str, shape: &str, end: usize| {
        format!(r#"{{{wide},"small":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[4194304,{end}]}}}}"#)
    };
    let unusable = "is not a usable safetensors file";
    let unfit = "the weights do not fit the model, nothing was loaded";
    let mut header = whole.clone();
    header[20] = b'}';
    for (what, bytes, expected) in [
        ("empty", Vec::new(), [unusable, "model.safetensors"]),
        ("cut short", whole[..whole.len() - 100].to_vec(), [unusable, "model.safetensors"]),
        ("cut in the header", whole[..50].to_vec(), [unusable, "model.safetensors"]),
        ("a broken header", header, [unusable, "model.safetensors"]),
        ("a header of 2^60 bytes", (1u64 << 60).to_le_bytes().repeat(4), [unusable, "model.safetensors"]),
        ("not such a file", b"PK\x03\x04 a zip file or so".to_vec(), [unusable, "model.safetensors"]),
        (
            "a wrong shape",
            file_of(&small("F32", "[1,3]", 4_194_316), 4_194_316),
            [unfit, "`small`: the model has f32 [3], the file F32 [1, 3]"],
        ),
        (
            "a wrong element type",
            file_of(&small("F16", "[3]", 4_194_310), 4_194_310),
            [unfit, "`small`: the model has f32 [3], the file F16 [3]"],
        ),
        ("a tensor too few", file_of(&format!("{{{wide}}}"), 4_194_304), [unfit, "missing: `small` f32 [3]"]),
    ] {
        fs::write(&file, bytes).unwrap();
        let error = io::load(&mut model, &file).unwrap_err().to_string();
        assert!(expected.iter().all(|part| error.contains(part)), "{what}: {error}");
        assert_eq!(model.bits(), before, "{what}: nothing is loaded");
    }
    fs::write(&file, whole).unwrap();
    io::load(&mut model, &file).unwrap();
    assert_eq!(model.bits(), saved.bits(), "the model is usable after all that");
    fs::remove_dir_all(&folder).unwrap();
}

/// A sparse file: it has this many bytes, and takes no room.
fn sparse(path: &std::path::Path, header: &str, bytes: u64) {
    fs::write(path, file_of(header, 0)).unwrap();
    File::options().append(true).open(path).unwrap().set_len(bytes).unwrap();
}

/// Of a file that does not fit, no more than the header is read: these are of a terabyte.
#[test]
fn what_does_not_fit_is_seen_in_the_header() {
    let folder = scratch("large");
    let file = folder.join("model.safetensors");
    let mut model = Wide::new(1);
    let elements = 1u64 << 38;
    let other = format!(r#"{{"other":{{"dtype":"F32","shape":[{elements}],"data_offsets":[0,{}]}}}}"#, 4 * elements);
    for (header, bytes, expected) in [
        (other.as_str(), 8 + other.len() as u64 + 4 * elements, "unexpected: `other`"),
        (&other, 1 << 40, "its header tells of 1099511627776 bytes of tensors, there are"),
        ("{}", 1 << 40, "its header tells of 0 bytes of tensors, there are 1099511627766"),
        ("\u{1}", 1 << 40, "its header is not understood"),
    ] {
        sparse(&file, header, bytes);
        let error = io::load(&mut model, &file).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A header that is said to be longer than any, or than the file.
    for (length, expected) in [(u64::MAX, "room for 100000000"), (100_000_001, "room for"), (64, "room for 9")] {
        fs::write(&file, [&length.to_le_bytes()[..], b"123456789"].concat()).unwrap();
        if length > 64 {
            File::options().append(true).open(&file).unwrap().set_len(1 << 40).unwrap();
        }
        let error = io::load(&mut model, &file).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// A pipe that somebody names gives what its header promises, and no more is read; one that has no end ends it.
#[cfg(unix)]
#[test]
fn weights_come_through_a_pipe() {
    let folder = scratch("pipe");
    let (file, pipe) = (folder.join("model.safetensors"), folder.join("pipe"));
    let (saved, mut model) = (Wide::new(1), Wide::new(2));
    io::save(&saved, &file).unwrap();
    let whole = fs::read(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut through = |bytes: &[u8]| {
        std::thread::scope(|scope| {
            // Whoever reads may have seen enough.
            scope.spawn(|| _ = fs::write(&pipe, bytes));
            io::load(&mut model, &pipe).map(|()| model.bits())
        })
    };
    assert!(through(&whole[..whole.len() - 1]).unwrap_err().to_string().contains("the data ends in it"));
    assert!(through(&whole[..20]).unwrap_err().to_string().contains("it ends in its header"));
    assert_eq!(through(&whole).unwrap(), saved.bits());
    // Nor does what is saved to one hang where somebody reads.
    let read = std::thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read(&pipe).unwrap());
        io::save(&saved, &pipe).unwrap();
        reader.join().unwrap()
    });
    assert!(read == whole);
    for endless in ["/dev/zero", "/dev/urandom"] {
        let error = io::load(&mut model, endless).unwrap_err();
        assert!(matches!(error, Error::WeightFile { .. } | Error::Weights { .. }), "{error}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

// ---- sources and sizes ----

#[test]
fn a_broken_source_loses_nothing() {
    for device in with_driver() {
        let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
        let x = Tensor::from_slice(&device, &[1.0f32; 6], &[2, 3]).unwrap();
        let forward = function(&affine_square());
        let before = forward.call(Some(&core), "", &[&x], &[]).unwrap().remove(0);
        let numbers = before.to_vec::<f32>().unwrap();
        let mut plan = affine_square();
        plan.source = plan.source.to_string().replace("uint size) {", "uint size) { undeclared += 1;").into();
        for attempt in 0..2 {
            let error = function(&plan).call(Some(&core), "", &[&x], &[]).unwrap_err();
            let Error::Build { device: named, program, log, source_text } = &error else { panic!("{error}") };
            assert_eq!((named.as_str(), program.as_str()), (device.profile().name.as_str(), "Toy::forward"));
            assert!(log.contains("undeclared"), "attempt {attempt}: {log}");
            assert!(source_text.contains("   3 |") && source_text.contains("undeclared += 1;"), "{source_text}");
        }
        assert_eq!(before.to_vec::<f32>().unwrap(), numbers, "what was computed is there");
        let again = forward.call(Some(&core), "", &[&x], &[]).unwrap().remove(0);
        assert_eq!(again.to_vec::<f32>().unwrap(), numbers, "and the device computes on");
    }
}

/// Of layers whose tensors take more than there is, too: on the host, and where all memory is said to be there.
#[test]
fn layers_beyond_reason_are_errors() {
    use netcl::nn::{ConfigValue::Size, Layer};
    let largest = Size(i32::MAX as u64);
    for device in [Device::null(Target::Cpu, u64::MAX), Device::host()] {
        for (name, keys) in [
            ("Linear", vec!["inputs", "outputs"]),
            ("Conv2d", vec!["inputs", "outputs", "kernel", "stride", "padding", "dilation", "groups"]),
            ("Conv2d", vec!["inputs", "outputs", "kernel"]),
            ("Embedding", vec!["entries", "features"]),
            ("SelfAttention", vec!["features", "heads"]),
        ] {
            let settings: Vec<_> = keys.into_iter().map(|key| (key, largest.clone())).collect();
            let error = match Layer::new(&device, Seed(1), name, &settings) {
                Ok(_) => panic!("`{name}` of {settings:?} fits"),
                Err(error) => error.to_string(),
            };
            let words = ["larger than memory", "more elements than can be counted"];
            assert!(words.iter().any(|words| error.contains(words)), "{name}: {error}");
        }
    }
}

#[test]
fn sizes_beyond_reason_are_errors() {
    // A device that pretends to have all the memory there can be.
    let device = Device::null(Target::Cpu, u64::MAX);
    let core = ModelCore::new(&device, Seed(1), &toy_schema()).unwrap();
    let kept = Tensor::zeros(&device, &[5, 3], DType::F32).unwrap();
    let text = |result: netcl::Result<()>| result.unwrap_err().to_string();

    let mut plan = affine_square();
    let rows = 1usize << 30;
    let x = Tensor::zeros(&device, &[rows, 3], DType::F32).unwrap();
    let error = text(function(&plan).call(Some(&core), "", &[&x], &[]).map(|_| ()));
    let words =
        ["`Toy::forward`: `", "with N = 1073741824", "3221225472 elements are more than 2147418111", "smaller batches"];
    assert!(words.iter().all(|part| error.contains(part)), "{error}");

    // 2^66 elements, and 3 of each: more than 64 bits count.
    plan.buffers[3].shape.0 = vec![n() * n() * n(), Dim::from(3)];
    let x = Tensor::zeros(&device, &[1 << 22, 3], DType::F32).unwrap();
    let error = text(function(&plan).call(Some(&core), "", &[&x], &[]).map(|_| ()));
    assert!(error.contains("`h`") && error.contains("N = 4194304"), "{error}");

    let (column, row) = (
        Tensor::zeros(&device, &[1 << 30, 1], DType::F32).unwrap(),
        Tensor::zeros(&device, &[1, 1 << 30], DType::F32).unwrap(),
    );
    let error = text(column.matmul(&row).eval().map(drop));
    assert!(error.contains("1152921504606846976 elements"), "{error}");
    assert!(error.contains("what can be counted is up to 72057594037927936"), "{error}");
    for shape in [[usize::MAX, 2], [1 << 62, 4], [usize::MAX, usize::MAX]] {
        let error = text(Tensor::zeros(&Device::host(), &shape, DType::F32).map(|_| ()));
        assert!(error.contains("larger than memory"), "{error}");
    }
    // Sizes that no call can have are not tuned for, rather than found to have nothing to measure.
    for size in [1u64 << 40, 1 << 63, u64::MAX] {
        let functions = [function(&affine_square())];
        let tuned = netcl::__private::tune(&[&functions], &device, &[("N", size)], &TuneOptions::quick());
        let error = text(tuned.map(|_| ()));
        assert!(error.contains("Toy::forward") && error.contains(&size.to_string()), "{error}");
    }
    // The device and its tensors go on.
    assert_eq!(function(&affine_square()).call(Some(&core), "", &[&kept], &[]).unwrap()[0].shape(), [5, 3]);
}
