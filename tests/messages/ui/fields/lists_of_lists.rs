//! Lists of layers in lists.

#[netcl::model]
pub struct Grid {
    #[layer(inputs = 4, outputs = 4)]
    grid: [[Linear; 2]; 2],
    #[layer(inputs = 4, outputs = 4, count = 2)]
    rows: Vec<Vec<Linear>>,
}

fn main() {}
