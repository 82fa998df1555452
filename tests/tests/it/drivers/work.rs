//! What a child process does with a driver that may fail at any call: a little of everything that calls it.

use netcl::algorithms::{self, Operator, Order, Scan};
use netcl::prelude::*;
use netcl::raw::{Grid, KernelSpec};
use netcl::{DType, QueueOrder, UserEvent};
use std::time::Duration;

/// The status of a child that has computed something wrong.
pub(crate) const WRONG: i32 = 9;

#[netcl::model]
struct Net {
    #[layer(inputs = 4, outputs = 8)]
    first: Linear,
    #[layer(features = 8)]
    norm: BatchNorm,
    #[layer(inputs = 8, outputs = 3)]
    last: Linear,
}

#[netcl::model]
impl Net {
    fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> {
        self.last.forward(&self.norm.forward(&self.first.forward(x)).relu())
    }

    fn loss(&self, x: &Tensor<f32, N, 4>, y: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(y)
    }
}

fn batch(device: &Device, rows: usize) -> Result<(Tensor, Tensor)> {
    let x: Vec<f32> = (0..rows * 4).map(|i| (i % 7) as f32 * 0.3 - 1.0).collect();
    let y: Vec<u32> = (0..rows as u32).map(|i| i % 3).collect();
    Ok((Tensor::from_slice(device, &x, &[rows, 4])?, Tensor::from_slice(device, &y, &[rows])?))
}

fn trained(device: &Device) -> Result<Vec<f32>> {
    let mut model = Net::new(device, Seed(3))?;
    let mut optimizer = Sgd::new(0.05);
    for round in 0..4 {
        let (x, y) = batch(device, 8 + round % 2)?;
        let (_, gradients) = model.loss_with_gradients(&x, &y)?;
        optimizer.step(&mut model, &gradients)?;
    }
    model.forward(&batch(device, 5)?.0)?.to_vec::<f32>()
}

type Stage = fn(&Device) -> Result<bool>;

const STAGES: &[(&str, Stage)] = &[
    ("copies", |device| {
        let values: Vec<f32> = (0..300_000).map(|i| i as f32).collect();
        let x = Tensor::from_slice(device, &values, &[300, 1000])?;
        let later = x.to_host_async::<f32>()?;
        let doubled = x.add(&x).to_vec::<f32>()?;
        Ok(doubled.iter().zip(&values).all(|(a, b)| *a == 2.0 * b) && later.wait()? == values)
    }),
    ("page-locked memory", |device| {
        let mut memory = device.pinned_pool().allocate(400_000)?;
        memory.as_mut_slice::<f32>()?.fill(3.0);
        let x = Tensor::from_pinned(device, memory, &[100_000], DType::F32)?;
        let host = x.add(&x).into_host()?;
        Ok(host.as_slice::<f32>()?.iter().all(|value| *value == 6.0))
    }),
    ("lent memory", |device| {
        let memory = device.create_zero_copy_buffer(vec![2.0f32; 4096])?;
        let x = Tensor::from_buffer(device, memory, &[4096], DType::F32)?;
        Ok(x.add(&x).to_vec::<f32>()?.iter().all(|value| *value == 4.0))
    }),
    ("zeros", |device| {
        let zeros = Tensor::zeros(device, &[300_000], DType::F32)?;
        Ok(zeros.to_vec::<f32>()?.iter().all(|value| *value == 0.0))
    }),
    ("training", |device| {
        let (here, there) = (trained(device)?, trained(&Device::host())?);
        Ok(here.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-3))
    }),
    ("algorithms", |device| {
        let values: Vec<u32> = (0..5_000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let x = Tensor::from_slice(device, &values, &[values.len()])?;
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let sums = algorithms::scan(Operator::Sum, Scan::Inclusive, &x)?.to_vec::<u32>()?;
        let total = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
        Ok(algorithms::sort(&x, Order::Ascending)?.to_vec::<u32>()? == sorted && sums.last() == Some(&total))
    }),
    ("a recording", |device| {
        let x = Tensor::full(device, 1.0f32, &[100])?;
        let (mut recording, y) = device.record(|| x.exp().add(&x).copy())?;
        for _ in 0..3 {
            recording.replay()?;
        }
        Ok((y.to_vec::<f32>()?[5] - 3.718_28).abs() < 1e-4)
    }),
    ("an upload behind an event", |device| {
        // Nobody may wait for the copy, whatever becomes of it: it waits for this thread.
        let event = UserEvent::new();
        device.wait_for(&event.event())?;
        let values = vec![1.0f32; 100_000];
        let x = Tensor::from_slice(device, &values, &[100_000]);
        let y = x.and_then(|x| Tensor::from_slice(device, &values[..9], &[9])?.exp().check().map(|y| (x, y)));
        event.complete();
        let (x, y) = y?;
        Ok(x.to_vec::<f32>()? == values && y.to_vec::<f32>()?[3] > 2.7)
    }),
    ("events", |device| {
        let y = Tensor::full(device, 1.0f32, &[100])?.exp();
        let event = device.record_event()?;
        let (send, received) = std::sync::mpsc::channel();
        event.on_complete(move |result| _ = send.send(result));
        let done = device.finish_timeout(Duration::from_secs(5))?;
        let outcome = received.recv_timeout(Duration::from_secs(2));
        event.wait()?;
        // A driver that cannot call back says so, and that is told.
        let called = outcome.is_ok();
        outcome.unwrap_or(Ok(()))?;
        Ok(done && called && y.to_vec::<f32>()?[3] > 2.7)
    }),
    ("a second queue", |device| {
        let queue = device.with_queue(QueueOrder::OutOfOrder)?;
        let x = Tensor::full(&queue, 2.0f32, &[1000])?;
        let z = x.mul(&x).add(&x).to_device(device)?;
        Ok(z.to_vec::<f32>()? == vec![6.0; 1000])
    }),
    ("a raw kernel", |device| {
        let spec = KernelSpec::new("k").parameters(["__global float* a", "float v"]);
        let kernel = spec.body("a[get_global_id(0)] = v;").build(device)?;
        let x = Tensor::zeros(device, &[64], DType::F32)?;
        // SAFETY: 64 items, each of which writes its own of 64 elements.
        unsafe { kernel.launch(&[(&x).into(), 7.0f32.into()], &Grid::from(64))? };
        Ok(x.to_vec::<f32>()? == vec![7.0; 64])
    }),
    ("a product", |device| {
        let x = Tensor::full(device, 1.0f32, &[96, 96])?;
        Ok(x.matmul(&x).to_vec::<f32>()? == vec![96.0; 9216])
    }),
    ("finishing", |device| device.finish().map(|()| true)),
];

/// Does all of it; an error is told and the next thing begun. The status of the process says whether something was wrong.
pub(crate) fn all() -> i32 {
    let device = match Device::select("cpu") {
        Ok(device) => device,
        Err(error) => {
            println!("opening: error: {error}");
            return 0;
        }
    };
    let mut status = 0;
    for (name, stage) in STAGES {
        match stage(&device) {
            Ok(true) => println!("{name}: right"),
            Ok(false) => {
                println!("{name}: WRONG");
                status = WRONG;
            }
            Err(error) => println!("{name}: error: {}", error.to_string().replace('\n', " ")),
        }
    }
    status
}
