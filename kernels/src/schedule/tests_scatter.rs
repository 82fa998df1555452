//! Scatter-adds of every form, run by the interpreter, against their definition.

use super::scatter::{ScatterAdd, ScatterShape, owners};
use super::scatter_sorted::{self as sorted, Intermediates};
use crate::dim::{Bindings, Dim, IndexWidth, Symbol};
use crate::dtype::{DType, Literal};
use crate::kir::build::KernelBuilder;
use crate::kir::interp::{Bytes, CompiledKernel, LaunchArg, Slice, ops};
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{Kernel, ParamKind};
use std::collections::BTreeMap;

/// A scatter-add with its numbers.
struct Case {
    scatter: ScatterAdd,
    bindings: Vec<(Symbol, u64)>,
    buffers: BTreeMap<String, Bytes>,
    expected: Vec<f64>,
    /// What somebody writes to the indices between the first two launches of a sort.
    written_meanwhile: Option<Bytes>,
}

impl Case {
    /// Sizes as symbols, or as constants.
    fn new([rows, features]: [usize; 2], indices: &[i32], symbolic: bool) -> Case {
        let size = |name: &str, size: usize| if symbolic { Dim::symbol(name) } else { Dim::from(size) };
        let sizes = ScatterShape {
            rows: size("R", rows),
            count: Dim::symbol("N"),
            features: size("F", features),
            index_dtype: DType::I32,
            dtype: DType::F32,
        };
        let updates: Vec<f32> =
            (0..indices.len() * features).map(|at| ((at * 37 + 11) % 101) as f32 / 8.0 - 6.0).collect();
        let mut expected = vec![0.0; rows * features];
        for (at, &index) in indices.iter().enumerate() {
            if let Some(row) = usize::try_from(index).ok().filter(|row| *row < rows) {
                (0..features).for_each(|f| expected[row * features + f] += f64::from(updates[at * features + f]));
            }
        }
        let mut buffers = BTreeMap::new();
        buffers.insert("indices".to_string(), Bytes::of(Slice::I32(indices)));
        buffers.insert("updates".to_string(), Bytes::of(Slice::F32(&updates)));
        // What was there before must not show.
        buffers.insert("result".to_string(), Bytes::of(Slice::F32(&vec![f32::NAN; rows * features])));
        let bindings = [("R", rows), ("N", indices.len()), ("F", features)];
        Case {
            scatter: ScatterAdd {
                sizes,
                indices: "indices".to_string(),
                updates: "updates".to_string(),
                result: "result".to_string(),
            },
            bindings: bindings.map(|(name, size)| (Symbol::new(name), size as u64)).to_vec(),
            buffers,
            expected,
            written_meanwhile: None,
        }
    }

    fn run(&self, builder: KernelBuilder) {
        let kernel: Kernel = builder.finish();
        let bindings: Bindings<'_> = &self.bindings;
        if kernel.launch.global.iter().any(|size| size.evaluate(bindings) == Some(0)) {
            return;
        }
        let verified = verify(&kernel, &Capabilities::unlimited()).unwrap_or_else(|errors| panic!("{errors:#?}"));
        let value = |name: &str| self.bindings.iter().find(|(symbol, _)| symbol.name() == name).unwrap().1;
        let args = kernel.params.iter().map(|param| match param.kind {
            ParamKind::Buffer(..) => LaunchArg::Buffer(&self.buffers[&param.name]),
            ParamKind::WideSize => LaunchArg::Scalar(Literal::Int(value(&param.name) as i64, DType::I64)),
            _ => LaunchArg::Scalar(Literal::Int(value(&param.name) as i64, DType::I32)),
        });
        let args: Vec<LaunchArg<'_>> = args.collect();
        let compiled = CompiledKernel::new(&verified);
        compiled.launch(&args, bindings, ops::baseline).unwrap().run().unwrap();
    }

    fn by_owners(&self) -> Vec<f64> {
        self.run(owners(&self.scatter, "owners", IndexWidth::Wide));
        let wide = self.result();
        self.run(owners(&self.scatter, "owners", IndexWidth::Narrow));
        assert!(wide == self.result(), "indices of 64 bits");
        self.result()
    }

