//! Ids and sizes of the index space as CUDA and OpenCL call them. Several in one expression are one mistake: what to write is the
//! whole of it.

use super::state::{Simt, Val};
use crate::foreign;
use crate::messages as m;
use crate::parse::index::text_of;
use crate::parse::{text, unparenthesized};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, Member};

impl Simt<'_> {
    /// Rule: work-items are counted by functions. Wrong: `blockIdx.x * blockDim.x + threadIdx.x`.
    pub(super) fn ids_elsewhere(&self, binary: &ExprBinary) -> Option<Val> {
        // Most expressions have none: the text of all that is on its left is not written out at each `+`.
        if !has_ids(&binary.left) && !has_ids(&binary.right) {
            return None;
        }
        let mut names = Vec::new();
        let here = replaced(&Expr::Binary(binary.clone()), &mut names);
        let ((first, place), rest) = names.split_first()?;
        let ((last, _), between) = rest.split_last()?;
        let between: String = between.iter().map(|(name, _)| format!(", `{name}`")).collect();
        let all = format!("`{first}`{between} or `{last}`");
        Some(self.report(*place, &m::SIMT_IDS, &[&all, &text_of(&here)]))
    }

    /// The same of one by itself.
    pub(super) fn id_elsewhere(&self, expr: &Expr) -> Option<Val> {
        let here = of_cuda(expr)?;
        Some(self.report(expr.span(), &m::SIMT_IDS, &[&format!("`{}`", text(expr)), &here]))
    }
}

/// Whether such a name is in the expression.
fn has_ids(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(binary) => has_ids(&binary.left) || has_ids(&binary.right),
        Expr::Paren(inner) => has_ids(&inner.expr),
        Expr::Cast(cast) => has_ids(&cast.expr),
        other => of_cuda(other).is_some() || of_opencl(other).is_some(),
    }
}

/// The expression with what stands here for such names; these, and where they stood, are added to `names`.
fn replaced(expr: &Expr, names: &mut Vec<(String, Span)>) -> Expr {
    if let Some(here) = of_cuda(expr).or_else(|| of_opencl(expr)).and_then(|here| syn::parse_str(&here).ok()) {
        names.push((text(expr), expr.span()));
        return here;
    }
    let mut expr = expr.clone();
    match &mut expr {
        Expr::Binary(binary) => {
            *binary.left = replaced(&binary.left, names);
            *binary.right = replaced(&binary.right, names);
        }
        Expr::Paren(inner) => *inner.expr = replaced(&inner.expr, names),
        Expr::Cast(cast) => *cast.expr = replaced(&cast.expr, names),
        _ => {}
    }
    whole(&expr).unwrap_or(expr)
}

/// `blockIdx.x`
fn of_cuda(expr: &Expr) -> Option<String> {
    let Expr::Field(field) = expr else { return None };
    let (Expr::Path(path), Member::Named(axis)) = (&*field.base, &field.member) else { return None };
    let here = foreign::variable(&path.path.get_ident()?.to_string())?;
    let axis = ["x", "y", "z"].iter().position(|name| axis == name)?;
    Some(here.replace('0', &axis.to_string()))
}

/// `get_group_id(0)`
fn of_opencl(expr: &Expr) -> Option<String> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let name = path.path.get_ident()?.to_string();
    let here = foreign::device(&name).filter(|here| name.starts_with("get_") && here.ends_with("(0)"))?;
    Some(foreign::device_of(here, &call.args.iter().map(text_of).collect::<Vec<_>>()))
}

/// `group_id(0) * local_size(0) + local_id(0)` is `global_id(0)`.
fn whole(expr: &Expr) -> Option<Expr> {
    let Expr::Binary(ExprBinary { left, op: BinOp::Add(_), right, .. }) = expr else { return None };
    let written = |side: &Expr| text_of(unparenthesized(side));
    let product = |side: &Expr| match unparenthesized(side) {
        Expr::Binary(ExprBinary { left, op: BinOp::Mul(_), right, .. }) => Some([written(left), written(right)]),
        _ => None,
    };
    let (factors, offset) =
        product(left).map(|factors| (factors, written(right))).or_else(|| Some((product(right)?, written(left))))?;
    let axis = offset.strip_prefix("local_id(")?.strip_suffix(')')?.to_string();
    let [group, size] = [format!("group_id({axis})"), format!("local_size({axis})")];
    let fits = factors == [group.clone(), size.clone()] || factors == [size, group];
    fits.then(|| syn::parse_str(&format!("global_id({axis})")).ok()).flatten()
}
