//! Lines: comments, and the breaking of long ones.

/// Longest line that is left as it is, in characters.
pub(super) const WIDTH: usize = 110;

/// Comment lines. A backslash at the end would join the next line to the comment.
pub(crate) fn comment(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    for line in text.split(['\n', '\r']) {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = line.trim_end().trim_end_matches(['\\', ' ']).replace("??/", "?? /");
        lines.push_str(format!("{indent}// {line}").trim_end());
        lines.push('\n');
    }
    lines
}

/// A line of code, broken after commas and before operators where it is too long, outer brackets first.
pub(super) fn wrap(line: &str, indent: &str) -> String {
    let mut text = String::new();
    let mut rest = line.trim_end().to_string();
    let mut indent = indent.to_string();
    let continued = format!("{indent}    ");
    while indent.len() + rest.len() > WIDTH {
        let Some(end) = break_point(&rest, WIDTH.saturating_sub(indent.len())) else { break };
        text.push_str(&indent);
        text.push_str(rest[..end].trim_end());
        text.push('\n');
        rest = rest[end..].trim_start().to_string();
        indent.clone_from(&continued);
    }
    text.push_str(&indent);
    text.push_str(&rest);
    text.push('\n');
    text
}

/// Where to break: the last blank inside the fewest brackets, in the second half of what fits.
fn break_point(line: &str, room: usize) -> Option<usize> {
    let mut depth = 0i32;
    let mut best: Option<(i32, usize)> = None;
    let bytes = line.as_bytes();
    for (position, byte) in line.bytes().enumerate().take(room.max(40)) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b' ' => {
                let after_comma = position > 0 && bytes[position - 1] == b',';
                let operator = bytes.get(position + 1).is_some_and(|next| b"+-*/%<>=!&|^?:".contains(next))
                    && bytes.get(position + 2..position + 4).is_some_and(|next| next.contains(&b' '));
                let useful = position > room / 3 && (after_comma || operator);
                if useful && best.is_none_or(|(least, _)| depth <= least) {
                    best = Some((depth, position));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, position)| position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_never_swallow_code() {
        assert_eq!(comment("a\\\nb \\ \\", "  "), "  // a\n  // b\n");
        assert_eq!(comment("", ""), "//\n");
    }

    #[test]
    fn long_lines_break_outside_brackets() {
        let line = format!("const float y = f({}) + g({});", "a, ".repeat(15), "b, ".repeat(20));
        let text = wrap(&line, "    ");
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), line.split_whitespace().collect::<Vec<_>>());
        assert!(text.lines().nth(1).is_some_and(|line| line.trim_start().starts_with("+ g(")), "{text}");
    }
}
