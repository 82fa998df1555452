//! Sources with one mistake each, in which what the message speaks of is marked.

use super::{MODEL, body, field, kernel, simt, value};

/// Sources with one mistake each.
pub(super) fn cases() -> Vec<String> {
    let named = |ty: &str| {
        format!(
            "#[netcl::model] pub struct Block<const F: usize, const H: usize> {{ #[layer(features = F, heads = H)] a: SelfAttention }}
             #[netcl::model] impl<const F: usize, const H: usize> Block<F, H> {{
                pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {{ self.a.forward(x) }} }}
             #[netcl::model] {ty}"
        )
    };
    let mut cases = vec![named("«type Small = Block<64, M>;»")];
    cases.extend(in_values());
    cases.extend(in_bodies());
    cases.extend(pasted());
    cases.extend(in_fields());
    cases.extend(on_others());
    cases.extend(in_signatures());
    cases.push("#[netcl::model] pub struct Block<«I: usize»> { #[layer(inputs = I, outputs = I)] l: Linear }".into());
    cases.push(
        "#[netcl::model] pub struct Block<const I: usize> { #[layer(inputs = I, outputs = I)] l: Linear }
         #[netcl::model] «impl Block<I>» { pub fn forward(&self, x: &Tensor<f32, N, I>) -> Tensor<f32, N, I> { self.l.forward(x) } }"
            .into(),
    );
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, T, 8> {{
            let mut all = Vec::new(); for t in 0..T {{ all.push(self.a.forward(x.get(1, t))); }} «all» }} }}"
    ));
    cases.push("#[netcl::model] «pub struct Net(#[layer(inputs = 8, outputs = 8)] Linear);»".into());
    cases.push(value("«Tensor::concat(x, [y], 1)»"));
    cases.push(value("«x» && (y > 0.0)"));
    cases.push(value("x + («!N» & 7) as f32"));
    for range in ["T..0", "T - 1..=0", "T..1", "(0..T).step_by(2)"] {
        cases.push(format!(
            "{MODEL} #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 8> {{
                let mut h = Tensor::zeros([N, 8]); for t in «{range}» {{ h = h + self.a.forward(x.get(1, t)); }} h }} }}"
        ));
    }
    for given in ["\"Gelu\"", "[Gelu, Relu]"] {
        cases.push(format!(
            "#[netcl::model] pub enum Act {{ Relu, Gelu }}
             #[netcl::model] impl Act {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{
                match self {{ Act::Relu => x.relu(), Act::Gelu => x.gelu() }} }} }}
             #[netcl::model] pub struct Net {{ #[layer(variant = «{given}»)] a: Act }}
             #[netcl::model] impl Net {{ pub fn f(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ self.a.forward(x) }} }}"
        ));
    }
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{ fn helper(x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ x.relu() }}
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ self.a.forward(«self.helper(x)») }} }}"
    ));
    cases.push("netcl::kernel! { pub fn same(x: &Tensor<f32, N, 8>)« »{ |n, c| x[n, c] } }".into());
    cases.push("#[netcl::tensors] pub struct Batch { x: «&Tensor<f32, N, 8>» }".into());
    cases.push("#[netcl::tensors] pub struct Batch { xs: «Vec<Tensor<f32, N, 8>>» }".into());
    cases.push(format!(
        "#[netcl::tensors] pub struct Batch {{ x: Tensor<f32, N, 8> }}
         {MODEL} #[netcl::model] impl Net {{ pub fn forward(&self, b: «Batch») -> Tensor<f32, N, 8> {{ self.a.forward(&b.x) }} }}"
    ));
    cases.extend(in_kernels());
    cases.extend(of_types());
    cases.extend(of_numbers_and_patterns());
    cases.extend(
        [
            "pub fn k(x: &Tensor<f32, N, C>, s: f32) -> Tensor<f32, N, C> { «max(x * 2.0 - s, 0.0)» }",
            "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| «x[N - n]» * 2.0 }",
            "«#[lanch(global = [N])]» pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[0]; }",
            "#[launch(global = [N])] pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { let i = «blockIdx.x * blockDim.x + threadIdx.x»; y[i] = x[i]; }",
        ]
        .map(kernel),
    );
    cases
}

