//! CALL_ARGUMENT_SHAPE, RESULT_COUNT; structs of one name are as many as there are declarations

mod a {
    #[netcl::tensors]
    pub struct State {
        pub h: Tensor<f32, N>,
    }

    #[netcl::function]
    pub fn doubled(s: &State) -> Tensor<f32, N> {
        s.h * 2.0
    }

    #[netcl::function]
    pub fn made(x: &Tensor<f32, N>) -> State {
        State { h: x }
    }
}

mod b {
    #[netcl::tensors]
    pub struct State {
        pub h: Tensor<f32, N>,
    }
}

pub struct Plain {
    pub h: netcl::Tensor,
}

mod c {
    use super::{a, b::State};

    #[netcl::function]
    pub fn imported(s: &State) -> Tensor<f32, N> {
        a::doubled(s)
    }
}

#[netcl::function]
fn passed(s: &b::State) -> Tensor<f32, N> {
    a::doubled(s)
}

#[netcl::function]
fn returned(x: &Tensor<f32, N>) -> b::State {
    a::made(x)
}

#[netcl::function]
fn written(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    a::doubled(&b::State { h: x })
}

#[netcl::function]
fn plain(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    a::doubled(&Plain { h: x })
}

fn main() {}
