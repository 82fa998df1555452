use super::*;
use crate::device::DeviceKind;
use crate::select::testing::{config, product, record};
use netcl_kernels::plan::Target;

fn identity(device: &str, driver: &str) -> Identity {
    let profile = DeviceProfile::unknown(device, DeviceKind::Gpu, Target::Gpu).with(|profile| {
        profile.driver = driver.into();
    });
    Identity::of(&profile)
}

fn folder(name: &str) -> Folder {
    let path = std::env::temp_dir().join(format!("netcl-records-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    Folder(path)
}

fn content(m: u64) -> Content {
    let mut content = Content::default();
    content.add(record(&product(m, 64, 64), &config("matmul_tiled TILE=16")));
    content.tested.insert("matmul_tiled f32".into(), true);
    content
}

fn add(folder: &Folder, identity: &Identity, m: u64) -> Option<Content> {
    folder.update(identity, &|content| _ = content.merge(self::content(m))).ok()
}

#[test]
fn what_is_stored_is_loaded_and_damage_is_noticed() {
    let (folder, identity) = (folder("damage"), identity("A GPU (tm)", "1.0"));
    assert_eq!(folder.load(&identity), Content::default());
    let content = content(32);
    assert_eq!(add(&folder, &identity, 32), Some(content.clone()));
    assert_eq!(folder.load(&identity), content);
    let path = folder.path(&identity);
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("a-gpu--tm-"), "{path:?}");
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    assert!(text.contains("\"config\": \"matmul_tiled TILE=16\""), "a person can read it: {text}");
    let digit = text.replacen("\"nanoseconds\": 1000", "\"nanoseconds\": 1001", 1);
    assert_ne!(digit, text);
    for damaged in [&whole[..whole.len() / 2], b"", b"{}", digit.as_bytes()] {
        fs::write(&path, damaged).unwrap();
        assert_eq!(folder.load(&identity), Content::default());
    }
    add(&folder, &identity, 48);
    assert_eq!(folder.load(&identity), self::content(48), "a damaged file is replaced");
    folder.remove(&identity).unwrap();
    folder.remove(&identity).unwrap();
    assert_eq!(folder.load(&identity), Content::default());
    fs::remove_dir_all(&folder.0).unwrap();
}

fn damaged(folder: &Folder) -> usize {
    let files = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.filter(|path| matches!(read(path), Some(Found::Damaged(_)))).count()
}

/// Also where the sum is right, which is no secret.
#[test]
fn any_bytes_are_refused_or_understood() {
    let whole = encode(&identity("gpu", "1.0"), &content(32)).unwrap();
    let text = String::from_utf8(whole).unwrap();
    let (_, body) = text.split_once(",\n").unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % end
    };
    let (mut whole, mut damaged) = (0, 0);
    for _ in 0..2000 {
        let mut bytes = body.as_bytes().to_vec();
        for _ in 0..1 + below(2) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes[at] = b"0123456789-eE\"{}[],:"[below(20)],
                1 if at > 0 => bytes.truncate(at),
                2 => bytes.insert(at, b'9'),
                _ => {
                    if let Some(digit) = (at..bytes.len()).find(|at| bytes[*at].is_ascii_digit()) {
                        bytes[digit] = b'0' + below(10) as u8;
                    }
                }
            }
        }
        let unsigned = format!("{{\n  \"checksum\": \"{NO_SUM}\",\n{}", String::from_utf8_lossy(&bytes));
        let signed = unsigned.replacen(NO_SUM, &sum(iter::once(unsigned.as_str())), 1);
        match decode(signed.as_bytes()) {
            Found::Whole(..) => whole += 1,
            Found::Damaged(_) | Found::Foreign(_) | Found::Refused(_) => damaged += 1,
        }
    }
    assert!(whole > 100 && damaged > 100, "{whole} whole, {damaged} damaged");
}

