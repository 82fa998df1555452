use super::Crate;
use quote::quote;

fn errors(items: proc_macro2::TokenStream) -> Vec<String> {
    let mut own = Crate::default();
    own.kernel(items);
    own.errors()
}

#[test]
fn index_form() {
    let mut own = Crate::default();
    own.function(quote!(
        fn leak(x: f32) -> f32 {
            max(x, 0.1 * x)
        }
    ));
    own.kernel(quote! {
        /// y = max(x + bias, 0), the bias broadcast over rows.
        pub fn bias_relu(x: &Tensor<f32, N, C>, bias: &Tensor<f32, C>) -> Tensor<f32, N, C> {
            |n, c| max(x[n, c] + bias[c], 0.0)
        }
        pub fn row_mean(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
            |n| sum(0..C, |c| x[n, c]) / C
        }
        fn softmax(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
            |n, c| {
                let top = max(0..C, |k| x[n, k]);
                exp(x[n, c] - top) / sum(0..C, |k| exp(x[n, k] - top))
            }
        }
        fn embed(table: &Tensor<f32, V, C>, rows: &Tensor<u32, N>) -> Tensor<f32, N, C> {
            |n, c| leak(table[rows[n], c])
        }
        fn blur(x: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| 0.25 * pad(x[n - 1]) + 0.5 * x[n] + 0.25 * pad(x[n + 1])
        }
        fn causal(x: &Tensor<f32, N, N>) -> Tensor<f32, N, N> {
            |i, j| if j <= i { x[i, j] } else { -1e9 }
        }
        fn both(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>) {
            |n| (x[n] * 2.0, x[n] + n as f32)
        }
        fn best(x: &Tensor<f32, N, C>) -> Tensor<i32, N> {
            |n| argmax(0..C, |c| x[n, c])
        }
        fn halves(x: &Tensor<f32, { N * 2 }>, y: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| x[2 * n] + x[2 * n + 1] * y[n]
        }
        fn dot(x: &Tensor<f32, N>, y: &Tensor<f32, N>) -> Tensor<f32> {
            sum(0..N, |n| x[n] * y[n])
        }
    });
    own.sound();
    assert!(own.output.contains("fn vjp"));
}

/// What is compared of sizes with quotients in them takes no longer for that.
#[test]
fn quotients_in_sizes_that_meet() {
    let mut own = Crate::default();
    own.kernel(quote! {
        fn a(x: &Tensor<f32, { N / 2 * 2 }, { N / 5 }>, n: &Tensor<f32, N>) -> Tensor<f32, { N / 3 }, 2> {
            |i, j| pad(x[i, i / 3]) + n[0] * (i + j) as f32
        }
    });
    own.sound();
}

#[test]
fn misuse() {
    let all = errors(quote! {
        fn a(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| x[n, c + 1] }
        fn b(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| x[n] }
        fn c(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n, c| x[n] }
        fn d(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { x[n] = 1.0; x[n] } }
        fn e(x: &Tensor<f32, N>, y: &Tensor<i32, N>) -> Tensor<f32, N> { |n| x[n] + y[n] }
        fn f(x: &Tensor<f32, N>) -> Tensor<f32, N, K> { |n, k| x[n] }
        fn g(x: &Tensor<f32, V, 4>, rows: &Tensor<u32, 3>) -> Tensor<f32> { x[rows[0], 4] }
    });
    let parts = [
        "`c + 1` may be outside axis 1 of `x`, which has C elements",
        "`x` has 2 axes, found 1 index",
        "the result has 1 axis, the closure 2 indices",
        "`x` is an argument",
        "`+` takes values of one type, found f32 and i32",
        "dimension `K` is not bound",
        "`4` is outside axis 1 of `x`, which has 4 elements",
    ];
    for (error, part) in all.iter().zip(parts) {
        assert!(error.contains(part), "{part:?} is not in {all:#?}");
    }
    assert_eq!(all.len(), parts.len(), "{all:#?}");
}

