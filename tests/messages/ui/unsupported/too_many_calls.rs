//! Functions that call each other twice each: there are too many calls to compile them where they stand.

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

fn main() {}
