//! Instructions that NVIDIA's driver takes in PTX, but not in OpenCL C.
//!
//! The driver compiles OpenCL C for `sm_90`, where the assembler refuses products of warpgroups and register counts that change. Its
//! binaries are PTX text, and PTX for `sm_90a` it assembles. So a source writes such an instruction as a comment of PTX,
//! `asm volatile("//@wgmma.fence.sync.aligned;")`; what the driver makes of the source is built again as a binary, with these
//! comments as instructions, for that target.

use super::build::compile;
use super::driver::{Context, Program};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::types::cl_device_id;

/// What such an instruction begins with.
const MARK: &[u8] = b"//@";

/// What stands before the number of an architecture.
const TARGET: &[u8] = b".target sm_";

/// Whether a source has such instructions.
pub(super) fn is_marked(source: &str) -> bool {
    source.as_bytes().windows(MARK.len()).any(|part| part == MARK)
}

/// The program with its marked instructions, of one that was compiled without them.
pub(super) fn retargeted(
    context: &Context,
    device: cl_device_id,
    program: &Program,
    options: &str,
) -> opencl3::Result<Program> {
    let own = program.get_devices()?.iter().position(|&known| known == device as isize);
    let binary = own.and_then(|own| program.get_binaries().ok()?.into_iter().nth(own)).unwrap_or_default();
    let ptx = with_instructions(&binary).ok_or(ClError(CL_BUILD_PROGRAM_FAILURE))?;
    // SAFETY: the text is what this driver gave for this device but for instructions of the device's architecture, which the
    // driver's assembler checks as it does all PTX that programs hand to it.
    let program = unsafe { Program::create_from_binary(context, device, &ptx) }?;
    compile(&program, device, options)?;
    Ok(program)
}

/// PTX with the marked instructions, for the target that has them; `None` for what is no PTX.
fn with_instructions(binary: &[u8]) -> Option<Vec<u8>> {
    let find = |text: &[u8], part: &[u8]| text.windows(part.len()).position(|own| own == part);
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
        assert!(is_marked("asm(\"//@setmaxnreg.dec.sync.aligned.u32 40;\");") && !is_marked("// @ home"));
        let body = "// a comment\n\t//@wgmma.fence.sync.aligned;\n\t//@{ .reg .pred p; }";
        let instructions = "// a comment\n\twgmma.fence.sync.aligned;\n\t{ .reg .pred p; }";
        assert_eq!(done("sm_90", body), expected("sm_90a", instructions));
        assert_eq!(done("sm_90a", body), expected("sm_90a", instructions));
        assert_eq!(with_instructions(b"\x7fELF no text"), None);
    }
}
