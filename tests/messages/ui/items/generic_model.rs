//! GENERIC_MODEL, TYPE_ARGUMENT

#[netcl::model]
struct Mlp<T> {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    act: T,
}

#[netcl::model]
struct Signed<const HIDDEN: usize, const OUTPUTS: i32> {
    #[layer(inputs = 8, outputs = HIDDEN)]
    hidden: Linear,
}

#[netcl::model]
struct Named<'a, E> {
    name: &'a str,
    head: E,
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
struct Stack<const C: usize, Act = Gelu, Inner = Wide<C, Act>> {
    act: Act,
    inner: Inner,
}

#[netcl::model]
struct Wide<const C: usize, A = Gelu> {
    #[layer(inputs = C, outputs = C)]
    up: Linear,
    act: A,
}

#[netcl::model]
impl<const C: usize, A> Wide<C, A> {
    fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.act.forward(self.up.forward(x))
    }
}

fn main() {}