    fn by_sort(&mut self) -> Vec<f64> {
        let mut names = Vec::new();
        for (position, (what, shape, dtype)) in self.scatter.sizes.between().into_iter().enumerate() {
            let elements = shape.evaluate(&self.bindings).unwrap().iter().product();
            names.push(format!("{what}_{position}"));
            self.buffers.insert(names[position].clone(), Bytes::zeros(dtype, elements));
        }
        let between = Intermediates::of(names).unwrap();
        for pass in 0..self.scatter.sizes.passes() {
            self.run(sorted::count(&self.scatter, &between, pass, "count"));
            if let Some(indices) = self.written_meanwhile.take() {
                self.buffers.insert(self.scatter.indices.clone(), indices);
            }
            self.run(sorted::place(&self.scatter, &between, pass, "place"));
        }
        self.run(sorted::sum(&self.scatter, &between, "sum"));
        self.run(sorted::join(&self.scatter, &between, "join"));
        self.result()
    }

    fn result(&self) -> Vec<f64> {
        self.buffers["result"].to_f32().into_iter().map(f64::from).collect()
    }
}

/// Numbers of rows: of all kinds, with some of no row among them.
fn patterns(rows: usize, count: usize) -> Vec<Vec<i32>> {
    let spread = |at: usize| (at * 7919 % rows) as i32;
    let fill = |number: &dyn Fn(usize) -> i32| (0..count).map(number).collect();
    vec![
        fill(&spread),
        // One row alone, and one row that most hit.
        fill(&|_| rows as i32 - 1),
        fill(&|at| if at % 50 == 0 { spread(at) } else { rows as i32 / 2 }),
        // Rows that do not exist.
        fill(&|at| [-1, spread(at), rows as i32, i32::MIN, i32::MAX][at % 5]),
        fill(&|_| -7),
        // Long runs.
        fill(&|at| (at / 300 % rows) as i32),
    ]
}

#[test]
fn every_form_gives_what_the_definition_says() {
    for (rows, features, counts) in [(9, 3, [1, 1100]), (300, 1, [0, 64]), (257, 17, [7, 515]), (70_001, 1, [4096, 8])]
    {
        for count in counts {
            for (number, indices) in patterns(rows, count).into_iter().enumerate() {
                // All sums are exact: of few numbers with three binary places.
                let symbolic = rows == 300;
                let what = format!("{count} into [{rows}, {features}], pattern {number}, symbols: {symbolic}");
                let case = Case::new([rows, features], &indices, symbolic);
                assert!(case.by_owners() == case.expected, "owners: {what}");
                if number != (rows + count) % 6 && (rows, count) != (9, 1100) {
                    continue;
                }
                let mut again = Case::new([rows, features], &indices, symbolic);
                assert!(again.by_sort() == again.expected, "sorted: {what}");
            }
        }
    }
}

/// The indices may be an argument, which its owner may write at any time.
#[test]
fn rows_are_those_that_were_counted() {
    for rows in [9, 300] {
        let spread: Vec<i32> = (0..1100).map(|at| at * 7919 % rows).collect();
        for meanwhile in [0, rows - 1, -1] {
            let mut case = Case::new([rows as usize, 3], &spread, false);
            case.written_meanwhile = Some(Bytes::of(Slice::I32(&vec![meanwhile; spread.len()])));
            assert!(case.by_sort() == case.expected, "{rows} rows, {meanwhile}");
        }
    }
}

#[test]
fn rows_take_as_many_passes_as_their_numbers_have_digits() {
    let passes = |rows: Dim| {
        ScatterShape {
            rows,
            count: Dim::symbol("N"),
            features: Dim::from(64),
            index_dtype: DType::U32,
            dtype: DType::F32,
        }
        .passes()
    };
    // The number of no row is one more than that of the last.
    let cases = [(9, 1), (255, 1), (256, 2), (50_257, 2), (65_535, 2), (65_536, 3), (1 << 24, 4)];
    assert!(cases.into_iter().all(|(rows, expected)| passes(Dim::from(rows)) == expected));
    assert_eq!(passes(Dim::symbol("R")), 4);
}

#[test]
fn buffers_may_have_the_names_of_local_arrays() {
    for name in ["own", "digits", "places", "head_rows", "tail_sums", "own_"] {
        let mut case = Case::new([20, 2], &[3, 3, 19], false);
        for buffer in [&mut case.scatter.indices, &mut case.scatter.updates] {
            let values = case.buffers.remove(buffer).unwrap();
            *buffer = if buffer == "updates" { name.to_string() } else { "totals".to_string() };
            case.buffers.insert(buffer.clone(), values);
        }
        assert!(case.by_sort() == case.expected, "{name}");
    }
}
