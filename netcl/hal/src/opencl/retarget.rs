//! Instructions that NVIDIA's driver takes in PTX, but not in OpenCL C.
//!
//! The driver compiles OpenCL C for `sm_90`, where the assembler refuses products of warpgroups and what makes tensor maps. Its
//! binaries are PTX text, and PTX for `sm_90a` it assembles. So a source writes such an instruction as a comment of PTX,
//! `asm volatile("//netcl:sm_90a wgmma.fence.sync.aligned;")`, which becomes an instruction on the way to that target: before the
//! driver compiles the source where it keeps the PTX that its assembler refuses ([`assembled_once`]), else in the PTX of a program that
//! it has assembled with the comments ([`retargeted`]).

use super::driver::{Context, Program};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, ClError};
use opencl3::types::cl_device_id;

/// What such an instruction begins with.
const MARK: &str = "//netcl:sm_90a ";

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
    if !source.contains(MARK) {
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

/// The program of a source with marked instructions, which is compiled with these in place: the assembler ends at the first of them, in
/// far less time than it takes for the kernels, and the PTX is built for the target that has them. `None` where the source has none, or
/// the driver makes no such program of it: why, [`retargeted`] finds.
pub(super) fn assembled_once(context: &Context, device: cl_device_id, source: &str, options: &str) -> Option<Program> {
    let program = Program::create_from_source(context, &in_place(source)?).ok()?;
    match program.build(device, options) {
        Ok(()) => return Some(program),
        Err(error) if error.0 == CL_BUILD_PROGRAM_FAILURE => {}
        Err(_) => return None,
    }
    let ptx = for_own_target(&program.binary_for(device).ok()??).ok()?;
    // SAFETY: as in `retargeted`: PTX that this driver gave for this device, for a target whose instructions its assembler checks.
    let program = unsafe { Program::create_from_binary(context, device, &ptx) }.ok()?;
    program.build(device, options).ok()?;
    Some(program)
}

/// The source with its marked instructions in place; `None` where it has none.
pub(super) fn in_place(source: &str) -> Option<String> {
    source.contains(MARK).then(|| source.replace(MARK, ""))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|own| own == part)
}

/// PTX with its marked instructions, for the target that has them; `None` for PTX that has none.
fn with_instructions(binary: &[u8]) -> opencl3::Result<Option<Vec<u8>>> {
    if find(binary, PTX).is_some() && find(binary, MARK.as_bytes()).is_none() {
        return Ok(None);
    }
    let ptx = for_own_target(binary)?;
    let mut text = Vec::with_capacity(ptx.len());
    let mut rest = ptx.as_slice();
    while let Some(place) = find(rest, MARK.as_bytes()) {
        text.extend_from_slice(&rest[..place]);
        rest = &rest[place + MARK.len()..];
    }
    text.extend_from_slice(rest);
    Ok(Some(text))
}

/// The same PTX for the target that has these instructions.
fn for_own_target(binary: &[u8]) -> opencl3::Result<Vec<u8>> {
    let refused = || ClError(CL_BUILD_PROGRAM_FAILURE);
    find(binary, PTX).ok_or_else(refused)?;
    let target = find(binary, TARGET).ok_or_else(refused)?;
    let rest = match &binary[target + TARGET.len()..] {
        [b'a', rest @ ..] => rest,
        [byte, ..] if byte.is_ascii_alphanumeric() => return Err(refused()),
        rest => rest,
    };
    let mut text = [&binary[..target], OWN_TARGET, rest].concat();
    // The driver reads it up to a NUL.
    if text.last() != Some(&0) {
        text.push(0);
    }
    Ok(text)
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
        // Instructions that are in place already, of a source that the assembler has refused.
        let refused = ptx("sm_90", instructions);
        assert_eq!(for_own_target(refused.as_bytes()), Ok([ptx("sm_90a", instructions).as_bytes(), b"\0"].concat()));
        assert_eq!(for_own_target(ptx("sm_80", instructions).as_bytes()), Err(ClError(CL_BUILD_PROGRAM_FAILURE)));
        // Nothing runs with its instructions left out.
        for binary in [ptx("sm_80", body), ptx("sm_900", body), String::new(), format!("\x7fELF no text, {body}")] {
            assert_eq!(with_instructions(binary.as_bytes()), Err(ClError(CL_BUILD_PROGRAM_FAILURE)), "{binary}");
        }
    }
}
