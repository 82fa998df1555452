//! LET_ELSE, IF_WITHOUT_ELSE: what a body does not come to is looked at for names that there are not

#[netcl::model]
pub struct Block<const C: usize, const P: usize> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
    #[layer(inputs = C, outputs = C, present = P)]
    more: Option<Linear>,
}

#[netcl::model]
impl<const C: usize, const P: usize> Block<C, P> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        match &self.more {
            Some(more) => more.forward(x),
            None => if C == 8 { self.lime.forward(x) } else { x },
        }
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
    #[layer(inputs = 4, outputs = 4, present = true)]
    there: Option<Linear>,
    #[layer(inputs = 4, outputs = 4, present = false)]
    gone: Option<Linear>,
    #[constant(true)]
    deep: bool,
}

#[netcl::model]
impl Net {
    pub fn a_name(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        if false { nowhere.relu() } else { self.line.forward(x) }
    }

    pub fn an_operation(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        if self.deep { self.line.forward(x) } else { x.releu() }
    }

    pub fn an_arm(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match &self.gone {
            Some(gone) => gone.forwrd(x),
            None => x,
        }
    }

    pub fn goes_on(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Some(there) = &self.there else { x };
        there.forward(x)
    }

    pub fn without_else(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        if let Some(there) = &self.there { there.forward(x) }
    }

    pub fn chosen(&self, x: &Tensor<f32, N, 4>, up: bool) -> Tensor<f32, N, 4> {
        if up { self.line.forward(x) }
    }
}

fn main() {}
