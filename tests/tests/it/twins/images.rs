//! Models of images.

use super::{host, twin, when_asked};
use netcl_tests::models::Input::{Below, Floats, Truths};
use netcl_tests::models::images::{ConvNext, Mixer, Mobile, Residual, Unet, Vit};

twin! {
    residual: Residual, host,
    inputs { x = Floats(&[4, 3, 17, 13]), y = Below(3, &[4]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    vit: Vit, trained on when_asked,
    inputs { x = Floats(&[3, 2, 12, 12]), y = Below(4, &[3]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    convnext: ConvNext, host,
    inputs { x = Floats(&[2, 3, 20, 28]), y = Below(5, &[2]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    mobile: Mobile, trained on when_asked,
    inputs { x = Floats(&[3, 3, 13, 11]), y = Below(5, &[3]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    unet: Unet, host,
    inputs { x = Floats(&[2, 2, 12, 20]), y = Truths(&[2, 1, 12, 20]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}

twin! {
    mixer: Mixer, host,
    inputs { x = Floats(&[1, 3, 6, 10]), y = Below(5, &[1]) },
    results |m| [("y", m.forward(x)?)],
    loss(x, y)
}
