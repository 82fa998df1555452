//! What no work-item comes to, and loops that do not begin.

use super::Crate;
use proc_macro2::TokenStream;
use quote::quote;

fn errors(body: &TokenStream) -> Vec<String> {
    let mut all = Crate::default();
    all.kernel(quote! {
        #[launch(global = [N])]
        fn k(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
            let i = global_id(0);
            y[i] = x[i];
            #body
        }
    });
    all.errors()
}

#[test]
fn shifts_in_branches_that_a_number_decides_against_are_not_judged() {
    for body in [
        quote!(if 40 > 31 {
            y[i] = 0;
        } else {
            y[i] = x[i] >> 40;
        }),
        quote!(if 40 < 31 {
            y[i] = x[i] << 40;
        }),
    ] {
        assert!(errors(&body).is_empty(), "{body}: {:#?}", errors(&body));
    }
    for body in [
        quote!(if 40 > 31 {
            y[i] = x[i] >> 40;
        }),
        quote!(if x[i] > 31 {
            y[i] = x[i] >> 40;
        }),
        quote!(if 40 < 31 { y[i] = 0; } y[i] = x[i] >> 40;),
    ] {
        let said = errors(&body);
        assert!(said.len() == 1 && said[0].starts_with("a `u32` is shifted by 0 to 31 bits"), "{body}: {said:#?}");
    }
}

#[test]
fn a_loop_that_does_not_begin_ends() {
    for body in [
        quote!(let n = 0; while n > 0 { y[i] = 2; }),
        quote!(let n = 3; while n < 3 { y[i] = 2; }),
        quote!(let n = 3; while n != 3 { y[i] = 2; }),
    ] {
        assert!(errors(&body).is_empty(), "{body}: {:#?}", errors(&body));
    }
    for body in [quote!(let n = 1; while n > 0 { y[i] = 2; }), quote!(let n = 3; while n <= 3 { y[i] = 2; })] {
        let said = errors(&body);
        assert!(said.len() == 1 && said[0].starts_with("this loop never ends"), "{body}: {said:#?}");
    }
}
