//! Whether an OpenCL C source is all that its program is built from.

use std::borrow::Cow;

/// Directives of the preprocessor that read a file; with `include` those that begin with it, as `include_next`.
const DIRECTIVES: [&str; 3] = ["include", "import", "embed"];

/// Options that have a file read before the source.
const OPTIONS: [&str; 2] = ["-include", "-imacros"];

/// Whether a driver reads files to build the source with these options, or looks whether there are any. What it gives may
/// then be another program in the next run, or the next minute, though source and options are the same.
///
/// Also the directives that a condition leaves out are found: which conditions hold only the driver knows.
pub(crate) fn reads_files(source: &str, options: &str) -> bool {
    let option = |word: &str| OPTIONS.iter().any(|option| word.trim_start_matches(['"', '\'']).starts_with(option));
    if options.split_whitespace().any(option) {
        return true;
    }
    let text = spliced(source);
    // Most sources have none of the words.
    DIRECTIVES.iter().any(|word| text.contains(word)) && (text.contains("__has_") || has_directive(text.as_bytes()))
}

/// The source with its continued lines in one, as the preprocessor does first.
fn spliced(source: &str) -> Cow<'_, str> {
    if !source.contains('\\') && !source.contains("??") {
        return Cow::Borrowed(source);
    }
    let source = source.replace("??/", "\\").replace("??=", "#");
    let mut pieces = source.split('\\');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // Compilers forgive blanks between the backslash and the end of the line.
        let after = piece.trim_start_matches([' ', '\t']);
        match after.strip_prefix("\r\n").or_else(|| after.strip_prefix(['\n', '\r'])) {
            Some(next_line) => text.push_str(next_line),
            None => {
                text.push('\\');
                text.push_str(piece);
            }
        }
    }
    Cow::Owned(text)
}

/// Whether a line begins with one of the directives, comments left out.
fn has_directive(text: &[u8]) -> bool {
    let (mut at, mut starts_line) = (0, true);
    while at < text.len() {
        if let Some(end) = blank(text, at) {
            starts_line |= matches!(text[at], b'\n' | b'\r');
            at = end;
            continue;
        }
        let rest = &text[at..];
        let sign = usize::from(rest[0] == b'#') + 2 * usize::from(rest.starts_with(b"%:"));
        at += match rest[0] {
            quote @ (b'"' | b'\'') => literal(rest, quote),
            _ if sign > 0 && starts_line => {
                let mut name = at + sign;
                while let Some(end) = blank(text, name).filter(|_| !matches!(text[name], b'\n' | b'\r')) {
                    name = end;
                }
                if DIRECTIVES.iter().any(|word| text[name..].starts_with(word.as_bytes())) {
                    return true;
                }
                name - at
            }
            _ => 1,
        };
        starts_line = false;
    }
    false
}

/// Where the blank or comment at `at` ends; `None` if there is none. A comment to the end of a line ends before that.
pub fn blank(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    match rest {
        [b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, ..] => Some(at + 1),
        [b'/', b'/', ..] => {
            Some(rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).map_or(text.len(), |end| at + end))
        }
        [b'/', b'*', inside @ ..] => {
            Some(inside.windows(2).position(|end| end == b"*/").map_or(text.len(), |end| at + end + 4))
        }
        _ => None,
    }
}

/// How long a literal is that begins with its quote. One that its line does not close ends there: an apostrophe in `#error`.
pub(crate) fn literal(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && !matches!(text[at], b'\n' | b'\r') {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at.min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_that_read_files_are_found() {
        let sources = [
            "#include \"a.h\"",
            "int x;\n  # \t include <a.h>\n",
            "int x;\r#include MACRO",
            "#import \"a.h\"",
            "#include_next <a.h>",
            "const uchar x[] = {\n#embed \"a.bin\"\n};",
            "#inc\\\nlude \"a.h\"",
            "#inc\\  \r\nlude \"a.h\"",
            "/* several\nlines */ # /* here */ include \"a.h\"",
            "// one line\n#include \"a.h\"",
            "// none, it\\\ngoes on #include\n#include \"a.h\"",
            "%:include \"a.h\"",
            "??=include \"a.h\"",
            "#if 0\n#error don't\n#include \"a.h\"\n#endif",
            "constant char* s = \"/*\";\n#include \"a.h\"",
            "constant char* s = \"\\\"\\\\\";\n#include \"a.h\"",
            "#if __has_include(\"a.h\")\nint x;\n#endif",
            "#\n#include \"a.h\"",
        ];
        for source in sources {
            assert!(reads_files(source, ""), "{source:?}");
        }
        for options in ["-I. -include a.h", "-imacros a.h", "\"-include\" a.h", "-include-pch a.pch"] {
            assert!(reads_files("kernel void k() {}", options), "{options}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        let sources = [
            "",
            "#",
            "// #include \"a.h\"",
            "/* \n#include \"a.h\"\n*/",
            "/* not closed\n#include \"a.h\"",
            "// goes on \\\n#include \"a.h\"",
            "#define A \"\\\n#include\"",
            "constant char* s = \"\\\n#include\";",
            "int include = 1; int y = include; # include",
            "int x; /* \n */ #include",
            "#define include\n#define F(x) #x\n#error no #include here",
            "#\ninclude",
            "constant char q = '#'; int included;",
        ];
        for source in sources {
            assert!(!reads_files(source, "-cl-std=CL1.2 -I folder -DA=include"), "{source:?}");
        }
    }
}
