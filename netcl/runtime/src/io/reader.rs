//! Safetensors files, read as far as is asked for: the header first, and nothing that the header does not promise.
//!
//! By hand around `safetensors`, whose reader wants the whole file in memory; its header is parsed by it.

use super::file::{LAYOUT, unusable};
use crate::error::{Error, Result};
use safetensors::tensor::{Metadata, TensorInfo};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of the header's length, at the file's start.
const LENGTH: u64 = 8;

/// No header is longer, as the format has it: a length beyond it is damage, and is not allocated.
const LONGEST_HEADER: u64 = 100_000_000;

/// An open file whose header has been read.
pub(super) struct WeightFile {
    path: PathBuf,
    source: Source,
    /// Where the tensors' data starts.
    start: u64,
    metadata: Metadata,
}

enum Source {
    File(File),
    /// What came out of a pipe after the header, once it is asked for.
    Pipe(Pipe),
}

struct Pipe {
    file: File,
    data: Option<Vec<u8>>,
}

impl WeightFile {
    /// Opens a file and reads its header. Regular files are compared with what it promises at once; of anything else (a
    /// pipe, standard input) no more is read than that.
    pub(super) fn open(path: &Path) -> Result<WeightFile> {
        let failed = |source| Error::Io { action: "read", path: path.to_owned(), source };
        // A pipe that somebody names is waited for, as every program does that is given one.
        let mut file = File::open(path).map_err(failed)?;
        let there = file.metadata().map_err(failed)?;
        if there.is_dir() {
            return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
        }
        let size = there.is_file().then_some(there.len());
        let wrong = |problem: String| unusable(path, problem);
        let mut length = [0; LENGTH as usize];
        if !filled(&mut file, &mut length).map_err(failed)? {
            return Err(wrong("it ends before its header".to_owned()));
        }
        let header = u64::from_le_bytes(length);
        let room = size.map_or(LONGEST_HEADER, |size| LONGEST_HEADER.min(size - LENGTH.min(size)));
        if header > room {
            return Err(wrong(format!("its header would have {header} bytes, and there is room for {room}")));
        }
        let mut bytes = length.to_vec();
        (&mut file).take(header).read_to_end(&mut bytes).map_err(failed)?;
        let metadata = metadata(&bytes, header).map_err(wrong)?;
        let start = LENGTH + header;
        let data = metadata.data_len() as u64;
        if let Some(size) = size
            && start.checked_add(data) != Some(size)
        {
            return Err(wrong(format!("its header tells of {data} bytes of tensors, there are {}", size - start)));
        }
        let source = if size.is_some() { Source::File(file) } else { Source::Pipe(Pipe { file, data: None }) };
        Ok(WeightFile { path: path.to_owned(), source, start, metadata })
    }

    /// What the header says of a tensor; `None` if there is none of that name.
    pub(super) fn info(&self, name: &str) -> Option<&TensorInfo> {
        self.metadata.info(name)
    }

    /// The names of all tensors, in the order of their data.
    pub(super) fn names(&self) -> Vec<String> {
        self.metadata.offset_keys()
    }

    /// Whether netcl has written the file, whose layout is therefore netcl's.
    ///
    /// # Errors
    ///
    /// If a later netcl has written it, whose layout is another.
    pub(super) fn is_own(&self) -> Result<bool> {
        match self.metadata.metadata().as_ref().and_then(|entries| entries.get(LAYOUT.0)) {
            None => Ok(false),
            Some(value) if value == LAYOUT.1 => Ok(true),
            Some(value) => Err(unusable(
                &self.path,
                format!(
                    "its layout is `{value}`, and this netcl knows `{}`: read it with the netcl that wrote it",
                    LAYOUT.1
                ),
            )),
        }
    }

    /// The bytes of a tensor, little-endian.
    pub(super) fn read(&mut self, name: &str) -> Result<Vec<u8>> {
        let failed = |source| Error::Io { action: "read", path: self.path.clone(), source };
        let wrong = |problem: &str| unusable(&self.path, format!("`{name}`: {problem}"));
        let (from, to) = self.metadata.info(name).ok_or_else(|| wrong("it is not there"))?.data_offsets;
        match &mut self.source {
            Source::File(file) => {
                file.seek(SeekFrom::Start(self.start + from as u64)).map_err(failed)?;
                let mut bytes = Vec::new();
                reserve(&mut bytes, to - from).map_err(failed)?;
                file.take((to - from) as u64).read_to_end(&mut bytes).map_err(failed)?;
                // Somebody may have cut it short since the header was read.
                if bytes.len() == to - from { Ok(bytes) } else { Err(wrong("the file ends in it")) }
            }
            Source::Pipe(pipe) => {
                let data = match &pipe.data {
                    Some(data) => data,
                    None => {
                        let mut data = Vec::new();
                        let promised = self.metadata.data_len() as u64;
                        // What is not there is not allocated.
                        (&mut pipe.file).take(promised).read_to_end(&mut data).map_err(failed)?;
                        pipe.data.insert(data)
                    }
                };
                data.get(from..to).map(<[u8]>::to_vec).ok_or_else(|| wrong("the data ends in it"))
            }
        }
    }
}

fn reserve(bytes: &mut Vec<u8>, count: usize) -> io::Result<()> {
    bytes.try_reserve_exact(count).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))
}

/// Reads as many bytes as there is room for; `false` if there are fewer.
fn filled(file: &mut File, room: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(room) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// A header whose names are looked at: no two may be the same, and which of two the crate takes is its own affair.
struct DistinctNames;

impl<'de> Deserialize<'de> for DistinctNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<DistinctNames, D::Error> {
        deserializer.deserialize_map(DistinctNames)
    }
}

impl<'de> Visitor<'de> for DistinctNames {
    type Value = DistinctNames;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DistinctNames, A::Error> {
        let mut names = BTreeSet::new();
        while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!("it has two entries named `{name}`")));
            }
            names.insert(name);
        }
        Ok(self)
    }
}

/// The header, its offsets and sizes checked as the `safetensors` crate checks it: `bytes` are all that stands before the tensors' data.
fn metadata(bytes: &[u8], header: u64) -> Result<Metadata, String> {
    if bytes.len() as u64 != LENGTH + header {
        return Err("it ends in its header".to_owned());
    }
    let header = &bytes[LENGTH as usize..];
    let not_understood = |error: serde_json::Error| format!("its header is not understood: {error}");
    serde_json::from_slice::<DistinctNames>(header).map_err(not_understood)?;
    serde_json::from_slice(header).map_err(not_understood)
}