#[test]
fn simt_form() {
    let mut own = Crate::default();
    own.kernel(quote! {
        #[launch(global = [N], local = [64])]
        fn add(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
            let mut scratch = local!([f32; 64]);
            let i = global_id(0);
            scratch[local_id(0)] = if i < N { x[i] } else { 0.0 };
            barrier();
            let mut sum = 0.0;
            for k in 0..64 {
                sum += scratch[k];
            }
            if i < N {
                y[i] = sum;
            }
        }
    });
    own.sound();
    // rustc checks the types that were found for bare numbers.
    assert!(own.output.contains("mut sum : f32"), "{}", own.output);
}

#[test]
fn simt_misuse() {
    let all = errors(quote! {
        #[launch(global = [N], local = [64])]
        fn a(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
            if local_id(0) < 3 { barrier(); }
            y[global_id(0)] = x[global_id(0)];
        }
        #[launch(global = [N])]
        fn b(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { x[global_id(0)] = 1.0; }
        #[launch(global = [N])]
        fn c(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)] + global_id(0); }
        fn d(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[0] = 1.0; }
        #[launch(global = [N])]
        fn e(x: &Tensor<f32, N>) { barrier(); }
    });
    let parts = ["barrier", "`x` is an input", "`+` takes values of one type", "needs `#[launch", "`e` has no result"];
    for (error, part) in all.iter().zip(parts) {
        assert!(error.contains(part), "{part:?} is not in {all:#?}");
    }
    assert_eq!(all.len(), parts.len(), "{all:#?}");
}

