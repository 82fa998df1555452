//! What calls of other functions cost: each is compiled where it stands, equal ones of functions of scalars once.

use super::{Lowering, Val};
use crate::ast::{Helper, Unit};
use crate::messages as m;
use crate::parse::name as name_of;
use crate::words;
use netcl_kernels::graph::NodeId;
use proc_macro2::Span;

impl<'a> Lowering<'a> {
    /// Rule: a function makes so many calls and no more. Wrong: `f30`, where `fn f1(x: f32) -> f32 { f0(f0(x)) }` and so on.
    ///
    /// Counts a call of `name`; `false` where there are too many, which is said once.
    pub(super) fn affords(&mut self, name: &str, span: Span) -> bool {
        self.calls.made += 1;
        if self.calls.made == words::MAX_CALLS + 1 {
            let own = |name: &str| name.rsplit("::").next().unwrap_or_default().to_string();
            let callers: Vec<String> = self.frames.iter().map(|frame| own(&frame.function)).collect();
            let first = callers.first().cloned().unwrap_or_default();
            let chain = chain(callers.into_iter().chain([own(name)]).collect());
            // Whoever calls a function with too many calls has too many: the first that is compiled says so.
            self.diag.first(span, &m::TOO_MANY_CALLS, &[&first, &words::MAX_CALLS, &chain]);
        }
        self.calls.made <= words::MAX_CALLS
    }

    /// What the function gave for these arguments before.
    pub(super) fn known_call(&self, helper: &'a Helper, args: &[NodeId]) -> Option<Val<'a>> {
        self.calls.known.get(&(std::ptr::from_ref(helper), args.to_vec())).cloned()
    }

    /// Notes what the function gives for these arguments.
    pub(super) fn note_call(&mut self, helper: &'a Helper, args: Vec<NodeId>, value: &Val<'a>) {
        if !value.is_unknown() {
            self.calls.known.insert((std::ptr::from_ref(helper), args), value.clone());
        }
    }

    /// Whether calling `name` of `unit` now would go round in a circle; reported if so. Functions of scalars cannot: each
    /// has been compiled before those that call it.
    pub(super) fn recursion(&mut self, unit: &'a Unit, name: &str, span: Span) -> bool {
        let same = |frame: &super::Frame<'a>| std::ptr::eq(frame.unit, unit) && frame.function == name;
        let Some(position) = self.frames.iter().position(same) else {
            return false;
        };
        let own = |name: &str| name.rsplit("::").next().unwrap_or_default().to_string();
        let mut circle: Vec<String> = self.frames[position..].iter().map(|frame| own(&frame.function)).collect();
        circle.push(own(name));
        // Each function of the circle is compiled: the first of them says so.
        let place = |name: &String| unit.functions.iter().position(|function| name_of(&function.name) == *name);
        let first = circle.iter().filter_map(place).min();
        let elsewhere = !self.closed && std::ptr::eq(self.frames[0].unit, unit) && place(&own(name)) != first;
        if !elsewhere {
            self.report(span, &m::RECURSION, &[&own(name), &circle.join(" → ")]);
        }
        true
    }
}

/// The names of functions of which each calls the next, the first and the last of many.
fn chain(names: Vec<String>) -> String {
    const SHOWN: usize = 4;
    if names.len() <= 2 * SHOWN {
        return names.join(" → ");
    }
    format!("{} → … → {}", names[..SHOWN].join(" → "), names[names.len() - SHOWN..].join(" → "))
}
