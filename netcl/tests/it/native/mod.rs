//! Native kernels: the emitted text is checked in, compiled here, and gives the interpreter's bits (NaNs count as one).
//!
//! `NETCL_BLESS=1 cargo test -p netcl --test it native` rewrites the text.

mod cases;
#[rustfmt::skip]
#[allow(clippy::too_many_lines, reason = "nobody wrote it")]
mod emitted;

use cases::{Argument, Case, cases};
use netcl::__private::host::{Args, Faults, HostBuffer, Passed, engine};
use netcl::__private::kernels;
use netcl_fixtures::bits::one_nan;

use kernels::dim::{Dim, Symbol};
use kernels::dtype::{DType, Literal};
use kernels::emit::rust::native_code;
use kernels::kir::interp::{CompiledKernel, LaunchArg};
use kernels::kir::verify::{Capabilities, verify};

#[test]
fn emitted_text_is_current() {
    let mut text = String::from("//! Written by the test `native`; do not edit.\n\n");
    text.push_str("use netcl::__private::host::NativeEntry;\n\n");
    text.push_str("pub(crate) const ENTRIES: &[(&str, NativeEntry)] = &[\n");
    for case in cases() {
        let verified = verify(&case.kernel, &Capabilities::unlimited()).unwrap();
        let code = native_code(&verified, 2).unwrap_or_else(|| panic!("`{}` has no native code", case.name));
        text.push_str(&format!("    (\"{}\", {{\n{code}    }}),\n", case.name));
    }
    text.push_str("];\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/native/emitted.rs");
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let checked_in = std::fs::read_to_string(path).unwrap();
    assert!(checked_in == text, "the emitted text has changed; look at it with NETCL_BLESS=1 and `git diff`");
}

fn evaluate(dim: &Dim, n: usize) -> usize {
    dim.evaluate(&[(Symbol::new("N"), n as u64)]).unwrap() as usize
}

/// Numbers of any type: small integers for integers (as indices must be), all kinds of floats.
fn fill(dtype: DType, count: usize, buffer: &HostBuffer) {
    let mut state = 0x9e37_79b9u32;
    let mut bytes = Vec::with_capacity(count * dtype.size());
    for i in 0..count {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let unit = f64::from(state >> 8) / f64::from(1 << 24);
        let float = match i % 61 {
            7 => f64::NAN,
            11 => f64::INFINITY,
            13 => -0.0,
            17 => 1e-42,
            19 => 90.0,
            _ => unit * 8.0 - 4.0,
        };
        match dtype {
            DType::F32 => bytes.extend((float as f32).to_ne_bytes()),
            DType::F64 => bytes.extend(float.to_ne_bytes()),
            DType::F16 => bytes.extend(half::f16::from_f64(float).to_ne_bytes()),
            DType::BF16 => bytes.extend(half::bf16::from_f64(float).to_ne_bytes()),
            DType::I32 | DType::U32 => bytes.extend(((unit * 90.0) as i32).to_ne_bytes()),
            DType::I64 => bytes.extend(((unit * 90.0) as i64).to_ne_bytes()),
            DType::U8 | DType::Bool => bytes.push(u8::from(unit > 0.5)),
        }
    }
    buffer.write(0, &bytes).unwrap();
}

fn buffers(case: &Case, n: usize) -> Vec<Option<HostBuffer>> {
    let make = |argument: &Argument| match argument {
        Argument::Buffer(dtype, elements) => {
            let count = evaluate(elements, n);
            let buffer = HostBuffer::new(count * dtype.size()).unwrap();
            fill(*dtype, count, &buffer);
            Some(buffer)
        }
        Argument::Dim(_) | Argument::Literal(_) => None,
    };
    case.args.iter().map(make).collect()
}

fn number(argument: &Argument, n: usize) -> Literal {
    match argument {
        Argument::Dim(dim) => Literal::Int(evaluate(dim, n) as i64, DType::U32),
        Argument::Literal(literal) => *literal,
        Argument::Buffer(dtype, _) => Literal::of(0.0, *dtype),
    }
}

/// The bytes of the buffers, in which NaNs are one.
fn contents(case: &Case, buffers: &[Option<HostBuffer>]) -> Vec<Vec<u8>> {
    let read = |(argument, buffer): (&Argument, &Option<HostBuffer>)| {
        let (Argument::Buffer(dtype, _), Some(buffer)) = (argument, buffer) else { return None };
        let mut bytes = vec![0; buffer.bytes()];
        buffer.read(0, &mut bytes).unwrap();
        one_nan(&mut bytes, *dtype);
        Some(bytes)
    };
    case.args.iter().zip(buffers).filter_map(read).collect()
}

#[test]
fn native_code_gives_the_bits_of_the_interpreter() {
    let cases = cases();
    assert_eq!(cases.len(), emitted::ENTRIES.len());
    for (case, (name, entry)) in cases.iter().zip(emitted::ENTRIES) {
        assert_eq!(case.name, *name);
        let verified = verify(&case.kernel, &Capabilities::unlimited()).unwrap();
        let compiled = CompiledKernel::new(&verified);
        for n in [1usize, 5, 33, 257] {
            let (interpreted, native) = (buffers(case, n), buffers(case, n));
            let values: Vec<LaunchArg<'_>> = (interpreted.iter().zip(&case.args))
                .map(|(buffer, argument)| match buffer {
                    Some(buffer) => LaunchArg::Buffer(buffer),
                    None => LaunchArg::Scalar(number(argument, n)),
                })
                .collect();
            let bindings = [(Symbol::new("N"), n as u64)];
            compiled.launch(&values, &bindings, engine()).unwrap().run().unwrap();

            let passed: Vec<Passed<'_>> = (native.iter().zip(&case.args))
                .map(|(buffer, argument)| match buffer {
                    Some(buffer) => Passed::Buffer(buffer),
                    None => Passed::Scalar(number(argument, n)),
                })
                .collect();
            let mut global = [1; 3];
            for (size, dim) in global.iter_mut().zip(&case.kernel.launch.global) {
                *size = evaluate(dim, n);
            }
            let faults = Faults::default();
            let args = Args::new(&passed, global, [1; 3], &faults);
            let code = entry.code().unwrap();
            let half = args.items() / 2;
            code(&args, 0..half);
            code(&args, half..args.items());
            args.result(&case.kernel).unwrap();
            for (position, (a, b)) in contents(case, &interpreted).iter().zip(contents(case, &native)).enumerate() {
                let same = a.iter().zip(&b).position(|(a, b)| a != b);
                assert!(same.is_none(), "{name}, N = {n}: buffer {position} differs at byte {same:?}");
            }
        }
    }
}

#[test]
fn native_code_reports_accesses_outside_of_buffers() {
    let (case, (_, entry)) =
        cases().into_iter().zip(emitted::ENTRIES).find(|(case, _)| case.name == "collatz").unwrap();
    let out = HostBuffer::new(40).unwrap();
    let passed = [Passed::Buffer(&out)];
    let faults = Faults::default();
    let args = Args::new(&passed, [12, 1, 1], [1; 3], &faults);
    entry.code().unwrap()(&args, 0..12);
    let fault = args.result(&case.kernel).unwrap_err();
    assert_eq!(fault.to_string(), "kernel `collatz`: a work-item accesses `out[10]`, but `out` has 10 elements");
}
