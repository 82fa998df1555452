//! Which symbols the values of dimensions give.

use crate::dim::{Dim, Factor, Symbol};
use std::collections::{BTreeMap, BTreeSet};

impl Dim {
    /// Where `self` is `coefficient · symbol + rest` with one symbol that is not `known`, none such in the rest, and a
    /// coefficient of at least 1: these three. A value of `self` then gives the symbol's.
    pub fn linear_in_unknown(&self, known: &dyn Fn(&Symbol) -> bool) -> Option<(&Symbol, u64, Dim)> {
        let mut found = None;
        let mut rest = Dim::default();
        for ((factors, coefficient), (term, _)) in self.terms().zip(self.parts()) {
            let mut unknown = false;
            term.visit_symbols(&mut |symbol| unknown |= !known(symbol));
            match (unknown, factors) {
                (false, _) => rest = rest + term,
                (true, [Factor::Symbol(symbol)]) if coefficient > 0 && found.is_none() => {
                    found = Some((symbol, coefficient as u64));
                }
                (true, _) => return None,
            }
        }
        found.map(|(symbol, coefficient)| (symbol, coefficient, rest))
    }

    /// The symbols that values of `dims` give: those that are a whole dimension, and those that follow from these.
    pub fn bound_by<'a>(dims: impl Iterator<Item = &'a Dim> + Clone) -> BTreeSet<Symbol> {
        let mut bound = BTreeSet::new();
        loop {
            let before = bound.len();
            for dim in dims.clone() {
                if let Some((symbol, ..)) = dim.linear_in_unknown(&|symbol| bound.contains(symbol)) {
                    bound.insert(symbol.clone());
                }
            }
            if bound.len() == before {
                return bound;
            }
        }
    }

    /// Adds to `known` the symbols of declared sizes for which these are what is given for them: `(declared, given)`.
    pub fn solve<'a>(pairs: impl Iterator<Item = (&'a Dim, &'a Dim)>, known: &mut BTreeMap<Symbol, Dim>) {
        let pairs: Vec<_> = pairs.collect();
        loop {
            let before = known.len();
            for (declared, given) in &pairs {
                // What is a number is one: the `2` of `N * K`.
                let number = |own: &Symbol| known.get(own).filter(|size| size.as_constant().is_some()).cloned();
                let declared = &declared.substitute(&number);
                let Some((symbol, coefficient, rest)) = declared.linear_in_unknown(&|own| known.contains_key(own))
                else {
                    continue;
                };
                let rest = rest.substitute(&|own| known.get(own).cloned());
                if let Some(value) = ((*given).clone() - rest).exact_div(&Dim::constant(coefficient as i64)) {
                    known.insert(symbol.clone(), value);
                }
            }
            if known.len() == before {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_dimensions_bind_symbols() {
        let (n, m, k) = (Dim::symbol("N"), Dim::symbol("M"), Dim::symbol("K"));
        let names = |dims: &[Dim]| Dim::bound_by(dims.iter()).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&[n.clone() * Dim::from(2) + Dim::from(1)]), ["N"]);
        assert_eq!(names(&[n.clone() * m.clone()]), [""; 0]);
        assert_eq!(names(&[n.clone() * m.clone() + k.clone(), n.clone(), m.clone() - n.clone()]), ["K", "M", "N"]);
        assert_eq!(names(&[n.clone().floor_div(2)]), [""; 0], "several sizes have one half");
        let mut known = BTreeMap::new();
        let pairs = [
            (n.clone() * Dim::from(2) + m.clone(), k.clone() * Dim::from(6) + Dim::from(5)),
            (m.clone(), Dim::from(5)),
        ];
        Dim::solve(pairs.iter().map(|(declared, given)| (declared, given)), &mut known);
        assert_eq!(known.get(&Symbol::new("N")), Some(&(k.clone() * Dim::from(3))));
        Dim::solve([(&(n.clone() * Dim::from(2)), &k)].into_iter(), &mut BTreeMap::new());
        let mut known = BTreeMap::from([(Symbol::new("M"), Dim::from(4))]);
        Dim::solve([(&(n.clone() * m.clone()), &(k.clone() * Dim::from(8)))].into_iter(), &mut known);
        assert_eq!(known.get(&Symbol::new("N")), Some(&(k.clone() * Dim::from(2))));
        let odd = n.clone() * Dim::from(2) + m.clone() * Dim::from(3);
        let (symbol, coefficient, rest) = odd.linear_in_unknown(&|symbol| symbol.name() == "M").unwrap();
        assert_eq!((symbol.name(), coefficient, rest), ("N", 2, m * Dim::from(3)));
    }
}
