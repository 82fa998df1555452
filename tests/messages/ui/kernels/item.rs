//! KERNEL_ITEM

netcl::kernel! {
    struct Relu;
}

fn main() {}
