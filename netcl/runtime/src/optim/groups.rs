//! Parts of a model that are stepped by settings of their own.

use super::progress::Progress;
use super::settings::{accept, not_negative};
use crate::error::{Error, Result};
use crate::model::store::StoredTensor;

/// What an optimizer does otherwise in one part of a model: `AdamW::new(1e-3).group("head", ParameterGroup::new().rate(10.0))`.
///
/// What is not said is as in the rest of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("param_groups"))]
pub struct ParameterGroup {
    rate: f64,
    weight_decay: Option<f64>,
}

impl Default for ParameterGroup {
    fn default() -> ParameterGroup {
        ParameterGroup::new()
    }
}

impl ParameterGroup {
    /// As the rest of the model.
    pub fn new() -> ParameterGroup {
        ParameterGroup { rate: 1.0, weight_decay: None }
    }

    /// Steps with `factor` times the optimizer's learning rate, of whichever step: a schedule is for all parts.
    #[must_use]
    pub fn rate(self, factor: f64) -> ParameterGroup {
        ParameterGroup { rate: factor, ..self }
    }

    /// Another weight decay than the optimizer's.
    #[must_use]
    pub fn weight_decay(self, decay: f64) -> ParameterGroup {
        ParameterGroup { weight_decay: Some(decay), ..self }
    }
}

/// The groups of one optimizer, by the paths of fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups(Vec<(String, ParameterGroup)>);

impl Groups {
    /// Adds one.
    pub(super) fn set(&mut self, path: &str, group: ParameterGroup) {
        self.0.push((path.to_owned(), group));
    }

    /// That the settings make sense, and that each is of some of these parameters, whose paths begin with `prefix`.
    pub(super) fn check(&self, optimizer: &str, entries: &[StoredTensor], prefix: &str) -> Result<()> {
        for (position, (path, group)) in self.0.iter().enumerate() {
            let twice = self.0[..position].iter().any(|(known, _)| known == path);
            accept(optimizer, "group", path, !twice, "each path once, with all that is set for it")?;
            not_negative(optimizer, "rate of a group", group.rate)?;
            not_negative(optimizer, "weight_decay of a group", group.weight_decay.unwrap_or(0.0))?;
            let paths = || entries.iter().filter_map(|entry| entry.path.strip_prefix(prefix));
            let known = paths().any(|own| is_in(own, path));
            if !known {
                let problem = format!(
                    "`group` is `{path}`, and no field of that path has parameters; the path is that of a field, here {}",
                    fields(paths())
                );
                return Err(Error::Mismatch { operation: optimizer.to_owned(), problem });
            }
        }
        Ok(())
    }

    /// The group that the parameter of that path is in, by its position: that of the longest path.
    pub(super) fn of(&self, own: &str) -> Option<usize> {
        let all = self.0.iter().enumerate().filter(|(_, (path, _))| is_in(own, path));
        all.max_by_key(|(_, (path, _))| path.len()).map(|(position, _)| position)
    }

    /// The progress and the weight decay that are meant in a group.
    pub(super) fn settings(&self, group: Option<usize>, progress: Progress, decay: f64) -> (Progress, f64) {
        match group.and_then(|position| self.0.get(position)) {
            Some((_, group)) => {
                let learning_rate = progress.learning_rate * group.rate;
                (Progress { learning_rate, ..progress }, group.weight_decay.unwrap_or(decay))
            }
            None => (progress, decay),
        }
    }
}

/// The fields that hold these parameters, and what an example of a longer path is.
fn fields<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    let (mut fields, mut longer) = (Vec::new(), None);
    for path in paths {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        if !fields.contains(&first) {
            fields.push(first);
        }
        if !rest.is_empty() && longer.is_none() {
            longer = Some(path);
        }
    }
    let all: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    let longer = longer.map(|path| format!(", or what is in it, as `{path}`")).unwrap_or_default();
    format!("{}{longer}", all.join(", "))
}

/// Whether the parameter is in the field of that path.
fn is_in(own: &str, path: &str) -> bool {
    own.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
