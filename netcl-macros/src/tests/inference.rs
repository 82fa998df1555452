//! The types that literals in functions of scalars have: those that rustc gives them.

use crate::ast::Helper;
use crate::constants::Constants;
use crate::diag::Diag;
use crate::{infer, parse};
use quote::ToTokens;
use syn::ItemFn;

/// The function with the suffixes of its literals, beside `fn level(u: u32) -> u32`, `const STEP: u32` and `const TABLE: [u8; 2]`.
fn suffixed(function: &str) -> String {
    let item: ItemFn = syn::parse_str(function).unwrap_or_else(|error| panic!("{function}: {error}"));
    let mut helper = parsed(&item);
    let level: ItemFn = syn::parse_quote!(
        fn level(u: u32) -> u32 {
            u
        }
    );
    helper.scope.helpers.insert("level".to_owned(), parsed(&level));
    let constants: &mut Constants = &mut helper.scope.constants;
    constants.note_type("STEP", &syn::parse_quote!(u32));
    constants.note_type("TABLE", &syn::parse_quote!([u8; 2]));
    let list = parse::constant::declared_list(&syn::parse_quote!([u8; 2]), &syn::parse_quote!([3, 4]), constants);
    constants.lists.insert("TABLE".to_owned(), list.expect("a list of constants"));
    infer::suffix_literals(&mut helper);
    helper.body.to_token_stream().to_string()
}

fn parsed(item: &ItemFn) -> Helper {
    let diag = Diag::new();
    let helper = parse::helper::helper(&diag, &item.sig, &item.block);
    diag.dismiss();
    helper.expect("a function of scalars")
}

/// Each line: a signature, and the body with the suffixes that are found where none are written.
const BODIES: &[(&str, &str)] = &[
    // Results, early ones, and what they are made of.
    ("(a: f32) -> u32", "if a < 0.0 { return 0u32; } let mut n = 0u32; if a > 1.0 { n += 1u32; } n"),
    ("(i: i32) -> u32", "1u32 << i"),
    ("(a: f32) -> u32", "let q = if a > 0.0 { 5u32 } else { 6u32 }; !q / 2u32 % 3u32 << 1"),
    ("(a: f32) -> i32", "let q = if a > 0.0 { 5 } else { -6 }; !q / 2"),
    ("(a: f32) -> f32", "let q = if a > 0.0 { 5 } else { 6 }; q as f32"),
    ("(u: u32) -> f32", "((1 << u) - 10) as f32"),
    // What is known later is of what was before as well.
    ("(u: u32, i: i32) -> i32", "let n = 4u32; let m = 4; let k = n + u; let j = m + i; j + k as i32"),
    ("(u: u32) -> bool", "let a = 1u32; let b = a; let (c, d) = (b, 2); c == u && d < 3"),
    // `as` is of a literal, and of no sum of literals.
    ("(u: u32) -> u32", "(5u32 as u32) + ((2 + 3) as u32) + (!7u32) + (!0u32 as u32) + ((!0u32) as u32)"),
    ("(u: u32) -> f32", "(3u8 as u8) as f32 + (if u > 2u32 { 1 } else { 0 } as u8) as f32"),
    // Parts, lists, options, closures, loops.
    ("(u: u32) -> u32", "let t = (1u32, 2, [3u32, 4u32]); t.0 + t.2[1] + u"),
    (
        "(u: u32) -> u32",
        "let mut sum = 0u32; for (k, w) in [1u32, 2u32].iter().enumerate() { sum += w * k as u32; } sum + u",
    ),
    ("(u: u32) -> u32", "let f = |v| if v > 3u32 { 1u32 } else { 0u32 }; f(u)"),
    ("(a: f32) -> u32", "(0..4).fold(0u32, |n, k| if a > k as f32 { n + 1u32 } else { n })"),
    ("(a: f32) -> u32", "Some(3u32).map(|v| v + 1u32).unwrap_or(7u32)"),
    (
        "(a: f32) -> u32",
        "let mut best = None; if a > 0.0 { best = Some(4u32); } if let Some(b) = best { b } else { 1u32 }",
    ),
    ("(u: u32) -> u32", "let mut k = 0u32; while k < 3u32 { k += 1u32; } let n = loop { break 5u32; }; n + k + u"),
    ("(u: u32) -> u32", "match u { 0 => 1u32, 2 | 3 => { return 9u32; } n if n > 7u32 => n, _ => 4u32 }"),
    // Methods, functions, constants.
    ("(u: u32) -> u32", "u.pow(2).max(3u32) + max(1u32, u) + u32::min(2u32, u) + level(6u32)"),
    ("(i: i32) -> u32", "i.abs_diff(3).min(4u32) + u32::pow(3u32, 2)"),
    ("(i: i32) -> i32", "let e = 2u32; i.pow(e).rem_euclid(3) + i.pow(3)"),
    ("(a: f32) -> f32", "a.powi(2) + a.max(0.0)"),
    ("(u: u32) -> u32", "let n = if u > 1u32 { STEP } else { 2u32 }; n / 3u32"),
    ("(u: u32) -> u32", "let n = 2u8 + TABLE[1]; n as u32 + u32::from(7u8 * TABLE[0])"),
    (
        "(u: u32) -> f32",
        "let n: i64 = if u > 1u32 { 2i64 } else { 3i64 }; let m: u8 = 200u8; (n + 4i64) as f32 + m as f32",
    ),
    // What is shadowed, and what leaves.
    ("(u: u32) -> u32", "let n = 1; let n = n as u32 + 2u32; { let n = 3; } n"),
    ("(u: u32) -> u32", "let n = if u > 3u32 { return 4u32; } else { 5u32 }; n"),
];

#[test]
fn literals_have_the_types_of_what_they_meet() {
    for (signature, wanted) in BODIES {
        let without = ["u32", "u8", "i64"].iter().fold((*wanted).to_owned(), |body, suffix| without(&body, suffix));
        let wanted: syn::Block = syn::parse_str(&format!("{{ {wanted} }}")).expect(wanted);
        let found = suffixed(&format!("fn f{signature} {{ {without} }}"));
        assert_eq!(found, wanted.to_token_stream().to_string(), "{signature}");
    }
}

/// The text without that suffix behind digits.
fn without(body: &str, suffix: &str) -> String {
    let mut left = String::new();
    let mut parts = body.split(suffix).peekable();
    while let Some(part) = parts.next() {
        left.push_str(part);
        let of_literal = part.ends_with(|end: char| end.is_ascii_digit()) && !part.ends_with("_0");
        if parts.peek().is_some() && !of_literal {
            left.push_str(suffix);
        }
    }
    left
}
