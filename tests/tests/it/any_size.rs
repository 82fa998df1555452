//! Graphs of the run time whose sizes, or positions, are other ones at each call: few programs, and no more memory after many calls than
//! after some. `NETCL_TEST_SIZES=all` makes ten thousand calls and a thousand; with it these tests are to run alone, on one thread.

use crate::common::{devices_alone, wave};
use crate::worlds::unet;
use netcl::nn::{Layers, Mode, Network};
use netcl::{Device, DeviceKind, Result, Seed, Tensor};
use netcl_fixtures::devices::measured_before;
use netcl_tests::models::inputs::below;

/// What there is after some calls.
#[derive(Clone, Copy, Debug)]
struct Used {
    /// Programs that the driver has been asked for.
    programs: u64,
    /// Bytes of memory, in use and kept for reuse.
    bytes: usize,
}

impl Used {
    fn of(device: &Device) -> Used {
        let (programs, memory) = (device.program_stats(), device.memory_stats());
        Used { programs: programs.built + programs.loaded, bytes: memory.in_use + memory.idle }
    }
}

/// How many calls are made: `few`, or all where that is asked for.
fn calls(few: usize, all: usize) -> usize {
    if std::env::var("NETCL_TEST_SIZES").is_ok_and(|value| value == "all") { all } else { few }
}

/// Makes so many calls, each with its number. At most three programs for each that the first call has needed, built twice where the
/// driver builds without optimizations first; memory is after all calls what it was after half of them.
fn stays_flat(what: &str, device: &Device, count: usize, call: impl Fn(usize) -> Result<()>) -> Result<()> {
    let before = Used::of(device);
    call(0)?;
    let first = Used::of(device).programs - before.programs;
    (1..count / 2).try_for_each(&call)?;
    let half = Used::of(device);
    (count / 2..count).try_for_each(&call)?;
    let all = Used::of(device);
    let programs = all.programs - before.programs;
    eprintln!("{what} on {device}: {first} programs at first, {programs} after {count} calls; {half:?}, {all:?}");
    assert!(measured_before(device) || programs <= 2 * 3 * first, "{what} on {device}: {programs} for {first}");
    let has_programs = !matches!(device.profile().kind, DeviceKind::Host | DeviceKind::Null);
    assert!(!has_programs || first > 0, "{what} on {device}");
    // The host's memory is that of all tests that run at the time.
    let is_own = has_programs || calls(0, 1) == 1;
    let most = half.bytes + half.bytes / 4 + (1 << 20);
    assert!(!is_own || all.bytes <= most, "{what} on {device}: {} bytes, {} after half", all.bytes, half.bytes);
    Ok(())
}

#[test]
fn batches_of_any_size() -> Result<()> {
    for device in devices_alone()? {
        let [first, second] = [wave(&device, &[12, 24]).requires_grad()?, wave(&device, &[24, 5]).requires_grad()?];
        stays_flat("a perceptron", &device, calls(300, 10_000), |call| {
            let count = 2 + below("any size/batch", call as u32, 70) as usize;
            let x = wave(&device, &[count, 12]);
            let labels: Vec<u32> = (0..count as u32).map(|row| row % 5).collect();
            let labels = Tensor::from_slice(&device, &labels, &[count])?;
            let loss = x.matmul(&first).tanh().matmul(&second).cross_entropy(&labels);
            let gradients = loss.backward()?;
            assert!(gradients.wrt(&first)?.sum([0, 1]).item::<f32>()?.is_finite());
            Ok(())
        })?;
    }
    Ok(())
}

/// The size of an image, by the number of a call: now and then it is square.
fn size(call: usize) -> [usize; 2] {
    let side = |name: &str| 4 * (2 + below(name, call as u32, 9) as usize);
    [side("any size/height"), side("any size/width")]
}

