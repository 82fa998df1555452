//! Convolution as a matrix product whose operands are never written down.

use super::{Axis, Choice, Columns, Limits, Problem, Template, matmul_register};
use crate::dim::saturating_product;
use std::fmt::Write as _;

/// The text of `conv2d_implicit_gemm.cl`: the index maps.
pub const SOURCE: &str = include_str!("../../templates/conv2d_implicit_gemm.cl");

/// The index maps in front of `matmul_register.cl`: convolution for GPUs.
pub const TEMPLATE: Template = Template {
    name: "conv2d_implicit_gemm",
    sources: &[SOURCE, matmul_register::SOURCE],
    tunables: matmul_register::TUNABLES,
    convolution: true,
    for_processors: false,
    local_memory: true,
    legal: |choice, problem, limits| matmul_register::legal(choice, &computed(problem), limits),
    initial,
    other_forms: |_, _| Vec::new(),
    grid: matmul_register::grid,
    columns: |_, _| Columns::OfProduct,
    local_bytes: matmul_register::local_bytes,
    lanes: |_| matmul_register::VECTOR,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
};

/// The operands of a convolution are computed, so loads of four do not apply.
fn computed(problem: &Problem) -> Problem {
    problem.contiguous(Axis::None, Axis::None)
}

/// Smaller tiles than a product's: finding a pixel costs registers, and on an H200 tiles of 64×64 are 1.7 to 2.4 times as
/// fast as those of 128×128. Rows are channels: a tile has no more than there are.
fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let rows = problem.m.next_power_of_two().clamp(16, 64) as u32;
    let tiles =
        [[rows, 64, 16, 4, 4], [rows, 64, 8, 4, 4], [rows, 32, 16, 4, 4], [16, 32, 16, 4, 4], [16, 32, 8, 4, 4]];
    matmul_register::largest(&tiles, 1, &computed(problem), limits)
}

/// Which of the three products of a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// y from w and x.
    Forward,
    /// The gradient of x from w and dy.
    Input,
    /// The gradient of w from dy and x.
    Weight,
}

/// A convolution of NCHW images with an OIHW filter; pairs are (y, x).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conv2d {
    /// Images in the batch.
    pub images: u64,
    /// Channels of x.
    pub channels: u64,
    /// Height and width of x.
    pub size: [u64; 2],
    /// Channels of y.
    pub out_channels: u64,
    /// Height and width of the filter.
    pub filter: [u64; 2],
    /// Pixels of x between neighbours in y.
    pub stride: [u64; 2],
    /// Zeros added on each side of x.
    pub pad: [u64; 2],
    /// Pixels of x between neighbouring taps.
    pub dilation: [u64; 2],
    /// Groups of channels; divides `channels` and `out_channels`.
    pub groups: u64,
}

impl Conv2d {
    /// Height and width of y, or `None` if the filter is larger than the padded image or a parameter is zero.
    pub fn out_size(&self) -> Option<[u64; 2]> {
        let along = |axis: usize| {
            let reach = self.dilation[axis].checked_mul(self.filter[axis].checked_sub(1)?)?.checked_add(1)?;
            let space = self.size[axis].saturating_add(self.pad[axis].saturating_mul(2)).checked_sub(reach)?;
            Some(space.checked_div(self.stride[axis])?.saturating_add(1))
        };
        Some([along(0)?, along(1)?])
    }

    /// The matrix product that this is; `None` as for [`Conv2d::out_size`].
    pub fn problem(&self, product: Product) -> Option<Problem> {
        let [height, width] = self.out_size()?;
        // Saturating: a choice may be asked about whatever a caller has for a size.
        let taps = saturating_product(self.filter);
        let channels = self.channels.checked_div(self.groups)?;
        let out_channels = self.out_channels.checked_div(self.groups)?;
        let pixels = saturating_product([self.images, self.size[0], self.size[1]]);
        let out_pixels = saturating_product([self.images, height, width]);
        let (m, n, k) = match product {
            Product::Forward => (out_channels, out_pixels, saturating_product([channels, taps])),
            Product::Input => (channels, pixels, saturating_product([out_channels, taps])),
            Product::Weight => (out_channels, saturating_product([channels, taps]), out_pixels),
        };
        Some(computed(&Problem { batch: self.groups, conv: Some(*self), ..Problem::new(m, n, k) }))
    }

    /// The prelude of a convolution all of whose sizes, but for the number of images, are literals. It replaces
    /// [`Problem::defines`]. `None` as for [`Conv2d::out_size`].
    pub fn defines(&self, product: Product) -> Option<String> {
        let [height, width] = self.out_size()?;
        let product = match product {
            Product::Forward => "FORWARD",
            Product::Input => "INPUT",
            Product::Weight => "WEIGHT",
        };
        let mut text = format!("#define PRODUCT {product}\n");
        for (name, value) in [
            ("CHANNELS", self.channels),
            ("HEIGHT", self.size[0]),
            ("WIDTH", self.size[1]),
            ("OUT_CHANNELS", self.out_channels),
            ("OUT_HEIGHT", height),
            ("OUT_WIDTH", width),
            ("FILTER_HEIGHT", self.filter[0]),
            ("FILTER_WIDTH", self.filter[1]),
            ("STRIDE_Y", self.stride[0]),
            ("STRIDE_X", self.stride[1]),
            ("PAD_Y", self.pad[0]),
            ("PAD_X", self.pad[1]),
            ("DILATION_Y", self.dilation[0]),
            ("DILATION_X", self.dilation[1]),
            ("GROUPS", self.groups),
        ] {
            let _ = writeln!(text, "#define {name} {value}");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONV: Conv2d = Conv2d {
        images: 64,
        channels: 32,
        size: [13, 13],
        out_channels: 64,
        filter: [3, 3],
        stride: [1, 1],
        pad: [0, 0],
        dilation: [1, 1],
        groups: 1,
    };

    #[test]
    fn the_three_products_have_the_same_work() {
        let sizes = |product| CONV.problem(product).map(|p| (p.m, p.n, p.k, p.batch));
        assert_eq!(sizes(Product::Forward), Some((64, 64 * 121, 288, 1)));
        assert_eq!(sizes(Product::Input), Some((32, 64 * 169, 576, 1)));
        assert_eq!(sizes(Product::Weight), Some((64, 288, 64 * 121, 1)));
    }

    #[test]
    fn a_filter_larger_than_the_image_has_no_result() {
        assert_eq!(Conv2d { size: [2, 9], ..CONV }.out_size(), None);
        assert_eq!(Conv2d { stride: [0, 1], ..CONV }.out_size(), None);
        assert_eq!(Conv2d { size: [2, 9], pad: [1, 0], stride: [2, 3], ..CONV }.out_size(), Some([1, 3]));
    }
}