/// However near its name is to one that every kernel knows: only the user's items can tell.
#[test]
fn functions_that_are_not_known_are_asked_for() {
    for name in ["maxx", "swish", "barrier", "sub_group_id"] {
        let name = quote::format_ident!("{name}");
        let mut own = Crate::default();
        own.kernel(quote!(fn f(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| #name(x[n]) }));
        assert!(own.output.contains(&format!(" {name} ! {{")), "{}", own.output);
    }
    let mut own = Crate::default();
    own.kernel(quote! {
        #[launch(global = [N])]
        fn f(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { relu(x[0]); barier(); }
    });
    assert!(own.output.contains(" relu ! {"), "{}", own.output);
}

#[test]
fn results_of_several_types() {
    let mut own = Crate::default();
    own.kernel(quote! {
        fn ranks(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<i32, N>, Tensor<u32, N>) { |n| (x[n], n, 1) }
    });
    own.sound();
}

#[test]
fn factors_of_indices_do_not_overflow() {
    for index in
        [quote!(n * 9223372036854775807 + n), quote!(n * 2147483647 + n), quote!(n * 65536 * 65536 * 65536 * 65536)]
    {
        let all = errors(quote!(fn a(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[#index] }));
        assert_eq!(all.len(), 1, "{all:#?}");
        assert!(all[0].starts_with("the factor of an index is too large"), "{all:#?}");
    }
}

#[test]
fn attributes_of_functions_stand_on_functions() {
    let mut own = Crate::default();
    own.kernel(quote! {
        /// Doc.
        #[inline]
        #[must_use]
        fn a(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] }
        #[inline]
        #[launch(global = [N])]
        fn b(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }
    });
    own.sound();
    let text = own.output.replace(' ', "");
    assert_eq!(text.matches("#[inline]fn__netcl_call").count() + text.matches("#[must_use]fn__netcl_call").count(), 2);
    assert_eq!(text.matches("#[inline]").count(), 2, "{text}");
}

#[test]
fn sizes_in_small_letters_are_read_at() {
    let all = errors(quote!(
        fn a(x: &Tensor<f32, m>, y: &Tensor<f32, k>) -> Tensor<f32, m> {
            |i| x[i] + pad(y[k]) + pad(x[m])
        }
    ));
    assert!(all.is_empty(), "{all:#?}");
}

/// No unsigned number has a minus, as in Rust.
#[test]
fn whole_numbers_behind_a_minus() {
    for (ty, sound) in [("u8", false), ("u32", false), ("i32", true)] {
        let source = format!(
            "netcl::kernel! {{ pub fn k(x: &Tensor<f32, N>) -> Tensor<{ty}, N> {{ |n| -(if x[n] > 0.0 {{ 1 }} else {{ 0 }}) }} }}"
        );
        assert_eq!(super::compiled(&source).errors().is_empty(), sound, "{ty}");
    }
}

/// Whole numbers in branches are of the type that is declared where they stand, as in Rust.
#[test]
fn whole_numbers_in_branches() {
    let mut own = Crate::default();
    own.function(quote!(
        fn level(x: u32) -> u32 {
            match x {
                0 => 1,
                _ => 2,
            }
        }
    ));
    own.function(quote!(
        fn kind(x: f32) -> u32 {
            if x > 0.0 { 1 } else { 2 }
        }
    ));
    own.function(quote!(
        fn passes(x: f32) -> u32 {
            level(if x > 0.0 { 1 } else { 2 })
        }
    ));
    own.function(quote!(
        fn below(x: f32, y: u32) -> bool {
            (if x > 0.0 { 1 } else { 2 }) < y && y >= if x > 0.0 { 1 } else { 2 }
        }
    ));
    own.kernel(quote! {
        pub fn passed(x: &Tensor<f32, N>) -> Tensor<u32, N> { |n| passes(x[n]) + level(if x[n] > 0.0 { 1 } else { 0 }) }
        pub fn compared(x: &Tensor<f32, N>) -> Tensor<bool, N> { |n| below(x[n], 3) }
        pub fn folded(x: &Tensor<f32, N>) -> Tensor<u32, N> {
            |n| fold(0..4, 0, |h, _k| if x[n] > 0.0 { h + 1 } else { h })
        }
        pub fn folded_long(x: &Tensor<f32, N>) -> Tensor<u32, N> {
            |n| fold(0..40, 0, |h, _k| if x[n] > 0.0 { h + 1 } else { h })
        }
        pub fn method(x: &Tensor<f32, N>) -> Tensor<u32, N> {
            |n| (0..4).fold(0, |h, _k| if x[n] > 0.0 { h + 1 } else { h })
        }
        pub fn named(x: &Tensor<f32, N>) -> Tensor<u32, N> {
            |n| {
                let a = if x[n] > 0.0 { 1 } else { 2 };
                a
            }
        }
        pub fn named_two(x: &Tensor<f32, N>) -> (Tensor<u32, N>, Tensor<u32, N>) {
            |n| {
                let p = if x[n] > 0.0 { (1, 2) } else { (3, 4) };
                p
            }
        }
        pub fn kinds(x: &Tensor<i32, N>) -> Tensor<i32, N> { |n| match x[n] { 0 => 1, 1 | 2 => 4, _ => 2 } }
        pub fn guarded(x: &Tensor<i32, N>) -> Tensor<i32, N> { |n| match x[n] { 0 => 1, m if m > 9 => 3, _ => 2 } }
        pub fn signs(x: &Tensor<f32, N>) -> Tensor<i32, N> {
            |n| if x[n] > 0.0 { 1 } else if x[n] < 0.0 { -1 } else { 0 }
        }
        pub fn told(x: &Tensor<f32, N>) -> Tensor<u32, N> {
            |n| {
                let kind: u32 = if x[n] > 0.0 { 1 } else { 2 };
                kind + 3
            }
        }
        pub fn two(x: &Tensor<f32, N>) -> (Tensor<u32, N>, Tensor<f32, N>) {
            |n| (if x[n] > 0.0 { 1 } else { 2 }, x[n])
        }
        pub fn both(x: &Tensor<f32, N>) -> (Tensor<u32, N>, Tensor<i32, N>) {
            |n| if x[n] > 0.0 { (1, -1) } else { (2, 0) }
        }
        pub fn parts(x: &Tensor<f32, N>) -> Tensor<i32, N> {
            |n| {
                let (a, b): (i32, i32) = if x[n] > 0.0 { (1, -1) } else { (2, 0) };
                let all: [i32; 2] = if x[n] > 1.0 { [a, 1] } else { [2, b] };
                all[0] * all[1]
            }
        }
        pub fn counted(x: &Tensor<f32, N, C>) -> Tensor<u32, N> {
            |n| sum(0..C, |c| if x[n, c] > 0.0 { 1 } else { 0 })
        }
        pub fn largest(x: &Tensor<f32, N>) -> Tensor<i32> {
            max(0..N, |n| if x[n] > 0.0 { 1 } else { 0 })
        }
        pub fn floats(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| if x[n] > 0.0 { 1 } else { 0 } }
    });
    own.sound();
}
