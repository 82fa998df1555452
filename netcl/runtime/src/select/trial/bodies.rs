//! What makes a kernel another one, and so wants a self-test of its own: other bodies of a template, and not the numbers in them.

use netcl_kernels::graph::ConvKind;
use netcl_kernels::plan::Target;
use netcl_kernels::template::Axis;
use netcl_kernels::variant::{Conv2dTask, KernelConfig, Product, SPLIT_K, Task, Variant};

/// Tunables of which each value is a kernel of its own, not the same one with other sizes of tiles.
const FORMS: [&str; 2] = ["FORM", "STAGE"];

/// The filter of a convolution in whose test all of its numbers count.
const FILTER: u64 = 3;
/// The step between its taps, which is also the padding that leaves an image its size.
const DILATION: u64 = 2;

/// What a self-test stands for: everything that makes a kernel another one, but sizes.
pub(in crate::select) fn test_name(task: &Task<u64>, config: &KernelConfig, target: Target) -> String {
    let mut name = config.variant.name().to_owned();
    let mut add = |word: &str| {
        name.push(' ');
        name.push_str(word);
    };
    match task {
        Task::Product(product) => {
            add(product.dtype.name());
            of_product(product, config, target).iter().for_each(|word| add(word));
        }
        Task::Conv2d(conv) => {
            add(&format!("{} {}", conv.dtype, conv.kind.name()));
            let words = if has_numbers(config) { bodies(conv, config, target) } else { settings(conv) };
            words.into_iter().for_each(&mut add);
        }
        Task::Elementwise(map) => add(map.dtype.name()),
        Task::Reduction(reduction) => {
            let along = if reduction.contiguous { "rows" } else { "columns" };
            add(&format!("{} {} {along}", reduction.dtype, reduction.op.name()));
        }
        Task::BatchNorm(norm) => add(norm.dtype.name()),
        Task::Recurrence(own) => add(own.dtype.name()),
        Task::Attention(own) => {
            let causal = if own.causal { " causal" } else { "" };
            let widths = format!("{} by {}", own.width, own.value_width);
            add(&format!("{} {} {widths}{causal}", own.dtype, own.kind.operation()));
        }
    }
    for (tunable, value) in config.values.iter().filter(|(tunable, _)| FORMS.contains(tunable)) {
        add(&format!("{tunable}={value}"));
    }
    if in_parts(config) {
        add("in parts");
    }
    name
}

/// Whether the configuration cuts sums into parts.
pub(super) fn in_parts(config: &KernelConfig) -> bool {
    config.values.get(SPLIT_K) > 1
}

/// The operands' axes. Templates for processors read by strides, and tell apart only whether they can copy rows of `b` as
/// vectors.
fn of_product(product: &Product<u64>, config: &KernelConfig, target: Target) -> Vec<String> {
    let (a, b) = (product.a.name(), product.b.name());
    if !for_processors(config, target) {
        return vec![format!("a={a}"), format!("b={b}")];
    }
    vec![if product.b == Axis::Outer { format!("b={b}") } else { "b strided".to_owned() }]
}

fn for_processors(config: &KernelConfig, target: Target) -> bool {
    config.variant.template(target).is_some_and(|template| template.for_processors)
}

/// Whether strides, padding, dilation, filters and groups are numbers in the template's index arithmetic
/// (`conv2d_implicit_gemm.cl`), and no reason for other code.
fn has_numbers(config: &KernelConfig) -> bool {
    matches!(config.variant, Variant::Conv2dImplicitGemm | Variant::Conv2dNaive)
}

/// The bodies that a template whose numbers are just that has for a convolution, beside those of its kinds: `conv2d_cpu.cl`
/// copies neighbours together where the result has the image's size, and divides by strides where there are any.
fn bodies(conv: &Conv2dTask<u64>, config: &KernelConfig, target: Target) -> Vec<&'static str> {
    let strided = conv.stride != [1; 2];
    match conv.kind {
        _ if !for_processors(config, target) => Vec::new(),
        ConvKind::Forward | ConvKind::InputGrad if has_same_size(conv) => vec!["same size"],
        ConvKind::InputGrad if strided => vec!["strided"],
        ConvKind::Forward | ConvKind::InputGrad | ConvKind::WeightGrad => Vec::new(),
    }
}

fn has_same_size(conv: &Conv2dTask<u64>) -> bool {
    conv.stride == [1; 2] && conv.conv().0.out_size() == Some(conv.size)
}

/// What else a convolution has than one group of windows that lie one pixel apart.
fn settings(conv: &Conv2dTask<u64>) -> Vec<&'static str> {
    let all = [
        ("groups", conv.groups > 1),
        ("strided", conv.stride != [1; 2]),
        ("padded", conv.padding != [0; 2]),
        ("dilated", conv.dilation != [1; 2]),
    ];
    all.into_iter().filter(|(_, has)| *has).map(|(word, _)| word).collect()
}

