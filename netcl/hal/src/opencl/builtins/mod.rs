//! OpenCL C's built-in functions, declared one by one: for drivers that would parse the declarations of all of them, 0.9 MB, for each
//! program (the quirk [`Avoid::BuiltinHeader`]).
//!
//! A function is declared for all of its types, as in section 6.12 of the specification of OpenCL C 1.2: with some of them missing,
//! an argument would be converted to a type that is there.

mod calls;
mod declare;

use super::driver::{Context, Program};
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use calls::Calls;
use declare::{FLOATS, INTEGERS, WIDTHS, declare};
use opencl3::types::cl_device_id;

/// The option of programs that do without clang's header of all built-in functions: the macro that keeps it from being included twice. Its
/// value counts the editions of the declarations here, so that what is kept of a program says which it was built from.
pub(super) const WITHOUT_HEADER: &str = "-D_OPENCL_H_=1";

/// The program of a text with these options, which have [`WITHOUT_HEADER`]: declarations of the functions that it calls stand in front of it.
/// `None` if a function that it calls is not known here, or it does not build; the caller then [builds it with the header](with_header),
/// and the driver's log tells of nothing that the user has not written.
pub(super) fn without_header(context: &Context, device: cl_device_id, text: &str, options: &str) -> Option<Program> {
    let declared = match declarations(text) {
        Ok(declarations) => format!("{declarations}{text}"),
        Err(unknown) => {
            tracing::debug!(
                unknown,
                "a program calls a function that netcl does not declare: it is built with the driver's header"
            );
            return None;
        }
    };
    let program = Program::create_from_source(context, &declared).ok()?;
    match program.build(device, options) {
        Ok(()) => Some(program),
        Err(error) => {
            let log = program.get_build_log(device).unwrap_or_default();
            tracing::debug!(%error, log, "a program is built once more, with the driver's header");
            None
        }
    }
}

/// The options but for [`WITHOUT_HEADER`].
pub(super) fn with_header(options: &str) -> String {
    options.replace(WITHOUT_HEADER, "")
}

/// The program of one of netcl's own texts, without the driver's header where that is better and can be.
pub(super) fn program(
    profile: &DeviceProfile,
    context: &Context,
    device: cl_device_id,
    (text, options): (&str, &str),
) -> opencl3::Result<Program> {
    if profile.avoids(Avoid::BuiltinHeader)
        && let Some(program) = without_header(context, device, text, &format!("{options} {WITHOUT_HEADER}"))
    {
        return Ok(program);
    }
    let program = Program::create_from_source(context, text)?;
    program.build(device, options)?;
    Ok(program)
}

/// The declarations of the built-in functions that `text` names; or the name of one that it calls, does not define, and that is not
/// among them.
fn declarations(text: &str) -> Result<String, String> {
    let calls = Calls::of(text);
    // Extensions are not enabled yet in front of the text. Of vectors that are wider than the processor's registers the driver's compiler
    // would say on standard error that their calls change the ABI; both sides of a call are compiled for the same processor.
    let mut all = String::from(
        "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wpsabi\"\n#endif\n\
         #define NETCL_F __attribute__((overloadable, const))\n\
         #ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n",
    );
    for name in &calls.named {
        if !declare(&mut all, name) && calls.is_unknown(name) {
            return Err(name.clone());
        }
    }
    // Names that the preprocessor puts together.
    if calls.pastes {
        let widths = || WIDTHS[1..].iter();
        let mut names: Vec<String> = Vec::new();
        for family in ["vload", "vstore"].into_iter().filter(|family| calls.named.contains(*family)) {
            names.extend(widths().map(|width| format!("{family}{width}")));
        }
        if calls.named.contains("convert_") {
            let types = INTEGERS.iter().chain(&FLOATS);
            names.extend(types.flat_map(|of| widths().map(move |width| format!("convert_{of}{width}"))));
        }
        for name in names.iter().filter(|name| !calls.named.contains(*name)) {
            declare(&mut all, name);
        }
    }
    all.push_str(
        "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n#endif\n#undef NETCL_F\n#line 1\n",
    );
    Ok(all)
}

#[cfg(test)]
mod tests;
