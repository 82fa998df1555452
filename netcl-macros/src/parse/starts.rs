//! How a layer's tensors start, where it has such.

use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use netcl_kernels::layers::{Config, ConfigValue, Layer};
use netcl_kernels::span::Span as Id;
use proc_macro2::Ident;

/// Rule: what is said to start is there. Wrong: `#[layer(inputs = 8, outputs = 4, bias = false, bias_init = 0.0)]`. `starts` are the keys
/// that say so, `given` are the others.
pub(super) fn judge(
    diag: &Diag,
    layer: &'static Layer,
    config: &Config,
    starts: &[Ident],
    given: &[(&str, ConfigValue, Id)],
) {
    for key in starts {
        let of_bias = key == words::BIAS_INIT;
        let has = |config: &Config| {
            let tensors = (layer.tensors)(&config.closed());
            tensors.iter().any(|tensor| tensor.trainable && tensor.name.ends_with("bias") == of_bias)
        };
        if has(config) {
            continue;
        }
        // What leaves them out.
        let out = given.iter().enumerate().filter(|(_, (_, value, _))| matches!(value, ConfigValue::Bool(false)));
        let mut out = out.filter(|(position, _)| {
            let mut with = given.to_vec();
            with[*position].1 = ConfigValue::Bool(true);
            Config::from_pairs(layer, &with).is_ok_and(|config| has(&config))
        });
        let or = out.next().map(|(_, (name, ..))| format!(", or `{name} = false`")).unwrap_or_default();
        let what = if of_bias { "biases" } else { "weights" };
        diag.report(key.span(), &m::STARTS_NOTHING, &[&layer.name, &what, &key, &key, &or]);
    }
}
