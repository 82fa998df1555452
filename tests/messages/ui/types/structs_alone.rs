//! RESULT_FIELD, SIZED_STRUCT; functions whose signatures have structs alone

#[netcl::tensors]
pub struct State {
    h: Tensor<f32, N, 4>,
}

#[netcl::tensors]
pub struct Decayed {
    h: Tensor<f32, N, 4>,
    by: f32,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn step(&self, s: &State) -> State {
        State { h: self.line.forward(&s.h) }
    }

    /// Nothing of the model is used.
    pub fn picked(&self, first: &State, second: &State) -> State {
        State { h: first.h.maximum(&second.h) }
    }
}

#[netcl::model]
pub struct Numbers {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Numbers {
    pub fn step(&self, s: &Decayed) -> Decayed {
        Decayed { h: self.line.forward(&s.h) * s.by, by: s.by }
    }
}

#[netcl::model]
pub struct Sizes {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Sizes {
    pub fn step(&self, s: &State<N>) -> Tensor<f32, N, 4> {
        self.line.forward(&s.h)
    }

    pub fn alone(&self, s: &State<N>) -> State<N> {
        State { h: self.line.forward(&s.h) }
    }
}

/// Rust's own may have parameters.
pub struct Grid<const N: usize> {
    pub cells: [f32; N],
}

pub struct Rust;

#[netcl::model]
pub struct Beside {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Beside {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }

    pub fn grid(&self, of: &Grid<4>) -> Grid<4> {
        Grid { cells: of.cells }
    }

    pub fn rust(&self, _: &Rust) -> Rust {
        Rust
    }
}

fn main() {}
