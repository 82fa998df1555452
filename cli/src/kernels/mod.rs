//! `netcl kernels`: the code that netcl generated, from a built binary or from a template.

mod args;
pub(crate) mod binary;
mod plan;
mod template;

pub(crate) use args::KernelsArgs;

use crate::failure::{Failure, Result};
use crate::output::Output;
use std::process::ExitCode;

pub(crate) fn run(args: &KernelsArgs, output: &Output) -> Result<ExitCode> {
    match (&args.template, &args.binary) {
        (Some(name), _) => template::run(name, args, output)?,
        (None, Some(path)) => binary::run(path, args, output)?,
        (None, None) => return Err(Failure::Other("name a binary or a template".to_owned())),
    }
    Ok(ExitCode::SUCCESS)
}
