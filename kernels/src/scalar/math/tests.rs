use super::*;

/// The distance in units of the last place of the exact result.
fn ulps(found: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    if nearest.is_nan() || found.is_nan() || nearest.is_infinite() || found.is_infinite() {
        return if nearest.to_bits() == found.to_bits() || (nearest.is_nan() && found.is_nan()) { 0.0 } else { 1e9 };
    }
    let bits = Ord::max(nearest.abs().to_bits(), f32::MIN_POSITIVE.to_bits());
    let spacing = f64::from(f32::from_bits(bits + 1)) - f64::from(f32::from_bits(bits));
    ((f64::from(found) - exact) / spacing).abs()
}

/// Every number of a coarse grid over all bit patterns, and a finer one where functions bend.
fn arguments() -> Vec<f32> {
    let mut arguments: Vec<f32> = (0..=u32::MAX).step_by(39_989).map(f32::from_bits).collect();
    arguments.extend((-40_000..40_000).map(|i| i as f32 * 5.0013e-4));
    arguments.extend((-40_000..40_000).map(|i| i as f32 * 2.5017e-3));
    arguments.extend([0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN]);
    arguments.extend([f32::MIN_POSITIVE, 1e-45, -1e-45, 88.722_84, 88.722_83, -103.97, -87.4]);
    arguments
}

fn check<I: Isa>(name: &str, bound: f64, f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) {
    let mut worst = (0.0, 0.0);
    for x in arguments() {
        let error = ulps(f(x), exact(f64::from(x)));
        if error > worst.0 {
            worst = (error, x);
        }
    }
    assert!(worst.0 <= bound, "{name} with FMA {}: {} ulp at {:e}", I::FMA, worst.0, worst.1);
}

fn one(lanes: impl Fn(&[f32], &mut [f32])) -> impl Fn(f32) -> f32 {
    move |x| {
        let mut out = [0.0];
        lanes(&[x], &mut out);
        out[0]
    }
}

fn all<I: Isa>(slack: f64) {
    check::<I>("exp", 1.25 + slack, |x| Float::exp::<I>(x), f64::exp);
    check::<I>("exp2", 1.25 + slack, |x| Float::exp2::<I>(x), f64::exp2);
    check::<I>("expm1", 2.0 + slack, |x| Float::expm1::<I>(x), f64::exp_m1);
    check::<I>("log", 1.5 + slack, |x| Float::log::<I>(x), f64::ln);
    check::<I>("log2", 2.0 + slack, |x| Float::log2::<I>(x), f64::log2);
    check::<I>("log1p", 2.0 + slack, |x| Float::log1p::<I>(x), f64::ln_1p);
    check::<I>("tanh", 2.0 + slack, |x| Float::tanh::<I>(x), f64::tanh);
    check::<I>("erf", 2.0 + slack, |x| Float::erf::<I>(x), crate::scalar::special::erf);
    check::<I>("sin", 0.6, one(f32::sin_lanes::<I>), f64::sin);
    check::<I>("cos", 0.6, one(f32::cos_lanes::<I>), f64::cos);
    check::<I>("tan", 0.6, one(f32::tan_lanes::<I>), f64::tan);
}

#[test]
fn functions_are_accurate_with_fused_multiply_add() {
    all::<Fused>(0.0);
}

#[test]
fn functions_are_accurate_without_fused_multiply_add() {
    all::<Baseline>(1.0);
}

#[test]
fn pow_is_accurate_and_keeps_the_edges() {
    let bases = [0.0, -0.0, 0.3, 0.999_999, 1.0, -1.0, -2.0, -0.5, 1.000_001, 2.0, 7.5, 1e-40, 3e38, -3e38];
    let powers = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, -0.5, 2.4, 100.0, -100.0, 1e10, 16_777_217.0];
    let edges = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for x in bases.into_iter().chain(edges) {
        for y in powers.into_iter().chain(edges) {
            let exact = f64::from(x).powf(f64::from(y));
            let found = Float::pow::<Fused>(x, y);
            assert!(ulps(found, exact) <= 0.6, "pow({x:e}, {y:e}) = {found:e}, expected {exact:e}");
        }
    }
    for i in 0..20_000 {
        let (x, y) = (0.003 + i as f32 * 0.01, (i % 37) as f32 * 0.7 - 12.0);
        assert!(ulps(Float::pow::<Fused>(x, y), f64::from(x).powf(f64::from(y))) <= 0.6, "pow({x}, {y})");
    }
}