#[test]
fn what_another_netcl_wrote_is_skipped_and_not_called_damaged() {
    let (folder, identity) = (folder("versions"), identity("gpu", "1.0"));
    add(&folder, &identity, 32);
    let own = fs::read_to_string(folder.path(&identity)).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.0.join(name), text).unwrap();
    // Other content, of another version; with another sum; without the fields that this one has.
    let version = format!("\"netcl\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let later = own.replace(&version, "\"netcl\": \"99.0.0\"");
    write("later.json", &later);
    write("configuration.json", &later.replace("matmul_tiled TILE=16", "matmul_quantum QUBITS=16"));
    write("bare.json", "{\"checksum\": \"\", \"of\": {\"netcl\": \"0.0.1\"}, \"measured\": 7}");
    assert_eq!(damaged(&folder), 0);
    assert_eq!(folder.relatives(&identity), []);
    // What is of this version is damaged if it cannot be read.
    write("own.json", &own.replace("matmul_tiled TILE=16", "matmul_quantum QUBITS=16"));
    assert_eq!(damaged(&folder), 1);
    // Another version's whole file is read if it can be.
    let foreign = Identity { netcl: "99.0.0".into(), ..identity.clone() };
    add(&folder, &foreign, 48);
    assert_eq!(folder.relatives(&identity), [content(48)]);
    fs::remove_dir_all(&folder.0).unwrap();
}

#[test]
fn what_was_found_out_about_other_kernels_is_not_this_devices_own() {
    let (folder, identity) = (folder("kernels"), identity("gpu", "1.0"));
    let texts = |texts: &[&str]| sum(texts.iter().copied());
    assert_ne!(texts(&["a", "b"]), texts(&["ab"]));
    assert_ne!(texts(&["a", "b"]), texts(&["a", "c"]));
    assert_eq!(identity.kernels, of_templates());
    let before = Identity { kernels: texts(&["other text"]), ..identity.clone() };
    add(&folder, &before, 32);
    assert_eq!(folder.load(&identity), Content::default());
    assert_eq!(folder.relatives(&identity), [content(32)], "how fast they were is a hint");
    fs::remove_dir_all(&folder.0).unwrap();
}

#[test]
fn writers_at_once_lose_nothing() {
    let (folder, identity) = (folder("writers"), identity("gpu", "1.0"));
    std::thread::scope(|scope| {
        for m in 0..8u64 {
            let (folder, identity) = (&folder, &identity);
            scope.spawn(move || add(folder, identity, 64 << m));
        }
    });
    assert_eq!(folder.load(&identity).measured.len(), 8);
    let names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "the file and the folder's lock: {names:?}");
    fs::remove_dir_all(&folder.0).unwrap();
}

#[test]
fn a_folder_has_one_lock_however_many_files_come_and_go() {
    let folder = folder("lock");
    let names = || {
        let entries = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    };
    let identities: Vec<Identity> = (0..5).map(|version| identity("gpu", &version.to_string())).collect();
    identities.iter().for_each(|identity| _ = add(&folder, identity, 32));
    assert_eq!(names().len(), 6);
    // Left by processes that were killed, and one of a process that writes now.
    let written = ".1123456789abcdef.netcl.tmp";
    for name in [".0123456789abcdef.netcl.tmp", written] {
        fs::write(folder.0.join(name), b"half").unwrap();
    }
    let writer = File::options().append(true).open(folder.0.join(written)).unwrap();
    writer.lock().unwrap();
    identities.iter().for_each(|identity| folder.remove(identity).unwrap());
    assert_eq!(names(), [written, LOCK]);
    // Who had waited while the file was removed has its turn, and alone.
    let turn = turn(&folder.0).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| add(&folder, &identities[0], 48));
        drop(turn);
        waiting.join().unwrap();
    });
    assert_eq!(folder.load(&identities[0]), content(48));
    fs::remove_dir_all(&folder.0).unwrap();
}

#[test]
fn relatives_are_of_one_architecture() {
    let folder = folder("relatives");
    add(&folder, &identity("gpu", "1.0"), 32);
    add(&folder, &identity("gpu", "2.0"), 48);
    let mut other = identity("cpu", "1.0");
    other.architecture = "other".into();
    add(&folder, &other, 64);
    assert_eq!(folder.relatives(&identity("gpu", "1.0")), [content(48)]);
    assert_eq!(folder.relatives(&other), []);
    fs::remove_dir_all(&folder.0).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written_is_no_error() {
    let folder = folder("file");
    fs::write(&folder.0, b"not a folder").unwrap();
    let inner = Folder(folder.0.join("tuning"));
    assert_eq!(add(&inner, &identity("gpu", "1.0"), 32), None);
    assert_eq!(inner.load(&identity("gpu", "1.0")), Content::default());
    assert!(read(&inner.path(&identity("gpu", "1.0"))).is_none(), "nothing is damaged where nothing can be");
    fs::remove_file(&folder.0).unwrap();
}