/// The same in what functions return.
fn in_values() -> Vec<String> {
    let expressions = [
        // Methods on the wrong thing.
        "«sq.check(x)»",
        "x + «Tensor::<f32>::zeros([N, 8])»",
        "«x.relu::<f32>()»",
        "«self.a(x)»",
        "«(self.a)(x)»",
        "«self.a.relu(x)»",
        "«self.a.forward(x).unwrap()»",
        "«self.a.forward(x).expect(\"forward\")»",
        "«Tensor::cat(&[x, y], 1)»",
        "«torch::stack((x, y), 0)»",
        "«F::relu(x)»",
        "«F::softmax(&self.a.forward(x), 1)»",
        "x.cast(«\"f16\"»)",
        "«x.size(0)» + 1",
        "«x.view([N, 2, 4])»",
        "«x.view(N, 2, 4)»",
        "«x.tensordot(y)»",
        "«x.relu_()»",
        "x.max_all() + «x.sum()»",
        "«x.argmax()»",
        "«x.var()»",
        "«x.softmax()»",
        "«x.max(0.0)»",
        "«x.min(y)»",
        "x.concat(«vec![y]», 1)",
        "x * («1 / 2»)",
        "«x.T»",
        "«x.softmax(dim = 1)»",
        "«self.a.forward(input = x)»",
        "«Linear::forward(&self.a, x)»",
        "«a».forward(x)",
        "«x.split(2, 1)»",
        "x - «x.mean([1])»",
        "x + «Tensor::zeros(x.device(), &[N, 8], DType::F32)»",
        "x + «Tensor::full(&device, 0.5, &[N, 8])»",
        "«grad(x, &self.a.forward(x).sum_all())»",
        "x * «labels.cast(f32)»",
        "«x.matmul(y)»",
        "«x.gather(1, labels)»",
        "«x.where_(x > 0.0, 0.0)»",
        "sq(«labels»)",
        "«x.softmax(\"N\")»",
        // Arguments one by one, too many and too few.
        "«x.reshape(N, 2, 4)»",
        "«x.permute(1, 0)»",
        "«x.mean([1], true)»",
        "«x.sum([1], keepdim = true)»",
        "«x.sum([1], false)»",
        "«x.clamp(0.0)»",
        "«x.sort(1)»",
        "«x.repeat([1, 2])»",
        "«x.norm([1])»",
        "«x.dim()» + 1",
        "«x.dim(-1)» + 1",
        "«x.dim(2)» + 1",
        // Parts of a tensor.
        "«x[0]»",
        "«x[-1]»",
        "«x[labels]»",
        "«x[(.., 1..3)]»",
        "«x[(.., 0)]»",
        "«x[(0, 1)]»",
        "«x[x > 0.0]»",
        "«x ^ 2»",
        "x.maximum(«0i32»)",
        "x.leaky_relu(«1u32»)",
        "«x ^ 0.5»",
        // What is called otherwise, or in another order, elsewhere.
        "«x.select(x > 0.0, 0.0)»",
        "«Tensor::where_(x > 0.0, x, 0.0)»",
        "x.masked_fill(x > 0.0, -«inf»)",
        "x.masked_fill(x > 0.0, «float(\"-inf\")»)",
        "«x.to(torch::float16)»",
        "«self.l.iter().fold(|h, l| l.forward(h))»",
        "«grad(|x| self.a.forward(x).sum_all(), x)»",
    ];
    expressions.map(value).into()
}

/// The same in functions' bodies.
fn in_bodies() -> Vec<String> {
    let bodies = [
        "let (h, «h») = (self.a.forward(x), y); h",
        "let act = |h, «h»| h.relu(); act(x, y)",
        "self.a.forward(x).«powi(2.5)»",
        "let loss = self.a.forward(x).sum_all(); «grad(&loss)»",
        "grad(&«self.a.forward(x)», x)",
        "self.a.forward(x)«;»",
        "let h = { x.relu()«;» }; h",
        "if deep { x.relu()«;» } else { x }",
        "let it: Tensor<f32, N, «4»> = x; x",
        "self.a.forward(«x, y»)",
        "let mut h = self.a.forward(x); «h.relu_();» h",
        "let mut h = self.a.forward(x); «h.relu();» h",
        "let «(v, _)» = x.max([1]); x",
        "let «(v, _)» = x.topk(2, 1); x",
        "let k = 1; if «k = 1» { x } else { y }",
        "let (weight, bias) = (Tensor::ones([4, 8]), Tensor::ones([4])); let it = «x.linear(weight, bias)»; x",
        "for t in 0..N { let it = «x[t]»; } x",
        "let mut h = x; for l in &«self.l[1..3]» { h = l.forward(h); } h",
        "let mut h = Tensor::zeros([8]); for t in «N..0» { h = h + x.get(0, t); } x + h",
        "let mut h = Tensor::zeros([8]); for t in «N - 1..=0» { h = h + x.get(0, t); } x + h",
        "let mut ys = Vec::new(); for t in 0..N { ys.push(x.get(0, t)); } let it = «ys[0]»; x",
        "let mut ys = Vec::new(); for t in 0..N { ys.push(x.get(0, t)); } let it = «Tensor::cat(ys, 0)»; x",
    ];
    bodies.map(body).into()
}

