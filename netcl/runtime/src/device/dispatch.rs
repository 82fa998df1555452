//! What a program runs once its sizes are known: dispatches, one after the other.

use crate::device::geometry::Geometry;
use crate::device::host::NativeEntry;
use crate::device::memory::Region;
use netcl_kernels::dim::Bindings;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{ConvGeometry, ConvKind};
use netcl_kernels::kir::Kernel;

/// Native code of a program's loop kernels on the host, by their positions there; empty where there is none.
pub(crate) type Native = &'static [Option<NativeEntry>];

/// What a program is built from.
pub(crate) struct ProgramSource<'a> {
    /// What errors call it.
    pub(crate) name: &'a str,
    /// OpenCL C, for devices that run that.
    pub(crate) text: &'a str,
    /// Loop kernels, for the host.
    pub(crate) loops: &'a [Kernel],
    pub(crate) native: Native,
}

/// Where memory that a dispatch uses comes from.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// It is the program's own.
    Internal(Region),
    /// It is given at each launch, at that position.
    External(usize),
}

/// What is passed for a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Passed {
    Memory(Place),
    /// A size, of the parameter's own type of 32 bits.
    Size(u32),
    Literal(Literal),
    /// A number that is given at each launch, at that position.
    Scalar(usize),
}

/// One launch, or one call of the host's library.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    /// For people.
    pub(crate) label: String,
    pub(crate) work: Work,
    /// One for each parameter.
    pub(crate) passed: Vec<Passed>,
    /// All memory that it uses, and whether it writes that.
    pub(crate) touches: Vec<(Place, bool)>,
}

/// What a dispatch runs.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// A kernel of the program's text.
    Kernel { entry: String, geometry: Geometry },
    /// A loop kernel, by its position in the program; `bytes` is about what it moves.
    Loop { kernel: usize, geometry: Geometry, bytes: u64 },
    /// A product of the host's library: two operands and the result.
    MatMul(MatMul),
    /// One of the three convolutions of the host's library: two operands and the result.
    Conv2d(Conv2d),
    /// A scatter-add on the host: row numbers, updates and the result.
    ScatterAdd(ScatterAdd),
}

/// The sizes of a product.
#[derive(Clone, Debug)]
pub(crate) struct MatMul {
    pub(crate) batch: Vec<usize>,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: Strides,
    pub(crate) b: Strides,
    pub(crate) c: ResultStrides,
    pub(crate) dtype: DType,
}

/// Of an operand that is read, in elements: negative along flipped axes.
#[derive(Clone, Debug)]
pub(crate) struct Strides {
    pub(crate) start: usize,
    pub(crate) batch: Vec<isize>,
    pub(crate) row: isize,
    pub(crate) column: isize,
}

/// Of a result, in elements.
#[derive(Clone, Debug)]
pub(crate) struct ResultStrides {
    pub(crate) start: usize,
    pub(crate) batch: Vec<usize>,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// A convolution or one of its gradients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conv2d {
    pub(crate) kind: ConvKind,
    pub(crate) shapes: ConvShapes,
    pub(crate) dtype: DType,
}

/// The sizes of a convolution: input `[n, c, h, w]`, weight `[o, c/groups, kh, kw]`, output `[n, o, oh, ow]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConvShapes {
    /// Images.
    pub(crate) n: usize,
    /// Input channels.
    pub(crate) c: usize,
    /// Input height.
    pub(crate) h: usize,
    /// Input width.
    pub(crate) w: usize,
    /// Output channels.
    pub(crate) o: usize,
    /// Kernel height.
    pub(crate) kh: usize,
    /// Kernel width.
    pub(crate) kw: usize,
    /// Output height.
    pub(crate) oh: usize,
    /// Output width.
    pub(crate) ow: usize,
    /// Stride, padding, dilation, groups.
    pub(crate) geometry: ConvGeometry,
}

/// The sizes of a scatter-add.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScatterAdd {
    pub(crate) rows: usize,
    /// Updates.
    pub(crate) count: usize,
    /// Elements of a row.
    pub(crate) features: usize,
    pub(crate) dtype: DType,
}

/// What a backend needs to make launchable objects of a program.
pub(crate) struct BindRequest<'a> {
    /// The values of the symbols in loop kernels.
    pub(crate) bindings: Bindings<'a>,
    pub(crate) dispatches: Vec<Dispatch>,
    /// How many regions each launch gets.
    pub(crate) externals: usize,
    /// How many numbers each launch gets.
    pub(crate) scalars: usize,
}
