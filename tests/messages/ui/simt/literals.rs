//! Numbers that a type cannot hold; a whole result; an element as a function.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn negative(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        let i = global_id(0);
        if x[i] > -1 { y[i] = 5_000_000_000; }
    }

    #[launch(global = [N], local = [64])]
    fn whole(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        y = x[global_id(0)];
    }

    #[launch(global = [N], local = [64])]
    fn calls(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        y[global_id()] = x(0);
    }

    #[launch(global = [N], local = [64])]
    fn field(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        y[global_id(0)] = x[0].5;
    }

    #[launch(global = N, local = 64)]
    fn launch(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        y[global_id(0)] = x[0];
    }
}

fn main() {}
