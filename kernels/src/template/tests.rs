//! Every template keeps what its description promises.

use super::*;
use crate::dtype::DType;

const GPU: Limits = Limits {
    local_bytes: 48 << 10,
    work_group: 1024,
    units: 132,
    lanes: 1,
    between_bytes: u64::MAX,
    matrix_unit: MatrixUnit::NONE,
};
const SMALL_GPU: Limits = Limits {
    local_bytes: 16 << 10,
    work_group: 256,
    units: 8,
    lanes: 1,
    between_bytes: u64::MAX,
    matrix_unit: MatrixUnit::NONE,
};
const CPU: Limits = Limits {
    local_bytes: 1 << 20,
    work_group: 4096,
    units: 2,
    lanes: 16,
    between_bytes: u64::MAX,
    matrix_unit: MatrixUnit::NONE,
};
const OLD_CPU: Limits = Limits {
    local_bytes: 32 << 10,
    work_group: 1024,
    units: 64,
    lanes: 4,
    between_bytes: u64::MAX,
    matrix_unit: MatrixUnit::NONE,
};

/// The problem with elements that the template computes, and rows that it takes.
fn of_its_type(template: &Template, problem: Problem) -> Problem {
    match template.name {
        "matmul_mma" => Problem { dtype: DType::BF16, ..problem },
        "attention" => {
            let width = |size: u64| size.next_multiple_of(8).min(attention::WIDEST);
            Problem { dtype: DType::BF16, n: width(problem.n), k: width(problem.k), ..problem }
        }
        _ => problem,
    }
}

fn problems() -> impl Iterator<Item = Problem> {
    let sizes = [1, 3, 10, 33, 128, 784, 4096];
    let axes = [Axis::K, Axis::Outer, Axis::None];
    sizes.into_iter().flat_map(move |m| {
        sizes.into_iter().flat_map(move |n| {
            [1, 64, 784].into_iter().flat_map(move |k| {
                axes.into_iter().flat_map(move |a| {
                    axes.into_iter().map(move |b| Problem { batch: 3, ..Problem::new(m, n, k).contiguous(a, b) })
                })
            })
        })
    })
}

#[test]
fn the_defaults_are_those_of_the_source() {
    for template in ALL {
        for tunable in template.tunables {
            let written: Vec<&str> = defined(template, tunable.name).collect();
            assert!(!written.is_empty(), "{}: {}", template.name, tunable.name);
            // Some the source writes by name, or derives from the others.
            for value in written.into_iter().filter_map(|text| text.parse::<u32>().ok()) {
                assert_eq!(value, tunable.default, "{}: {}", template.name, tunable.name);
            }
            assert!(tunable.values.contains(&tunable.default), "{}: {}", template.name, tunable.name);
        }
    }
}

/// What the template's text defines `name` as, wherever it does.
fn defined<'a>(template: &'a Template, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = template.sources.iter().flat_map(|source| source.lines());
    lines
        .filter_map(|line| line.strip_prefix("#define ")?.split_once(' '))
        .filter_map(move |(own, value)| (own == name).then_some(value.trim()))
}

#[test]
fn lanes_are_those_of_the_source() {
    for template in ALL {
        let choice = template.defaults();
        let lanes = u32::from((template.lanes)(&choice));
        let fixed = defined(template, "VECTOR").next().map_or(1, |lanes| lanes.parse().unwrap());
        assert_eq!(lanes, fixed, "{}", template.name);
        // Where it can be tuned, the choice says it and not the text.
        for tunable in template.tunables.iter().filter(|tunable| tunable.name == "VECTOR") {
            for &value in tunable.values {
                let mut choice = choice.clone();
                choice.set("VECTOR", value);
                assert_eq!(u32::from((template.lanes)(&choice)), value, "{}", template.name);
            }
        }
    }
}

#[test]
fn what_templates_say_of_themselves_is_in_their_source() {
    for template in ALL {
        let mentions = |word: &str| template.sources.iter().any(|source| source.contains(word));
        assert_eq!(template.local_memory, mentions("__local "), "{}", template.name);
        assert_eq!(template.copies_computed_a, mentions("A_COMPUTED"), "{}", template.name);
        assert_eq!(template.copies_aligned, mentions("ALIGNED"), "{}", template.name);
        assert_eq!(template.convolution, mentions("#define PRODUCT "), "{}", template.name);
        for matrix in [Matrix::A, Matrix::B] {
            let loads = [Axis::K, Axis::Outer].into_iter().any(|along| {
                let limits = [GPU, CPU];
                let problem = Problem { aligned: true, ..Problem::new(512, 512, 512).contiguous(along, along) };
                let mut choices = limits.iter().flat_map(|limits| template.choices(&problem, limits));
                choices.any(|choice| (template.loads_vectors)(&choice, matrix, along))
            });
            let hook = format!("LOAD_{}_VECTOR(", matrix.letter());
            // A convolution's hooks load one by one: its index maps find an element at a time.
            assert_eq!(loads, !template.convolution && mentions(&hook), "{}: {hook}", template.name);
        }
    }
}

