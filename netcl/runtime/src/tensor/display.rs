//! Printing. Never more than a few lines: a huge tensor shows its corners.

use crate::tensor::{Element, Tensor};
use half::{bf16, f16};
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use std::fmt;

/// Of an axis that is cut, how many positions are shown at the start and at the end: by how many axes follow it. Of
/// those further out only the first position is shown, so that no tensor is more than 144 elements of text.
const EDGES: [(usize, usize); 4] = [(3, 3), (3, 3), (1, 1), (1, 1)];
/// Tensors with at most this many elements are shown whole.
const WHOLE: usize = 64;

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Err(error) = self.check() {
            return write!(f, "Tensor({error})");
        }
        write!(f, "Tensor({} {} on {})", self.dtype(), Shape::of(self.shape()), self.device())
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Err(error) = self.check() {
            return write!(f, "(not computed: {error})");
        }
        write!(f, "{} {}", self.dtype(), Shape::of(self.shape()))?;
        if self.elements() == 0 {
            // The other axes may be of any size.
            return f.write_str(" []");
        }
        match self.to_bytes() {
            Ok(bytes) => {
                f.write_str(" ")?;
                Printer { tensor: self, bytes: &bytes, whole: self.elements() <= WHOLE }.axis(f, 0, 0)
            }
            Err(error) => write!(f, " (cannot be read: {error})"),
        }
    }
}

struct Printer<'a> {
    tensor: &'a Tensor,
    bytes: &'a [u8],
    whole: bool,
}

impl Printer<'_> {
    fn axis(&self, f: &mut fmt::Formatter<'_>, axis: usize, start: usize) -> fmt::Result {
        let shape = self.tensor.shape();
        let Some(&size) = shape.get(axis) else {
            return self.element(f, start);
        };
        let stride: usize = shape[axis + 1..].iter().product();
        let following = shape.len() - axis - 1;
        let innermost = following == 0;
        let (start_edge, end_edge) = EDGES.get(following).copied().unwrap_or((1, 0));
        f.write_str("[")?;
        let mut position = 0;
        while position < size {
            if position > 0 {
                f.write_str(if innermost { ", " } else { ",\n" })?;
                if !innermost {
                    write!(f, "{:axis$} ", "")?;
                }
            }
            if !self.whole && position == start_edge && size > start_edge + end_edge {
                f.write_str("…")?;
                position = size - end_edge;
                continue;
            }
            self.axis(f, axis + 1, start + position * stride)?;
            position += 1;
        }
        f.write_str("]")
    }

    fn element(&self, f: &mut fmt::Formatter<'_>, index: usize) -> fmt::Result {
        let size = self.tensor.dtype().size();
        let bytes = &self.bytes[index * size..][..size];
        fn of<T: Element>(bytes: &[u8]) -> T {
            T::from_bytes(bytes).next().unwrap_or(T::ZERO)
        }
        match self.tensor.dtype() {
            DType::Bool => write!(f, "{}", of::<bool>(bytes)),
            DType::U8 => write!(f, "{}", of::<u8>(bytes)),
            DType::I32 => write!(f, "{}", of::<i32>(bytes)),
            DType::U32 => write!(f, "{}", of::<u32>(bytes)),
            DType::I64 => write!(f, "{}", of::<i64>(bytes)),
            DType::F16 => write!(f, "{:?}", of::<f16>(bytes).to_f32()),
            DType::BF16 => write!(f, "{:?}", of::<bf16>(bytes).to_f32()),
            DType::F32 => write!(f, "{:?}", of::<f32>(bytes)),
            DType::F64 => write!(f, "{:?}", of::<f64>(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Device, Tensor};

    #[test]
    fn small_tensors_are_shown_whole_and_huge_ones_are_not() {
        let device = Device::host();
        let small = Tensor::from_slice(&device, &[1.0f32, 2.5, -3.0, 4.0], &[2, 2]).unwrap();
        assert_eq!(small.to_string(), "f32 [2, 2] [[1.0, 2.5],\n [-3.0, 4.0]]");
        let huge = Tensor::full(&device, 7u8, &[1000, 1000]).unwrap().to_string();
        assert!(huge.len() < 300 && huge.contains('…'), "{huge}");
        let deep = Tensor::full(&device, 7u8, &[6; 8]).unwrap().to_string();
        assert!(deep.len() < 1500 && deep.contains('…'), "{} characters", deep.len());
        let deepest = Tensor::full(&device, 7u8, &[2; 20]).unwrap().to_string();
        assert!(deepest.len() < 1500, "{} characters", deepest.len());
        assert_eq!(Tensor::scalar(&device, true).unwrap().to_string(), "bool [] true");
        assert_eq!(Tensor::from_slice::<f32>(&device, &[], &[0, 3]).unwrap().to_string(), "f32 [0, 3] []");
        let empty = Tensor::zeros(&device, &[1 << 40, 0, 1 << 20], netcl_kernels::dtype::DType::F32).unwrap();
        assert!(empty.to_string().ends_with(" []"), "{empty}");
    }
}
