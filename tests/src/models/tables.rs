//! Models of tables and graphs.

use netcl::prelude::*;

/// Words beside their neighbours and beside others: rows that one batch takes several times.
#[netcl::model]
pub struct Word2vec {
    #[layer(entries = 23, features = 7)]
    center: Embedding,
    #[layer(entries = 23, features = 7)]
    context: Embedding,
}

#[netcl::model]
impl Word2vec {
    /// Scores of the neighbours, and of the others.
    pub fn forward(
        &self,
        word: &Tensor<u32, N>,
        near: &Tensor<u32, N>,
        other: &Tensor<u32, N, 3>,
    ) -> (Tensor<f32, N>, Tensor<f32, N, 3>) {
        let v = self.center.forward(word);
        let near = (&v * self.context.forward(near)).sum([1]);
        (near, self.context.forward(other).matmul(v.unsqueeze(2)).squeeze(2))
    }

    /// The mean negative log-likelihood that neighbours are near and others are not.
    pub fn loss(&self, word: &Tensor<u32, N>, near: &Tensor<u32, N>, other: &Tensor<u32, N, 3>) -> Tensor<f32> {
        let (near, other) = self.forward(word, near, other);
        -(near.log_sigmoid() + (-other).log_sigmoid().sum([1])).mean_all()
    }
}

/// Two convolutions over a graph's edges, then attention along them; some nodes have labels.
#[netcl::model]
pub struct Gcn {
    #[layer(inputs = 6, outputs = 8, bias = false)]
    first: Linear,
    #[layer(inputs = 8, outputs = 5)]
    second: Linear,
    #[layer(inputs = 5, outputs = 1, bias = false)]
    source: Linear,
    #[layer(inputs = 5, outputs = 1, bias = false)]
    target: Linear,
    #[layer(inputs = 5, outputs = 4)]
    head: Linear,
}

#[netcl::model]
impl Gcn {
    /// Scores of each vertex's classes.
    pub fn forward(&self, x: &Tensor<f32, V, 6>, edges: &Tensor<f32, V, V>) -> Tensor<f32, V, 4> {
        let degree = edges.sum([1]).rsqrt();
        let norm = edges * degree.unsqueeze(1) * degree.unsqueeze(0);
        let h = norm.matmul(self.first.forward(x)).relu();
        let h = self.second.forward(&norm.matmul(&h)).elu(0.5);
        let scores = (self.source.forward(&h) + self.target.forward(&h).t()).leaky_relu(0.2);
        let shares = scores.masked_fill(edges.le(0.0), -1e9).softmax(1);
        self.head.forward(&shares.matmul(&h))
    }

    /// The mean negative log-likelihood of the known vertices' classes.
    pub fn loss(
        &self,
        x: &Tensor<f32, V, 6>,
        edges: &Tensor<f32, V, V>,
        y: &Tensor<u32, V>,
        known: &Tensor<f32, V>,
    ) -> Tensor<f32> {
        let nll = -(self.forward(x, edges).log_softmax(1) * y.one_hot(4)).sum([1]);
        (nll * known).sum_all() / known.sum_all()
    }
}

/// Tables of several widths, a bag of items, products of pairs, and a deep part.
#[netcl::model]
pub struct WideDeep {
    #[layer(entries = 7, features = 4)]
    city: Embedding,
    #[layer(entries = 5, features = 4)]
    day: Embedding,
    #[layer(entries = 19, features = 4)]
    item: Embedding,
    #[layer(entries = 19, features = 1)]
    wide: Embedding,
    #[layer(inputs = 15, outputs = 9, bias = false)]
    deep1: Linear,
    #[layer(features = 9)]
    norm: BatchNorm,
    #[parameter(init = 0.0)]
    slope: Tensor<f32>,
    #[layer(inputs = 9, outputs = 6)]
    deep2: Linear,
    #[layer(inputs = 6, outputs = 1)]
    deep3: Linear,
}

#[netcl::model]
impl WideDeep {
    /// A score for each row.
    pub fn forward(
        &self,
        city: &Tensor<i32, N>,
        day: &Tensor<u32, N>,
        items: &Tensor<u32, N, 3>,
        numbers: &Tensor<f32, N, 3>,
    ) -> Tensor<f32, N> {
        let c = self.city.forward(city);
        let d = self.day.forward(day);
        let e = self.item.forward(items);
        let all = c.concat([&d, &e.mean([1]), numbers], 1);
        let h = self.norm.forward(&self.deep1.forward(&all)).prelu(&self.slope);
        let deep = self.deep3.forward(&self.deep2.forward(&h).mish()).squeeze(1);
        let pairs = 0.5 * (e.sum([1]).square() - e.square().sum([1])).sum([1]);
        deep + 0.1 * pairs + (c * d).sum([1]) + self.wide.forward(items).sum([1, 2])
    }

    /// The mean binary cross-entropy.
    pub fn loss(
        &self,
        city: &Tensor<i32, N>,
        day: &Tensor<u32, N>,
        items: &Tensor<u32, N, 3>,
        numbers: &Tensor<f32, N, 3>,
        y: &Tensor<f32, N>,
    ) -> Tensor<f32> {
        self.forward(city, day, items, numbers).bce_with_logits(y)
    }
}
