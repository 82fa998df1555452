//! Models of sequences.

use super::{host, twin, when_asked};
use crate::common::devices;
use netcl_tests::models::Input::{Below, Flags, Floats, Positive};
use netcl_tests::models::sequences::{Alibi, Crf, Gru, Llama, Lstm, Tcn};

twin! {
    lstm: Lstm, trained on when_asked,
    inputs { x = Floats(&[3, 4, 5]), h0 = Floats(&[3, 6]), c0 = Floats(&[3, 6]), y = Floats(&[3, 2]) },
    results |m| {
        let (y, c) = m.forward(x, h0, c0)?;
        [("y", y), ("c", c)]
    },
    loss(x, h0, c0, y)
}

twin! {
    llama: Llama, trained on when_asked,
    inputs { x = Below(11, &[3, 5]), y = Below(11, &[3, 5]), cos = Floats(&[5, 2]), sin = Floats(&[5, 2]) },
    results |m| [("y", m.forward(x, cos, sin)?)],
    loss(x, y, cos, sin)
}

twin! {
    gru: Gru, host,
    inputs { x = Below(13, &[5, 4]), y = Below(5, &[5, 4]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    alibi: Alibi, host,
    inputs {
        x = Floats(&[3, 5, 12]), pad = Flags(&[3, 5]), distance = Positive(&[5, 5]), memory = Floats(&[3, 4, 7]), y = Floats(&[3]),
    },
    results |m| [("y", m.forward(x, pad, distance, memory)?)],
    loss(x, pad, distance, memory, y)
}

twin! {
    tcn: Tcn, host,
    inputs { x = Floats(&[2, 5, 17]), y = Floats(&[2, 2, 17]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    crf: Crf, devices,
    inputs { x = Floats(&[3, 6, 5]), y = Below(4, &[3, 6]) },
    results |m| [("z", m.forward(x)?)],
    loss(x, y)
}
