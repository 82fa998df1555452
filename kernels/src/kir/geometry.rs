//! Launches whose sizes are known.

use super::Launch;
use crate::dim::{Bindings, Dim};

/// How many work-items run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// 1 to 3.
    pub dimensions: usize,
    /// Whole work-groups; 1 past `dimensions`.
    pub global: [usize; 3],
    /// `None` leaves it to the driver.
    pub local: Option<[usize; 3]>,
}

/// Why a launch has no geometry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeometryError {
    /// Not 1 to 3, or other than the work-groups'.
    #[error("has {0} launch dimensions")]
    Dimensions(usize),
    /// Of a work-group.
    #[error("has a work-group size of 0")]
    EmptyGroup,
    /// A symbol has no value, or the size is past 64 bits.
    #[error("needs {0}, which is not known or overflows")]
    Unknown(Dim),
    /// A size below 0, or past the address space with its last work-group.
    #[error("has {1} work-items: {0}")]
    Items(Dim, i64),
}

impl Launch {
    /// The work-items for these values of the symbols, whole work-groups in each dimension; `None` if there are none at all.
    ///
    /// # Errors
    ///
    /// What makes that no launch.
    pub fn geometry(&self, bindings: Bindings<'_>) -> Result<Option<Geometry>, GeometryError> {
        let dimensions = self.global.len();
        if !(1..=3).contains(&dimensions) || !(self.local.is_empty() || self.local.len() == dimensions) {
            return Err(GeometryError::Dimensions(dimensions));
        }
        let (mut global, mut local) = ([1; 3], [1; 3]);
        for (axis, dim) in self.global.iter().enumerate() {
            let size = self.local.get(axis).map_or(1, |&size| size as usize);
            if size == 0 {
                return Err(GeometryError::EmptyGroup);
            }
            let items = dim.evaluate(bindings).ok_or_else(|| GeometryError::Unknown(dim.clone()))?;
            let whole = usize::try_from(items).ok().and_then(|items| items.checked_next_multiple_of(size));
            (global[axis], local[axis]) = (whole.ok_or_else(|| GeometryError::Items(dim.clone(), items))?, size);
        }
        let local = (!self.local.is_empty()).then_some(local);
        Ok((!global.contains(&0)).then_some(Geometry { dimensions, global, local }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Symbol;

    #[test]
    fn launches_are_whole_work_groups() {
        let launch = |global: Vec<Dim>, local: &[u32]| Launch { global, local: local.to_vec() };
        let n = || Dim::symbol("N");
        let at = |launch: &Launch, value| launch.geometry(&[(Symbol::new("N"), value)]);
        let plain = Geometry { dimensions: 2, global: [7, 3, 1], local: None };
        assert_eq!(at(&launch(vec![n(), 3.into()], &[]), 7), Ok(Some(plain)));
        let grouped = Geometry { dimensions: 2, global: [8, 4, 1], local: Some([4, 2, 1]) };
        assert_eq!(at(&launch(vec![n(), 3.into()], &[4, 2]), 7), Ok(Some(grouped)));
        assert_eq!(at(&launch(vec![n() - 7.into(), 3.into()], &[4, 2]), 7), Ok(None));
        assert_eq!(at(&launch(vec![n()], &[4, 2]), 7), Err(GeometryError::Dimensions(1)));
        assert_eq!(at(&launch(vec![n()], &[0]), 7), Err(GeometryError::EmptyGroup));
        let less = n() - 8.into();
        assert_eq!(at(&launch(vec![less.clone()], &[]), 7), Err(GeometryError::Items(less, -1)));
        let error = launch(vec![n()], &[]).geometry(&[]).unwrap_err();
        assert_eq!(error.to_string(), "needs N, which is not known or overflows");
    }
}
