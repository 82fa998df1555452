//! Traces as `chrome://tracing` and Perfetto read them: the "JSON array format", an event on each line.
//!
//! By hand, and not `tracing-chrome`: that writes spans as they end, by the host's clock; a device tells later when it began
//! and ended.

use super::span::{Span, Track};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Lines of JSON, and which tracks they have introduced.
#[derive(Debug, Default)]
pub(super) struct Lines {
    known: BTreeSet<(u32, u32)>,
    lines: Vec<String>,
}

impl Lines {
    pub(super) fn add(&mut self, span: &Span) {
        self.introduce(&span.track);
        let (group, track) = span.track.numbers;
        let mut line = format!(
            r#"{{"ph":"X","name":{},"cat":"{}","pid":{group},"tid":{track},"ts":{},"dur":{},"args":{{"#,
            quoted(&span.name),
            span.kind.name(),
            microseconds(span.started),
            microseconds(span.ended.saturating_sub(span.started)),
        );
        let mut args = Vec::new();
        args.extend(span.kernel.as_deref().map(|kernel| format!(r#""kernel":{}"#, quoted(kernel))));
        if !span.work_items.is_empty() {
            args.push(format!(r#""work_items":{:?}"#, span.work_items));
        }
        if !span.work_group.is_empty() {
            args.push(format!(r#""work_group":{:?}"#, span.work_group));
        }
        args.extend(span.bytes.map(|bytes| format!(r#""bytes":{bytes}"#)));
        args.extend(span.queued.map(|queued| format!(r#""queued_us":{}"#, microseconds(queued))));
        args.extend(span.submitted.map(|submitted| format!(r#""submitted_us":{}"#, microseconds(submitted))));
        let _ = write!(line, "{}}}}}", args.join(","));
        self.lines.push(line);
    }

    /// Names a track before its first event.
    fn introduce(&mut self, track: &Track) {
        let (group, number) = track.numbers;
        if !self.known.insert((group, number)) {
            return;
        }
        for (what, tid, name) in [("process_name", 0, &track.group), ("thread_name", number, &track.name)] {
            let name = quoted(name);
            self.lines
                .push(format!(r#"{{"ph":"M","name":"{what}","pid":{group},"tid":{tid},"args":{{"name":{name}}}}}"#));
        }
    }

    /// What was not recorded, as an event of its own.
    pub(super) fn note(&mut self, what: &str, count: u64) {
        self.lines.push(format!(r#"{{"ph":"M","name":"{what}","pid":0,"tid":0,"args":{{"count":{count}}}}}"#));
    }

    fn take(&mut self) -> String {
        std::mem::take(&mut self.lines).join(",\n")
    }
}

/// The trace of these spans.
pub fn trace(spans: &[Span]) -> String {
    let mut lines = Lines::default();
    spans.iter().for_each(|span| lines.add(span));
    format!("[\n{}\n]\n", lines.take())
}

/// A trace that grows while the program runs. After each [`Stream::flush`] the file is whole, so that nothing is lost
/// with a program that is killed but what it did since.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) path: PathBuf,
    file: File,
    /// Where the closing bracket's line begins.
    end: u64,
    pub(super) lines: Lines,
}

const CLOSE: &str = "\n]\n";

impl Stream {
    pub(super) fn create(path: &Path) -> io::Result<Stream> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        // A pipe is no place for a trace, which is written to again at its end, and its opening would wait for a reader.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let (path, file) = (path.to_owned(), options.open(path)?);
        let mut stream = Stream { path, file, end: 0, lines: Lines::default() };
        stream.flush()?;
        Ok(stream)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.lines.lines.is_empty() && self.end > 0 {
            return Ok(());
        }
        // "[", then nothing or events.
        let begin = match self.end {
            0 => "[",
            1 => "\n",
            _ => ",\n",
        };
        let text = format!("{begin}{}", self.lines.take());
        self.file.seek(SeekFrom::Start(self.end)).map_err(|error| match error.kind() {
            io::ErrorKind::NotSeekable => {
                let problem =
                    "it is a pipe or a terminal, and the end of a trace is written again and again; name a file";
                io::Error::new(error.kind(), problem)
            }
            _ => error,
        })?;
        self.file.write_all(format!("{text}{CLOSE}").as_bytes())?;
        self.end += text.len() as u64;
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

#[cfg(test)]
mod tests {
    use super::super::span::{Command, DeviceTracks, Lane};
    use super::*;
    use serde_json::Value;

    fn span(source: &DeviceTracks, name: &str, started: u64) -> Span {
        let command =
            Command { name: name.into(), kernel: Some("f_0".into()), work_items: vec![64, 2], ..Command::default() };
        command.span(source.track(Lane::Compute).clone(), Some((started - 20, started - 10)), started, started + 1500)
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_in_words() {
        let pipe = std::env::temp_dir().join(format!("netcl-trace-{}.pipe", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _reader = File::options().read(true).write(true).open(&pipe).unwrap();
        let error = Stream::create(&pipe).unwrap_err().to_string();
        assert!(error.contains("name a file"), "{error}");
        std::fs::remove_file(&pipe).unwrap();
    }

    #[test]
    fn a_stream_is_whole_after_every_flush() {
        let path = std::env::temp_dir().join(format!("netcl-stream-{}.json", std::process::id()));
        let read = || -> Value { serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap() };
        let mut stream = Stream::create(&path).unwrap();
        assert_eq!(read(), serde_json::json!([]));
        let source = DeviceTracks::new("opencl:0:0", "a \"device\"\n");
        for count in 1..4 {
            stream.lines.add(&span(&source, "x \\ \"y\"", 1000 * count));
            stream.flush().unwrap();
            stream.flush().unwrap();
            let events = read();
            assert_eq!(events.as_array().unwrap().len() as u64, 2 + count, "two lines name the track, once");
        }
        let events = read();
        assert_eq!(events[0]["args"]["name"], "opencl:0:0: a \"device\"\n");
        assert_eq!(events[1]["args"]["name"], "kernels");
        let event = &events[4];
        assert_eq!((&event["name"], &event["ts"], &event["dur"]), (&"x \\ \"y\"".into(), &3.0.into(), &1.5.into()));
        assert_eq!(event["args"]["work_items"], serde_json::json!([64, 2]));
        assert_eq!((&event["args"]["queued_us"], &event["args"]["submitted_us"]), (&2.98.into(), &2.99.into()));
        std::fs::remove_file(&path).unwrap();
    }
}
