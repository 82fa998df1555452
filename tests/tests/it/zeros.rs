//! Arrays of SIMT-form kernels start as zeros, on every device: nothing of what was in the memory before shows.

use crate::common::{everywhere, floats};
use netcl::Result;

netcl::kernel! {
    /// Fills private and local memory with what must not be seen later.
    #[launch(global = [N], local = [8])]
    fn soil(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut own = private!([u32; 16]);
        let mut shared = local!([f32; 40]);
        let (i, l) = (global_id(0), local_id(0));
        for k in 0..16 { own[k] = i * 7919 + k + 1; }
        for k in (l..40).step_by(8) { shared[k] = x[i] + 1.0; }
        barrier();
        y[i] = shared[(l + 1) % 40] + own[(i + l) % 16] as f32;
    }

    /// What private arrays hold, of which hardly anything is written.
    #[launch(global = [N])]
    fn seldom(x: &Tensor<f32, N>, y: &mut Tensor<u32, N, 16>, truths: &mut Tensor<u32, N, 5>) {
        let i = global_id(0);
        let mut own = private!([u32; 16]);
        let mut known = private!([bool; 5]);
        if x[i] > 1e30 {
            own[0] = i;
            known[i % 5] = true;
        }
        for k in 0..16 { y[i, k] = own[k]; }
        for k in 0..5 { truths[i, k] = if known[k] { 1 } else { 0 }; }
    }

    /// A new array in each round, of one element and of two.
    #[launch(global = [N])]
    fn rounds(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let mut sum = 0.0;
        for round in 0..4 {
            let mut one = private!([f32; 1]);
            let mut two = private!([f32; 2]);
            one[0] += x[i];
            two[round % 2] += 10.0 * x[i];
            sum += one[0] + two[0] + two[1];
        }
        y[i] = sum;
    }

    /// Local arrays: shorter than a group, as long as one, longer; written by one item alone, and a histogram that nobody clears.
    #[launch(global = [N], local = [8])]
    fn shared(x: &Tensor<f32, N>, y: &mut Tensor<f32, N, 4>) {
        let mut few = local!([f32; 3]);
        let mut all = local!([f32; 8]);
        let mut many = local!([f32; 50]);
        let mut bins = local!([u32; 4]);
        let (i, l) = (global_id(0), local_id(0));
        if x[i] > 1e30 {
            few[l % 3] = 1.0;
            all[l] = 1.0;
            many[49 - l] = 1.0;
        }
        if i < N { atomic_add(&mut bins[l % 4], 1); }
        barrier();
        let mut sum = 0.0;
        for k in (l..50).step_by(8) { sum += many[k]; }
        if i < N {
            y[i, 0] = few[l % 3];
            y[i, 1] = all[7 - l];
            y[i, 2] = sum;
            y[i, 3] = bins[l % 4] as f32;
        }
    }

    /// Called as one of the macros of arrays, both of which it uses.
    #[launch(global = [N], local = [8])]
    fn local(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut group = local!([f32; 8]);
        let mut own = private!([f32; 2]);
        let (i, l) = (global_id(0), local_id(0));
        group[l] = x[i];
        barrier();
        own[i % 2] += group[7 - l];
        y[i] = own[0] + own[1];
    }

    /// Of two dimensions.
    #[launch(global = [R, C], local = [2, 4])]
    fn square(x: &Tensor<f32, R, C>, y: &mut Tensor<f32, R, C>) {
        let mut tile = local!([f32; 11]);
        let (r, c) = (global_id(0), global_id(1));
        if x[r, c] > 1e30 { tile[local_id(0)] = 1.0; }
        barrier();
        y[r, c] = tile[local_id(0) + 2 * local_id(1)] + tile[8 + (local_id(0) + local_id(1)) % 3];
    }
}

#[test]
fn arrays_start_as_zeros() -> Result<()> {
    everywhere(|| {
        const N: usize = 40;
        let x = floats(&[0.5; N], &[N]);
        for _ in 0..3 {
            soil(&x)?;
            let (y, truths) = seldom(&x)?;
            assert_eq!(y.to_vec::<u32>()?, [0; 16 * N], "private arrays of numbers");
            assert_eq!(truths.to_vec::<u32>()?, [0; 5 * N], "private arrays of truth values");
            soil(&x)?;
            let expected: Vec<f32> = (0..N).flat_map(|_| [0.0, 0.0, 0.0, 2.0]).collect();
            assert_eq!(shared(&x)?.to_vec::<f32>()?, expected, "local arrays");
            soil(&x)?;
            assert_eq!(square(&floats(&[0.5; N], &[4, 10]))?.to_vec::<f32>()?, [0.0; N], "of two dimensions");
        }
        assert_eq!(local(&x)?.to_vec::<f32>()?, [0.5; N], "arrays of a kernel that is called as their macro is");
        assert_eq!(rounds(&x)?.to_vec::<f32>()?, [4.0 * 5.5; N], "a new array in each round");
        Ok(())
    })
}