/// The task, or where the kernel has numbers, one for which the same body computes with all of them at once: groups, padding,
/// dilation, and strides where it may have them.
pub(super) fn at_once(task: &Task<u64>, config: &KernelConfig, target: Target) -> Task<u64> {
    let Task::Conv2d(own) = task else { return task.clone() };
    if !has_numbers(config) {
        return task.clone();
    }
    let words = bodies(own, config, target);
    // Two groups are also what is read beside where one group's channels end.
    let mut conv = Conv2dTask { filter: [FILTER; 2], dilation: [DILATION; 2], groups: 2, ..own.clone() };
    (conv.stride, conv.padding) = match own.kind {
        _ if words.contains(&"same size") => ([1; 2], [DILATION; 2]),
        // Without strides and with another size: less padding than would keep it.
        ConvKind::InputGrad if for_processors(config, target) && words.is_empty() => ([1; 2], [1; 2]),
        ConvKind::Forward | ConvKind::InputGrad | ConvKind::WeightGrad => ([2, 3], [1, 2]),
    };
    Task::Conv2d(conv)
}

#[cfg(test)]
mod tests {
    use super::super::small::small;
    use super::*;
    use crate::select::testing::tasks;
    use netcl_kernels::variant;
    use std::collections::BTreeSet;

    #[test]
    fn what_is_another_kernel_is_another_test() {
        let [Task::Product(product), ..] = &tasks()[..] else { unreachable!() };
        let task = Task::Product(product.clone());
        let turned = Task::Product(variant::Product { b: Axis::K, ..product.clone() });
        let named = |task: &Task<u64>, text: &str, target| test_name(task, &KernelConfig::parse(text).unwrap(), target);
        let on_cpu = |task: &Task<u64>, text: &str| named(task, text, Target::Cpu);
        let names = [
            on_cpu(&task, "matmul_vectorized FORM=0 VECTOR=8"),
            on_cpu(&turned, "matmul_vectorized FORM=0 VECTOR=8"),
            on_cpu(&turned, "matmul_vectorized FORM=1 VECTOR=8"),
            on_cpu(&task, "matmul_vectorized FORM=0 VECTOR=8 SPLIT_K=2"),
        ];
        assert_eq!(names[3], "matmul_vectorized f32 b=outer FORM=0 in parts");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        assert_eq!(names[0], on_cpu(&task, "matmul_vectorized FORM=0 VECTOR=16"), "sizes are no other kernel");
        // Of the first operand a processor's template knows strides, a GPU's stages other tiles.
        let across = Task::Product(variant::Product { a: Axis::Outer, ..product.clone() });
        assert_eq!(names[0], on_cpu(&across, "matmul_vectorized FORM=0 VECTOR=8"));
        let on_gpu = |task: &Task<u64>| named(task, "matmul_tiled TILE=16", Target::Gpu);
        assert_ne!(on_gpu(&task), on_gpu(&across));
    }

    #[test]
    fn what_is_a_number_in_a_convolution_is_tested_at_once() {
        let windows: Vec<_> = tasks().into_iter().filter(|task| matches!(task, Task::Conv2d(_))).collect();
        let names = |text: &str, target: Target| {
            let config = KernelConfig::parse(text).unwrap();
            windows.iter().map(|task| test_name(task, &config, target)).collect::<BTreeSet<String>>()
        };
        let own = names("conv2d_implicit_gemm", Target::Cpu);
        let list: Vec<&str> = own.iter().map(|name| name.trim_start_matches("conv2d_implicit_gemm f32 ")).collect();
        let bodies = ["forward", "forward same size", "input_grad", "input_grad same size", "input_grad strided"];
        assert_eq!(list, [&bodies[..], &["weight_grad"]].concat());
        assert_eq!(names("conv2d_implicit_gemm", Target::Gpu).len(), 3, "a GPU's has one body for each kind");
        assert!(
            names("conv2d_tiled_local", Target::Gpu)
                .contains("conv2d_tiled_local f32 forward groups strided padded dilated"),
            "others have more"
        );
    }

    #[test]
    fn the_test_of_a_convolution_has_every_number_that_its_body_may_have() {
        let config = KernelConfig::parse("conv2d_implicit_gemm").unwrap();
        for target in [Target::Cpu, Target::Gpu] {
            for task in tasks() {
                let all = at_once(&task, &config, target);
                let (Task::Conv2d(own), Task::Conv2d(all)) = (&task, &all) else {
                    assert_eq!(all, task);
                    continue;
                };
                let name = test_name(&task, &config, target);
                for parts in [false, true] {
                    let small = small(&Task::Conv2d(all.clone()), parts);
                    assert_eq!(test_name(&small, &config, target), name, "{task}");
                }
                let found = settings(all);
                for word in settings(own).into_iter().chain(["groups", "padded", "dilated"]) {
                    assert!(found.contains(&word), "{task}: {word} is not in {all:?}");
                }
            }
        }
    }
}
