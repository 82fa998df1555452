//! Models of vectors: few programs each.

use super::{host, twin};
use crate::common::devices;
use netcl_tests::models::Input::{Below, Floats, Truths};
use netcl_tests::models::vectors::{BigMlp, Dqn, Losses, Mixture, Pinn, Siamese, Vae};

twin! {
    siamese: Siamese, host,
    inputs { x = Floats(&[5, 6]), y = Floats(&[5, 6]), labels = Below(5, &[5]) },
    results |m| [("s", m.similarity(x, y)?), ("e", m.embed(x)?)],
    loss(x, y, labels)
}

twin! {
    mixture: Mixture, devices,
    inputs { x = Floats(&[17, 1]), y = Floats(&[17, 1]) },
    results |m| {
        let (shares, mean, sigma) = m.forward(x)?;
        [("p", shares), ("mean", mean), ("sigma", sigma)]
    },
    loss(x, y)
}

twin! {
    vae: Vae, trained on devices,
    inputs { x = Floats(&[7, 10]), noise = Floats(&[7, 3]) },
    results |m| {
        let (y, mean, logvar) = m.forward(x, noise)?;
        [("y", y), ("mean", mean), ("logvar", logvar)]
    },
    loss(x, noise, 0.5)
}

twin! {
    pinn: Pinn, host,
    inputs { x = Floats(&[13, 2]), x0 = Floats(&[5, 2]), u0 = Floats(&[5, 1]) },
    results |m| {
        let (u, ux, ut, uxx) = m.forward(x)?;
        [("u", u), ("ux", ux), ("ut", ut), ("uxx", uxx)]
    },
    loss(x, x0, u0)
}

twin! {
    losses: Losses, devices,
    inputs { x = Floats(&[9, 7]), y = Floats(&[9, 6]), t = Truths(&[9, 6]), c = Below(6, &[9]) },
    results |m| [("y", m.forward(x)?), ("parts", m.parts(x, y, t, c)?)],
    loss(x, y, t, c)
}

twin! {
    bigmlp: BigMlp, host,
    inputs { x = Floats(&[129, 2, 31]), y = Below(3, &[2, 33]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    dqn: Dqn, devices,
    inputs {
        state = Floats(&[7, 6]), action = Below(4, &[7]), reward = Floats(&[7]), next = Floats(&[7, 6]), done = Truths(&[7]),
    },
    results |m| {
        let (q, action) = m.forward(state)?;
        [("q", q), ("action", action)]
    },
    loss(state, action, reward, next, done)
}
