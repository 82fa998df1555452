//! Whole numbers whose types differ from what they stand beside, are assigned to, or are given as.

use netcl::prelude::*;

#[netcl::function]
fn assigned(i: i32) -> u32 {
    let mut n = 1u32;
    n = i;
    n
}

#[netcl::function]
fn part_assigned(i: i32) -> u32 {
    let mut n = (1u32, 2);
    n = if i > 3 { (5, 2) } else { (i, 3) };
    n.0
}

#[netcl::function]
fn option_assigned(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let mut n = Some(1u8);
    n = Some(7i32);
    x + n.unwrap() as f32
}

#[netcl::function]
fn option_too_large(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let mut n = Some(1u8);
    n = Some(300);
    x + n.unwrap() as f32
}

#[netcl::function]
fn branches(i: i32) -> u32 {
    if i > 3 { 5u32 } else { i }
}

#[netcl::function]
fn returned_before(i: i32) -> u32 {
    if i > 3 {
        return 5u32;
    }
    i
}

#[netcl::function]
fn declared(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let k = 3i32;
    let wide: i64 = k * 2;
    x + wide as f32
}

#[netcl::function]
fn bits_of_a_size(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x + (!5usize % 7) as f32
}

#[netcl::function]
fn by_zero(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x + (N as i32 - 5).rem_euclid(0) as f32
}

#[netcl::function]
fn quotient_in_rounds(x: &Tensor<f32, T, 3>, y: &Tensor<f32, M, 3>) -> Tensor<f32, 3> {
    let mut h = x.get(0, 0);
    for t in 0..T {
        h = h + ((t + 1) / M) as f32;
    }
    h
}

netcl::kernel! {
    fn carried(x: &Tensor<f16, N, 3>) -> Tensor<f16, N> {
        |n| fold(0..3, 0.0f32, |h, k| h + x[n, k])
    }
}

#[netcl::function]
fn masked(q: &Tensor<f32, T, 8>, k: &Tensor<f32, S, 8>, hidden: &Tensor<bool, T, S>) -> Tensor<f32, T, 8> {
    q.scaled_dot_product_attention(k, k, hidden)
}

#[netcl::function]
fn read_twice(x: &Tensor<f32, T, 8>) -> Tensor<f32, T, 8> {
    let mut all = Vec::new();
    for t in 0..T {
        let h = if all.is_empty() { x.get(0, t) } else { all.last().unwrap() + x.get(0, t) };
        all.push(h);
    }
    all.stack(0)
}

fn main() {}