/// Text of PyTorch, NumPy and JAX in bodies, as it is pasted.
fn pasted() -> Vec<String> {
    let all = [
        "«x.clamp(min = 0.0)»",
        "«x.norm(dim = 1)»",
        "«x.mean(dim=1, keepdim=True)»",
        "«F.relu(x, inplace=True)»",
        "«torch.relu(torch.relu(x))»",
        "«torch.relu(torch.mean(x, dim=1))»",
        "«torch::cat([x, y], dim = 1)»",
        "«torch.cat([x, y], 1)»",
        "«F.gelu(x)»",
        "«nn.functional.relu(x)»",
        "«np.exp(x)»",
        "«x[None]»",
        "«x.pad((1, 1))»",
        "«x.gather(1, labels.unsqueeze(1))»",
    ];
    all.into_iter().map(value).collect()
}

/// The same of fields, and of structs.
fn in_fields() -> Vec<String> {
    let mut cases = Vec::new();
    // Fields and their keys.
    for text in [
        "«#[linear(inputs = 8, outputs = 8)]» p: Linear",
        "#[parameter(«init = glorot_uniform»)] p: Tensor<f32, 8, 2>",
        "#[parameter(«init = kaiming_normal_»)] p: Tensor<f32, 8, 2>",
        "#[parameter(«init = kaiming_normal(-1.0)»)] p: Tensor<f32, 8, 2>",
        "#[parameter(«init = zeros»)] p: Tensor<f32, 8>",
        "#[parameter(«init = 1.0 + x»)] p: Tensor<f32, 8>",
        "#[layer(inputs = 3, outputs = 4, kernel = 3, «padding = same»)] c: Conv2d",
        "#[layer(inputs = 3, outputs = 4, kernel = (5, 3), «padding = \"same\"»)] c: Conv2d",
        "#[layer(inputs = 3, outputs = 4, kernel = 3, «padding = valid»)] c: Conv2d",
        "#[layer(inputs = 8, outputs = 8)] p: «[Linear; 0]»",
        "«#[constant(relu)]» p: f32",
        "«#[constant(0.5)]» p: u32",
        "«»p: Tensor<f32, 8>",
        "#[layer(inputs = 8, outputs = 8)] p: «[Linear]»",
        "#[layer(inputs = 8, outputs = 8)] p: «Box<Linear>»",
        "«p: Linear<8, 2>»",
        "«p: SelfAttention<8, 2>»",
        "#[state(«init = 0.5»)] p: Tensor<u32, 8>",
        "#[state(«init = normal(0.5)»)] p: Tensor<i32, 8>",
        "#[state(«init = 2»)] p: Tensor<bool, 8>",
        "#[state(«init = -1e6»)] p: Tensor<f16, 8>",
        "#[state(«init = uniform(1e39)»)] p: Tensor<bf16, 8>",
        "#[layer(inputs = 8, outputs = 8, «bias_init = -1e39»)] p: Linear",
        "#[parameter(init = 0.0)] p: «Tensor<u32, 8>»",
        "#[parameter(init = 1.0)] p: «Tensor<bool, 8>»",
        "«#[init(normal(0.02))] #[layer(inputs = 8, outputs = 8)]» p: Linear",
        "«#[init(0.5)] #[parameter(init = 0.0)]» p: Tensor<f32, 8>",
        "«#[config(bias = false)] #[layer(inputs = 8, outputs = 8)]» p: Linear",
        "«#[layer(inputs = 8, outputs = 8)]» p: Vec<Linear>",
        "#[layer(inputs = 8, outputs = 8)] p: «Option<Linear>»",
        "«#[layer(inputs = 8, outputs = 8)]» #[parameter(init = 0.0)] p: Tensor<f32, 8>",
        "#[layer(«inputs = \"8\"», outputs = 8)] p: Linear",
        "#[layer(features = 10, «heads = 4»)] p: SelfAttention",
        "#[layer(inputs = 6, outputs = 8, kernel = 3, «groups = 3»)] p: Conv2d",
        "#[layer(kernel = 2, «padding = 2»)] p: MaxPool2d",
        "«»p: Linear",
        "«#[frozen(true)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(slow, rate = 0.1)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[freeze]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[layers(inputs = 8, outputs = 8)]» p: Linear",
        "«#[group(\"no-decay\")]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(slow, still)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(no-decay)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(encoder.norm)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group = \"slow\"]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(name = slow)]» #[parameter(init = 0.0)] p: Tensor<f32, 8>",
        "«#[group(weight_decay = 0.0)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(a)]» #[layer(inputs = 8, outputs = 8)] p: Linear",
        "«#[group(p)]» #[layer(inputs = 8, outputs = 8)] p: Linear, #[group(slow)] #[layer(inputs = 8, outputs = 8)] p_group: Linear",
        "«p: Parameter<f32, 8>»",
        "#[layer(inputs = 8, outputs = 8)] p: «nn::Linear»",
        "#[layer(inputs = 8, outputs = 8)] p: «Linear<B>»",
        "«p: Linear<B>»",
        "«#[parameter(inputs = 8, outputs = 8)]» p: Linear",
        "#[parameter(init = 1.0)] p: «f32»",
        "«#[parameter(1.0)]» p: Tensor<f32, 8>",
        "#[parameter(«init = [1.0, 2.0]»)] p: Tensor<f32, 2>",
        "#[layer(inputs = 8, outputs = 8, «bias = 0»)] p: Linear",
        "#[layer(inputs = 8, «outputs = 8.0»)] p: Linear",
        "#[layer(entries = 9, features = 8)] words: Embedding, #[layer(inputs = 8, outputs = 9, shared = «words.weight»)] p: Linear",
        "#[layer(entries = 9, features = 8)] words: Embedding, #[layer(inputs = 8, outputs = 9, shared = «self.words»)] p: Linear",
    ] {
        cases.push(field(text));
    }
    cases.push("#[netcl::model] pub struct Net { #[layer(inputs = 8, outputs = 8, count = 2)] a: «Linear» }".into());
    cases.push(
        "#[netcl::model] pub enum Act { Relu, «#[layer(inputs = 8, outputs = 8)] Both(Linear, Linear)» }
         #[netcl::model] impl Act { pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            match self { Act::Relu => x.relu(), Act::Both(a, b) => b.forward(a.forward(x)) } } }"
            .into(),
    );
    cases.push(
        "#[netcl::model] pub enum Act { Relu, «#[default(true)]» Tanh }
         #[netcl::model] impl Act { pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            match self { Act::Relu => x.relu(), Act::Tanh => x.tanh() } } }"
            .into(),
    );
    cases
}

