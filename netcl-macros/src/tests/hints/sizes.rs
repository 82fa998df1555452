//! Sizes that do not meet: a layer's and those of what comes, and those of two tensors.

use super::kernel;

/// A model of those fields with a function of that signature's end.
fn model(fields: &str, function: &str) -> String {
    format!(
        "#[netcl::model] pub struct Net {{ {fields} }}
         #[netcl::model] impl Net {{ pub fn forward(&self, {function} }}"
    )
}

/// Sources with one mistake each, in which what the message speaks of is marked.
pub(super) fn cases() -> Vec<String> {
    let mut cases = Vec::new();
    let linear = "#[layer(inputs = 8, outputs = 4)] a: Linear,";
    let image = "x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 4, 6, 6>";
    for (fields, function) in [
        // A layer's own key.
        (
            "#[layer(entries = 10, features = 16)] e: Embedding, #[layer(«inputs = 32», outputs = 4)] o: Linear",
            "x: &Tensor<u32, N, T>) -> Tensor<f32, N, T, 4> { self.o.forward(self.e.forward(x)) }".to_string(),
        ),
        (
            "#[layer(inputs = 3, outputs = 4, kernel = 3)] c: Conv2d, #[layer(«features = 3»)] n: BatchNorm",
            format!("{image} {{ self.n.forward(&self.c.forward(x)) }}"),
        ),
        ("#[layer(«inputs = 1», outputs = 4, kernel = 3)] c: Conv2d", format!("{image} {{ self.c.forward(x) }}")),
        (
            "#[layer(«features = 16», heads = 4)] t: SelfAttention",
            "x: &Tensor<f32, N, T, 12>) -> Tensor<f32, N, T, 12> { self.t.forward(x) }".to_string(),
        ),
        (
            "#[layer(«inputs = 8», outputs = 4)] l: [Linear; 3]",
            "x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> { let mut h = x; for l in &self.l { h = l.forward(&h); } h }"
                .to_string(),
        ),
        (
            "#[layer(«inputs = [8, 4, 2]», outputs = 4)] l: [Linear; 3]",
            "x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> { let mut h = x; for l in &self.l { h = l.forward(&h); } h }"
                .to_string(),
        ),
        (
            "#[layer(inputs = 8, «outputs = 4»)] a: Linear",
            "x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { let h = self.a.forward(x); self.a.forward(h) }".to_string(),
        ),
        // The argument's type.
        (linear, "«x: &Tensor<f32, 2>») -> Tensor<f32> { self.a.forward(x).sum_all() }".to_string()),
        (
            "#[layer(inputs = 3, outputs = 4, kernel = 3)] c: Conv2d",
            "«x: &Tensor<f32, 4>») -> Tensor<f32> { self.c.forward(x).sum_all() }".to_string(),
        ),
        (linear, "x: &Tensor<f32, N, «C»>) -> Tensor<f32, N, 4> { self.a.forward(x) }".to_string()),
        // Two tensors.
        (
            "#[layer(inputs = 8, outputs = 8)] a: Linear, #[parameter(init = 1.0)] «p: Tensor<f32, 4>»",
            "x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { self.a.forward(x) * &self.p }".to_string(),
        ),
        (
            "#[layer(inputs = 8, «outputs = 16»)] a: Linear",
            "x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { x + self.a.forward(x) }".to_string(),
        ),
        (
            linear,
            "x: &Tensor<f32, N, 8>, y: &Tensor<f32, «M», 8>) -> Tensor<f32, N, 4> { self.a.forward(x + y) }"
                .to_string(),
        ),
        (
            linear,
            "x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, «4»>) -> Tensor<f32, N, 4> { self.a.forward(x + y) }"
                .to_string(),
        ),
        (
            linear,
            "x: &Tensor<f32, N, T, 8>, y: &Tensor<f32, N, 8, T>) -> Tensor<f32, N, T, 4> { self.a.forward(x + «y») }"
                .to_string(),
        ),
        (
            "#[layer(inputs = 16, outputs = 16, kernel = 3, stride = 2, padding = 1)] c: Conv2d",
            "x: &Tensor<f32, N, 16, 8, 8>) -> Tensor<f32, N, 16, 4, 4> { self.c.forward(x) + «x» }".to_string(),
        ),
        (
            "#[layer(inputs = 16, outputs = 16, kernel = 3, «padding = 0»)] c: Conv2d",
            "x: &Tensor<f32, N, 16, 8, 8>) -> Tensor<f32, N, 16, 8, 8> { self.c.forward(x) + x }".to_string(),
        ),
        (
            "#[layer(inputs = 16, outputs = 16, kernel = 3, «padding = 0»)] c: Conv2d",
            "x: &Tensor<f32, N, 16, 8, 8>) -> Tensor<f32, N, 32, 8, 8> { self.c.forward(x).concat([x], 1) }"
                .to_string(),
        ),
    ] {
        cases.push(model(fields, &function));
    }
    // A generic model's.
    cases.push(
        "#[netcl::model] pub struct Net<const H: usize> {
            #[layer(inputs = 8, outputs = { H * 4 })] a: Linear, #[layer(«inputs = H», outputs = 2)] b: Linear }
         #[netcl::model] impl<const H: usize> Net<H> {
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> { self.b.forward(&self.a.forward(x)) } }"
            .into(),
    );
    // Elements that there are not.
    for read in ["x[«-1»]", "x[«N»]", "x[«N + 2»]"] {
        let read = read.replace(['«', '»'], "");
        cases.push(kernel(&format!(
            "pub fn k(x: &Tensor<f32, N>, y: &Tensor<f32, M>) -> Tensor<f32, M> {{ |m| y[m] * «{read}» }}"
        )));
    }
    cases.push(kernel("pub fn k(x: &Tensor<i32, N, C>) -> Tensor<f32, N> { |n| «mean(0..C, |c| x[n, c])» }"));
    cases.push(kernel("pub fn k(x: &Tensor<f32, N, 3>) -> Tensor<f32, N> { |n| x[n, 0] * «x[n, 3]» }"));
    cases
}
