//! Models of steps and sets: few programs each.

use super::twin;
use crate::common::devices;
use netcl_tests::models::Input::{Below, Floats, Truths};
use netcl_tests::models::steps::{DeepSets, Diffusion, NeuralOde, SmallDecoder, WaveNet};

twin! {
    deepsets: DeepSets, devices,
    inputs { x = Floats(&[5, 4, 3]), there = Truths(&[5, 4]), y = Floats(&[5]) },
    results |m| [("y", m.forward(x, there)?)],
    loss(x, there, y)
}

twin! {
    ode: NeuralOde, trained on devices,
    inputs { y = Floats(&[7, 2]), end = Floats(&[7, 2]) },
    results |m| [("y", m.forward(y, 0.5)?)],
    loss(y, end, 0.5)
}

twin! {
    diffusion: Diffusion, trained on devices,
    inputs { x = Floats(&[3, 1, 5, 6]), noise = Floats(&[3, 1, 5, 6]), t = Below(10, &[3]) },
    results |m| [("noise", m.forward(x, t)?), ("step", m.step(x, t)?)],
    loss(x, noise, t)
}

twin! {
    wavenet: WaveNet, trained on devices,
    inputs { x = Below(8, &[2, 11]), y = Below(8, &[2, 11]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    decoder: SmallDecoder, trained on devices,
    inputs { x = Floats(&[2, 5, 16]), y = Floats(&[2, 5, 16]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}
