//! Records on disk: one JSON file for each device, driver, version of netcl and text of its kernels, shared by all processes.
//!
//! A file is replaced whole. Who writes reads it again first, under the folder's lock, and merges: two processes that tune at
//! once lose nothing. A file that is damaged, or that another user may have written, counts as none, with a warning; one of
//! another netcl that this one cannot read, without.

use super::{Content, Record, WorkGroup};
use crate::config;
use crate::device::DeviceProfile;
use crate::files::{
    Keeping, Own, Refusal, checksum, folder_of, is_missing, make_private_folder, open_to_change, read_own,
    refusal_of_folder, remove_leftovers, replace_file, warn_of,
};
use netcl_kernels::sorted::{self, SortedMap};
use netcl_kernels::template::ALL;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long to wait for another process's turn. Turns take milliseconds; who holds one for longer has been stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// In the folder of the files.
const LOCK: &str = ".lock";

/// What a file's content means: to be counted up where names of self-tests, keys or configurations come to stand for
/// something else, or kernels that no template holds are generated otherwise.
const SCHEMA: u32 = 2;

/// Whose records a file has: what decides whether a kernel is right and how fast it is there. What an older netcl has not
/// written is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Identity {
    pub(super) netcl: String,
    /// [`SCHEMA`].
    schema: u32,
    /// A sum over the templates' texts: what was found out about a kernel says nothing about another.
    kernels: String,
    pub(super) platform: String,
    pub(super) device: String,
    pub(super) driver: String,
    /// Parts of a device are other devices.
    compute_units: u32,
    /// Vendor, architecture and kind: what devices must share to learn from each other.
    pub(crate) architecture: String,
}

/// A file's text. The sum comes first, and is over the text with [`NO_SUM`] in its place: whoever reads it need not know the
/// content.
#[derive(Serialize, Deserialize)]
struct Document {
    checksum: String,
    of: Identity,
    // What a `Content` has, spelled out: `flatten` would be a second reader and a second writer for every type in it.
    #[serde(default)]
    measured: SortedMap<String, Record>,
    #[serde(default)]
    tested: SortedMap<String, bool>,
    #[serde(default)]
    bad: SortedMap<String, String>,
    #[serde(default)]
    work_groups: SortedMap<String, WorkGroup>,
}

const NO_SUM: &str = "0000000000000000";

/// What every version's file has.
#[derive(Deserialize)]
struct Header {
    checksum: String,
    of: Identity,
}

/// What a file turned out to be.
pub(super) enum Found {
    /// Readable; perhaps of another version.
    Whole(Identity, Content),
    /// Of another version of netcl, and not to be read by this one.
    Foreign(Identity),
    /// Why it counts as none.
    Damaged(String),
    /// Who else may have written it.
    Refused(Refusal),
}

/// What becomes of what a file or folder that is not used would have held.
const INSTEAD: &str = "kernels are picked by netcl's own rules";

impl Identity {
    pub(crate) fn of(profile: &DeviceProfile) -> Identity {
        Identity {
            netcl: env!("CARGO_PKG_VERSION").to_owned(),
            schema: SCHEMA,
            kernels: of_templates().to_owned(),
            platform: profile.platform.clone(),
            device: profile.name.clone(),
            driver: profile.driver.clone(),
            compute_units: profile.compute_units,
            architecture: format!("{} {} {}", profile.vendor, profile.architecture, profile.target.name()),
        }
    }

    /// Whether this netcl writes its files so.
    fn is_of_this_version(&self) -> bool {
        self.netcl == env!("CARGO_PKG_VERSION") && self.schema == SCHEMA
    }

    /// The device's name in a form that every file system takes, and a hash of everything.
    fn file_name(&self) -> String {
        let readable = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let name: String = self.device.chars().map(readable).take(40).collect();
        let parts =
            [&self.netcl, &self.kernels, &self.platform, &self.device, &self.driver].map(String::as_str).join("\n");
        let all = format!("{parts}\n{}\n{}", self.compute_units, self.schema);
        format!("{}-{:016x}.json", name.trim_matches('-'), checksum(all.as_bytes()))
    }
}

/// The sum of this program's templates.
fn of_templates() -> &'static str {
    static SUM: LazyLock<String> =
        LazyLock::new(|| sum(ALL.iter().flat_map(|template| template.sources.iter().copied())));
    &SUM
}

fn sum<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut bytes = Vec::new();
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        // Where one ends is part of what they say.
        bytes.push(0);
    }
    format!("{:016x}", checksum(&bytes))
}

/// Where the files are.
#[derive(Clone, Debug)]
pub(crate) struct Folder(pub(super) PathBuf);

impl Folder {
    /// The process's: `tuning` in the cache folder; `None` where nothing is to be kept.
    pub(crate) fn of_process() -> Option<Folder> {
        Some(Folder(config::get().ok()?.cache_dir.as_ref()?.join("tuning")))
    }

    /// Another one.
    #[cfg(test)]
    pub(crate) fn at(path: PathBuf) -> Folder {
        Folder(path)
    }

    /// The file of a device, whether it is there or not.
    pub(crate) fn path(&self, identity: &Identity) -> PathBuf {
        self.0.join(identity.file_name())
    }

    /// What is known about the device.
    pub(crate) fn load(&self, identity: &Identity) -> Content {
        if self.refusal().is_some() {
            return Content::default();
        }
        match known(&self.path(identity)) {
            // Another device with the same file name: not damaged, just not ours.
            Some((of, content)) if of == *identity => content,
            _ => Content::default(),
        }
    }

