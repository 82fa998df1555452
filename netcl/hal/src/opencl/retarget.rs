//! Instructions that NVIDIA's driver takes in PTX, but not in OpenCL C.
//!
//! The driver compiles OpenCL C for `sm_90`, where the assembler refuses products of warpgroups and register counts that change. Its
//! binaries are PTX text, and PTX for `sm_90a` it assembles. So a source writes such an instruction as a comment of PTX,
//! `asm volatile("//@wgmma.fence.sync.aligned;")`; what the driver makes of the source is built again as a binary, with these
//! comments as instructions, for that target.

use super::driver::{Context, Program};
use opencl3::types::cl_device_id;

/// What such an instruction begins with.
const MARK: &[u8] = b"//@";

/// What stands before the number of an architecture.
const TARGET: &[u8] = b".target sm_";

/// The program with its marked instructions, of one that was compiled without them from that source; `None` where it has none.
pub(super) fn retargeted(
    context: &Context,
    device: cl_device_id,
    (program, source): (&Program, &str),
    options: &str,
) -> opencl3::Result<Option<Program>> {
    // Whether the compiler kept what a source has is seen in the binary.
    if find(source.as_bytes(), MARK).is_none() {
        return Ok(None);
    }
    let own = program.get_devices()?.iter().position(|&known| known == device as isize);
    let binary = own.and_then(|own| program.get_binaries().ok()?.into_iter().nth(own)).unwrap_or_default();
    let Some(ptx) = with_instructions(&binary) else { return Ok(None) };
    // SAFETY: the text is what this driver gave for this device but for instructions of the device's architecture, which the
    // driver's assembler checks as it does all PTX that programs hand to it.
    let program = unsafe { Program::create_from_binary(context, device, &ptx) }?;
    program.build(device, options)?;
    Ok(Some(program))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|own| own == part)
}

/// PTX with its marked instructions, for the target that has them; `None` for what is no PTX, or has none.
fn with_instructions(binary: &[u8]) -> Option<Vec<u8>> {
    find(binary, MARK)?;
    let number = find(binary, TARGET)? + TARGET.len();
    let end = number + binary[number..].iter().position(|byte| !byte.is_ascii_digit())?;
    let mut text = binary[..end].to_vec();
    if binary[end] != b'a' {
        text.push(b'a');
    }
    let mut rest = &binary[end..];
    while let Some(place) = find(rest, MARK) {
        text.extend_from_slice(&rest[..place]);
        rest = &rest[place + MARK.len()..];
    }
    text.extend_from_slice(rest);
    // The driver reads it up to a NUL.
    if text.last() != Some(&0) {
        text.push(0);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_comments_become_instructions_of_the_architecture() {
        let ptx = |target: &str, body: &str| format!(".version 9.0\n.target {target}, texmode\n\t{body}\n\tret;\n");
        let done = |target, body| with_instructions(ptx(target, body).as_bytes());
        let expected = |target, body| Some([ptx(target, body).as_bytes(), b"\0"].concat());
        let body = "// a comment\n\t//@wgmma.fence.sync.aligned;\n\t//@{ .reg .pred p; }";
        let instructions = "// a comment\n\twgmma.fence.sync.aligned;\n\t{ .reg .pred p; }";
        assert_eq!(done("sm_90", body), expected("sm_90a", instructions));
        assert_eq!(done("sm_90a", body), expected("sm_90a", instructions));
        assert_eq!(done("sm_90", "// @ home"), None);
        assert_eq!(with_instructions(b"\x7fELF no text, //@"), None);
    }
}
