//! Kernels in OpenCL C: what is checked before they run, and that they run.
#![allow(unsafe_code, reason = "the kernels here are written for the buffers they get")]

use netcl::raw::{
    self, AddressSpace, Arg, Grid, KernelSpec, PRIMITIVE_PREAMBLE, PrimitiveBuilder, RawKernel, WorkGroupTuner,
};
use netcl::{DType, Device, DeviceKind, Error, Tensor, UserEvent};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::processes;

const ADD: &str = "
    __kernel void add(__global const float* a, __constant float* b, __global float* c, float by, uint n,
                      __local float* tile) {
        uint i = get_global_id(0);
        tile[get_local_id(0)] = by;
        if (i < n) c[i] = a[i] + b[i] * tile[get_local_id(0)];
    }";

fn floats(device: &Device, values: &[f32]) -> Tensor {
    Tensor::from_slice(device, values, &[values.len()]).unwrap()
}

fn launch(kernel: &RawKernel, arguments: &[Arg<'_>], grid: &Grid) -> Result<(), Error> {
    // SAFETY: the kernels of this file stay inside the tensors that their tests give them, or are refused.
    unsafe { kernel.launch(arguments, grid) }
}

#[test]
fn a_kernel_gets_its_arguments() {
    for device in with_driver() {
        let add = KernelSpec::from_source("add", ADD).build(&device).unwrap();
        let (a, b, c) =
            (floats(&device, &[1.0, 2.0, 3.0]), floats(&device, &[10.0, 20.0, 30.0]), floats(&device, &[0.0; 3]));
        let arguments = [(&a).into(), (&b).into(), (&c).into(), 2.0f32.into(), 3u32.into(), Arg::Local(16)];
        let launches = device.launches();
        launch(&add, &arguments, &Grid::rounded_up(3, 4)).unwrap();
        assert_eq!(c.to_vec::<f32>().unwrap(), [21.0, 42.0, 63.0]);
        assert!(device.launches() > launches);
        launch(&add, &arguments, &Grid::from(0)).unwrap();
        let spaces: Vec<AddressSpace> = add.parameters().unwrap().iter().map(|parameter| parameter.space()).collect();
        use AddressSpace::{Constant, Global, Local, Private};
        assert_eq!(spaces, [Global, Constant, Global, Private, Private, Local]);
    }
}

#[test]
fn wrong_arguments_are_named() {
    for device in with_driver() {
        let add = KernelSpec::from_source("add", ADD).build(&device).unwrap();
        let x = floats(&device, &[0.0; 4]);
        let integers = Tensor::from_slice(&device, &[0i32; 4], &[4]).unwrap();
        let elsewhere = floats(&Device::host(), &[0.0; 4]);
        let right: [Arg<'_>; 6] = [(&x).into(), (&x).into(), (&x).into(), 1.0f32.into(), 4u32.into(), Arg::Local(4)];
        let error = |position: usize, argument: Arg<'_>| {
            let mut arguments = right;
            arguments[position] = argument;
            launch(&add, &arguments, &Grid::from(1)).unwrap_err()
        };
        for (position, argument, expected, found) in [
            (
                0,
                Arg::from(&integers),
                "a tensor of f32 for `__global const float* a`",
                "a tensor of i32 with the shape [4]",
            ),
            (1, 1.0f32.into(), "a tensor of f32", "a value of OpenCL type float"),
            (2, Arg::Local(4), "a tensor of f32", "4 bytes of local memory"),
            (3, 1.0f64.into(), "a value of OpenCL type float for `float by`", "a value of OpenCL type double"),
            (4, 4i32.into(), "a value of OpenCL type uint", "a value of OpenCL type int"),
            (4, (&x).into(), "a value of OpenCL type uint", "a tensor of f32"),
            (5, (&x).into(), "`Arg::Local` with more than 0 bytes", "a tensor of f32"),
            (5, Arg::Local(0), "`Arg::Local` with more than 0 bytes", "0 bytes of local memory"),
        ] {
            let error = error(position, argument);
            assert!(matches!(&error, Error::KernelArgument { position: at, .. } if *at == position), "{error}");
            let text = error.to_string();
            for part in ["kernel `add`", &format!("argument {position} "), expected, found] {
                assert!(text.contains(part), "{text}: no `{part}`");
            }
        }
        assert!(matches!(error(0, (&elsewhere).into()), Error::DeviceMismatch { .. }));
        assert!(error(5, Arg::Local(1 << 40)).to_string().contains("bytes of local memory, the device has"));
        let text = launch(&add, &right[..4], &Grid::from(1)).unwrap_err().to_string();
        assert!(
            text.contains("takes 6 arguments (__global const float* a, ") && text.ends_with("4 were given"),
            "{text}"
        );
    }
}

#[test]
fn local_memory_of_a_kernel_s_own_is_counted() {
    for device in with_driver() {
        let memory = device.profile().local_memory;
        let (usable, reported) = (memory.usable as usize, memory.reported as usize);
        let fits = format!("__local uchar own[{}]; own[get_local_id(0)] = 1; x[0] = own[0];", reported / 4);
        let exceeds = format!("__local uchar own[{}]; own[get_local_id(0)] = 1; x[0] = own[0];", usable + 4096);
        for (array, passed, of) in [
            (&exceeds, 16, "its arrays take"),
            (&String::new(), reported + 4096, "its arguments take"),
            (
                &fits,
                usable - 16,
                if usable == reported { "its arrays and arguments take" } else { "its arguments take" },
            ),
        ] {
            let text = format!(
                "__kernel void taking(__global int* x, __local int* passed) {{ {array} passed[0] = 1; x[1] = passed[0]; }}"
            );
            // Some drivers do not build what takes more than there is.
            let Ok(kernel) = KernelSpec::from_source("taking", &text).build(&device) else { continue };
            let x = Tensor::from_slice(&device, &[0i32; 2], &[2]).unwrap();
            let error = launch(&kernel, &[(&x).into(), Arg::Local(passed)], &Grid::from(1)).unwrap_err().to_string();
            assert!(error.contains(of) && error.contains("bytes of local memory, the device has"), "{error}");
        }
    }
}

#[test]
fn grids_are_checked() {
    for device in with_driver() {
        let fixed = "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global int* x) { x[0] = 1; }";
        let fixed = KernelSpec::from_source("fixed", fixed).build(&device).unwrap();
        let free =
            KernelSpec::new("free_size").parameters(["__global int* x"]).body("x[0] = 7;").build(&device).unwrap();
        let x = Tensor::from_slice(&device, &[0i32], &[1]).unwrap();
        let problem = |kernel: &RawKernel, grid: Grid| launch(kernel, &[(&x).into()], &grid).unwrap_err().to_string();
        for (grid, part) in [
            (Grid::from(10).in_groups([4]), "10 work-items along axis 0 are no multiple of the work-group's 4"),
            (Grid::from([8, 8]).in_groups([4]), "work-groups of 1 dimensions in a grid of 2"),
            (Grid::from([8, 8, 8]).in_groups([2, 2, 2, 2]), "work-groups of 4 dimensions in a grid of 3"),
            (Grid::from(8).in_groups([0]), "work-groups may have 1 to"),
            (Grid::from([1; 4]), "1 to 3 dimensions, found 4"),
            (Grid::from(usize::MAX).in_groups([1]), "work-groups are more than 4294967295; use larger ones"),
            (Grid::from([1 << 20, 1 << 20, 1 << 30]), "work-items without work-groups are more than 4294967295"),
            (Grid::from(usize::MAX).in_groups([usize::MAX]), "work-groups may have 1 to"),
        ] {
            let text = problem(&free, grid);
            assert!(text.contains("kernel `free_size`") && text.contains(part), "{text}");
        }
        assert!(problem(&fixed, Grid::from([8, 8]).in_groups([8, 1])).contains("`reqd_work_group_size` is [4, 2, 1]"));
        launch(&fixed, &[(&x).into()], &Grid::from([8, 8])).unwrap();
        assert_eq!(x.to_vec::<i32>().unwrap(), [1]);
    }
}

/// The text is the same, the program is not.
#[test]
fn what_a_text_includes_is_read_at_each_build() {
    let folder = processes::scratch("includes");
    let include = format!("-I{}", folder.display());
    let spec = KernelSpec::from_source(
        "fill_with_included",
        "#include \"value.h\"\n__kernel void fill_with_included(__global uint* x) { x[get_global_id(0)] = VALUE; }",
    );
    let spec = spec.option(&include);
    for device in with_driver() {
        let x = Tensor::zeros(&device, &[4], DType::U32).unwrap();
        let mut kept = None;
        for value in [3u32, 4, 5] {
            std::fs::write(folder.join("value.h"), format!("#define VALUE {value}u\n")).unwrap();
            let fill = spec.build(&device).unwrap();
            launch(&fill, &[(&x).into()], &Grid::from(4)).unwrap();
            assert_eq!(x.to_vec::<u32>().unwrap(), [value; 4], "{device}");
            // The first is used on beside the second, which is no more when the third is built.
            kept = kept.or(Some(fill));
        }
        launch(&kept.unwrap(), &[(&x).into()], &Grid::from(4)).unwrap();
        assert_eq!(x.to_vec::<u32>().unwrap(), [3; 4], "{device}");
    }
    let is_it = |entry: &netcl::cache::Entry| entry.kernels.iter().any(|name| name == "fill_with_included");
    assert!(!netcl::cache::entries().unwrap().iter().any(is_it), "no later run finds it");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_does_not_build_says_why() {
    for device in with_driver() {
        let error =
            KernelSpec::new("broken").parameters(["__global float* x"]).body("x[0] = undeclared;").build(&device);
        let error = error.err().unwrap();
        let Error::Build { program, log, source_text, .. } = &error else { panic!("{error}") };
        assert_eq!(program, "broken");
        assert!(log.contains("undeclared") && source_text.contains("   2 | x[0] = undeclared;"), "{error}");
        let other = KernelSpec::from_source("wanted", "__kernel void other(__global int* x) {}").build(&device);
        assert_eq!(
            other.err().unwrap().to_string(),
            "kernel `wanted`: the source has no kernel of this name; it has: other"
        );
        for none in ["", "// __kernel void wanted() {}", "int wanted(int x) { return x; }"] {
            let error = KernelSpec::from_source("wanted", none).build(&device).err().unwrap().to_string();
            assert!(error.starts_with("kernel `wanted`: the source has no kernel: write `__kernel"), "{error}");
        }
        let nul = KernelSpec::new("nul").parameters(["__global int* x"]).option("-DX=\0").build(&device);
        assert!(nul.err().unwrap().to_string().contains("NUL"));
    }
}

#[test]
fn macros_and_halves_reach_the_kernel() {
    for device in with_driver() {
        let spec = |dtype| {
            KernelSpec::new("relu_half")
                .dtype("REAL", dtype)
                .define("OFFSET", 1)
                .preamble(PRIMITIVE_PREAMBLE)
                .parameters(["__global REAL* x"])
                .body("size_t i = get_global_id(0); STORE(x, i, ADD(RELU(LOAD(x, i)), OFFSET));")
        };
        let half = half::f16::from_f32;
        let x = Tensor::from_slice(&device, &[half(-2.0), half(0.5)], &[2]).unwrap();
        launch(&spec(DType::F16).build(&device).unwrap(), &[(&x).into()], &Grid::from(2)).unwrap();
        assert_eq!(x.to_vec::<half::f16>().unwrap(), [half(1.0), half(1.5)]);
        let brain = half::bf16::from_f32;
        let x = Tensor::from_slice(&device, &[brain(-2.0), brain(0.5)], &[2]).unwrap();
        launch(&spec(DType::BF16).build(&device).unwrap(), &[(&x).into()], &Grid::from(2)).unwrap();
        assert_eq!(x.to_vec::<half::bf16>().unwrap(), [brain(1.0), brain(1.5)]);
    }
}

/// A buffer in half precision beside one in single: each is read as what it is.
#[test]
fn types_of_elements_stand_side_by_side() {
    with_driver().iter().for_each(side_by_side);
}

fn side_by_side(device: &Device) {
    let spec = KernelSpec::new("mixed")
        .dtype("SMALL", DType::F16)
        .dtype("BRAIN", DType::BF16)
        .dtype("REAL", DType::F32)
        .preamble(PRIMITIVE_PREAMBLE)
        .parameters(["__global const SMALL* a", "__global BRAIN* b", "__global REAL* c"])
        .body(
            "size_t i = get_global_id(0);
             REAL sum = ADD(LOAD_SMALL(a, i), LOAD(c, i));
             STORE(c, i, sum + LOAD_BRAIN(b, i));
             STORE_BRAIN(b, i, sum);",
        );
    let kernel = spec.build(device).unwrap();
    let a = Tensor::from_slice(device, &[0.5f32, f32::NAN, 0.0].map(half::f16::from_f32), &[3]).unwrap();
    let b = Tensor::from_slice(device, &[2.0f32, 1.0, -0.25].map(half::bf16::from_f32), &[3]).unwrap();
    // The last is halfway between two numbers of bf16, the even one of which is below.
    let c = floats(device, &[1.25, 0.0, 1.0 + 1.0 / 256.0]);
    launch(&kernel, &[(&a).into(), (&b).into(), (&c).into()], &Grid::from(3)).unwrap();
    let (b, c) = (b.to_vec::<half::bf16>().unwrap(), c.to_vec::<f32>().unwrap());
    assert_eq!([b[0].to_f32(), b[2].to_f32(), c[0], c[2]], [1.75, 1.0, 3.75, 0.75 + 1.0 / 256.0]);
    assert!(b[1].is_nan() && c[1].is_nan());
}

#[test]
fn expressions_are_built_as_the_builder_says() {
    let spec = |builder: PrimitiveBuilder| builder.elementwise_spec("f", 1, "v0").unwrap();
    let builder = PrimitiveBuilder::new(DType::F16);
    let pragma = "cl_khr_fp16 : enable";
    assert!(spec(builder.fp16()).to_source().contains(pragma) && !spec(builder).to_source().contains(pragma));
    let option = "-cl-fast-relaxed-math";
    assert!(
        spec(builder.fast_math()).build_options().contains(option) && !spec(builder).build_options().contains(option)
    );
    for device in with_driver() {
        let kernel = PrimitiveBuilder::new(DType::F32).fast_math().elementwise(&device, "v0 * 2").unwrap();
        assert_eq!(kernel.call(&[&floats(&device, &[1.5])]).unwrap().to_vec::<f32>().unwrap(), [3.0]);
        let built = builder.fp16().elementwise(&device, "v0");
        assert_eq!(built.is_ok(), device.profile().fp16);
    }
}

#[test]
fn quotients_and_roots_of_expressions_are_those_of_rust_where_the_driver_can_round() {
    let x: Vec<f32> = (1..2_000).map(|i| ((i % 200) as f32 * 0.1 - 10.0).exp2() + i as f32 * 0.1).collect();
    let y: Vec<f32> = x.iter().rev().copied().collect();
    for device in with_driver().into_iter().filter(|device| device.profile().rounded_division) {
        let [a, b] = [&x, &y].map(|values| floats(&device, values));
        let of = |expression| raw::elementwise(&device, expression, DType::F32).unwrap();
        let quotients = of("v0 / v1").call(&[&a, &b]).unwrap().to_vec::<f32>().unwrap();
        let roots = of("sqrt(v0)").call(&[&a]).unwrap().to_vec::<f32>().unwrap();
        for (at, (&x, &y)) in x.iter().zip(&y).enumerate() {
            assert_eq!((quotients[at], roots[at]), (x / y, x.sqrt()), "{device}: {x} and {y}");
        }
    }
}

#[test]
fn elementwise_kernels_come_from_an_expression() {
    for device in with_driver() {
        let kernel = raw::elementwise(&device, "MUL(ADD(v0, v1), 2.0f)", DType::F32).unwrap();
        let values: Vec<f32> = (0..1001).map(|i| i as f32).collect();
        let x = floats(&device, &values);
        let expected: Vec<f32> = values.iter().map(|v| 4.0 * v).collect();
        assert_eq!(kernel.call(&[&x, &x]).unwrap().to_vec::<f32>().unwrap(), expected);
        let empty = floats(&device, &[]);
        assert_eq!(kernel.call(&[&empty, &empty]).unwrap().elements(), 0);
        let integers = Tensor::from_slice(&device, &[i32::MIN, 7], &[2]).unwrap();
        let divide = raw::elementwise(&device, "v0 / -1 + v0 % 0", DType::I32).unwrap();
        assert_eq!(divide.call(&[&integers]).unwrap().to_vec::<i32>().unwrap(), [i32::MIN, -7]);
        let size = raw::elementwise(&device, "abs(v0 + 1)", DType::I32).unwrap();
        assert_eq!(size.call(&[&integers]).unwrap().to_vec::<i32>().unwrap(), [i32::MAX, 8]);
        assert!(matches!(kernel.call(&[&x]), Err(Error::KernelArgumentCount { expected: 2, found: 1, .. })));
        assert!(matches!(kernel.call(&[&x, &integers]), Err(Error::DType { .. })));
        assert!(matches!(kernel.call(&[&x, &empty]), Err(Error::Shape { .. })));
        assert!(matches!(raw::elementwise(&device, "v0; }", DType::F32), Err(Error::Expression { column: 5, .. })));
        assert!(matches!(raw::elementwise(&Device::host(), "v0", DType::F32), Err(Error::Unsupported { .. })));
        assert!(PrimitiveBuilder::new(DType::F32).elementwise_spec("f", 1, "v1").is_err());
        let endless = PrimitiveBuilder::new(DType::F32).elementwise_spec("f", usize::MAX, "v0").map(drop);
        assert!(matches!(endless, Err(Error::Setting { setting: "arity", .. })), "{endless:?}");
    }
}

#[test]
fn an_expression_gives_what_map_gives() {
    for device in with_driver() {
        let numbers: Vec<f32> = (0..1000).map(|i| 1.0 + i as f32 * 1.1e-4).collect();
        let x = floats(&device, &numbers);
        let expected: Vec<f32> = numbers.iter().map(|x| x * x - 1.0).collect();
        assert!(numbers.iter().zip(&expected).any(|(x, y)| x.mul_add(*x, -1.0) != *y), "contraction would show");
        let kernel = raw::elementwise(&device, "v0 * v0 - 1", DType::F32).unwrap();
        assert_eq!(kernel.call(&[&x]).unwrap().to_vec::<f32>().unwrap(), expected);
        let x = x.cast(DType::BF16);
        let kernel = raw::elementwise(&device, "v0 * 3", DType::BF16).unwrap();
        let map = netcl::algorithms::map("v0 * 3", &[&x]).unwrap();
        let bits = |tensor: &Tensor| tensor.to_vec::<half::bf16>().unwrap();
        assert_eq!(bits(&kernel.call(&[&x]).unwrap()), bits(&map));
    }
}

#[test]
fn a_vector_of_three_is_passed_by_value() {
    for device in with_driver() {
        let source = "__kernel void three(float3 a, int3 b, __global float* c) { c[0] = a.z * 10 + b.z; c[1] = a.x; }";
        let three = KernelSpec::from_source("three", source).build(&device).unwrap();
        let c = floats(&device, &[0.0; 2]);
        launch(&three, &[[1.0f32, 2.0, 3.0].into(), [4i32, 5, 6].into(), (&c).into()], &Grid::from(1)).unwrap();
        assert_eq!(c.to_vec::<f32>().unwrap(), [36.0, 1.0]);
    }
}

/// A kernel that writes down the size of its work-groups, each of which takes a while, so that the small ones that its rule
/// prefers are not the fastest; and its tensor.
fn fill(device: &Device) -> (RawKernel, Tensor) {
    let spec = KernelSpec::new("fill").parameters(["__global uint* x", "uint n"]).tuner(WorkGroupTuner::preferring(1));
    let spec = spec.body(
        "uint i = get_global_id(0);
         if (get_local_id(0) == 0) for (volatile uint turn = 0; turn < 30000; ++turn);
         if (i < n) x[i] = get_local_size(0);",
    );
    (spec.build(device).unwrap(), Tensor::from_slice(device, &[0u32; 1000], &[1000]).unwrap())
}

fn tune(kernel: &RawKernel, x: &Tensor) -> Grid {
    // SAFETY: the kernel writes the first 1000 elements, each from one work-item.
    unsafe { kernel.tune(&[Arg::from(x), 1000u32.into()], 1000) }.unwrap()
}

#[test]
fn measured_sizes_are_remembered() {
    with_driver().iter().for_each(remembers);
}

fn remembers(device: &Device) {
    let (kernel, x) = fill(device);
    // Of the same kernel, and asked before anything is known.
    let (other, _) = fill(device);
    other.grid(1000);
    let grid = tune(&kernel, &x);
    let size = grid.groups().unwrap()[0];
    assert!(WorkGroupTuner::preferring(1).candidates(&kernel).contains(&size));
    assert_eq!(kernel.grid(1000), grid);
    assert_eq!(kernel.grid(600), Grid::rounded_up(600, size), "of the same bucket");
    assert_eq!(other.grid(1000), grid, "another object learns of it");
    // SAFETY: as in `tune`.
    let again = unsafe { kernel.tune_again(&[Arg::from(&x), 1000u32.into()], 1000) }.unwrap();
    assert_eq!([kernel.grid(1000), other.grid(1000)], [again.clone(), again.clone()]);
    let size = again.groups().unwrap()[0];
    // SAFETY: as above.
    unsafe { kernel.launch_over(&[Arg::from(&x), 1000u32.into()], 1000) }.unwrap();
    assert_eq!(x.to_vec::<u32>().unwrap(), [size as u32; 1000]);

    // What failed before is told, and is held against no size.
    let gate = UserEvent::new();
    device.wait_for(&gate.event()).unwrap();
    gate.fail("no data");
    // SAFETY: as above.
    let error = unsafe { kernel.tune(&[Arg::from(&x), 1000u32.into()], 16) }.unwrap_err();
    assert!(matches!(&error, Error::Event { reason } if reason == "no data"), "{error}");
}

/// On which small work-groups are slower than large ones for certain: a GPU has room for all at once.
fn processor() -> Option<Device> {
    with_driver().into_iter().find(|device| device.profile().kind == DeviceKind::Cpu)
}

/// Each run of it is a process: what it says of the size before and after.
#[test]
#[ignore = "run by the others, in processes of their own"]
fn child() {
    let role = processes::role();
    let device = processor().unwrap();
    let (kernel, x) = fill(&device);
    let size = |grid: &Grid| grid.groups().unwrap()[0];
    let known = size(&kernel.grid(1000));
    if role == "tune" {
        tune(&kernel, &x);
    }
    let tuned = size(&kernel.grid(1000));
    if role == "erase" {
        device.selector().erase_records().unwrap();
    }
    println!("answer: {known} {tuned} {}", size(&kernel.grid(1000)));
}

#[test]
fn measured_sizes_are_known_to_later_runs() {
    if processor().is_none() {
        eprintln!("no OpenCL processor here: this test checks nothing");
        return;
    }
    let folder = processes::scratch("work-groups");
    let run = |role: &str, autotune: &str| {
        let mut command = processes::command(module_path!(), role);
        let output = command.env("NETCL_CACHE_DIR", &folder).env("NETCL_AUTOTUNE", autotune).output().unwrap();
        let text = processes::text(&output);
        let answer = text.lines().find_map(|line| line.split_once("answer: ")).map(|(_, answer)| answer.to_owned());
        let answer = answer.unwrap_or_else(|| panic!("no answer in {text}"));
        answer.split(' ').map(|size| size.parse().unwrap()).collect::<Vec<usize>>()
    };
    let [rule, measured, _] = run("tune", "records")[..] else { unreachable!() };
    assert_ne!(rule, measured, "else a later run could know nothing and answer the same");
    assert_eq!(run("look", "records"), [measured; 3]);
    assert_eq!(run("look", "off"), [rule; 3], "measurements are not used");
    assert_eq!(run("erase", "records"), [measured, measured, rule], "a kernel that knew it asks again");
    std::fs::remove_dir_all(&folder).unwrap();
}
