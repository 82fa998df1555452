//! Forward convolution, tiles of the image in local memory.

use super::{Choice, Columns, Grid, Limits, Problem, RUNNING, Template, Tunable, conv2d_implicit_gemm};

/// The text of `conv2d_tiled_local.cl`.
pub const SOURCE: &str = include_str!("../../templates/conv2d_tiled_local.cl");

/// Tiles of the image in local memory, the image's offsets and hooks from `conv2d_implicit_gemm.cl` in front. It computes
/// [`ConvolutionKind::Forward`](super::convolution::ConvolutionKind::Forward) alone.
pub const TEMPLATE: Template = Template {
    name: "conv2d_tiled_local",
    sources: &[conv2d_implicit_gemm::SOURCE, SOURCE],
    tunables: &[
        Tunable { name: "TILE_Y", default: 8, values: &[4, 8, 16] },
        Tunable { name: "TILE_X", default: 16, values: &[8, 16, 32] },
        Tunable { name: "REG_M", default: 8, values: &[1, 4, 8, 16] },
        Tunable { name: "TILE_C", default: 4, values: &[1, 4, 8] },
    ],
    convolution: true,
    for_processors: false,
    local_memory: true,
    legal,
    initial,
    other_forms: |_, _| Vec::new(),
    grid,
    by_maps: |_, _| None,
    columns,
    groups_of_unit: |_| 2,
    local_bytes,
    lanes: |_| 1,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
    copies_aligned: false,
    running: RUNNING,
};

/// Whether the work-group is small enough. Whether the tile fits into local memory is checked with [`local_bytes`], as of
/// every template.
fn legal(choice: &Choice, _: &Problem, limits: &Limits) -> Result<(), &'static str> {
    if choice.get("TILE_Y") * choice.get("TILE_X") > limits.work_group {
        return Err("TILE_Y * TILE_X is more than a work-group may have");
    }
    Ok(())
}

fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let reg_m = if problem.m <= 4 { 4 } else { 8 };
    let choice = |[y, x]: [u32; 2]| Choice::new(&[("TILE_Y", y), ("TILE_X", x), ("REG_M", reg_m), ("TILE_C", 4)]);
    let fits = |choice: &Choice| legal(choice, problem, limits).is_ok();
    [[8, 16], [8, 8]].into_iter().map(choice).find(fits).unwrap_or_else(|| choice([4, 8]))
}

fn grid(choice: &Choice) -> Grid {
    let pixels = choice.get("TILE_Y") * choice.get("TILE_X");
    Grid { per_group_m: choice.get("REG_M"), per_group_n: pixels, local: [pixels, 1, 1] }
}

/// Whole tiles of each image.
fn columns(choice: &Choice) -> Columns {
    Columns::Tiles(["TILE_Y", "TILE_X"].map(|tile| choice.get(tile).max(1)))
}

/// The image's tile with its margins, and the taps of the filters; nothing of a problem that is no convolution.
fn local_bytes(choice: &Choice, problem: &Problem) -> u64 {
    let Some(conv) = problem.conv else { return 0 };
    let span = |tile: u32, axis: usize| {
        let steps = u64::from(tile.max(1) - 1).saturating_mul(conv.stride[axis]);
        let reach = conv.filter[axis].saturating_sub(1).saturating_mul(conv.dilation[axis]);
        steps.saturating_add(reach).saturating_add(1)
    };
    let pixels = span(choice.get("TILE_Y"), 0).saturating_mul(span(choice.get("TILE_X"), 1));
    let taps = conv.filter[0].saturating_mul(conv.filter[1]).saturating_mul(choice.get("REG_M").into());
    pixels.saturating_add(taps).saturating_mul(choice.get("TILE_C").into()).saturating_mul(problem.bytes.into())
}
