//! The functions that were loaded for one device. The device keeps them, so that both go together: whoever divides a device
//! for each of its jobs is left with nothing of the jobs before.

use crate::error::Result;
use crate::executor::Loaded;
use std::sync::{Arc, PoisonError, RwLock};

/// One device's functions, by [`crate::function::Function`]'s number. Nothing in it holds the device.
#[derive(Default)]
pub(super) struct FunctionTable(RwLock<Vec<Option<Arc<Loaded>>>>);

impl FunctionTable {
    /// The function of that number; what `load` gives, where there is none yet.
    pub(super) fn function(&self, number: usize, load: impl FnOnce() -> Result<Loaded>) -> Result<Arc<Loaded>> {
        let find = |list: &[Option<Arc<Loaded>>]| list.get(number).cloned().flatten();
        if let Some(loaded) = find(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(loaded);
        }
        let loaded = Arc::new(load()?);
        let mut list = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        if let Some(loaded) = find(&list) {
            return Ok(loaded);
        }
        if list.len() <= number {
            list.resize(number + 1, None);
        }
        list[number] = Some(loaded.clone());
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests {
    use crate::device::{Device, Partition, QueueOrder};
    use crate::function::{Function, FunctionSource, PlanSource};
    use crate::nn::{ConfigValue, Layer, Mode};
    use crate::{Seed, Tensor};
    use netcl_kernels::compile::compile;
    use netcl_kernels::dim::Shape;
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{InputKind, OutputKind, UnaryOp};
    use netcl_kernels::plan::Target;

    /// As a macro would embed it, for all time.
    fn sines() -> &'static Function {
        let mut b = Builder::new("sines");
        let x = b.input(InputKind::Argument(0), "x", Shape::of(&[4]), DType::F32);
        let y = b.unary(UnaryOp::Sin, x).unwrap();
        b.output(OutputKind::Result(0), y);
        let graph = b.finish();
        let plan = |target: Target| {
            let json = compile(&graph, target).unwrap().to_json().unwrap();
            PlanSource { target: target.name(), json: json.leak() }
        };
        let plans = Box::leak(Box::new(Target::ALL.map(plan)));
        let source = Box::leak(Box::new(FunctionSource { name: "sines", graph: "", plans }));
        Box::leak(Box::new(Function::new(source)))
    }

    #[test]
    fn what_was_compiled_keeps_no_device() {
        let sines = sines();
        let use_up = |device: Device| {
            let alive = device.alive();
            let x = Tensor::from_slice(&device, &[1.0f32; 4], &[4]).unwrap();
            x.add(&x);
            sines.call(None, "", &[&x], &[]).unwrap();
            let settings = [("features", ConfigValue::Size(4))];
            let layer = Layer::new(&device, Seed(1), "LayerNorm", &settings).unwrap();
            layer.forward(&[&x.apply("reshape", &[[1i64, 4].as_slice().into()])], Mode::Training);
            device.finish().unwrap();
            assert_eq!(alive(), [true; 2]);
            drop((x, layer, device));
            alive()
        };
        assert_eq!(use_up(Device::null(Target::Gpu, 1 << 30)), [false; 2]);
        for profile in Device::all() {
            let device = Device::select(&profile.selector).unwrap();
            for order in [QueueOrder::InOrder, QueueOrder::OutOfOrder] {
                if let Ok(again) = device.with_queue(order) {
                    assert_eq!(use_up(again), [false; 2], "{device}");
                }
            }
            if profile.partitions.equally {
                let parts = device.partition(&Partition::Equally(1)).unwrap();
                parts.into_iter().take(2).for_each(|part| assert_eq!(use_up(part), [false; 2], "{device}"));
            }
        }
    }
}