/// Calls on what has no such function.
fn on_others() -> Vec<String> {
    let mut cases: Vec<String> = [
        "let a = 2.0; «a.forward(x)»",
        "let all = (&self.a, &self.l[0]); let mut h = x; for (layer, i) in self.l.iter().enumerate() { h = «layer.forward(h)»; } h",
        "let twice = |h| h * 2.0; «twice.forward(x)»",
        "x + «Tensor::zero([N, 8])»",
        "x + «Tensor::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])»",
        "self.a.forward(«Box::new(x)»)",
    ]
    .map(body)
    .into();
    cases.push(
        "#[netcl::model] pub struct Net { #[state(init = 0.0)] s: [Tensor<f32, 8>; 2] }
         #[netcl::model] impl Net { pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            let s = &self.s[1]; «s.set(x.mean([0]))»; x + &self.s[1] } }"
            .into(),
    );
    for [part, state] in [["b: [Part; 2]", "self.b[1].s"], ["b: (Part, Part)", "self.b.1.s"]] {
        cases.push(format!(
            "#[netcl::model] pub struct Part {{ #[state(init = 0.0)] s: Tensor<f32, 8> }}
             #[netcl::model] impl Part {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ x + &self.s }} }}
             #[netcl::model] pub struct Net {{ {part} }}
             #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{
                let s = &{state}; «s.set(x.mean([0]))»; x + &{state} }} }}"
        ));
    }
    cases
}

