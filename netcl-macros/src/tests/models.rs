use super::Crate;
use quote::quote;

fn mlp() -> Crate {
    let mut own = Crate::default();
    own.model(quote! {
        pub struct Mlp {
            #[layer(inputs = 64, outputs = 32)]
            hidden: Linear,
            #[layer(inputs = 32, outputs = 10)]
            output: Linear,
        }
    });
    own
}

#[test]
fn a_model_gets_its_functions() {
    let mut own = mlp();
    own.model(quote! {
        impl Mlp {
            pub fn forward(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 10> {
                let h = self.hidden.forward(x).relu();
                self.output.forward(&h)
            }
            pub fn loss(&self, x: &Tensor<f32, N, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
                self.forward(x).cross_entropy(labels)
            }
        }
    });
    own.sound();
    assert!(own.output.contains("fn forward"));
    assert!(own.output.contains("fn loss_with_gradients"));
    assert!(!own.output.contains("fn forward_with_gradients"), "only scalars have gradients");
}

#[test]
fn a_kernel_that_functions_have_in_common_is_compiled_once() {
    let kernels = |functions| {
        let mut own = mlp();
        own.model(quote!(impl Mlp { #functions }));
        own.sound().output.matches("NativeKernel for Kernel").count()
    };
    let hidden = quote! {
        fn hidden(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 32> { self.hidden.forward(x).relu() }
    };
    let logits = quote! {
        fn logits(&self, y: &Tensor<f32, N, 64>) -> Tensor<f32, N, 10> { self.output.forward(&self.hidden.forward(y).relu()) }
    };
    let [alone, both] = [kernels(logits.clone()), kernels(quote!(#hidden #logits))];
    assert!(alone > 0);
    assert_eq!(alone, both, "`hidden` computes a part of `logits`");
}

#[test]
fn a_wrong_literal_says_both_sides() {
    let mut own = Crate::default();
    own.model(quote! {
        struct Mlp {
            #[layer(inputs = 64, outputs = 64)]
            hidden: Linear,
            #[layer(inputs = 32, outputs = 10)]
            output: Linear,
        }
    });
    own.model(quote! {
        impl Mlp {
            fn forward(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 10> {
                self.output.forward(&self.hidden.forward(x).relu())
            }
        }
    });
    assert_eq!(
        own.errors(),
        ["`output` expects 32 features, found 64 (from `hidden`, `outputs = 64`)\nhint: write `inputs = 64`"]
    );
}

#[test]
fn all_errors_at_once() {
    let mut own = mlp();
    own.model(quote! {
        impl Mlp {
            fn a(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 32> {
                let h = self.hiden.forward(x);
                let g = y + 1.0;
                match x { _ => x }
            }
            fn b(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 31> {
                self.hidden.forward(x)
            }
        }
    });
    let errors = own.errors();
    assert_eq!(errors.len(), 4, "{errors:#?}");
    assert!(errors[0].contains("did you mean `hidden`"));
    assert!(errors[3].contains("returns 31 here, its body gives 32 (from `hidden`, `outputs = 32`)"), "{errors:?}");
}

#[test]
fn loops_over_layers_and_nested_models() {
    let mut own = Crate::default();
    own.constant(quote!(
        pub const WIDTH: usize = 16;
    ));
    own.function(quote!(
        fn scaled(x: f32) -> f32 {
            if x > 0.0 { x * 2.0 } else { 0.5 * x }
        }
    ));
    own.model(quote! {
        pub struct Block {
            #[layer(inputs = { WIDTH }, outputs = { WIDTH })]
            linear: Linear,
            #[parameter(init = 1.0)]
            scale: Tensor<f32, 16>,
            #[constant(0.5)]
            half: f32,
        }
    });
    own.model(quote! {
        impl Block {
            pub fn forward(&self, x: &Tensor<f32, M, 16>) -> Tensor<f32, M, 16> {
                scaled(self.linear.forward(x)) * &self.scale + x * self.half
            }
        }
    });
    own.model(quote! {
        pub struct Net {
            blocks: [Block; 3],
            #[layer(count = 2, inputs = 16, outputs = 16)]
            layers: Vec<Linear>,
        }
    });
    own.model(quote! {
        impl Net {
            const ROUNDS: usize = 2;
            pub fn forward(&self, x: &Tensor<f32, N, { WIDTH }>, deep: bool, level: usize) -> Tensor<f32, N, 16> {
                let mut h = x.clone();
                for block in &self.blocks {
                    h = block.forward(&h);
                }
                for i in 0..Self::ROUNDS {
                    h += self.layers[i].forward(&h);
                }
                if deep && level > 3 { h.relu() } else { h }
            }
        }
    });
    own.sound();
    assert!(own.output.contains("blocks.2."));
    // A bare name in a tensor type is a symbol, whatever else it is.
    own.model(quote! {
        impl Block {
            fn bare(&self, x: &Tensor<f32, N, WIDTHS>) -> Tensor<f32, N, 16> {
                self.linear.forward(x)
            }
        }
    });
    assert_eq!(own.errors().len(), 1, "{:#?}", own.errors());
    assert!(own.errors()[0].contains("`linear` expects 16 features, found WIDTHS"), "{:?}", own.errors());
}

#[test]
fn paths_are_chosen_by_the_users_conditions() {
    let mut own = mlp();
    own.model(quote! {
        impl Mlp {
            pub fn forward(&self, x: &Tensor<f32, N, 64>, deep: bool, level: usize) -> Tensor<f32, N, 32> {
                let h = self.hidden.forward(x);
                if deep && level > 3 { h.relu() } else if level == 0 { h.tanh() } else { h }
            }
        }
    });
    own.sound();
    let text = own.output.replace(' ', "");
    assert!(text.contains("[::netcl::__private::Function;3]"), "{text}");
    assert!(text.contains("if(deep&&(level>3)){0}else{if(level==0){1}else{2}}"), "{text}");
}

/// Ways that contradict themselves are no ways: neither compiled, nor counted against the limit.
#[test]
fn ways_that_cannot_be_are_not_compiled() {
    let mut own = mlp();
    own.model(quote! {
        impl Mlp {
            pub fn forward(&self, x: &Tensor<f32, N, 64>, kind: usize) -> Tensor<f32, N, 32> {
                let mut h = self.hidden.forward(x);
                if kind == 1 { h = h.relu(); }
                if kind == 2 { h = h.tanh(); }
                if kind == 3 { h = h.exp(); }
                if kind == 4 { h = h.sigmoid(); }
                if kind == 5 { h = h.silu(); }
                if kind >= 6 { h = h.gelu(); }
                h
            }
            pub fn again(&self, x: &Tensor<f32, N, 64>, depth: Depth) -> Tensor<f32, N, 64> {
                let mut h = x;
                for _ in 0..4 {
                    h = match depth { Depth::A => h.relu(), Depth::B => h.tanh(), Depth::C => h.exp(), Depth::D => h.sin() };
                }
                h
            }
        }
    });
    own.sound();
    let text = own.output.replace(' ', "");
    for count in [7, 4] {
        assert!(text.contains(&format!("[::netcl::__private::Function;{count}]")), "{count} plans in {text}");
    }
}

/// What does not hold for every number is asked of those that the outermost model gives.
#[test]
fn blocks_of_blocks_are_judged_by_their_numbers() {
    let built = |width: u64| {
        let mut own = Crate::default();
        own.model(quote!(
            pub struct In<const C: usize, const G: usize> {
                #[layer(features = C, groups = G)]
                norm: GroupNorm,
            }
        ));
        let image = quote!(&self, x: &Tensor<f32, N, C, 8, 8>);
        own.model(quote! {
            impl<const C: usize, const G: usize> In<C, G> {
                pub fn forward(#image) -> Tensor<f32, N, C, 8, 8> { self.norm.forward(x) }
            }
        });
        own.model(quote!(
            pub struct Mid<const C: usize> {
                a: In<C, 3>,
            }
        ));
        own.model(quote! {
            impl<const C: usize> Mid<C> { pub fn forward(#image) -> Tensor<f32, N, C, 8, 8> { self.a.forward(x) } }
        });
        let width = proc_macro2::Literal::u64_unsuffixed(width);
        own.model(quote!(pub struct Top { a: Mid<#width> }));
        own.model(quote! {
            impl Top {
                pub fn forward(&self, x: &Tensor<f32, N, #width, 8, 8>) -> Tensor<f32, N, #width, 8, 8> { self.a.forward(x) }
            }
        });
        own
    };
    built(6).sound();
    let errors = built(8).errors();
    assert!(errors.len() == 1 && errors[0].contains("`groups` of `GroupNorm` must divide `features`"), "{errors:?}");
    assert!(errors[0].contains("`C = 8`"), "{errors:?}");
}

/// A function whose operations need the numbers of the model's parameters, or that uses one which no tensor tells, is compiled for
/// the numbers that uses of the model give; one in which a parameter is an axis' size, once.
#[test]
fn parameters_are_numbers_of_operations() {
    let compiled = |body: &str, result: &str| {
        super::compiled(&format!(
            "#[netcl::model] pub struct Up<const S: usize> {{ #[layer(inputs = 4, outputs = 4)] l: Linear }}
             #[netcl::model] impl<const S: usize> Up<S> {{ pub fn forward(&self, x: &Tensor<f32, N, 4>) -> {result} {{ {body} }} }}
             #[netcl::model] pub struct Net {{ up: Up<2> }}
             #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, 4>) -> {} {{ self.up.forward(x) }} }}",
            result.replace('S', "2")
        ))
    };
    for (body, result) in [
        ("x.reshape([N, 4, 1, 1]).tile([1, 1, 2, 2]).max_pool2d(S, S, 0, 1).reshape([N, 4])", "Tensor<f32, N, 4>"),
        ("x.reshape([N, 4, 1, 1]).pixel_shuffle(S).reshape([N, 4])", "Tensor<f32, N, 4>"),
        ("x.slice(1, 0, 4, S)", "Tensor<f32, N, 2>"),
        ("x.unfold(1, S, S)", "Tensor<f32, N, { 4 / S }, S>"),
        ("x.roll(S, 1)", "Tensor<f32, N, 4>"),
        ("x.sum([S - 1])", "Tensor<f32, N>"),
        ("x.leaky_relu(1.0 / S as f32)", "Tensor<f32, N, 4>"),
        ("self.l.forward(x) / S as f32", "Tensor<f32, N, 4>"),
        ("x.repeat(1, S)", "Tensor<f32, N, { S * 4 }>"),
        ("x.topk(S, 1)", "Tensor<f32, N, S>"),
        ("x.clamp(0.0, S)", "Tensor<f32, N, 4>"),
        ("x + Tensor::zeros([S]).sum_all()", "Tensor<f32, N, 4>"),
    ] {
        let own = compiled(body, result);
        own.sound();
        assert!(own.output.contains("NamedInstance > :: function"), "{body} is compiled once");
    }
    let errors = compiled("x.pixel_shuffle(S)", "Tensor<f32, N, 4>").errors();
    assert!(errors.len() == 1 && errors[0].contains("`pixel_shuffle` expects a tensor [n, c, h, w]"), "{errors:?}");
    assert!(!compiled("self.l.forward(x)", "Tensor<f32, N, 4>").output.contains("NamedInstance > :: function"));
}

/// What the hint of `#[gradients(p)]` shows of a struct compiles.
#[test]
fn derivatives_in_a_field_of_a_struct_are_computed_in_a_body() {
    let model = |attribute: &str, result: &str, body: &str| {
        super::compiled(&format!(
            "#[netcl::tensors] pub struct P {{ x: Tensor<f32, N, 4> }}
             #[netcl::model] pub struct M {{ #[layer(inputs = 4, outputs = 4)] a: Linear }}
             #[netcl::model] impl M {{ {attribute} pub fn f(&self, p: &P) -> {result} {{ {body} }} }}"
        ))
    };
    let found = model("#[gradients(p)]", "Tensor<f32>", "self.a.forward(&p.x).sum_all()").errors();
    assert!(found.len() == 1 && found[0].contains("return `grad(&value, &p.x)` of"), "{found:?}");
    let body = "let value = self.a.forward(&p.x).sum_all(); grad(&value, &p.x)";
    model("", "Tensor<f32, N, 4>", body).sound();
}

/// A type's own functions of scalars are called by its path, in every body.
#[test]
fn functions_of_types_are_called_by_their_paths() {
    let own = super::compiled(
        "#[netcl::function] impl Hard { pub fn gate(x: f32) -> f32 { (x / 6.0 + 0.5).clamp(0.0, 1.0) } }
         #[netcl::model] pub struct M { #[layer(inputs = 4, outputs = 4)] l: Linear }
         #[netcl::model] impl M {
             pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { Hard::gate(self.l.forward(x)) } }
         #[netcl::function] fn both(x: f32) -> f32 { x * Hard::gate(x) }
         netcl::kernel! { fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| Hard::gate(x[n]) + both(x[n]) } }",
    );
    own.sound();
    let call = |body: &str| {
        super::compiled(&format!(
            "#[netcl::function] impl Hard {{
                pub fn gate(x: f32) -> f32 {{ Self::of(Hard::with_slope(x, 2.0)) }} pub fn of(x: f32) -> f32 {{ x }}
                pub fn with_slope(x: f32, s: f32) -> f32 {{ x * s }} pub fn from_half(x: f32) -> f32 {{ x }}
                pub fn new(x: f32) -> f32 {{ x }} pub fn zeros(x: f32) -> f32 {{ x }} }}
             #[netcl::function] impl H {{ pub fn gate(x: f32) -> f32 {{ x }} }}
             #[netcl::model] pub struct M {{ #[layer(inputs = 4, outputs = 4)] l: Linear, #[parameter(init = 1.0)] w: Tensor<f32, 4> }}
             #[netcl::model] impl M {{
                 pub fn twice(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {{ x * 2.0 }}
                 pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {{ let y = x * 2.0; {body} }} }}"
        ))
    };
    // However they are called, and whatever they are given.
    for body in [
        "Hard::gate(&x)",
        "Hard::gate(&y)",
        "x * Hard::gate(self.w)",
        "x * Hard::gate(&self.w)",
        "Hard::with_slope(x, 3.0)",
        "Hard::from_half(x)",
        "Hard::new(x)",
        "x * Hard::zeros(4.0)",
        "H::gate(x)",
        "M::twice(Hard::of(self.l.forward(x)))",
    ] {
        assert!(call(body).errors().is_empty(), "{body}: {:?}", call(body).errors());
    }
    for (body, said) in [
        ("Hard::gates(x)", "there is no function `Hard::gates`; did you mean `gate`?"),
        ("Hard::nothing(&self.w)", "there is no function `Hard::nothing`\n"),
        ("M::forward(&self.l, x)", "`forward`"),
        ("Vec::gate(x)", "there is no function `Vec::gate`"),
    ] {
        let found = call(body).errors();
        assert!(found.len() == 1 && found[0].contains(said), "{body}: {found:?}");
    }
    let found = super::compiled(
        "#[netcl::function] impl Hard { fn a(x: f32) -> f32 { Self::b(x) } fn b(x: f32) -> f32 { Hard::a(x) } fn c(x: f32) -> f32 { Self::a(x) } }",
    );
    let found = found.errors();
    assert!(found.len() == 1 && found[0].contains("a → b → a"), "{found:?}");
}

/// Of a function for several types there are gradients if all of them have some.
#[test]
fn a_function_that_also_gives_whole_numbers_is_no_loss() {
    let function = |types| {
        let mut own = mlp();
        own.model(quote! {
            impl Mlp {
                #[types(T = #types)]
                pub fn loss(&self, x: &Tensor<T, N, 4>) -> Tensor<T> { (x * 2).sum_all() }
            }
        });
        own.sound().output.contains("of which there are no gradients")
    };
    assert!(!function(quote!([f32, f16])));
    assert!(function(quote!([f32, i32])));
}

#[test]
fn recursion_is_an_error() {
    let mut own = mlp();
    own.model(quote! {
        impl Mlp {
            fn a(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 64> { self.b(x) }
            fn b(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32, N, 64> { self.a(x) }
        }
    });
    assert!(own.errors().iter().any(|error| error.contains("a → b → a")), "{:?}", own.errors());
}

#[test]
fn names_of_what_a_model_gets_are_taken() {
    for name in ["new", "report", "kernels", "prepare", "tune", "loss_with_gradients"] {
        let what = match name {
            "new" => "for every model",
            "loss_with_gradients" => "beside `loss`",
            _ => "for every block",
        };
        let name = quote::format_ident!("{name}");
        let mut own = mlp();
        own.model(quote! {
            impl Mlp {
                fn #name() -> u32 { 0 }
                fn loss(&self, x: &Tensor<f32, N, 64>) -> Tensor<f32> { self.hidden.forward(x).mean([0, 1]) }
            }
        });
        assert_eq!(own.errors(), [format!("a function `{name}` is generated {what}\nhint: choose another name")]);
    }
}

/// As Rust computes them, in the declared type.
#[test]
fn constants_are_arithmetic_on_literals() {
    let mut own = Crate::default();
    own.constant(quote!(
        const THIRD: f32 = 1.0 / 3.0;
    ))
    .constant(quote!(
        const WIDTH: usize = 2 * (3 + 1);
    ));
    own.constant(quote!(
        const SUM: f32 = 0.1 + 0.2;
    ))
    .constant(quote!(
        const REST: f64 = 7.5 % 2.0;
    ));
    own.kernel(quote! {
        fn k(x: &Tensor<f32, N, { WIDTH }>) -> Tensor<f32, N, 8> { |n, i| x[n, i] * THIRD + SUM }
    });
    own.sound();
    for (ty, expr, wanted) in [
        ("f32", "1.0 / 3.0", f64::from(1.0f32 / 3.0)),
        ("f32", "0.1 + 0.2", f64::from(0.1f32 + 0.2)),
        ("f64", "0.1 + 0.2", 0.1 + 0.2),
    ] {
        let (ty, expr) = (syn::parse_str(ty).unwrap(), syn::parse_str(expr).unwrap());
        match crate::parse::constant::declared(&ty, &expr, &Default::default()) {
            Some(crate::ast::Constant::Float(number)) => assert_eq!(number.value, wanted),
            other => panic!("{other:?}"),
        }
    }
}

/// Of what a refused constant would have been nothing is said: its value is not known.
#[test]
fn a_refused_constant_is_the_only_error() {
    let mut own = Crate::default();
    own.constant(quote!(
        const WIDTH: usize = width();
    ));
    own.kernel(quote!(fn k(x: &Tensor<f32, N, { WIDTH }>) -> Tensor<f32, N, 8> { |n, i| x[n, i] }));
    own.model(quote!(
        pub struct Net {
            #[layer(inputs = 4, outputs = { WIDTH })]
            a: Linear,
        }
    ));
    own.model(quote!(impl Net { pub fn f(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 8> { self.a.forward(x) } }));
    let errors = own.errors();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("found `width()`"), "{errors:?}");
    assert!(errors[0].contains("write `#[netcl::constant] const WIDTH: usize = 64;`"), "{errors:?}");
}

/// The only error of what is declared so.
fn only_error(source: &str) -> String {
    let own = super::compiled(source);
    let errors = own.errors();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors[0].clone()
}

#[test]
fn a_model_with_the_name_of_a_layer_is_an_error_where_it_is_declared() {
    for item in [
        "#[netcl::model] pub struct Sigmoid { #[parameter(init = 2.0)] k: Tensor<f32> }",
        "#[netcl::model] pub struct Linear { #[parameter(init = 2.0)] k: Tensor<f32> }",
    ] {
        assert!(only_error(item).contains("is a layer of netcl's"), "{item}");
    }
    super::compiled("#[netcl::model] pub struct Swish { #[parameter(init = 2.0)] k: Tensor<f32> }").sound();
}

#[test]
fn what_is_given_twice_is_an_error() {
    let both = only_error("#[netcl::model] pub struct A { #[parameter] #[state] s: Tensor<f32, 4> }");
    assert!(both.contains("`#[parameter]` and with `#[state]`"), "{both}");
    let types = only_error(
        "netcl::kernel! { #[types(T = [f32])] #[types(U = [f32, i32])] pub fn k(x: &Tensor<T, N>, y: &Tensor<U, N>) -> \
         Tensor<T, N> { |n| x[n] + y[n] as T } }",
    );
    assert!(types.contains("`#[types]` is given twice"), "{types}");
    let mut own = Crate::default();
    own.model(quote!(
        pub enum Act {
            #[default]
            Relu,
            #[default]
            Tanh,
        }
    ));
    assert!(
        own.errors().iter().any(|error| error.contains("`Relu` is marked with `#[default]`")),
        "{:?}",
        own.errors()
    );
}

#[test]
fn a_convolution_along_one_axis_may_have_a_padding_of_zero() {
    let mut own = Crate::default();
    own.model(quote! {
        pub struct Causal {
            #[layer(inputs = 4, outputs = 4, kernel = 3, padding = 0)]
            c: Conv1d,
        }
    });
    own.sound();
}
