//! PRESENCE, PRESENT_WITHOUT_OPTION

#[netcl::model]
pub struct Net<const N: usize> {
    #[layer(inputs = 8, outputs = 8, present = "often")]
    a: Option<Linear>,
    #[layer(inputs = 8, outputs = 8, present = N > 2.5)]
    b: Option<Linear>,
    #[layer(inputs = 8, outputs = 8, present = N > 1)]
    c: Linear,
}

fn main() {}
