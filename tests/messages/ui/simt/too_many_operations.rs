//! Functions of many operations, called more often than a kernel can hold.

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

netcl::kernel! {
    #[launch(global = [N])]
    fn all(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut sum = 0.0;
        for factor in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] {
            for more in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] {
                sum += f9(x[global_id(0)] * factor) + f9(more);
                sum += f9(x[global_id(0)] + more * factor) + f9(sum);
            }
        }
        y[global_id(0)] = sum;
    }
}

fn main() {}
