//! Networks on images whose sizes are symbols: one plan for all of them.

use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{ConvGeometry, Graph, InputKind, OutputKind};
use netcl_kernels::layers::Mode;
use netcl_kernels::plan::Target;

fn with_gradients(graph: Graph) -> Graph {
    append_gradients(graph, Arguments::None).unwrap()
}

/// As many kernels as where sizes are known, and as many launches.
#[test]
fn plans_for_any_size_are_those_of_one() {
    for target in [Target::Host, Target::Cpu, Target::Gpu] {
        for (name, any, one) in [
            ("residual", models::residual(Mode::Training, None), models::residual(Mode::Training, Some([64, 48]))),
            ("inference", models::residual(Mode::Inference, None), models::residual(Mode::Inference, Some([64, 48]))),
            ("unet", models::unet(None), models::unet(Some([64, 48]))),
        ] {
            for (graph, fixed) in [(any.clone(), one.clone()), (with_gradients(any), with_gradients(one))] {
                let [any, one] = [graph, fixed].map(|graph| compile(&graph, target).unwrap());
                let names =
                    |plan: &netcl_kernels::plan::Plan| plan.symbols.iter().map(Symbol::to_string).collect::<Vec<_>>();
                assert_eq!(
                    (names(&any), names(&one)),
                    (vec!["N".into(), "H".into(), "W".into()], vec!["N".to_string()])
                );
                assert!(
                    any.steps.len() <= one.steps.len() + 1,
                    "{name} for {target:?}: {} launches, {} of one size",
                    any.steps.len(),
                    one.steps.len()
                );
            }
        }
    }
}

/// What follows a convolution takes its coordinates apart: the batch as several axes, of which one goes elsewhere.
#[test]
fn the_result_of_a_convolution_is_stored_in_other_places() {
    for batch in [Dim::from(4), Dim::symbol("N") * Dim::from(2)] {
        let mut b = Builder::new("moved");
        let mut input =
            |position: usize, shape: Vec<Dim>| b.input(InputKind::Argument(position), "x", Shape(shape), DType::F32);
        let sizes = |sizes: [usize; 3]| sizes.map(Dim::from).to_vec();
        let x = input(0, [vec![batch.clone()], sizes([2, 6, 5])].concat());
        let weight = input(1, [vec![Dim::from(3)], sizes([2, 3, 2])].concat());
        let y = b.conv2d(x, weight, ConvGeometry::default()).unwrap();
        let half = batch.floor_div(2);
        let y = b.reshape(y, Shape([vec![half, Dim::from(2)], sizes([3, 4, 4])].concat())).unwrap();
        let y = b.permute(y, &[0, 2, 1, 3, 4]).unwrap();
        b.output(OutputKind::Result(0), y);
        let graph = b.finish();
        for target in [Target::Host, Target::Cpu, Target::Gpu] {
            compile(&graph, target).unwrap_or_else(|error| panic!("{target:?}: {error}"));
        }
    }
}

/// What symbols must satisfy is said before anything is launched.
#[test]
fn sizes_that_do_not_fit_are_refused() {
    let plan = compile(&models::unet(None), Target::Gpu).unwrap();
    let check = |h: u64, w: u64| {
        let bindings = [("N", 2), ("H", h), ("W", w)].map(|(name, size)| (Symbol::new(name), size));
        plan.requirements.iter().try_for_each(|requirement| requirement.check(&bindings))
    };
    assert_eq!(check(64, 48), Ok(()));
    assert_eq!(check(4, 4), Ok(()));
    let problem = check(66, 64).unwrap_err();
    assert!(
        problem.starts_with("`concat` along axis 1 of f32 [N, 8, (H / 4)*2, (W / 4)*2] expects others that differ"),
        "{problem}"
    );
    assert!(problem.ends_with(": axis 2 is (H / 4)*2 = 32 (from `up`, 2 times H / 4) against H / 2 = 33 (from `pool`, a window of 2 over H, stride 2)"), "{problem}");
    let problem = check(65, 64).unwrap_err();
    let axis = ": axis 2 is (H / 4)*4 = 64 (from `up`, 2 times (H / 4)*2) against H = 65 \
                (from `down.0`, a window of 3 over H, padding 1)";
    assert!(problem.ends_with(axis), "{problem}");
    let problem = check(64, 1).unwrap_err();
    assert!(problem.contains("a window of 2 does not fit into W = 1"), "{problem}");
}
