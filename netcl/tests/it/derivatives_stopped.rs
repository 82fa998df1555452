//! Gradients of gradients, and products with derivatives, where something on the way gives gradients as numbers.

use netcl::{Device, Result, Tensor};

fn input() -> Result<Tensor> {
    Tensor::from_slice(&Device::host(), &[1.0f32, 2.0], &[2])
}

type Way = (&'static str, u32, fn(&Tensor) -> Tensor);

/// The cube, by each kind of stop, with the line of the call.
const WAYS: [Way; 3] = [
    ("checkpoint", line!(), |x| netcl::checkpoint([x], |[x]| x.pow(3.0))),
    ("custom_vjp", line!() + 1, |x| {
        netcl::custom_vjp([x], |[x]| {
            let own = x.clone();
            (x.pow(3.0), move |gradient: &Tensor| [gradient * own.square() * 3.0])
        })
    }),
    ("on_gradient", line!(), |x| x.pow(3.0).on_gradient(Tensor::clone)),
];

/// The error names what was called, and where.
fn assert_names<T>(result: Result<T>, (name, line, _): Way) {
    let text = result.map(|_| ()).expect_err(name).to_string();
    assert!(text.contains(&format!("`{name}` at ")), "{text}");
    assert!(text.contains(&format!("derivatives_stopped.rs:{line}")), "{line}: {text}");
    assert!(text.contains("gradients as numbers"), "{text}");
}

#[test]
fn a_gradient_is_right_and_has_none_itself() -> Result<()> {
    for way in WAYS {
        let (name, _, cube) = way;
        let x = input()?;
        let slope = netcl::grad(&x, |x| cube(x).sum_all())?;
        assert_eq!(slope.to_vec::<f32>()?, [3.0, 12.0], "{name}");
        assert_names(netcl::grad(&x, |x| netcl::grad(x, |x| cube(x).sum_all()).map(|slope| slope.sum_all())), way);
        let tracked = x.requires_grad()?;
        let slope = netcl::grad(&tracked, |x| cube(x).sum_all())?;
        assert_eq!(slope.to_vec::<f32>()?, [3.0, 12.0], "{name}");
        assert_names(slope.sum_all().backward(), way);
        assert_names((&slope * &tracked).sum_all().backward(), way);
        // Taken for numbers it is meant.
        let found = (slope.detach() * &tracked).sum_all().backward()?;
        assert_eq!(found.wrt(&tracked)?.to_vec::<f32>()?, [3.0, 12.0], "{name}");
    }
    Ok(())
}

#[test]
fn what_else_is_tracked_is_part_of_it_too() -> Result<()> {
    for way in WAYS {
        let (name, _, cube) = way;
        let (x, w) = (input()?, input()?.requires_grad()?);
        let slope = netcl::grad(&x, |x| (cube(x) * &w).sum_all())?;
        assert_eq!(slope.to_vec::<f32>()?, [3.0, 24.0], "{name}");
        assert_names(slope.sum_all().backward(), way);
    }
    Ok(())
}

#[test]
fn recorded_gradients_and_products_name_it() -> Result<()> {
    for way in WAYS {
        let (_, _, cube) = way;
        let x = input()?;
        let tracked = x.requires_grad()?;
        assert_names(cube(&tracked).sum_all().backward_recorded(), way);
        assert_names(cube(&tracked.sin()).exp().sum_all().backward_recorded(), way);
        assert_names(netcl::vjp(&x, cube).map(|(value, _)| value), way);
        assert_names(netcl::jvp(&x, &x, cube), way);
        assert_names(netcl::jvp(&x, &x, |x| cube(&cube(&x.sin()).cos())).map(|(value, _)| value), way);
    }
    Ok(())
}

/// What does not lead from what is differentiated in is a constant of it, and has gradients as ever.
#[test]
fn beside_the_way_it_does_not_matter() -> Result<()> {
    for (name, _, cube) in WAYS {
        let (x, w) = (input()?, input()?.requires_grad()?);
        let side = cube(&w);
        let slope = netcl::grad(&x, |x| (x.square() * &side).sum_all())?;
        assert_eq!(slope.to_vec::<f32>()?, [2.0, 32.0], "{name}");
        // Of the sum of 2 x w³.
        let found = slope.sum_all().backward()?;
        assert_eq!(found.wrt(&w)?.to_vec::<f32>()?, [6.0, 48.0], "{name}");
        let (_, moved) = netcl::jvp(&x, &x, |x| x * &side)?;
        assert_eq!(moved.to_vec::<f32>()?, [1.0, 16.0], "{name}");
    }
    Ok(())
}

/// And before it, a gradient goes through what a tensor is in the place of.
#[test]
fn plain_gradients_go_through_both() -> Result<()> {
    for (name, _, cube) in WAYS {
        let x = input()?.requires_grad()?;
        // The inner function's value goes on to `x` by its argument, in the place of `2 x`, and by the stop.
        let value = netcl::value_and_grad(&(&x * 2.0), |y| cube(y).sum_all())?.0;
        let found = value.backward()?;
        assert_eq!(found.wrt(&x)?.to_vec::<f32>()?, [24.0, 96.0], "{name}");
    }
    Ok(())
}
