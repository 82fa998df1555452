//! Instructions that NVIDIA's driver takes in PTX, but not in OpenCL C.
//!
//! The driver compiles OpenCL C for `sm_90`, where the assembler refuses products of warpgroups and what makes tensor maps. Its
//! binaries are PTX text, and PTX for `sm_90a` it assembles. So a source writes such an instruction as a comment of PTX,
//! `asm volatile("//netcl:sm_90a wgmma.fence.sync.aligned;")`; what the driver makes of the source is built again as a binary, with
//! these comments as instructions, for that target.

use super::driver::{Context, Program};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::types::cl_device_id;

/// What such an instruction begins with.
const MARK: &[u8] = b"//netcl:sm_90a ";

/// The target that it is compiled for, and the one that has it.
const TARGET: &[u8] = b".target sm_90";
const OWN_TARGET: &[u8] = b".target sm_90a";

/// What all PTX begins with, comments aside.
const PTX: &[u8] = b".version ";

/// The program with its marked instructions, of one that was compiled without them from that source; `None` where it has none.
///
/// # Errors
///
/// The driver's; `CL_BUILD_PROGRAM_FAILURE` where a source has such instructions and what the driver made of it cannot be told, or
/// is for a device that does not have them.
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
    let binary = program.binary_for(device)?.unwrap_or_default();
    let Some(ptx) = with_instructions(&binary)? else { return Ok(None) };
    // SAFETY: the text is what this driver gave for this device but for instructions of the device's architecture, which the
    // driver's assembler checks as it does all PTX that programs hand to it.
    let program = unsafe { Program::create_from_binary(context, device, &ptx) }?;
    program.build(device, options)?;
    Ok(Some(program))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|own| own == part)
}

/// PTX with its marked instructions, for the target that has them; `None` for PTX that has none.
fn with_instructions(binary: &[u8]) -> opencl3::Result<Option<Vec<u8>>> {
    let refused = || ClError(CL_BUILD_PROGRAM_FAILURE);
    find(binary, PTX).ok_or_else(refused)?;
    if find(binary, MARK).is_none() {
        return Ok(None);
    }
    let target = find(binary, TARGET).ok_or_else(refused)?;
    let end = target + TARGET.len();
    let mut text = binary[..target].to_vec();
    text.extend_from_slice(OWN_TARGET);
    let mut rest = match binary.get(end) {
        Some(b'a') => &binary[end + 1..],
        Some(byte) if byte.is_ascii_alphanumeric() => return Err(refused()),
        _ => &binary[end..],
    };
    while let Some(place) = find(rest, MARK) {
        text.extend_from_slice(&rest[..place]);
        rest = &rest[place + MARK.len()..];
    }
    text.extend_from_slice(rest);
    // The driver reads it up to a NUL.
    if text.last() != Some(&0) {
        text.push(0);
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_comments_become_instructions_of_the_architecture() {
        let ptx = |target: &str, body: &str| format!(".version 9.0\n.target {target}, texmode\n\t{body}\n\tret;\n");
        let done = |target, body| with_instructions(ptx(target, body).as_bytes());
        let expected = |target, body| Ok(Some([ptx(target, body).as_bytes(), b"\0"].concat()));
        let body = "// a comment\n\t//netcl:sm_90a wgmma.fence.sync.aligned;\n\t//netcl:sm_90a { .reg .pred p; }";
        let instructions = "// a comment\n\twgmma.fence.sync.aligned;\n\t{ .reg .pred p; }";
        assert_eq!(done("sm_90", body), expected("sm_90a", instructions));
        assert_eq!(done("sm_90a", body), expected("sm_90a", instructions));
        assert_eq!(done("sm_90", "//@p bra done;"), Ok(None));
        // Nothing runs with its instructions left out.
        for binary in [ptx("sm_80", body), ptx("sm_900", body), String::new(), format!("\x7fELF no text, {body}")] {
            assert_eq!(with_instructions(binary.as_bytes()), Err(ClError(CL_BUILD_PROGRAM_FAILURE)), "{binary}");
        }
    }
}
