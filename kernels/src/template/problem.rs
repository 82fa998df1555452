//! What a template is to compute, and with what: the product, its operands, the device.

use super::convolution::{Conv2d, ConvolutionKind};
use crate::dim::saturating_product;
use crate::dtype::DType;
use serde::{Deserialize, Serialize};

/// One of the two operands of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// The left one, of m rows and k columns.
    A,
    /// The right one, of k rows and n columns.
    B,
}

impl Matrix {
    /// The letter that stands for it in the names of hooks.
    pub const fn letter(self) -> &'static str {
        match self {
            Matrix::A => "A",
            Matrix::B => "B",
        }
    }

    /// The macro for the pointer to it.
    pub const fn pointer(self) -> &'static str {
        match self {
            Matrix::A => "a",
            Matrix::B => "b",
        }
    }

    /// The parameter that says where in memory it begins.
    pub const fn first(self) -> &'static str {
        match self {
            Matrix::A => "a_first",
            Matrix::B => "b_first",
        }
    }

    /// What its load hooks are called with: its axes in order.
    pub const fn axes(self) -> [&'static str; 3] {
        match self {
            Matrix::A => ["batch", "m", "k"],
            Matrix::B => ["batch", "k", "n"],
        }
    }

    /// The position among [`Matrix::axes`] of the axis that is summed over.
    pub const fn depth(self) -> usize {
        match self {
            Matrix::A => 2,
            Matrix::B => 1,
        }
    }

    /// The position of the other one of its last two axes.
    pub const fn outer(self) -> usize {
        3 - self.depth()
    }
}

/// The axis along which neighbours of an operand are neighbours in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The axis that is summed over.
    K,
    /// The other one: m of A, n of B.
    Outer,
    /// Neither: the operand is read by stride, or computed.
    None,
}

impl Axis {
    /// Every axis.
    pub const ALL: [Axis; 3] = [Axis::K, Axis::Outer, Axis::None];

    /// `k`, `outer` or `none`: the name in tasks and records.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::K => "k",
            Axis::Outer => "outer",
            Axis::None => "none",
        }
    }
}

/// The product that a template is to compute. A size that is not known yet may be estimated: it decides speed, not
/// results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Rows of C.
    pub m: u64,
    /// Columns of C.
    pub n: u64,
    /// Terms of a sum.
    pub k: u64,
    /// Independent products.
    pub batch: u64,
    /// The contiguous axis of A.
    pub a: Axis,
    /// The contiguous axis of B.
    pub b: Axis,
    /// Both operands have a contiguous axis of a multiple of 4 elements, and begin every row and every batch aligned to
    /// 4 elements. Unlike the sizes this must be true.
    pub aligned: bool,
    /// Of the operands' elements in memory.
    pub dtype: DType,
    /// Bytes of an accumulator.
    pub bytes: u32,
    /// The convolution that the product stands for, if it does.
    pub conv: Option<Conv2d>,
}

impl Problem {
    /// A product of row-major matrices of `f32`.
    pub fn new(m: u64, n: u64, k: u64) -> Self {
        Self { m, n, k, batch: 1, a: Axis::K, b: Axis::Outer, aligned: false, dtype: DType::F32, bytes: 4, conv: None }
    }

    /// The matrix product that a convolution is; `None` as for [`Conv2d::out_size`].
    pub fn of_convolution(conv: &Conv2d, product: ConvolutionKind) -> Option<Self> {
        let [height, width] = conv.out_size()?;
        // Saturating: a choice may be asked about whatever a caller has for a size.
        let taps = saturating_product(conv.filter);
        let channels = conv.channels.checked_div(conv.groups)?;
        let out_channels = conv.out_channels.checked_div(conv.groups)?;
        let pixels = saturating_product([conv.images, conv.size[0], conv.size[1]]);
        let out_pixels = saturating_product([conv.images, height, width]);
        let (m, n, k) = match product {
            ConvolutionKind::Forward => (out_channels, out_pixels, saturating_product([channels, taps])),
            ConvolutionKind::Input => (channels, pixels, saturating_product([out_channels, taps])),
            ConvolutionKind::Weight => (out_channels, saturating_product([channels, taps]), out_pixels),
        };
        let problem = Self { batch: conv.groups, conv: Some(*conv), ..Self::new(m, n, k) };
        // The operands are computed from images, filters and indices.
        Some(problem.contiguous(Axis::None, Axis::None))
    }

    /// The same, with these contiguous axes.
    #[must_use]
    pub fn contiguous(mut self, a: Axis, b: Axis) -> Self {
        (self.a, self.b) = (a, b);
        self
    }

    /// The macros that tell a template about the operands' axes.
    pub fn defines(&self) -> String {
        let along = |axis| u32::from(axis == Axis::Outer);
        format!(
            "#define A_ALONG {}\n#define B_ALONG {}\n#define B_CONTIGUOUS {}\n",
            along(self.a),
            along(self.b),
            along(self.b)
        )
    }
}

/// What a template asks about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of local memory of a work-group; 0 where kernels are to have none.
    pub local_bytes: u64,
    /// Most work-items in a work-group.
    pub work_group: u32,
    /// Compute units.
    pub units: u32,
    /// Lanes of the accumulator type in a hardware vector; 1 on a GPU.
    pub lanes: u32,
    /// Most bytes that all tensors between the kernels of one variant may take together: patches, transformed tiles,
    /// parts of sums. Calls have them besides their own memory.
    pub between_bytes: u64,
    /// What multiplies matrices in hardware.
    pub matrix_unit: MatrixUnit,
}

/// Which elements a device's matrix unit multiplies and adds up in f32, as [`matmul_mma`](super::matmul_mma) makes use of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixUnit {
    /// Of f16.
    pub f16: bool,
    /// Of bf16.
    pub bf16: bool,
    /// Whether four sub-groups together multiply operands in local memory, to which tensor maps copy tiles.
    pub warpgroups: bool,
}

impl MatrixUnit {
    /// There is none.
    pub const NONE: MatrixUnit = MatrixUnit { f16: false, bf16: false, warpgroups: false };

    /// Whether it multiplies elements of that type.
    pub fn multiplies(self, dtype: DType) -> bool {
        match dtype {
            DType::F16 => self.f16,
            DType::BF16 => self.bf16,
            _ => false,
        }
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
        let sizes = |product| Problem::of_convolution(&CONV, product).map(|p| (p.m, p.n, p.k, p.batch));
        assert_eq!(sizes(ConvolutionKind::Forward), Some((64, 64 * 121, 288, 1)));
        assert_eq!(sizes(ConvolutionKind::Input), Some((32, 64 * 169, 576, 1)));
        assert_eq!(sizes(ConvolutionKind::Weight), Some((64, 288, 64 * 121, 1)));
    }
}
