//! Loops: the body is evaluated once for each round.

use super::{HostTensor, InputKind, Inputs, NodeId, Op, OutputKind, Precision, Run, Scan, TensorData, evaluate};
use crate::dim::{Dim, Symbol};
use crate::span::{Diagnostic, Result};

impl Run<'_> {
    /// The first result of the loop `id`; the others are kept.
    pub(super) fn run_scan(
        &mut self,
        id: NodeId,
        op: &Op,
        inputs: Inputs<'_>,
        precision: Precision,
    ) -> Result<HostTensor> {
        let Op::Scan { scan, length, operands } = op else { return Err(Diagnostic::new("a loop is run")) };
        let mut results = self.scan(scan, length, operands, inputs, precision)?.into_iter().enumerate();
        let (_, first) = results.next().ok_or_else(|| Diagnostic::new("a loop has a result"))?;
        self.results.extend(results.map(|(position, value)| ((id, position), value)));
        Ok(first)
    }

    /// The results of a loop.
    fn scan(
        &self,
        scan: &Scan,
        length: &Dim,
        operands: &[NodeId],
        inputs: Inputs<'_>,
        precision: Precision,
    ) -> Result<Vec<HostTensor>> {
        let length = self.dim(length)?.max(0) as u64;
        let mut given: Vec<HostTensor> = operands.iter().map(|operand| self.value(*operand).clone()).collect();
        let mut rounds: Vec<Vec<HostTensor>> = Vec::new();
        for round in 1..=length {
            let step = if scan.reverse { length + 1 - round } else { round };
            let bindings: Vec<(Symbol, u64)> =
                self.bindings.iter().cloned().chain([(scan.step.clone(), step)]).collect();
            let own = |kind: &InputKind, name: &str| match kind {
                InputKind::Argument(position) => given.get(*position).cloned(),
                _ => inputs(kind, name),
            };
            let mut results = evaluate(&scan.body, &bindings, &own, precision)?;
            results.sort_by_key(|(kind, _)| match kind {
                OutputKind::Result(position) => *position,
                _ => usize::MAX,
            });
            let mut results: Vec<HostTensor> = results.into_iter().map(|(_, value)| value).collect();
            let left = results.split_off(scan.carried);
            given.splice(..scan.carried, results);
            rounds.push(left);
        }
        if scan.reverse {
            rounds.reverse();
        }
        let mut all: Vec<HostTensor> = given.into_iter().take(scan.carried).collect();
        for position in scan.carried..scan.results() {
            let node = scan.result(position).map(|id| &scan.body[id]);
            let node = node.ok_or_else(|| Diagnostic::new("a loop's results are numbered"))?;
            let mut shape = self.shape(&node.shape)?;
            shape.insert(0, length as usize);
            let mut data = TensorData::zeros(node.dtype, 0);
            for round in &rounds {
                match (&mut data, round[position - scan.carried].data()) {
                    (TensorData::Float(all), TensorData::Float(own)) => all.extend(own),
                    (TensorData::Int(all), TensorData::Int(own)) => all.extend(own),
                    (TensorData::Bool(all), TensorData::Bool(own)) => all.extend(own),
                    _ => return Err(Diagnostic::new("the rounds of a loop give one type")),
                }
            }
            all.push(HostTensor::new(node.dtype, shape, data)?);
        }
        Ok(all)
    }
}
