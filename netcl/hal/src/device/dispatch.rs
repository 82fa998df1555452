//! What a program runs once its sizes are known: dispatches, one after the other.

use crate::device::memory::Region;
use crate::host::NativeEntry;
use netcl_kernels::dim::Bindings;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{ConvGeometry, ConvKind};
use netcl_kernels::kir::Geometry;
use netcl_kernels::kir::Kernel;

/// Native code of a program's loop kernels on the host, by their positions there; empty where there is none.
pub type Native = &'static [Option<NativeEntry>];

/// What a program is built from.
pub struct ProgramSource<'a> {
    /// What errors call it.
    pub name: &'a str,
    /// OpenCL C, for devices that run that.
    pub text: &'a str,
    /// Whether the driver is to optimize it; `false` for what is to be there soon.
    pub optimized: bool,
    /// Loop kernels, for the host.
    pub loops: &'a [Kernel],
    /// Their native code.
    pub native: Native,
}

/// Where memory that a dispatch uses comes from.
#[derive(Clone, Debug)]
pub enum BufferBinding {
    /// It is the program's own.
    Internal(Region),
    /// It is given at each launch, at that position.
    External(usize),
}

/// What is passed for a parameter.
#[derive(Clone, Debug)]
pub enum Passed {
    /// Memory.
    Memory(BufferBinding),
    /// A size, of the parameter's own type of 32 bits.
    Size(u32),
    /// A number that is known.
    Literal(Literal),
    /// A number that is given at each launch, at that position.
    Scalar(usize),
}

/// One launch, or one call of the host's library.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// For people.
    pub label: String,
    /// What it runs.
    pub work: Work,
    /// One for each parameter.
    pub passed: Vec<Passed>,
    /// All memory that it uses, and whether it writes that.
    pub touches: Vec<(BufferBinding, bool)>,
}

/// What a dispatch runs.
#[derive(Clone, Debug)]
pub enum Work {
    /// A kernel of the program's text.
    Kernel {
        /// Its name.
        entry: String,
        /// Its work-items.
        geometry: Geometry,
    },
    /// A loop kernel.
    Loop {
        /// Its position in the program.
        kernel: usize,
        /// Its work-items.
        geometry: Geometry,
        /// About what it moves.
        bytes: u64,
    },
    /// A product of the host's library: two operands and the result.
    MatMul(MatMul),
    /// One of the three convolutions of the host's library: two operands and the result.
    Conv2d(Conv2d),
    /// A scatter-add on the host: row numbers, updates and the result.
    ScatterAdd(ScatterAdd),
}

/// The sizes of a product.
#[derive(Clone, Debug)]
pub struct MatMul {
    /// The batch axes.
    pub batch: Vec<usize>,
    /// Rows of the first operand and of the result.
    pub m: usize,
    /// Columns of the second operand and of the result.
    pub n: usize,
    /// What is summed over.
    pub k: usize,
    /// The first operand.
    pub a: Strides,
    /// The second operand.
    pub b: Strides,
    /// The result.
    pub c: ResultStrides,
    /// The elements' type.
    pub dtype: DType,
}

/// Of an operand that is read, in elements: negative along flipped axes.
#[derive(Clone, Debug)]
pub struct Strides {
    /// The first element.
    pub start: usize,
    /// From one to the next along each batch axis.
    pub batch: Vec<isize>,
    /// From one row to the next.
    pub row: isize,
    /// From one column to the next.
    pub column: isize,
}

/// Of a result, in elements.
#[derive(Clone, Debug)]
pub struct ResultStrides {
    /// The first element.
    pub start: usize,
    /// From one to the next along each batch axis.
    pub batch: Vec<usize>,
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub column: usize,
}

/// A convolution or one of its gradients.
#[derive(Clone, Copy, Debug)]
pub struct Conv2d {
    /// Which of the three.
    pub kind: ConvKind,
    /// Its sizes.
    pub shapes: ConvShapes,
    /// The elements' type.
    pub dtype: DType,
}

/// The sizes of a convolution: input `[n, c, h, w]`, weight `[o, c/groups, kh, kw]`, output `[n, o, oh, ow]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShapes {
    /// Images.
    pub n: usize,
    /// Input channels.
    pub c: usize,
    /// Input height.
    pub h: usize,
    /// Input width.
    pub w: usize,
    /// Output channels.
    pub o: usize,
    /// Kernel height.
    pub kh: usize,
    /// Kernel width.
    pub kw: usize,
    /// Output height.
    pub oh: usize,
    /// Output width.
    pub ow: usize,
    /// Stride, padding, dilation, groups.
    pub geometry: ConvGeometry,
}

/// The sizes of a scatter-add.
#[derive(Clone, Copy, Debug)]
pub struct ScatterAdd {
    /// Rows of the result.
    pub rows: usize,
    /// Updates.
    pub count: usize,
    /// Elements of a row.
    pub features: usize,
    /// The elements' type.
    pub dtype: DType,
}

/// What a backend needs to make launchable objects of a program.
pub struct BindRequest<'a> {
    /// The values of the symbols in loop kernels.
    pub bindings: Bindings<'a>,
    /// What each launch runs, in that order.
    pub dispatches: Vec<Dispatch>,
    /// How many regions each launch gets.
    pub externals: usize,
    /// How many numbers each launch gets.
    pub scalars: usize,
}
