//! OpenCL C that you bring yourself: built, checked, tuned and run on netcl's tensors.

use netcl::prelude::*;
use netcl::raw::{self, Arg, KernelSpec};
use netcl_examples::Options;

/// One step of Jacobi's method on a line: every point becomes the mean of its neighbours, the ends stay.
const RELAX: &str = "
    __kernel void relax(__global const float* before, __global float* after, uint n) {
        uint i = get_global_id(0);
        if (i >= n) return;
        after[i] = i == 0 || i == n - 1 ? before[i] : 0.5f * (before[i - 1] + before[i + 1]);
    }";

fn main() -> Result<()> {
    let (_, device) =
        Options::open("OpenCL C that you bring yourself: built, checked, tuned and run on netcl's tensors")?;
    let relax = match KernelSpec::from_source("relax", RELAX).build(&device) {
        Ok(kernel) => kernel,
        // The host: OpenCL C needs an OpenCL device, and the error says what to use instead.
        Err(error @ Error::Unsupported { .. }) => {
            println!("{error}");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    println!("{relax:?}");

    let n = 65_536usize;
    let mut line = vec![0.0f32; n];
    line[n - 1] = 1.0;
    let (a, b) = (Tensor::from_slice(&device, &line, &[n])?, Tensor::zeros(&device, &[n], DType::F32)?);
    let forth: [Arg<'_>; 3] = [(&a).into(), (&b).into(), (n as u32).into()];
    let back: [Arg<'_>; 3] = [(&b).into(), (&a).into(), (n as u32).into()];

    // SAFETY: `relax` reads and writes elements below `n` of tensors that have `n`, each written from one work-item, and
    // the two tensors are not the same.
    let grid = unsafe { relax.tune(&forth, n)? };
    println!("work-groups of {:?}, remembered for later runs", grid.groups());
    for _ in 0..50 {
        // SAFETY: as above.
        unsafe {
            relax.launch_over(&forth, n)?;
            relax.launch_over(&back, n)?;
        }
    }
    println!("near the warm end after 100 steps: {:?}", &a.to_vec::<f32>()?[n - 4..]);

    // A wrong argument is an error before anything runs. SAFETY: it is refused.
    let wrong = unsafe { relax.launch_over(&[(&a).into(), (&b).into(), 1.0f32.into()], n) };
    println!("{}", wrong.expect_err("`n` is a uint"));

    // For formulas there is a shorter way, which is safe.
    let mix = raw::elementwise(&device, "MUL(ADD(v0, v1), 0.5f)", DType::F32)?;
    println!("mean of the two last steps: {:?}", &mix.call(&[&a, &b])?.to_vec::<f32>()?[n - 2..]);
    Ok(())
}
