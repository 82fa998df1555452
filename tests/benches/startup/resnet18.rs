//! ResNet-18, most of whose layers are like others of its own.

use netcl::prelude::*;

/// A block of two convolutions with a sum around them.
macro_rules! same {
    ($name:ident, $c:tt, $s:tt) => {
        #[netcl::model]
        pub struct $name {
            #[layer(inputs = $c, outputs = $c, kernel = 3, padding = 1, bias = false)]
            conv1: Conv2d,
            #[layer(features = $c)]
            norm1: BatchNorm,
            #[layer(inputs = $c, outputs = $c, kernel = 3, padding = 1, bias = false)]
            conv2: Conv2d,
            #[layer(features = $c)]
            norm2: BatchNorm,
        }

        #[netcl::model]
        impl $name {
            pub fn forward(&self, x: &Tensor<f32, N, $c, $s, $s>) -> Tensor<f32, N, $c, $s, $s> {
                let h = self.norm1.forward(&self.conv1.forward(x)).relu();
                (self.norm2.forward(&self.conv2.forward(&h)) + x).relu()
            }
        }
    };
}

/// The same with other channels, and half the height and width.
macro_rules! half {
    ($name:ident, $i:tt, $o:tt, $s:tt) => {
        #[netcl::model]
        pub struct $name {
            #[layer(inputs = $i, outputs = $o, kernel = 3, stride = 2, padding = 1, bias = false)]
            conv1: Conv2d,
            #[layer(features = $o)]
            norm1: BatchNorm,
            #[layer(inputs = $o, outputs = $o, kernel = 3, padding = 1, bias = false)]
            conv2: Conv2d,
            #[layer(features = $o)]
            norm2: BatchNorm,
            #[layer(inputs = $i, outputs = $o, kernel = 1, stride = 2, bias = false)]
            skip: Conv2d,
            #[layer(features = $o)]
            skip_norm: BatchNorm,
        }

        #[netcl::model]
        impl $name {
            pub fn forward(&self, x: &Tensor<f32, N, $i, { $s * 2 }, { $s * 2 }>) -> Tensor<f32, N, $o, $s, $s> {
                let h = self.norm1.forward(&self.conv1.forward(x)).relu();
                let skip = self.skip_norm.forward(&self.skip.forward(x));
                (self.norm2.forward(&self.conv2.forward(&h)) + skip).relu()
            }
        }
    };
}

same!(Same64, 64, 16);
half!(Half128, 64, 128, 8);
same!(Same128, 128, 8);
half!(Half256, 128, 256, 4);
same!(Same256, 256, 4);
half!(Half512, 256, 512, 2);
same!(Same512, 512, 2);

/// ResNet-18.
#[netcl::model]
pub struct ResNet {
    #[layer(inputs = 3, outputs = 64, kernel = 7, stride = 2, padding = 3, bias = false)]
    stem: Conv2d,
    #[layer(features = 64)]
    norm: BatchNorm,
    #[layer(kernel = 3, stride = 2, padding = 1)]
    pool: MaxPool2d,
    first: [Same64; 2],
    second: Half128,
    third: Same128,
    fourth: Half256,
    fifth: Same256,
    sixth: Half512,
    seventh: Same512,
    #[layer(inputs = 512, outputs = 1000)]
    head: Linear,
}

#[netcl::model]
impl ResNet {
    pub fn forward(&self, x: &Tensor<f32, N, 3, 64, 64>) -> Tensor<f32, N, 1000> {
        let mut h = self.pool.forward(&self.norm.forward(&self.stem.forward(x)).relu());
        for block in &self.first {
            h = block.forward(&h);
        }
        let h = self.third.forward(&self.second.forward(&h));
        let h = self.fifth.forward(&self.fourth.forward(&h));
        let h = self.seventh.forward(&self.sixth.forward(&h));
        self.head.forward(&h.mean([2, 3]))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3, 64, 64>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}
