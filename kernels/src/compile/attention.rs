//! Attention as one kernel: an instance of its template.

use super::instance::Instance;
use super::plan_builder::PlanBuilder;
use super::product::alignment;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::{Attention, AttentionKind, AttentionSizes, NodeId, Op};
use crate::index::{self, Index};
use crate::span::{Diagnostic, Result};
use crate::variant::AttentionTask;

/// What the template calls the operands, in order.
const OPERANDS: [&str; 6] = ["q", "k", "v", "g", "lse", "delta"];

/// What it calls the results of a kind.
const fn results(kind: AttentionKind) -> &'static [&'static str] {
    match kind {
        AttentionKind::Forward => &["out", "lse"],
        AttentionKind::QueryGrad => &["dq"],
        AttentionKind::KeyValueGrad => &["dk", "dv"],
    }
}

impl PlanBuilder<'_> {
    fn attends(&self, id: NodeId) -> Result<(&Attention, AttentionSizes)> {
        let Op::Attention(attention) = &self.graph[id].op else {
            return Err(Diagnostic::new(format!("internal error: node {} is no attention", id.0)));
        };
        let sizes = self.graph.attention_sizes(attention);
        Ok((attention, sizes.ok_or_else(|| Diagnostic::new("internal error: an attention does not fit"))?))
    }

    /// What the attention `id` is, for whoever chooses how it is computed.
    pub(super) fn attention_task(&self, id: NodeId) -> Result<AttentionTask<Dim>> {
        let (attention, sizes) = self.attends(id)?;
        Ok(AttentionTask {
            kind: attention.kind,
            batch: Shape(sizes.batch).elements(),
            queries: sizes.queries,
            keys: sizes.keys,
            width: sizes.width,
            value_width: sizes.value_width,
            causal: attention.causal,
            dtype: self.graph[attention.operands[0]].dtype,
        })
    }

    /// The launch that computes the attention `id`.
    pub(super) fn attention(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        let (attention, sizes) = self.attends(id)?;
        let (attention, dtype) = (attention.clone(), self.graph[id].dtype);
        let kind = attention.kind;
        let task = self.attention_task(id)?;
        let Some(problem) = crate::variant::Task::Attention(task.clone()).estimate().problem() else {
            return Err(Diagnostic::new("internal error: an attention has a problem"));
        };
        let (template, choice) = self.chosen(id)?;
        let name = self.kernel_name(kind.operation());
        let mut instance = Instance::new(&name, template, self.width);
        instance.comments = self.describe(cluster);
        let number = match kind {
            AttentionKind::Forward => 0,
            AttentionKind::QueryGrad => 1,
            AttentionKind::KeyValueGrad => 2,
        };
        instance.define("KIND", number.to_string());
        instance.define("CAUSAL", u8::from(attention.causal).to_string());
        instance.define("RESULT_F32", u8::from(dtype == DType::F32).to_string());
        instance.lines(&choice.defines());
        let counts = [("WIDTH", &sizes.width), ("VALUE_WIDTH", &sizes.value_width), ("QUERIES", &sizes.queries)];
        for (macro_name, size) in counts.into_iter().chain([("KEYS", &sizes.keys)]) {
            let text = instance.count(size);
            instance.define(macro_name, text);
        }
        let batch = [task.batch.clone()];
        let axes = index::unflatten(&Index::var(0), &Shape(sizes.batch), &batch);
        let mut aligned = 8;
        for (position, &operand) in attention.operands.iter().enumerate() {
            let (base, address) = self.operand(id, operand)?;
            let own = self.buffers.name(base);
            instance.reads(&own, self.graph[base].dtype);
            let word = OPERANDS[position];
            let pointer = instance.parameter_name(&own);
            instance.define(word, pointer);
            if position >= kind.matrices() {
                continue;
            }
            let stride = |axis: usize| address.coefficient(axis).unwrap_or_default();
            let mut offset = Index::constant(address.offset().clone());
            for (axis, own) in axes.iter().enumerate() {
                offset = offset.plus(&own.times(&stride(axis)));
            }
            let letter = word.to_uppercase();
            let place = if instance.is_wide() { "(long)(batch)" } else { "(batch)" };
            let text = instance.index(&offset, &[place]);
            instance.define(&format!("{letter}_OFFSET(batch)"), text);
            let text = instance.dim(&stride(axes.len()));
            instance.define(&format!("{letter}_STRIDE"), text);
            aligned = aligned.min(alignment(&address, axes.len() + 2));
        }
        instance.define("ALIGNED", aligned.to_string());
        let mut unread = self.buffers.between(id).to_vec().into_iter();
        let mut unlisted = Vec::new();
        for (position, word) in results(kind).iter().enumerate() {
            let buffer = match self.result(cluster, id, position) {
                Some(node) => self.buffers.of(node),
                None => {
                    let own = unread.next().ok_or_else(|| Diagnostic::new("internal error: a result has no buffer"))?;
                    unlisted.push(own);
                    own
                }
            };
            let own = self.buffers.list[buffer.0 as usize].clone();
            instance.writes(&own.name, own.dtype);
            let pointer = instance.parameter_name(&own.name);
            instance.define(word, pointer);
        }
        instance.types(self.graph[attention.operands[0]].dtype, (template.lanes)(&choice));
        let rows = if kind == AttentionKind::KeyValueGrad { &sizes.keys } else { &sizes.queries };
        let launch = (template.grid)(&choice).launch(rows, &sizes.value_width, &task.batch);
        self.add_template(cluster, instance, Vec::new(), launch, (template.local_bytes)(&choice, &problem))?;
        self.also_writes(&unlisted);
        Ok(())
    }
}
