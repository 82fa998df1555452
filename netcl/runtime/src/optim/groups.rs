//! Parts of a model that are stepped by settings of their own.

use super::progress::Progress;
use super::settings::{accept, not_negative_in};
use crate::error::{Error, Result};

/// What an optimizer does otherwise in one part of a model: `AdamW::new(1e-3).group("head", ParameterGroup::new().rate(10.0))`.
///
/// What is not said is as in the rest of the model. A step is one launch for each stretch of parameters, in the order of the fields, that
/// have the same settings: what is set as in the rest costs nothing, and a small layer in each of many blocks with settings of its own two
/// for each of them.
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

/// The groups of one optimizer, each by the path of a field or by the name of a group of fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups(Vec<(String, ParameterGroup)>);

/// Where the groups of an optimizer are in one model.
pub(super) struct GroupPlaces<'m>(Vec<GroupPlace<'m>>);

struct GroupPlace<'m> {
    /// Of a field.
    path: &'m str,
    /// Whether the optimizer names it, and not only a group that it is in.
    is_named: bool,
    /// The group's position.
    group: usize,
}

impl Groups {
    /// Adds one.
    pub(super) fn set(&mut self, path: &str, group: ParameterGroup) {
        self.0.push((path.to_owned(), group));
    }

    /// Where they are in the model that has parameters of these paths, says of these fields which groups they are in, and of these
    /// tensors whose they are: that the settings make sense, and that each name is a field's with parameters, or a group's. A field's
    /// path comes before a group of the same name, which another model may have.
    pub(super) fn places<'m>(
        &'m self,
        optimizer: &str,
        paths: impl Iterator<Item = &'m str> + Clone,
        said: impl Iterator<Item = (&'m str, &'m str)>,
        shared: impl Iterator<Item = (&'m str, &'m str)>,
    ) -> Result<GroupPlaces<'m>> {
        let said: Vec<_> = if self.0.is_empty() { Vec::new() } else { said.collect() };
        let mut places = Vec::new();
        for (position, (name, group)) in self.0.iter().enumerate() {
            let twice = self.0[..position].iter().any(|(known, _)| known == name);
            accept(optimizer, "group", name, !twice, "each path once, with all that is set for it")?;
            not_negative_in(optimizer, "rate of a group", group.rate, Some(name))?;
            not_negative_in(optimizer, "weight_decay of a group", group.weight_decay.unwrap_or(0.0), Some(name))?;
            let place = |path: &'m str, is_named: bool| GroupPlace { path, is_named, group: position };
            if paths.clone().any(|own| is_in(own, name)) {
                places.push(place(name, true));
                continue;
            }
            let before = places.len();
            places.extend(said.iter().filter(|(_, group)| group == name).map(|(path, _)| place(path, false)));
            if places.len() == before {
                let problem = others(name, shared).unwrap_or_else(|| unknown(name, paths, &said));
                return Err(Error::Mismatch { operation: optimizer.to_owned(), problem });
            }
        }
        Ok(GroupPlaces(places))
    }

    /// The first group with the same settings, where the optimizer's weight decay is `decay`; `None` where they are those of the rest:
    /// what is stepped alike is stepped by one launch where it lies together.
    pub(super) fn alike(&self, group: Option<usize>, decay: f64) -> Option<usize> {
        let settings = |group: &ParameterGroup| (group.rate, group.weight_decay.unwrap_or(decay));
        let own = self.0.get(group?).map(|(_, group)| settings(group))?;
        if own == (1.0, decay) { None } else { self.0.iter().position(|(_, group)| settings(group) == own) }
    }

    /// What the optimizer calls the group at that position.
    pub(super) fn name(&self, group: Option<usize>) -> Option<&str> {
        self.0.get(group?).map(|(name, _)| name.as_str())
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

impl GroupPlaces<'_> {
    /// The group that the parameter of that path is in, by its position: that of the longest path, of which one that is named comes
    /// before one of a group.
    pub(super) fn group_of(&self, own: &str) -> Option<usize> {
        let all = self.0.iter().filter(|place| is_in(own, place.path));
        all.max_by_key(|place| (place.path.len(), place.is_named)).map(|place| place.group)
    }
}

/// What is wrong with a name of what has no parameters but those that it shares: each of these with its path and that of whose it is.
fn others<'p>(name: &str, shared: impl Iterator<Item = (&'p str, &'p str)>) -> Option<String> {
    let all: Vec<_> = shared.filter(|(path, _)| is_in(path, name)).collect();
    let each: Vec<String> = all.iter().map(|(path, other)| format!("`{path}` is `{other}`")).collect();
    let names: Vec<String> = all.iter().map(|(_, other)| format!("`{other}`")).collect();
    (!all.is_empty()).then(|| {
        format!(
            "`group` is `{name}`, which has no parameters of its own: {}; name {}, or its field",
            each.join(", "),
            names.join(" and ")
        )
    })
}