#[test]
fn the_initial_choice_is_legal_and_within_the_space() {
    for template in ALL {
        for problem in problems().map(|problem| of_its_type(template, problem)) {
            for limits in [GPU, SMALL_GPU, CPU, OLD_CPU] {
                let choice = (template.initial)(&problem, &limits);
                assert_eq!(
                    (template.legal)(&choice, &problem, &limits),
                    Ok(()),
                    "{} {choice:?} {problem:?} {limits:?}",
                    template.name
                );
                for tunable in template.tunables {
                    let value = choice.get(tunable.name);
                    assert!(tunable.values.contains(&value), "{}: {} = {value}", template.name, tunable.name);
                }
                assert_eq!(choice.iter().count(), template.tunables.len());
            }
        }
    }
}

#[test]
fn a_launch_covers_every_result_once() {
    for template in ALL {
        for problem in problems().map(|problem| of_its_type(template, problem)) {
            let grid = (template.grid)(&(template.initial)(&problem, &GPU));
            let [x, y, z] = grid.groups(problem.m, problem.n, problem.batch);
            assert!(x * u64::from(grid.per_group_n) >= problem.n);
            assert!((x - 1) * u64::from(grid.per_group_n) < problem.n);
            assert!(y * u64::from(grid.per_group_m) >= problem.m);
            assert!((y - 1) * u64::from(grid.per_group_m) < problem.m);
            assert_eq!(z, problem.batch);
        }
    }
}

#[test]
fn there_are_choices_to_try() {
    for template in ALL {
        let problem = of_its_type(template, Problem::new(512, 512, 512));
        for limits in [GPU, CPU] {
            let count = template.choices(&problem, &limits).count();
            assert!((1..4000).contains(&count), "{}: {count}", template.name);
        }
    }
}

#[test]
fn undefs_name_tunables_and_hooks() {
    let text = matmul_cpu::TEMPLATE.undefs();
    for name in ["KERNEL_NAME", "LOAD_A", "STORE", "TILE_M", "PASTE"] {
        assert!(text.contains(&format!("#undef {name}\n")), "{name}");
    }
}

#[test]
fn a_matrix_unit_is_used_where_there_is_one() {
    let with = |f16, bf16, warpgroups| {
        let matrix_unit = MatrixUnit { f16, bf16, warpgroups };
        Limits { local_bytes: 226 << 10, work_group: 1024, matrix_unit, ..GPU }
    };
    let template = &matmul_mma::TEMPLATE;
    let problem = |dtype| Problem { dtype, aligned: true, ..Problem::new(4096, 4096, 4096) };
    for (dtype, limits, unit) in [
        (DType::BF16, with(true, true, false), 1),
        (DType::F16, with(true, false, false), 1),
        (DType::BF16, with(true, true, true), 2),
        (DType::BF16, with(true, false, false), 0),
        (DType::F16, GPU, 0),
    ] {
        let choice = (template.initial)(&problem(dtype), &limits);
        assert_eq!(choice.get("UNIT"), unit, "{dtype}");
        assert_eq!((template.legal)(&choice, &problem(dtype), &limits), Ok(()));
        let mut other = choice.clone();
        other.set("UNIT", u32::from(unit == 0));
        let reason = (template.legal)(&other, &problem(dtype), &limits).unwrap_err();
        assert!(reason.contains("matrix unit for these elements"), "{reason}");
        other.set("UNIT", 2);
        let reason = (template.legal)(&other, &problem(dtype), &with(true, true, false)).unwrap_err();
        assert!(reason.contains("for sub-groups alone"), "{reason}");
    }
    let mut of_sub_groups = (template.initial)(&problem(DType::BF16), &with(true, true, true));
    of_sub_groups.set("UNIT", 1);
    let reason = (template.legal)(&of_sub_groups, &problem(DType::BF16), &with(true, true, true)).unwrap_err();
    assert!(reason.contains("have 32 or 64 rows"), "{reason}");
    // Rows that begin unaligned are loaded element by element, by more sub-groups. Of symbols only the sizes are known.
    let whole = Problem { aligned: false, ..problem(DType::BF16) };
    for (k, unit) in [(4096, 2), (4092, 1)] {
        let choice = (template.initial)(&Problem { k, ..whole }, &with(true, true, true));
        assert_eq!(choice.get("UNIT"), unit, "{k}");
    }
    let choice = template.defaults();
    let reason = (template.legal)(&choice, &problem(DType::F32), &GPU).unwrap_err();
    assert_eq!(reason, "fragments are of f16 or bf16");
    let few = Limits { local_bytes: 8 << 10, ..GPU };
    let reason = (template.legal)(&choice, &problem(DType::F16), &few).unwrap_err();
    assert!(reason.contains("do not fit into local memory"), "{reason}");
}
