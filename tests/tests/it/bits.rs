//! Bits of integers: shifts and logic in bodies, in kernels in index form and at run time.

use crate::common::{device, everywhere};
use netcl::{Result, Seed, Tensor};

netcl::kernel! {
    /// A random bit pattern for each index: two rounds of a multiplicative hash.
    pub fn hashed(seed: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| {
            let mut s = seed[n] + n as u32 * 747796405;
            s = ((s >> 16) ^ s) * 0x45d9f3b;
            s ^= s >> 13;
            (s << 5) | (s >> 27)
        }
    }

    /// The byte `k` of each element.
    pub fn bytes(x: &Tensor<i32, N>) -> Tensor<i32, N, 4> { |n, k| (x[n] >> (8 * k)) & 255 }
}

#[netcl::model]
struct Bits {}

#[netcl::model]
impl Bits {
    fn flags(&self, x: &Tensor<u8, N>) -> (Tensor<bool, N>, Tensor<u8, N>) {
        let set = (x >> 3) & 1;
        (set.eq(1), !x << 1)
    }
    fn ones(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x + (1 << 4)
    }
    fn scrambled(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x + scrambled(x) + (0x9E37_79B9u32 << 6) as f32
    }
}

/// Numbers that are known while compiling have the bits of their types, as in Rust.
#[netcl::function]
fn scrambled(x: f32) -> f32 {
    let mut h = 2166136261u32;
    for i in 0..4 {
        h = (h ^ (i as u32)) << 5 ^ (h >> 27);
    }
    h <<= 3;
    let bits = (1i32 << 31) / 1000 + (200u8 << 1) as i32 + !5i32;
    x * (h % 1000) as f32 + (!0u32 % 1000) as f32 + bits as f32
}

fn expected(seed: u32, n: u32) -> u32 {
    let mut s = seed.wrapping_add(n.wrapping_mul(747796405));
    s = ((s >> 16) ^ s).wrapping_mul(0x45d9f3b);
    s ^= s >> 13;
    s.rotate_left(5)
}

#[test]
fn bits_are_moved_in_kernels_and_bodies() -> Result<()> {
    everywhere(|| {
        let device = &device();
        let seeds = [0u32, 7, u32::MAX, 1 << 31, 12345];
        let seed = Tensor::from_slice(device, &seeds, &[5])?;
        let wanted: Vec<u32> = seeds.iter().zip(0..).map(|(&seed, n)| expected(seed, n)).collect();
        assert_eq!(hashed(&seed)?.to_vec::<u32>()?, wanted);

        let x = Tensor::from_slice(device, &[1.0f32, -2.0], &[2])?;
        let wanted = [1.0f32, -2.0].map(|x| x + scrambled(x) + (0x9E37_79B9u32 << 6) as f32);
        assert_eq!(Bits::new(device, Seed(1))?.scrambled(&x)?.to_vec::<f32>()?, wanted);
        let x = Tensor::from_slice(device, &[0x1234_5678i32, -2], &[2])?;
        assert_eq!(bytes(&x)?.to_vec::<i32>()?, [0x78, 0x56, 0x34, 0x12, 0xfe, 0xff, 0xff, 0xff]);
        // The distance is taken modulo the width; the sign is kept.
        let by = Tensor::from_slice(device, &[36i32, 1], &[2])?;
        assert_eq!(x.apply("shl", &[(&by).into()]).to_vec::<i32>()?, [0x2345_6780, -4]);
        assert_eq!(x.apply("shr", &[(&by).into()]).to_vec::<i32>()?, [0x0123_4567, -1]);

        let model = Bits::new(device, Seed(1))?;
        let (set, turned) = model.flags(&Tensor::from_slice(device, &[8u8, 255, 7], &[3])?)?;
        assert_eq!(set.to_vec::<bool>()?, [true, true, false]);
        assert_eq!(turned.to_vec::<u8>()?, [0xee, 0, 0xf0]);
        let x = Tensor::from_slice(device, &[1.0f32], &[1])?;
        assert_eq!(model.ones(&x)?.to_vec::<f32>()?, [17.0]);
        Ok(())
    })
}