/// What is wrong with a name that is no field's and no group's.
fn unknown<'p>(name: &str, paths: impl Iterator<Item = &'p str>, said: &[(&str, &str)]) -> String {
    let fields = fields(paths);
    let mut groups: Vec<String> = said.iter().map(|(_, group)| format!("`{group}`")).collect();
    groups.sort();
    groups.dedup();
    match groups.is_empty() {
        true => format!(
            "`group` is `{name}`, and no field of that path has parameters; the path is that of a field, here {fields}"
        ),
        false => format!(
            "`group` is `{name}`, and no field of that path has parameters, and none is in a group of that name; groups are here {}, \
             and the path is that of a field, here {fields}",
            groups.join(", ")
        ),
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

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 6] =
        ["embed.weight", "blocks.0.norm.scale", "blocks.0.up.weight", "blocks.1.up.weight", "shift", "head.bias"];
    const SAID: [(&str, &str); 5] = [
        ("blocks.0.norm", "still"),
        ("shift", "still"),
        ("blocks", "slow"),
        ("blocks.1.gone", "absent"),
        ("blocks.1.up", "head"),
    ];

    const SHARED: [(&str, &str); 1] = [("output.weight", "embed.weight")];

    fn groups(names: &[&str]) -> Groups {
        let mut groups = Groups::default();
        names.iter().for_each(|name| groups.set(name, ParameterGroup::new()));
        groups
    }

    /// Of each parameter the name that its settings are given under.
    fn settled<'n>(names: &[&'n str]) -> Result<Vec<Option<&'n str>>> {
        let groups = groups(names);
        let places = groups.places("sgd", PATHS.into_iter(), SAID.into_iter(), SHARED.into_iter())?;
        Ok(PATHS.iter().map(|path| places.group_of(path).map(|position| names[position])).collect())
    }

    #[test]
    fn a_groups_name_stands_for_the_paths_of_its_fields() {
        let expected = [None, Some("still"), Some("slow"), Some("slow"), Some("still"), None];
        assert_eq!(settled(&["still", "slow"]).unwrap(), expected);
        assert_eq!(settled(&["slow", "still"]).unwrap(), expected);
        // Paths and groups: the longest counts, and of equal ones that which is named.
        for names in [["still", "blocks.0.norm", "blocks.1"], ["blocks.1", "blocks.0.norm", "still"]] {
            let found = settled(&names).unwrap();
            assert_eq!(found, [None, Some("blocks.0.norm"), None, Some("blocks.1"), Some("still"), None]);
        }
        assert_eq!(settled(&["slow", "blocks"]).unwrap()[1..4], [Some("blocks"); 3]);
        // What a group's fields hold may not be there.
        assert_eq!(settled(&["absent"]).unwrap(), [None; 6]);
    }

    #[test]
    fn a_field_comes_before_a_group_of_its_name() {
        // `blocks.1.up` is in a group `head`, and there is a field `head`.
        assert_eq!(settled(&["head"]).unwrap(), [None, None, None, None, None, Some("head")]);
    }

    #[test]
    fn settings_that_are_alike_are_one() {
        let mut groups = groups(&["nothing"]);
        let own = ParameterGroup::new;
        for (name, group) in [
            ("decay", own().weight_decay(0.5)),
            ("still", own().rate(0.0)),
            ("again", own().rate(0.0).weight_decay(0.5)),
            ("other", own().weight_decay(0.0)),
        ] {
            groups.set(name, group);
        }
        let alike = |decay: f64| [None, Some(0), Some(1), Some(2), Some(3), Some(4)].map(|at| groups.alike(at, decay));
        assert_eq!(alike(0.5), [None, None, None, Some(2), Some(2), Some(4)]);
        assert_eq!(alike(0.0), [None, None, Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn names_of_nothing_are_refused() {
        let said = |names: &[&str]| settled(names).unwrap_err().to_string();
        let unknown = said(&["stil"]);
        assert!(unknown.contains("`group` is `stil`"), "{unknown}");
        assert!(unknown.contains("`absent`, `head`, `slow`, `still`"), "{unknown}");
        assert!(unknown.contains("here `embed`, `blocks`, `shift`, `head`, or"), "{unknown}");
        let shared = said(&["output"]);
        assert!(shared.contains("`output.weight` is `embed.weight`; name `embed.weight`"), "{shared}");
        assert_eq!(said(&["output.weight"]), shared.replacen("`output`", "`output.weight`", 1));
        assert!(said(&["slow", "slow"]).contains("each path once"));
    }
}
