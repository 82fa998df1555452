//! GENERIC_MODEL

#[netcl::model]
struct Mlp<T> {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
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

fn main() {}
