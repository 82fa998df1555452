//! What the values of symbols must satisfy for a plan to be run, beyond its buffers' own sizes.

use crate::dim::{Bindings, Dim, INDEX_LIMIT, Shape};
use crate::graph::{Agreement, Batch, Limit, Window};
use serde::{Deserialize, Serialize};

/// A condition on sizes that symbols decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Requirement {
    /// Kernels count up to this size: it is at most [`INDEX_LIMIT`].
    Countable(Dim),
    /// A window (of a pooling or a convolution) fits into an axis.
    Window(Window),
    /// The channels of a batch that is normalised by its own statistics have more than one element.
    Batch(Batch),
    /// Two sizes are equal.
    Agreement(Agreement),
    /// A slice ends inside an axis; a size is not negative; elements can be counted.
    Limit(Limit),
    /// Work-items run along each axis of a launch, if there is anything that they write.
    Items {
        /// The launch's axes.
        global: Vec<Dim>,
        /// How many elements they write.
        written: Dim,
    },
}

impl Requirement {
    /// Whether the values satisfy it.
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn check(&self, bindings: Bindings<'_>) -> Result<(), String> {
        match self {
            Requirement::Countable(dim) => match dim.evaluate(bindings) {
                Some(size) if size <= INDEX_LIMIT as i64 => Ok(()),
                Some(size) => Err(uncountable(&format!("{dim} = {size}"))),
                None => Err(uncountable(dim)),
            },
            Requirement::Window(window) => match (window.spare().evaluate(bindings), window.size.evaluate(bindings)) {
                (Some(spare), Some(size)) if spare < 0 => Err(window.misfit(&equation(&window.size, size))),
                _ => Ok(()),
            },
            Requirement::Batch(batch) => match batch.count().evaluate(bindings) {
                Some(count) if count <= 1 => {
                    let size = |dim: &Dim| dim.evaluate(bindings).map_or_else(|| dim.clone(), Dim::constant);
                    Err(batch.too_small(&Shape(batch.shape.0.iter().map(size).collect())))
                }
                _ => Ok(()),
            },
            Requirement::Agreement(agreement) => {
                let [first, second] = agreement.sizes.each_ref().map(|size| size.evaluate(bindings));
                if first == second && first.is_some() {
                    return Ok(());
                }
                let written =
                    |size: &Dim| size.evaluate(bindings).map_or_else(|| size.to_string(), |v| equation(size, v));
                let [first, second] = agreement.sizes.each_ref().map(written);
                Err(agreement.differ([&first, &second]))
            }
            Requirement::Limit(limit) => match (limit.end.evaluate(bindings), limit.size.evaluate(bindings)) {
                (Some(end), Some(size)) if end <= size => Ok(()),
                (end, size) => {
                    let written = |own: &Dim, value: Option<i64>| {
                        value.map_or_else(|| format!("{own} (past 64 bits)"), |v| equation(own, v))
                    };
                    Err(limit.beyond(&written(&limit.end, end), &written(&limit.size, size)))
                }
            },
            Requirement::Items { global, written } => {
                let none =
                    global.iter().find_map(|axis| Some((axis, axis.evaluate(bindings).filter(|items| *items < 1)?)));
                match (none, written.evaluate(bindings)) {
                    (Some((axis, items)), Some(1..)) => Err(format!(
                        "no work-item would run, because `global` has {axis} = {items}, and the results would hold \
                         anything; launch at least one along each axis"
                    )),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// A size and its value.
fn equation(size: &Dim, value: i64) -> String {
    if size.as_constant().is_some() { value.to_string() } else { format!("{size} = {value}") }
}

/// What is wrong with a size that kernels cannot count up to.
pub fn uncountable(size: &dyn std::fmt::Display) -> String {
    format!(
        "kernels would count up to {size}, and they count up to {INDEX_LIMIT}; use smaller sizes, or sum over one axis \
         after the other"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Symbol;

    #[test]
    fn sizes_past_the_limit_are_refused() {
        let product = Requirement::Countable(Dim::symbol("N") * Dim::symbol("M"));
        let bindings = |n: u64| [(Symbol::new("N"), n), (Symbol::new("M"), n)];
        assert_eq!(product.check(&bindings(46_000)), Ok(()));
        let problem = product.check(&bindings(50_000)).unwrap_err();
        assert!(problem.contains(" = 2500000000, and they count up to 2147418111"), "{problem}");
        assert!(product.check(&bindings(1 << 40)).is_err(), "more than 64 bits");
    }

    #[test]
    fn windows_fit_or_not() {
        let window = Requirement::Window(Window { size: Dim::symbol("H"), reach: 5, padding: 1, of: None });
        let check = |size| window.check(&[(Symbol::new("H"), size)]);
        assert_eq!(check(3), Ok(()));
        assert_eq!(check(2).unwrap_err(), "a window of 5 does not fit into H = 2 with padding 1");
    }

    #[test]
    fn rounded_sizes_agree_or_not() {
        let h = Dim::symbol("H");
        let agreement = Requirement::Agreement(Agreement {
            what: "`concat`: axis 2 is".into(),
            sizes: [h.floor_div(2) * Dim::from(2), h],
            notes: [" (from `up`)".into(), String::new()],
            joint: "against".into(),
        });
        let check = |size| agreement.check(&[(Symbol::new("H"), size)]);
        assert_eq!(check(62), Ok(()));
        let expected = "`concat`: axis 2 is (H / 2)*2 = 62 (from `up`) against H = 63";
        assert_eq!(check(63).unwrap_err(), expected);
    }

    #[test]
    fn launches_have_items_or_nothing_to_write() {
        let (n, quarter) = (Dim::symbol("N"), Dim::symbol("N").floor_div(4));
        let check = |written: &Dim, n| {
            let items = Requirement::Items { global: vec![Dim::from(3), quarter.clone()], written: written.clone() };
            items.check(&[(Symbol::new("N"), n)])
        };
        assert_eq!((check(&n, 4), check(&quarter, 3)), (Ok(()), Ok(())));
        let problem = check(&n, 3).unwrap_err();
        assert!(problem.starts_with("no work-item would run, because `global` has N / 4 = 0, and"), "{problem}");
    }

    #[test]
    fn channels_have_enough_elements_or_not() {
        let shape = Shape(vec![Dim::symbol("N"), Dim::from(3), Dim::symbol("H"), Dim::from(1)]);
        let batch = Requirement::Batch(Batch { layer: "norm".into(), shape });
        let check = |n, h| batch.check(&[(Symbol::new("N"), n), (Symbol::new("H"), h)]);
        assert_eq!((check(2, 1), check(1, 2)), (Ok(()), Ok(())));
        let expected = "`norm` expects more than 1 element for each channel while training, found ";
        assert_eq!(check(1, 1).unwrap_err(), format!("{expected}[1, 3, 1, 1]"));
        assert_eq!(check(0, 5).unwrap_err(), format!("{expected}[0, 3, 5, 1]"));
    }
}
