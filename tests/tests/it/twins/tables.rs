//! Models of tables and graphs.

use super::{host, twin, when_asked};
use crate::common::devices;
use netcl_tests::models::Input::{Below, Floats, Positive, Signed, Truths};
use netcl_tests::models::tables::{Gcn, WideDeep, Word2vec};

twin! {
    word2vec: Word2vec, devices,
    inputs { word = Below(5, &[11]), near = Below(23, &[11]), other = Below(9, &[11, 3]) },
    results |m| {
        let (near, other) = m.forward(word, near, other)?;
        [("near", near), ("other", other)]
    },
    loss(word, near, other)
}

twin! {
    gcn: Gcn, trained on when_asked,
    inputs { x = Floats(&[9, 6]), edges = Positive(&[9, 9]), y = Below(4, &[9]), known = Truths(&[9]) },
    results |m| [("y", m.forward(x, edges)?)],
    loss(x, edges, y, known)
}

twin! {
    widedeep: WideDeep, host,
    inputs {
        city = Signed(7, &[11]), day = Below(5, &[11]), items = Below(19, &[11, 3]), numbers = Floats(&[11, 3]), y = Truths(&[11]),
    },
    results |m| [("y", m.forward(city, day, items, numbers)?)],
    loss(city, day, items, numbers, y)
}
