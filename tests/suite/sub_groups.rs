//! Sub-groups of SIMT-form kernels, where the device has them.

use crate::Case;
use libtest_mimic::{Completion, Failed};
use netcl::{Device, Error, Tensor};

netcl::kernel! {
    /// Sub-groups: the sum and the extremes over the sub-group, its first item's value, a neighbour's.
    #[launch(global = [N], local = [64])]
    fn across(
        x: &Tensor<f32, N>,
        size: &mut Tensor<u32, N>,
        sum: &mut Tensor<f32, N>,
        extremes: &mut Tensor<f32, N, 2>,
        first: &mut Tensor<f32, N>,
        neighbour: &mut Tensor<f32, N>,
    ) {
        let i = global_id(0);
        let value = if i < N { x[i] } else { 0.0 };
        let total = sub_group_add(value);
        let least = sub_group_min(value);
        let most = sub_group_max(value);
        let head = sub_group_broadcast(value, 0);
        let other = sub_group_shuffle_xor(value, 1);
        if i < N {
            size[i] = sub_group_size() * 1000 + sub_group_lane();
            sum[i] = total;
            extremes[i, 0] = least;
            extremes[i, 1] = most;
            first[i] = head;
            neighbour[i] = other;
        }
    }
}

pub(crate) fn all() -> Vec<Case> {
    let run = |device: &Device| match check(device) {
        Err(Error::Unsupported { problem, .. }) if problem.contains("sub-groups") => {
            Ok(Completion::ignored_with(problem))
        }
        Err(error) => Err(Failed::from(error.to_string())),
        Ok(None) => Ok(Completion::Completed),
        Ok(Some(problem)) => Err(problem.into()),
    };
    vec![Case { name: "simt::sub-groups".into(), run: Box::new(run) }]
}

/// What is wrong, if anything: the width of sub-groups is the device's choice, the numbers follow from it.
fn check(device: &Device) -> netcl::Result<Option<String>> {
    let x: Vec<f32> = (0..128).map(|i| ((i * 29) % 31) as f32 - 9.0).collect();
    let results = across(&Tensor::from_slice(device, &x, &[128])?)?;
    let size = results.0.to_vec::<u32>()?;
    let [sum, extremes, first, neighbour] = [&results.1, &results.2, &results.3, &results.4].map(Tensor::to_vec::<f32>);
    let (sum, extremes, first, neighbour) = (sum?, extremes?, first?, neighbour?);
    let width = size[0] as usize / 1000;
    if !width.is_power_of_two() || width > 64 {
        return Ok(Some(format!("sub-groups of {width} items in groups of 64")));
    }
    for (number, group) in x.chunks(width).enumerate() {
        let least = group.iter().copied().fold(f32::INFINITY, f32::min);
        let most = group.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for (lane, value) in group.iter().enumerate() {
            let i = number * width + lane;
            // The item of a sub-group of one is its own neighbour.
            let other = if width > 1 { group[lane ^ 1] } else { *value };
            let expected = [group.iter().sum(), least, most, group[0], other];
            let found = [sum[i], extremes[2 * i], extremes[2 * i + 1], first[i], neighbour[i]];
            if size[i] as usize != width * 1000 + lane || found != expected {
                return Ok(Some(format!(
                    "item {i}, lane {} of {}: sum, least, most, first, neighbour {found:?}, expected {expected:?}",
                    size[i] % 1000,
                    size[i] / 1000
                )));
            }
        }
    }
    Ok(None)
}
