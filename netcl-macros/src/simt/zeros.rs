//! What arrays start with: zeros, on every device.
//!
//! OpenCL leaves in them what was there before, of another launch or of another program. A compiler leaves out the zeros of
//! a private array that it sees overwritten.

use super::state::Simt;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{ArrayId, Expr, ExprId, Space, Stmt as Kir, ValueType, WorkItem};

impl Simt<'_> {
    /// Makes a private array zeros where it is declared: in a loop it is a new one in each round.
    pub(super) fn zero_private(&mut self, array: ArrayId) {
        let length = self.builder.kernel().arrays[array.0 as usize].length;
        let builder = &mut self.builder;
        let (start, end, step) = (number(builder, 0), number(builder, length), number(builder, 1));
        if length == 1 {
            return zero(builder, array, start);
        }
        builder.for_loop("k", start, end, step, |builder, k| zero(builder, array, k));
    }

    /// The statements by which the items of a group of that size make the local arrays zeros before anything else happens.
    pub(super) fn zero_local(&mut self, group: &[u32]) -> Vec<Kir> {
        let builder = &mut self.builder;
        let arrays = builder.kernel().arrays.iter().enumerate();
        let local = arrays.filter(|(_, array)| array.space == Space::Local);
        let local: Vec<(ArrayId, u32)> =
            local.map(|(position, array)| (ArrayId(position as u32), array.length)).collect();
        // That the items work together needs a group: the verifier says so.
        if local.is_empty() || group.is_empty() {
            return Vec::new();
        }
        builder.open();
        let items: u32 = group.iter().product();
        let item = item_of_group(builder, group);
        for (array, length) in local {
            let end = number(builder, length);
            if length > items {
                let step = number(builder, items);
                builder.for_loop("k", item, end, step, |builder, k| zero(builder, array, k));
            } else if length == items {
                zero(builder, array, item);
            } else {
                let inside = builder.compare(netcl_kernels::graph::CompareOp::Lt, item, end);
                builder.if_then(inside, |builder| zero(builder, array, item));
            }
        }
        builder.barrier();
        builder.close()
    }
}

fn number(builder: &mut KernelBuilder, value: u32) -> ExprId {
    builder.literal(Literal::Int(i64::from(value), DType::U32))
}

/// The position of an item in its group, the first axis the fastest.
fn item_of_group(builder: &mut KernelBuilder, group: &[u32]) -> ExprId {
    let (mut item, mut stride) = (None, 1);
    for (axis, size) in (0..).zip(group) {
        let id = builder.push(Expr::WorkItem(WorkItem::LocalId, axis), ValueType::scalar(DType::U32));
        let by = number(builder, stride);
        let part = builder.mul(id, by);
        item = Some(item.map_or(part, |before| builder.add(before, part)));
        stride *= size;
    }
    match item {
        Some(item) if group.len() > 1 => builder.named("item", item),
        item => item.unwrap_or_else(|| number(builder, 0)),
    }
}

fn zero(builder: &mut KernelBuilder, array: ArrayId, index: ExprId) {
    let dtype = builder.kernel().arrays[array.0 as usize].dtype.compute();
    let value = builder.literal(Literal::of(0.0, dtype));
    builder.stmt(Kir::StoreArray { array, index, value });
}