#[test]
fn images_of_any_size() -> Result<()> {
    for device in devices_alone()? {
        let (fixed, dynamic) = (unet::fixed::UNet::new(&device, Seed(3))?, unet::dynamic::UNet::new(&device, Seed(3))?);
        stays_flat("a text", &device, calls(50, 1000), |call| {
            let [height, width] = size(call);
            let x = wave(&device, &[2, 1, height, width]);
            let y = (&x * 0.5).tanh();
            let loss = dynamic.loss(&x, &y)?;
            let gradients = loss.backward()?.of(&dynamic)?;
            if call % 10 == 3 {
                let (expected, right) = fixed.loss_with_gradients(&x, &y)?;
                near(&loss, &expected)?;
                for (name, gradient) in right.tensors() {
                    near(&gradients.tensor(&name)?, &gradient)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn images_of_any_size_by_layers() -> Result<()> {
    for device in devices_alone()? {
        let mut layers = Layers::new();
        let conv = |inputs: usize, outputs: usize| {
            [("inputs", inputs.into()), ("outputs", outputs.into()), ("kernel", 3.into()), ("padding", 1.into())]
        };
        layers.add("in", "Conv2d", &conv(1, 3))?;
        layers.add("half", "MaxPool2d", &[("kernel", 2.into())])?;
        layers.add("double", "Upsample", &[("scale", 2.into())])?;
        layers.add("out", "Conv2d", &conv(3, 1))?;
        let net = layers.build(&device, Seed(2))?;
        let loss = |net: &Network, x: &Tensor| {
            let run = |layer: &str, x: &Tensor| net.forward(layer, &[x], Mode::Training);
            let h = run("in", x).relu();
            (run("out", &(run("double", &run("half", &h)) + h)) - x).square().mean([0, 1, 2, 3])
        };
        stays_flat("layers", &device, calls(50, 1000), |call| {
            let [height, width] = size(call);
            let x = wave(&device, &[2, 1, height, width]);
            let loss = loss(&net, &x);
            let gradients = loss.backward()?.of(&net)?;
            assert!(gradients.tensors().into_iter().all(|(_, gradient)| gradient.check().is_ok()));
            // An operation by itself, whose mean is that of what the layer has been given.
            let doubled = x.upsample_nearest2d([2, 2]).mean([0, 1, 2, 3]);
            near(&doubled, &x.mean([0, 1, 2, 3]))
        })?;
    }
    Ok(())
}

#[test]
fn parts_from_any_position() -> Result<()> {
    for device in devices_alone()? {
        let (all, weight) = (wave(&device, &[640, 6]), wave(&device, &[6, 3]).requires_grad()?);
        let values = all.to_vec::<f32>()?;
        stays_flat("batches of a table", &device, calls(60, 1000), |call| {
            let start = below("any size/start", call as u32, 633) as usize;
            let batch = all.narrow(0, start, 7);
            let loss = batch.matmul(&weight).square().sum([0, 1]);
            let gradients = loss.backward()?;
            // The same rows, from memory of their own.
            let rows = Tensor::from_slice(&device, &values[6 * start..6 * (start + 7)], &[7, 6])?;
            let expected = rows.transpose(0, 1).matmul(rows.matmul(&weight)) * 2.0;
            near(&gradients.wrt(&weight)?, &expected)
        })?;
        // In what is differentiated, and with parts that always begin at the same places, as the gates of a cell do.
        let table = wave(&device, &[40, 8]).requires_grad()?;
        stays_flat("rows of what is trained", &device, calls(60, 1000), |call| {
            let row = below("any size/row", call as u32, 40) as usize;
            let gates = table.get(0, row);
            let loss = (gates.narrow(0, 0, 4).sigmoid() * gates.narrow(0, 4, 4).tanh()).sum([0]);
            let gradient = loss.backward()?.wrt(&table)?.square().sum([1]).to_vec::<f32>()?;
            let others = gradient.iter().enumerate().filter(|(other, _)| *other != row);
            assert!(gradient[row] > 0.0 && others.clone().all(|(_, value)| *value == 0.0), "row {row}: {gradient:?}");
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn sequences_that_grow() -> Result<()> {
    for device in devices_alone()? {
        let (weight, start) = (wave(&device, &[5, 5]), wave(&device, &[1, 1, 5]));
        // Each round reads the last row, by its number, and appends one: nothing is computed again from the beginning.
        let round = |rows: &Tensor| {
            let length = rows.shape()[1];
            rows.concat([&rows.get(1, length - 1).matmul(&weight).tanh().unsqueeze(1)], 1)
        };
        let mut rows = start.clone();
        let mut expected = start.to_vec::<f32>()?;
        let before = Used::of(&device).programs;
        let mut early = before;
        for number in 0..40 {
            rows = round(&rows);
            let next: Vec<f32> = rows.get(1, number + 1).to_vec()?;
            let last = Tensor::from_slice(&device, &expected[5 * number..], &[1, 5])?;
            expected.extend(last.matmul(&weight).tanh().to_vec::<f32>()?);
            near(
                &Tensor::from_slice(&device, &next, &[5])?,
                &Tensor::from_slice(&device, &expected[5 * (number + 1)..], &[5])?,
            )?;
            if number == 16 {
                early = Used::of(&device).programs;
            }
        }
        assert_eq!(rows.shape(), [1, 41, 5]);
        assert_eq!(Used::of(&device).programs, early, "on {device}: after {before}");
    }
    Ok(())
}

fn near(found: &Tensor, expected: &Tensor) -> Result<()> {
    for (found, expected) in found.to_vec::<f32>()?.iter().zip(expected.to_vec::<f32>()?) {
        assert!((found - expected).abs() <= 1e-5 + 1e-4 * expected.abs(), "{found} for {expected}");
    }
    Ok(())
}