    /// What is known about other devices, drivers and versions of netcl of the same architecture, in the order of the files' names.
    pub(crate) fn relatives(&self, identity: &Identity) -> Vec<Content> {
        let own = self.path(identity);
        let entries = if self.refusal().is_none() { fs::read_dir(&self.0).ok() } else { None };
        let Some(entries) = entries else { return Vec::new() };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| *path != own && path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        sorted::sort(&mut paths);
        let read = paths.iter().filter_map(|path| known(path));
        read.filter(|(of, _)| of.architecture == identity.architecture).map(|(_, content)| content).collect()
    }

    /// Why nothing is read from the folder or written to it; said once.
    fn refusal(&self) -> Option<Refusal> {
        let refusal = refusal_of_folder(&self.0);
        refusal.iter().for_each(|refusal| warn_of(refusal, INSTEAD));
        refusal
    }

    /// Changes what the device's file has, and gives that. A failure is a warning, too, once.
    pub(crate) fn update(&self, identity: &Identity, change: &dyn Fn(&mut Content)) -> io::Result<Content> {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if let Some(refusal) = self.refusal() {
            return Err(refusal.into());
        }
        let updated = self.try_update(identity, change);
        if let Err(error) = &updated
            && !WARNED.swap(true, Ordering::Relaxed)
        {
            let hint = "set NETCL_CACHE_DIR to a folder that can be written, or to `off`";
            tracing::warn!(folder = %self.0.display(), %error, hint, "measurements cannot be kept for later runs");
        }
        updated
    }

    fn try_update(&self, identity: &Identity, change: &dyn Fn(&mut Content)) -> io::Result<Content> {
        make_private_folder(&self.0)?;
        let path = self.path(identity);
        let _turn = turn(&self.0);
        let mut content = self.load(identity);
        change(&mut content);
        replace_file(&path, &encode(identity, &content)?, Keeping::Cached)?;
        remove_leftovers(&self.0);
        Ok(content)
    }

    /// Forgets everything about the device.
    pub(crate) fn remove(&self, identity: &Identity) -> io::Result<()> {
        remove(&self.path(identity))
    }
}

/// Removes a file of records, if it is there, and what killed processes left beside it.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    let _turn = turn(folder);
    remove_leftovers(folder);
    match fs::remove_file(path) {
        Err(error) if !is_missing(&error) => Err(error),
        _ => Ok(()),
    }
}

/// This process's turn to write in the folder; `None` where there is no folder, the file system has no locks, or another process
/// has been stopped in its turn: what can happen then is that a measurement is lost.
///
/// One lock is for all files and is never removed: who waits for a lock holds it open, and would share its turn with whoever
/// made another.
fn turn(folder: &Path) -> Option<File> {
    let file = open_to_change(&folder.join(LOCK), true).ok()?;
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => return None,
        }
    }
}

fn encode(identity: &Identity, content: &Content) -> io::Result<Vec<u8>> {
    let Content { measured, tested, bad, work_groups } = content.clone();
    let of = identity.clone();
    let document = Document { checksum: NO_SUM.to_owned(), of, measured, tested, bad, work_groups };
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    let checksum = sum(iter::once(text.as_str()));
    Ok(text.replacen(NO_SUM, &checksum, 1).into_bytes())
}

/// What a file's bytes are.
fn decode(bytes: &[u8]) -> Found {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Found::Damaged(error.to_string()),
    };
    let header: Header = match serde_json::from_str(text) {
        Ok(header) => header,
        Err(error) => return Found::Damaged(error.to_string()),
    };
    let own = header.of.is_of_this_version();
    match sum(iter::once(text.replacen(&header.checksum, NO_SUM, 1).as_str())) == header.checksum {
        true => match serde_json::from_str::<Document>(text) {
            Ok(Document { of, measured, tested, bad, work_groups, .. }) => {
                Found::Whole(of, Content { measured, tested, bad, work_groups })
            }
            Err(_) if !own => Found::Foreign(header.of),
            Err(error) => Found::Damaged(error.to_string()),
        },
        // Another version may have another sum.
        _ if !own => Found::Foreign(header.of),
        _ => Found::Damaged("its checksum does not fit".to_owned()),
    }
}

/// What a file is; `None` if it is not there.
pub(super) fn read(path: &Path) -> Option<Found> {
    match read_own(path) {
        Ok(Own::Bytes(bytes)) => Some(decode(&bytes)),
        Ok(Own::Refused(refusal)) => Some(Found::Refused(refusal)),
        Err(error) if is_missing(&error) => None,
        Err(error) => Some(Found::Damaged(error.to_string())),
    }
}

/// What a file holds; a damaged one nothing, with a warning.
fn known(path: &Path) -> Option<(Identity, Content)> {
    match read(path)? {
        Found::Whole(of, content) => Some((of, content)),
        Found::Foreign(of) => {
            tracing::debug!(path = %path.display(), netcl = of.netcl, "measurements of another netcl are not read");
            None
        }
        Found::Damaged(problem) => {
            tracing::warn!(path = %path.display(), problem, "a file of measurements is damaged and not used");
            None
        }
        Found::Refused(refusal) => {
            warn_of(&refusal, INSTEAD);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceKind;
    use crate::select::testing::{config, product, record};
    use netcl_kernels::plan::Target;

    fn identity(device: &str, driver: &str) -> Identity {
        let profile =
            DeviceProfile { driver: driver.into(), ..DeviceProfile::unknown(device, DeviceKind::Gpu, Target::Gpu) };
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
            let entries =
                fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
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
}
