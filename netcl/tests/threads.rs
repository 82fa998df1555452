//! Calls from many threads on the same memory: each sees the memory before or after any other, and nobody waits for
//! ever. That nothing is read while it is written is a matter of locks, which the host's unit tests look at; here the
//! numbers would show it.

use netcl::nn::{ConfigValue, Layer, Mode};
use netcl::{Device, Result, Seed, Tensor};
use rayon::prelude::*;

const CHANNELS: usize = 16;
const CALLS: usize = 24;

/// A layer with running statistics and a batch large enough to be shared among the host's threads.
fn layer() -> (Layer, Tensor) {
    let device = Device::host();
    let settings = [("features", ConfigValue::Size(CHANNELS as u64))];
    let layer = Layer::new(&device, Seed(1), "BatchNorm", &settings).unwrap();
    let elements: Vec<f32> = (0..64 * CHANNELS * 64).map(|position| (position % 37) as f32 * 0.1).collect();
    let x = Tensor::from_slice(&device, &elements, &[64, CHANNELS, 8, 8]).unwrap();
    (layer, x)
}

fn statistics(layer: &Layer) -> Vec<u32> {
    let states = layer.core().states();
    assert!(!states.is_empty());
    states.iter().flat_map(|(_, state)| state.to_vec::<f32>().unwrap()).map(f32::to_bits).collect()
}

/// The statistics after as many calls one after another.
fn expected() -> (Vec<u32>, Vec<f32>) {
    let (layer, x) = layer();
    let mut last = Vec::new();
    for _ in 0..CALLS {
        last = layer.forward(&[&x], Mode::Training).unwrap().to_vec().unwrap();
    }
    (statistics(&layer), last)
}

#[test]
fn running_statistics_lose_no_call_of_any_thread() {
    let (statistics_after, result) = expected();
    let (layer, x) = layer();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..CALLS / 4 {
                    let y = layer.forward(&[&x], Mode::Training).unwrap();
                    assert!(y.to_vec::<f32>().unwrap() == result, "the result depends on the batch alone");
                }
            });
        }
    });
    assert_eq!(statistics(&layer), statistics_after);
}

#[test]
fn calls_from_tasks_of_a_shared_pool_end() {
    let (statistics_after, _) = expected();
    let (layer, x) = layer();
    let calls: Result<Vec<Tensor>> =
        (0..CALLS).into_par_iter().with_max_len(1).map(|_| layer.forward(&[&x], Mode::Training)).collect();
    assert_eq!(calls.unwrap().len(), CALLS);
    assert_eq!(statistics(&layer), statistics_after);
}

#[test]
fn a_view_is_read_before_or_after_it_is_written() {
    let (layer, _) = layer();
    let device = Device::host();
    let (path, view) = layer.core().parameters().remove(0);
    let values = [1.0f32, 2.0].map(|value| Tensor::full(&device, value, view.shape()).unwrap());
    layer.core().set_tensor(&path, &values[0]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..2000 {
                layer.core().set_tensor(&path, &values[round % 2]).unwrap();
            }
        });
        for _ in 0..500 {
            let seen = view.to_vec::<f32>().unwrap();
            assert!(seen.iter().all(|value| *value == seen[0]), "half written: {seen:?}");
        }
    });
}
