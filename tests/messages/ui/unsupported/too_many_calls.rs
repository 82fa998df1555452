//! Functions that call each other twice each, of their own and of a model: there are too many calls to compile them where they
//! stand. In a model each function is compiled by itself, and one of them says so.

#[netcl::function]
fn f0(x: f32) -> f32 {
    x * 1.5
}

#[netcl::function]
fn f1(x: f32) -> f32 {
    f0(f0(x))
}

#[netcl::function]
fn f2(x: f32) -> f32 {
    f1(f1(x))
}

#[netcl::function]
fn f3(x: f32) -> f32 {
    f2(f2(x))
}

#[netcl::function]
fn f4(x: f32) -> f32 {
    f3(f3(x))
}

#[netcl::function]
fn f5(x: f32) -> f32 {
    f4(f4(x))
}

#[netcl::function]
fn f6(x: f32) -> f32 {
    f5(f5(x))
}

#[netcl::function]
fn f7(x: f32) -> f32 {
    f6(f6(x))
}

#[netcl::function]
fn f8(x: f32) -> f32 {
    f7(f7(x))
}

#[netcl::function]
fn f9(x: f32) -> f32 {
    f8(f8(x))
}

#[netcl::function]
fn f10(x: f32) -> f32 {
    f9(f9(x))
}

#[netcl::function]
fn f11(x: f32) -> f32 {
    f10(f10(x))
}

#[netcl::function]
fn f12(x: f32) -> f32 {
    f11(f11(x))
}

#[netcl::function]
fn f13(x: f32) -> f32 {
    f12(f12(x))
}

#[netcl::function]
fn f14(x: f32) -> f32 {
    f13(f13(x))
}

netcl::kernel! {
    fn all(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| f14(x[n])
    }
}

#[netcl::model]
struct Doubling {
    #[parameter]
    w: Tensor<f32, 8>,
}

#[netcl::model]
impl Doubling {
    fn g0(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * self.w
    }

    fn g1(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g0(&self.g0(x))
    }

    fn g2(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g1(&self.g1(x))
    }

    fn g3(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g2(&self.g2(x))
    }

    fn g4(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g3(&self.g3(x))
    }

    fn g5(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g4(&self.g4(x))
    }

    fn g6(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g5(&self.g5(x))
    }

    fn g7(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g6(&self.g6(x))
    }

    fn g8(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g7(&self.g7(x))
    }

    fn g9(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g8(&self.g8(x))
    }

    fn g10(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g9(&self.g9(x))
    }

    fn g11(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g10(&self.g10(x))
    }

    fn g12(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g11(&self.g11(x))
    }

    fn g13(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g12(&self.g12(x))
    }

    fn g14(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.g13(&self.g13(x))
    }
}

fn main() {}
