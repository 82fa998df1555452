//! A convolution, as the templates that compute one know it.

use std::fmt::Write as _;

/// Which of the three products of a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvolutionKind {
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

    /// The prelude of a convolution, which replaces [`Problem::defines`](super::Problem::defines). `sizes` are the text of
    /// those that [`SIZES`] names, in that order: literals, or expressions over kernel parameters.
    pub fn defines(&self, product: ConvolutionKind, sizes: &[String; 8]) -> String {
        let product = match product {
            ConvolutionKind::Forward => "FORWARD",
            ConvolutionKind::Input => "INPUT",
            ConvolutionKind::Weight => "WEIGHT",
        };
        let mut text = format!("#define PRODUCT {product}\n");
        for (name, size) in SIZES.into_iter().zip(sizes) {
            let _ = writeln!(text, "#define {name} {size}");
        }
        for (name, value) in [
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
        text
    }
}

/// The macros for the sizes of a convolution that symbols may decide, but for the number of images; those of the filter are
/// literals always.
pub const SIZES: [&str; 8] =
    ["CHANNELS", "HEIGHT", "WIDTH", "OUT_CHANNELS", "OUT_HEIGHT", "OUT_WIDTH", "FILTER_HEIGHT", "FILTER_WIDTH"];

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
    fn a_filter_larger_than_the_image_has_no_result() {
        assert_eq!(Conv2d { size: [2, 9], ..CONV }.out_size(), None);
        assert_eq!(Conv2d { stride: [0, 1], ..CONV }.out_size(), None);
        assert_eq!(Conv2d { size: [2, 9], pad: [1, 0], stride: [2, 3], ..CONV }.out_size(), Some([1, 3]));
    }
}