/// The same in signatures and items.
fn in_signatures() -> Vec<String> {
    let mut cases = Vec::new();
    let signature =
        |from: &str| format!("{MODEL} #[netcl::model] impl Net {{ pub fn forward({from} {{ self.a.forward(x) }} }}");
    cases.push(signature("«self», x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, «4»>"));
    cases.push(signature("&self, x: &«T»<f32, N, 8>) -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: &Tensor<f32, N, 8>) -> «Tensor<f32, M, 4>»").replace("M, 4", "8, N"));
    cases.push(signature("&self, x: &Tensor<f32, N, 8>) -> «Result<Tensor<f32, N, 8>>»").replace("-> «", "«-> "));
    cases.push(
        "«#[derive(Copy)]» #[netcl::model] pub struct Net { #[layer(inputs = 8, outputs = 8)] a: Linear }".into(),
    );
    cases.push("«#[netcl::constant] const HIDDEN: usize = width();»".into());
    cases.push("#[netcl::tensors] «pub struct Pair(Tensor<f32, N>, Tensor<f32, N, 8>);»".into());
    cases.push(signature("&self, x: «&Tensor<f32>») -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: «Tensor<f32, N, 8>») -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, (x, y): («Tensor<f32, N, 8>», &Tensor<f32, N>)) -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: &Tensor<f32, N, 8>, «s: f64») -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: &Tensor<f32, N, 8>, «s: u8») -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, «-1», 8>) -> Tensor<f32, N, 8>"));
    cases.push(signature("&self, x: «Option<&Tensor<f32, N, 8>>») -> Tensor<f32, N, 8>"));
    for attr in ["training", "moed(training)"] {
        let attr = format!("«#[{attr}]» pub fn");
        cases.push(signature("&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8>").replace("pub fn", &attr));
    }
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{
            pub fn loss(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {{ x.cross_entropy(labels) }}
            pub fn step(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {{ «self.loss(labels, x)» }}
        }}"
    ));
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{
            fn hidden(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ self.a.forward(x) }}
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{ «Self::hidden(x)» }}
        }}"
    ));
    cases.push(
        "#[netcl::model] pub struct Net { #[layer(inputs = 8, outputs = 8, «bias = false»)] a: Linear }
         #[netcl::model] impl Net { pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { self.a.forward(x) + &self.a.bias } }"
            .into(),
    );
    cases.push(
        "#[netcl::model] pub struct Block<«const DEEP: bool»> { #[layer(inputs = 8, outputs = 8)] l: Linear }
         #[netcl::model] impl<const DEEP: usize> Block<DEEP> {
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { if DEEP == 1 { self.l.forward(x) } else { x.relu() } } }"
            .into(),
    );
    cases.push(
        "#[netcl::model] pub struct Block<A = Relu> { act: A }
         #[netcl::model] impl<A> Block<A> { pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> { «self.act(x)» } }"
            .into(),
    );
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{
            «#[gradients]» pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {{ self.a.forward(x).sum_all() }}
        }}"
    ));
    cases
}

