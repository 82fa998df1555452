//! What is private to another module's model.

mod parts {
    #[netcl::model]
    pub struct Head {
        #[layer(inputs = 8, outputs = 8)]
        hidden: Linear,
        #[layer(inputs = 8, outputs = 8)]
        pub open: Linear,
    }

    #[netcl::model]
    impl Head {
        fn secret(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            self.hidden.forward(x)
        }
        pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            self.secret(x)
        }
    }
}

#[netcl::model]
pub struct Net {
    heads: [parts::Head; 2],
    #[layer(present = true)]
    more: Option<parts::Head>,
}

#[netcl::model]
pub enum Either {
    One(parts::Head),
    Two { a: parts::Head, b: parts::Head },
}

#[netcl::model]
impl Either {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Self::One(head) => head.secret(x),
            Self::Two { a, b } => a.forward(x) + b.open.forward(x),
        }
    }
}

#[netcl::model]
impl Net {
    pub fn allowed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.heads[1].open.forward(self.heads[0].forward(x))
    }
    pub fn function(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.heads[0].secret(x)
    }
    pub fn field(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.heads[1].hidden.forward(x)
    }
    pub fn optional(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match &self.more {
            Some(head) => head.hidden.forward(head.forward(x)),
            None => x,
        }
    }
}

fn main() {}
