//! Plans in a built binary: marked when the macros embed them, found again in its bytes.
//!
//! By hand, and not `linkme` or `object`: what is looked for is text, which needs no format of binaries.
//!
//! A plan that a macro embeds is one string literal: [`MARK`], the path of the module, a line feed, what [`Header`] says,
//! a line feed, the plan as JSON. Linkers keep a literal in one piece, whatever else they merge, strip or move, and
//! whether they write ELF, Mach-O or PE. A function that the program never uses is left out, with its plans.

use crate::target::Target;
use std::fmt;
use std::str::FromStr;

/// What no other text of a program begins with.
pub const MARK: &str = "\u{1}netcl plan 1\u{2}";

/// Longer paths of modules and headers are taken for bytes that happen to look like a mark.
const LONGEST_LINE: usize = 4096;

/// What is known about an embedded plan before it is read: bytes of its JSON, target, path, function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Header {
    /// Bytes of the JSON that follows.
    pub length: usize,
    /// For which kind of device.
    pub target: Target,
    /// Which of the paths through the function: one for each choice between its plain arguments' values.
    pub path: usize,
    /// As the user wrote it: `Mlp::forward`, `bias_relu.vjp`.
    pub function: String,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.length, self.target.name(), self.path, self.function)
    }
}

impl FromStr for Header {
    type Err = ();

    fn from_str(text: &str) -> Result<Header, ()> {
        let mut parts = text.splitn(4, ' ');
        let mut part = || parts.next().filter(|part| !part.is_empty()).ok_or(());
        let length = part()?.parse().map_err(|_| ())?;
        let target = part()?;
        let target = Target::ALL.into_iter().find(|known| known.name() == target).ok_or(())?;
        let path = part()?.parse().map_err(|_| ())?;
        Ok(Header { length, target, path, function: part()?.to_owned() })
    }
}

/// A plan that was found in a binary.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EmbeddedPlan<'a> {
    /// Of the module that the function is in: `digits::model`.
    pub module: &'a str,
    /// What it is.
    pub header: Header,
    /// The [`crate::plan::Plan`] as JSON.
    pub json: &'a str,
}

/// The JSON of an embedded text. A text without a mark is its own JSON.
pub fn json(embedded: &str) -> &str {
    match embedded.starts_with(MARK) {
        true => embedded.splitn(3, '\n').nth(2).unwrap_or(""),
        false => embedded,
    }
}

/// Every plan in the bytes of a binary, each once, by module, function, path and target.
pub fn find(bytes: &[u8]) -> Vec<EmbeddedPlan<'_>> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some(start) = position(rest, MARK.as_bytes()) {
        rest = &rest[start + MARK.len()..];
        if let Some(plan) = one(rest) {
            rest = &rest[plan.module.len() + plan.json.len()..];
            found.push(plan);
        }
    }
    found.sort_by(|a, b| key(a).cmp(&key(b)));
    // Parts of a program that were compiled apart may each have a copy.
    found.dedup();
    found
}

fn key<'a>(found: &'a EmbeddedPlan<'_>) -> (&'a str, &'a str, usize, Target, &'a str) {
    (found.module, &found.header.function, found.header.path, found.header.target, found.json)
}

/// The plan whose mark ends where `bytes` begin.
fn one(bytes: &[u8]) -> Option<EmbeddedPlan<'_>> {
    let (module, rest) = line(bytes)?;
    let (header, rest) = line(rest)?;
    let header: Header = header.parse().ok()?;
    let json = std::str::from_utf8(rest.get(..header.length)?).ok()?;
    (json.starts_with('{') && json.ends_with('}')).then_some(EmbeddedPlan { module, header, json })
}

fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end =
        bytes.iter().take(LONGEST_LINE).position(|byte| byte.is_ascii_control()).filter(|&end| bytes[end] == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let (first, _) = wanted.split_first()?;
    let mut from = 0;
    while let Some(next) = bytes[from..].iter().position(|byte| byte == first) {
        if bytes[from + next..].starts_with(wanted) {
            return Some(from + next);
        }
        from += next + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded(module: &str, function: &str, path: usize, target: Target, json: &str) -> String {
        let header = Header { length: json.len(), target, path, function: function.to_owned() };
        format!("{MARK}{module}\n{header}\n{json}")
    }

    #[test]
    fn plans_are_found_between_other_bytes_each_once() {
        let forward =
            embedded("digits", "Mlp::forward", 0, Target::Gpu, r#"{"name":"Mlp::forward","labels":"größer"}"#);
        let pullback = embedded("digits::parts", "scale.vjp", 1, Target::Host, "{\n}");
        let mut bytes = vec![0xff, 1, b'n', b'e'];
        for part in [pullback.as_bytes(), b"\x00\x01", forward.as_bytes(), MARK.as_bytes(), forward.as_bytes()] {
            bytes.extend_from_slice(part);
        }
        let found = find(&bytes);
        let names: Vec<_> =
            found.iter().map(|plan| (plan.module, plan.header.function.as_str(), plan.header.path)).collect();
        assert_eq!(names, [("digits", "Mlp::forward", 0), ("digits::parts", "scale.vjp", 1)]);
        assert_eq!(found[0].json, json(&forward));
        assert_eq!((found[1].header.target, found[1].json), (Target::Host, "{\n}"));
    }

    #[test]
    fn what_only_looks_like_a_plan_is_passed_over() {
        let whole = embedded("m", "f", 0, Target::Cpu, r#"{"name":"f"}"#);
        assert_eq!(find(whole.as_bytes()).len(), 1);
        for end in 0..whole.len() {
            assert_eq!(find(&whole.as_bytes()[..end]), [], "cut off after {end} bytes");
        }
        for broken in [
            whole.replace("cpu", "tpu"),
            whole.replace("12 cpu", "-1 cpu"),
            whole.replace("12 cpu", "18446744073709551615 cpu"),
            whole.replace("cpu 0 f", "cpu 0"),
            whole.replace("m\n", &format!("{}\n", "m".repeat(LONGEST_LINE))),
        ] {
            assert_ne!(broken, whole);
            assert_eq!(find(broken.as_bytes()), [], "{broken}");
        }
        let mut bytes = whole.clone().into_bytes();
        bytes[MARK.len()] = 0xff;
        assert_eq!(find(&bytes), [], "no UTF-8");
    }

    #[test]
    fn the_json_of_a_text_is_what_follows_its_mark() {
        assert_eq!(json(&embedded("m", "f", 0, Target::Cpu, "{\n\n}")), "{\n\n}");
        assert_eq!(json("{}"), "{}");
        assert_eq!(json(MARK), "");
    }
}
