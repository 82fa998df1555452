//! A whole training step, from layer declarations to trained parameters, without the macros.

use crate::turn;
use netcl::__private::kernels::autodiff::{Arguments, append_gradients};
use netcl::__private::kernels::dim::{Dim, Shape};
use netcl::__private::kernels::graph::build::Builder;
use netcl::__private::kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl::__private::kernels::layers::{self, Config, ConfigValue, Context, Mode};
use netcl::__private::kernels::ops::{self, Value};
use netcl::__private::kernels::plan::Target;
use netcl::__private::kernels::span::Span;
use netcl::__private::{ModelCore, Schema, Seed};
use netcl::optim::{AdamW, Optimizer};
use netcl::{DType, Device, Model, Tensor};
use netcl_fixtures::devices::{all, with_driver};
use netcl_fixtures::plans::embed;

const FIELDS: [(&str, u64, u64); 2] = [("hidden", 64, 32), ("output", 32, 10)];

fn config(inputs: u64, outputs: u64) -> Config {
    let pairs = [("inputs", inputs), ("outputs", outputs)];
    let pairs = pairs.map(|(key, value)| (key, ConfigValue::Size(value), Span::NONE));
    Config::from_pairs(layers::find("Linear").unwrap(), &pairs).unwrap()
}

struct Mlp(ModelCore);

impl Model for Mlp {
    fn schema() -> Schema {
        let mut schema = Schema::new();
        for (name, inputs, outputs) in FIELDS {
            schema.add_layer(name, layers::find("Linear").unwrap(), &config(inputs, outputs)).unwrap();
        }
        schema
    }

    fn core(&self) -> &ModelCore {
        &self.0
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.0
    }
}

fn forward(b: &mut Builder) -> NodeId {
    let n = || Dim::symbol("N");
    let mut h = b.input(InputKind::Argument(0), "x", Shape(vec![n(), Dim::from(64)]), DType::F32);
    let seed = b.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
    for (position, (name, inputs, outputs)) in FIELDS.into_iter().enumerate() {
        let (layer, config) = (layers::find("Linear").unwrap(), config(inputs, outputs));
        let tensors: Vec<NodeId> = (layer.tensors)(&config)
            .iter()
            .map(|spec| {
                b.input(InputKind::Parameter, &format!("{name}.{}", spec.name), Shape(spec.shape.clone()), spec.dtype)
            })
            .collect();
        let mut context = Context {
            builder: b,
            config: &config,
            name,
            tensors: &tensors,
            mode: Mode::Training,
            seed,
            updates: &mut Vec::new(),
        };
        h = layers::forward(layer, &mut context, &[h]).unwrap();
        if position == 0 {
            h = ops::call(b, ops::find("relu").unwrap(), &[Value::Tensor(h)]).unwrap();
        }
    }
    h
}

fn forward_graph() -> Graph {
    let mut b = Builder::new("Mlp::forward");
    let logits = forward(&mut b);
    b.output(OutputKind::Result(0), logits);
    b.finish()
}

fn loss_graph() -> Graph {
    let mut b = Builder::new("Mlp::loss");
    let logits = forward(&mut b);
    let labels = b.input(InputKind::Argument(1), "labels", Shape(vec![Dim::symbol("N")]), DType::U32);
    let args = [Value::Tensor(logits), Value::Tensor(labels)];
    let loss = ops::call(&mut b, ops::find("cross_entropy").unwrap(), &args).unwrap();
    b.output(OutputKind::Result(0), loss);
    append_gradients(b.finish(), Arguments::None).unwrap()
}

/// Images whose brightest row of eight pixels says their class, out of eight.
fn data(device: &Device, samples: usize, seed: usize) -> (Tensor, Tensor) {
    let labels: Vec<u32> = (0..samples).map(|i| ((i * 5 + seed) % 8) as u32).collect();
    let pixel = |i: usize| {
        let noise = ((i * 2_654_435_761 + seed * 97) % 1000) as f32 / 1000.0;
        noise + if (i % 64) / 8 == labels[i / 64] as usize { 1.0 } else { 0.0 }
    };
    let x: Vec<f32> = (0..samples * 64).map(pixel).collect();
    let x = Tensor::from_slice(device, &x, &[samples, 64]).unwrap();
    (x, Tensor::from_slice(device, &labels, &[samples]).unwrap())
}