/// Numbers that Rust has not, and patterns.
fn of_numbers_and_patterns() -> Vec<String> {
    let mut cases = vec![simt("y[i, 1] = if «i as bool» { 1.0 } else { 2.0 };")];
    cases.push(kernel("pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| if «3 as bool» { x[n] } else { 0.0 } }"));
    for number in ["2i32.pow(40)", "-i32::MIN", "i32::MIN.abs()"] {
        cases.push(kernel(&format!(
            "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> {{ |n| x[n] + («{number}») as f32 }}"
        )));
    }
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{
            let «[a, b]» = (x.relu(), self.a.forward(x)); a + b }} }}"
    ));
    cases.push(kernel("pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { «|&n|» x[n] * 2.0 }"));
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{ pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {{
            self.a.forward(&«torch::einsum(\"nc,nc->nc\", x, x)») }} }}"
    ));
    cases.push(format!(
        "{MODEL} #[netcl::model] impl Net {{
            pub fn forward(&self, x: &Tensor<f32, N, 8>) -> «&Tensor<f32, N, 8>» {{ self.a.forward(x) }} }}"
    ));
    cases.push(format!(
        "#[netcl::tensors] pub struct Out {{ h: Tensor<f32, N, 8> }}
         {MODEL} #[netcl::model] impl Net {{
            pub fn forward(&self, x: &Tensor<f32, N, 8>) «-> Option<Out>» {{ Out {{ h: self.a.forward(x) }} }} }}"
    ));
    cases.push(
        "#[netcl::model] pub struct Net { #[layer(inputs = 8, outputs = 8, «bias = False»)] a: Linear }
         #[netcl::model] impl Net { pub fn f(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> { self.a.forward(x) } }"
            .into(),
    );
    cases
}

/// Of types that are not those of what they meet.
fn of_types() -> impl Iterator<Item = String> {
    let kernels = [
        "pub fn k(x: &«Tensor<N, f32>») -> Tensor<f32, N> { |n| x[n] }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + «3i32» }",
        "#[launch(global = [N])] pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)] * «2»; }",
    ];
    kernels.into_iter().map(kernel)
}

