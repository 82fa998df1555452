//! The variants of kernels that a user switches on or off: one table of them, their variables, and what holds where a
//! variable is not set.

use super::values::SWITCH;
use super::variable::{Row, Unset, Variable};
use netcl_kernels::variant::Variant;

/// A variant and the variable that switches it.
#[derive(Debug)]
pub(super) struct VariantSwitch {
    variant: Variant,
    pub(super) variable: Variable,
    /// Whether the variant may be picked where the variable is not set.
    unset: bool,
}

const COUNT: usize = 2;

/// All, in the order of the page.
pub(super) static TABLE: [VariantSwitch; COUNT] = [
    row(
        Variant::Conv2dWinograd,
        "NETCL_CONV_WINOGRAD",
        true,
        "whether Winograd's algorithm for 3×3 convolutions of stride 1 may be picked, by a rule or a \
         measurement, and measured. Where a pixel or a weight is infinite, or a sum overflows, it gives NaN, \
         and for a pixel that is not finite also in neighbouring results that do not read it; with `0`, such \
         values propagate as IEEE 754 says",
    ),
    row(
        Variant::Conv2dTiledLocal,
        "NETCL_CONV_TILED_LOCAL",
        false,
        "whether convolutions that keep a tile of the image in local memory may be picked and measured. With \
         `1` they compute small outputs (up to 32×32 pixels) on GPUs, where nothing else was measured. Devices \
         of the strategy `portable`, as processors are, take none of them in any case",
    ),
];

const fn row(variant: Variant, name: &'static str, unset: bool, meaning: &'static str) -> VariantSwitch {
    let words = Unset::Words(if unset { "`1`" } else { "`0`" });
    VariantSwitch { variant, variable: Variable { name, accepted: SWITCH, row: Row { meaning, unset: words } }, unset }
}

/// What the switches of `TABLE` are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantSwitches([bool; COUNT]);

impl VariantSwitches {
    /// `value` says what a variable is set to, if it is set.
    pub(super) fn read<E>(value: impl Fn(&'static Variable) -> Result<Option<bool>, E>) -> Result<VariantSwitches, E> {
        let mut switches = VariantSwitches::default();
        for (on, row) in switches.0.iter_mut().zip(&TABLE) {
            *on = value(&row.variable)?.unwrap_or(row.unset);
        }
        Ok(switches)
    }

    /// Whether the variant may be picked and measured, as far as the user has a say: variants without a switch may.
    pub fn allow(&self, variant: Variant) -> bool {
        self.0.iter().zip(&TABLE).all(|(on, row)| *on || row.variant != variant)
    }

    /// The same, but for one variant.
    pub fn with(mut self, variant: Variant, on: bool) -> VariantSwitches {
        for (switch, row) in self.0.iter_mut().zip(&TABLE) {
            if row.variant == variant {
                *switch = on;
            }
        }
        self
    }
}

impl Default for VariantSwitches {
    /// No variable is set.
    fn default() -> Self {
        VariantSwitches(std::array::from_fn(|position| TABLE[position].unset))
    }
}

/// The name of the variable that must be set for the variant to be picked; `None` where it may be anyhow.
pub fn asked_for_by(variant: Variant) -> Option<&'static str> {
    TABLE.iter().find(|row| row.variant == variant && !row.unset).map(|row| row.variable.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_concerns_its_variant_alone() {
        let unset = VariantSwitches::default();
        for row in &TABLE {
            for on in [false, true] {
                let switches = unset.with(row.variant, on);
                for other in Variant::ALL {
                    let expected = if other == row.variant { on } else { unset.allow(other) };
                    assert_eq!(switches.allow(other), expected, "{} = {on}: {other:?}", row.variable.name);
                }
            }
        }
    }

    #[test]
    fn a_variant_has_one_switch() {
        for (position, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..position].iter().all(|other| other.variant != row.variant), "{:?}", row.variant);
        }
    }
}
