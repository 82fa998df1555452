//! Whole numbers that are known while compiling, with types.

use super::compiled;

fn errors(value: &str) -> Vec<String> {
    compiled(&format!("netcl::kernel! {{ pub fn k(x: &Tensor<u32, N>) -> Tensor<u32, N> {{ |n| {{ let k = {value}; x[n] + k as u32 }} }} }}"))
        .errors()
}

#[test]
fn numbers_that_are_known_are_of_one_type_and_have_its_bits() {
    for value in [
        "200u8 + 100",
        "2166136261u32 * 16777619",
        "3u32 - 5",
        "1u32 << 31u8",
        "{ let by = 40; 1u32 << by }",
        "i32::MAX + 1",
        "{ let mut h = 2166136261u32; for i in 0..5 { h = (h ^ i) * 16777619; } h }",
        "{ let mut h = 5u32; h *= 4294967295; h ^= 3; h }",
        "7i32.rem_euclid(4)",
        "u32::MAX - x[n]",
        "(i32::MIN as u32) + x[n]",
        "f64::EPSILON as u32 + f64::MAX as u32",
        "1 << 40",
    ] {
        assert!(errors(value).is_empty(), "{value}: {:#?}", errors(value));
    }
    for (value, text) in [
        ("1u32 + 1i32", "`+` takes values of one type, found u32 and i32"),
        ("u32::MAX + i32::MAX", "`+` takes values of one type, found u32 and i32"),
        ("x[n] + i32::MAX", "`+` takes values of one type, found u32 and i32"),
        ("core::i32::MIN * x[n]", "`*` takes values of one type, found i32 and u32"),
        ("7i32 | 2u8", "`|` takes values of one type, found i32 and u8"),
        ("(2u8 * 3) as i32 + 1u32", "`+` takes values of one type, found i32 and u32"),
        ("5u32.rem_euclid(0)", "`rem_euclid` divides by zero"),
        ("5i32.div_euclid(0)", "`div_euclid` divides by zero"),
        ("1i32 << -1", "an `i32` is shifted by 0 to 31 bits, found -1"),
        ("1u32 << 40u8", "a `u32` is shifted by 0 to 31 bits, found 40"),
        ("{ let mut k = 1u8; k <<= 8; k }", "a `u8` is shifted by 0 to 7 bits, found 8"),
        ("x[n] >> 32", "a `u32` is shifted by 0 to 31 bits, found 32"),
        ("1 >> 70", "a number is shifted by 0 to 63 bits, found 70"),
        ("5 & 1.0", "`&` takes whole numbers, found a float"),
        ("3i32 << 1.0", "`<<` takes whole numbers, found a float"),
        ("!5.0", "`!` takes whole numbers, found a float"),
    ] {
        let errors = errors(value);
        assert!(errors.len() == 1 && errors[0].starts_with(text), "{value}: {errors:#?}");
    }
}

#[test]
fn ranges_that_always_go_down_are_told() {
    let errors = |sizes: &str, range: &str| {
        let kernel = format!(
            "pub fn k(x: &Tensor<f32, {sizes}>) -> Tensor<f32, {sizes}> {{ |n, c| sum({range}, |k| x[n, k]) }}"
        );
        compiled(&format!("netcl::kernel! {{ {kernel} }}")).errors()
    };
    for range in ["c..0", "c + 1..1", "c + 2..2 - c"] {
        assert!(
            errors("N, C", range)[0].starts_with(&format!("a range runs from a number to a size, found `{range}`"))
        );
    }
    for (sizes, range) in [("N, 1", "0..c"), ("N, C", "0..c"), ("N, C", "c..C"), ("N, C", "0..c + 1")] {
        assert!(errors(sizes, range).is_empty(), "{range}: {:#?}", errors(sizes, range));
    }
}

#[test]
fn lints_are_what_is_said_above_a_statement() {
    let own = compiled(
        "netcl::kernel! { pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| { #[allow(unused_variables)] let k = 1.0; #[cfg_attr(all(), deny(unused_variables))] let j = 1.0; x[n] } } }",
    );
    let output = own.sound().output.replace(' ', "");
    assert!(output.contains("#[allow(unused_variables)]letk=0u8;"), "{output}");
    assert!(output.contains("#[cfg_attr(all(),deny(unused_variables))]letj=0u8;"), "{output}");
}