/// The same in kernels of both forms.
fn in_kernels() -> Vec<String> {
    let mut cases = Vec::new();
    let copied = "fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }";
    cases.push(kernel(&format!("#[launch(global = [N])] «#[opencl(1)]» {copied}")));
    cases.push(format!(
        "{} #[netcl::function] fn f(x: &Tensor<f32, N>) -> Tensor<f32, N> {{ «copied(x)» }}",
        kernel(&format!("#[launch(global = [N], unchecked)] {copied}"))
    ));
    for text in [
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { «|n: usize|» x[n] }",
        "#[launch(global = [N])] pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { let i = global_id(0) as i32; y[global_id(0)] = x[«i»]; }",
        "#[launch(global = [N, M], «local = [64, 64]»)] pub fn k(x: &Tensor<f32, N, M>, y: &mut Tensor<f32, N, M>) { let (i, j) = (global_id(0), global_id(1)); y[i, j] = x[i, j]; }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { x[n] * 2.0«;» } }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 2.0«;» }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| «x[c, n]» * 2.0 }",
        "pub fn k(x: &Tensor<f32, N, C>, e: &Tensor<u32, N>) -> Tensor<f32, N> { |n| «sum(0..e[n], |k| x[n, k])» }",
        "pub fn k(x: &Tensor<f32, N>, last: i32) -> Tensor<f32> { «max(0..=last, |k| x[k] * 2.0)» }",
        "pub fn k(x: &Tensor<f32, N>, by: i32) -> Tensor<f32, N> { |n| «x[n + by]» }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| «x[n, c]» * 2.0 }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| sum(«c», |k| x[n, k]) }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| x[n, 0] * sum(«0.0..2.0», |k| k as f32) }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| sum((0..C, 0..2), «|c|» x[n, c]) }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32> { sum(«0..N», |n, c| x[n, c]) }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| «pad(x[n - 1] + x[n])» * 0.5 }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| «pad(pad(x[n - 1]))» * 0.5 }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N, N> { |n, m| «x[n * m]» }",
        "pub fn k(x: &Tensor<f32, N, C>, len: u32) -> Tensor<f32, N> { |n| «sum(0..len, |c| x[n, c])» }",
        "pub fn k(x: &Tensor<f32, N, C>, len: &Tensor<u32, N>) -> Tensor<f32, N> { |n| «prod(0..len[n], |c| x[n, c])» }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| «max(0..C)» + x[n, 0] }",
        "pub fn k(x: &Tensor<f32, N>, «y»: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, «c»| x[n, 0] }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| «pad(1.0)» + x[n, c] }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| «pad(x[n, c - 1], 1.0)» + x[n, c] }",
        "pub fn k(x: &Tensor<f32, N>, at: &Tensor<f32, M>) -> Tensor<f32, M> { |m| x[«at[m]»] }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] / «x.len()» as f32 }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| x[n, c] / «x.dim(1)» as f32 }",
        "pub fn k(x: &Tensor<f32, N>, at: &Tensor<i64, M>) -> Tensor<f32, M> { |m| x[«at[m]»] }",
        "pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N, N> { |n, m| «x[min(n + 1, m)]» }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| «x[n, (c - 1).max(n)]» }",
        "pub fn k(x: &Tensor<f32, N>, s: &Tensor<f32>) -> Tensor<f32, N> { |n| x[n] * «s[0]» }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| fold(«(0..C).rev()», 0.0, |h, c| h * 0.5 + x[n, c]) }",
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| sum(«(0..C).step_by(2)», |c| x[n, c]) }",
        "pub fn k(mask: &Tensor<bool, N>) -> Tensor<bool, N> { |n| mask[n] & «1» }",
    ] {
        cases.push(kernel(text));
    }
    cases.push(kernel(
        "pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| fold(0..C, 0.0, «|c, h|» h + x[n, c]) }",
    ));
    cases.push(kernel("pub fn k(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| «(0..C).map(|c| x[n, c]).sum()» }"));
    cases.push(kernel("pub fn k(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| «x[n] ^ 2» }"));
    // Kernels in SIMT form.
    for text in [
        "let g = «get_global_id(0)»; y[g, 0] = 1.0;",
        "let g = «threadIdx»; y[g, 0] = 1.0;",
        "let g = «global_id(7)»; y[g, 0] = 1.0;",
        "«let mut acc = 0;» acc += x[i, 0]; y[i, 0] = acc;",
        "«let u = global_id(0) as usize;» y[u, 0] = 1.0;",
        "y[i, 1] = «x[i][j]»;",
        "y[i, 1] = «sum(0..C, |c| x[i, c])»;",
        "y[i, 1] = «(x[i, j] > 0.0) * x[i, j]»;",
        "let v = x.load4(i) * «2.0»; y[i, 1] = v.lane(0);",
        "let mut v = x.load4(i); v -= «i»; y[i, 1] = v.lane(0);",
        "let v = «3» / x.load4(i); y[i, 1] = v.lane(0);",
        "let v = x.load4(i); «y[i, 1] = v;»",
        "«y[0, 1] += x[i, j];»",
        "«y[0, 1] = x[i, j] * 2.0;»",
        "y[i, 1] = 0.0; «x[i, j]»",
        "y[i, 1] = «x[i, j].relu()»;",
        "y[i, 1] = «fmaxf(x[i, j], value)»;",
        "y[i, 1] = «fmod(x[i, j] + 1.0, 2.0)»;",
    ] {
        cases.push(simt(text));
    }
    cases.push(kernel(
        "#[launch(global = [N])] #[gradient(g)] pub fn k(x: &Tensor<f32, N>, s: f32, y: &mut Tensor<f32, N>) {
            y[global_id(0)] = s * x[global_id(0)]; }
         #[launch(global = [N])] «fn g(x: &Tensor<f32, N>, dx: &mut Tensor<f32, N>)» { dx[global_id(0)] = x[global_id(0)]; }",
    ));
    for body in ["«atomic_add(y[x[global_id(0)]], 1)»;", "atomic_add(&mut y[0], «global_id(0) as i32»);"] {
        cases.push(kernel(&format!(
            "#[launch(global = [N])] pub fn k(x: &Tensor<u32, N>, y: &mut Tensor<u32, 10>) {{ {body} }}"
        )));
    }
    cases.push("#[netcl::function] pub fn f(x: f32) -> f32 { «(x + 1.0).leaky_relu(0.1)» * 2.0 }".into());
    cases.push("#[netcl::function] pub fn f(x: f32) -> f32 { «torch::sigmoid(x)» * 2.0 }".into());
    let arrays = "#[launch(global = [N], local = [64])] pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        «let mut scratch = local!([f32; N]);» scratch[local_id(0)] = x[global_id(0)]; y[global_id(0)] = scratch[local_id(0)]; }";
    cases.push(kernel(arrays));
    for launch in [
        "«global = N»",
        "«global = N, local = 64»",
        "global = [N], «local = 64»",
        "global = [N], «local = [8, 8]»",
        "«global = [N, 2, 2, 2]»",
        "global = [N], «unchecked = true»",
    ] {
        cases.push(kernel(&format!(
            "#[launch({launch})] pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {{ y[global_id(0)] = x[global_id(0)]; }}"
        )));
    }
    cases
}