fn train(device: &Device) -> Vec<f32> {
    let (forward, loss) = (embed(&forward_graph()), embed(&loss_graph()));
    let mut model = Mlp(ModelCore::new(device, Seed(42), &Mlp::schema()).unwrap());
    let mut optimizer = AdamW::new(3e-3);
    let mut losses = Vec::new();
    for step in 0..120 {
        // Batches of two sizes in turn.
        let (x, labels) = data(device, if step % 2 == 0 { 32 } else { 7 }, step);
        let (value, gradients, _) = loss.call_with_gradients(model.core(), "", &[&x, &labels], &[]).unwrap();
        optimizer.step(&mut model, &gradients).unwrap();
        losses.push(value[0].item::<f32>().unwrap());
    }
    let (x, labels) = data(device, 200, 1000);
    let logits = forward.call(Some(model.core()), "", &[&x], &[]).unwrap().remove(0).to_vec::<f32>().unwrap();
    let labels = labels.to_vec::<u32>().unwrap();
    let right = labels.iter().zip(logits.chunks_exact(10)).filter(|(label, row)| {
        let best = (0..10).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
        best == **label as usize
    });
    let right = right.count();
    assert!(right > 180, "{device}: {right} of 200 right, losses {losses:?}");
    losses
}

#[test]
fn an_mlp_learns_alike_on_every_device() {
    let _turn = turn();
    let losses: Vec<Vec<f32>> = all().iter().map(train).collect();
    for other in &losses[1..] {
        for (step, (a, b)) in losses[0].iter().zip(other).take(20).enumerate() {
            assert!((a - b).abs() <= 1e-4 * a.abs(), "step {step}: {a} {b}");
        }
    }
}

#[test]
fn a_training_step_has_few_launches() {
    let _turn = turn();
    for target in [Target::Gpu, Target::Cpu] {
        let device = Device::null(target, 1 << 30);
        let loss = embed(&loss_graph());
        let mut model = Mlp(ModelCore::new(&device, Seed(42), &Mlp::schema()).unwrap());
        let mut optimizer = AdamW::new(3e-3);
        let (x, labels) = data(&device, 32, 0);
        let mut step = || {
            let before = device.launches();
            let (_, gradients, _) = loss.call_with_gradients(model.core(), "", &[&x, &labels], &[]).unwrap();
            optimizer.step(&mut model, &gradients).unwrap();
            device.launches() - before
        };
        step();
        let pool = device.memory_stats();
        let launches = step();
        let report = loss.report(target, &[32]).unwrap();
        assert!(launches <= 9, "{launches} launches\n{report}");
        assert_eq!(device.memory_stats().allocations, pool.allocations, "a step asks for no memory");
        assert!(report.contains("N = 32") && report.contains("Mlp::loss"), "{report}");
        println!("{report}");
    }
}

/// New data at each step, as from a loader; what is freed is used again.
#[test]
fn a_thousand_steps_ask_the_driver_for_memory_in_the_first_three_alone() {
    let _turn = turn();
    let null = Device::null(Target::Gpu, 1 << 30);
    for device in std::iter::once(null).chain(with_driver()) {
        let steps = if device.profile().vendor == netcl::Vendor::Oclgrind { 10 } else { 1000 };
        let loss = embed(&loss_graph());
        let mut model = Mlp(ModelCore::new(&device, Seed(42), &Mlp::schema()).unwrap());
        let mut optimizer = AdamW::new(3e-3);
        let mut step = |number: usize| {
            let (x, labels) = data(&device, 32, number);
            let (loss, gradients, _) = loss.call_with_gradients(model.core(), "", &[&x, &labels], &[]).unwrap();
            optimizer.step(&mut model, &gradients).unwrap();
            if number.is_multiple_of(100) {
                loss[0].item::<f32>().unwrap();
            }
        };
        (0..3).for_each(&mut step);
        let before = (device.memory_stats(), device.pinned_pool().stats().allocations);
        (3..steps).for_each(&mut step);
        let after = (device.memory_stats(), device.pinned_pool().stats().allocations);
        assert_eq!((before.0.allocations, before.0.misses, before.1), (after.0.allocations, after.0.misses, after.1));
        assert!(after.0.hits > before.0.hits && after.0.hit_rate() > 0.5, "{}", after.0);
    }
}
