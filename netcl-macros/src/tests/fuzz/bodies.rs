//! Bodies of models' functions: operations with operands of all kinds, statements, layers, calls.

use super::{Draw, judged, tried};

const ONE: &str = "neg abs sign exp exp2 log log2 log1p expm1 sqrt rsqrt square recip sin cos tan erf floor ceil round not is_nan \
    is_finite detach relu relu6 gelu gelu_tanh silu sigmoid log_sigmoid tanh softplus selu hard_sigmoid hard_swish hard_tanh mish \
    softsign sum_all mean_all max_all min_all t";
const TWO: &str = "add sub mul div rem pow maximum minimum atan2 eq ne lt le gt ge and or xor shl shr prelu matmul mse_loss l1_loss bce_with_logits";
const REDUCTIONS: &str = "sum sum_keepdim mean mean_keepdim prod max max_keepdim min min_keepdim logsumexp any all flip argmax softmax log_softmax squeeze unsqueeze flatten";
const AXES: &str = "0 -1 1 [0] [-1] [0,1] [] [1,0] 2 [0,0] -5 [-1,-2] 3";
/// What takes and gives floats of one shape, whatever it is called on.
const PLAIN: &str = "relu() tanh() sigmoid() exp() neg() abs() square() sin() gelu() silu() softmax(-1) log_softmax(-1) clamp(-1.0,1.0) \
    add(y) mul(x) sub(2.0) maximum(y) leaky_relu(0.1) detach() t().t() mul(y) div(2.0) pow(2.0) flip([-1]) prelu(0.2) mean_keepdim(-1).add(x) \
    masked_fill(b,0.5) tril(0) matmul(self.w) linear(self.w,self.p) add(self.p) concat([y],0).narrow(0,0,N) unsqueeze(0).squeeze(0) \
    reshape([-1]).reshape([N,8]) pad(1,1,1,0.0).narrow(1,1,8) stack([y],0).get(0,1) index_select(0,i) gather(i) max_keepdim(1).sub(y) \
    repeat(0,2).narrow(0,N,N) gt(0.0).select(x,y) broadcast_to([3,N,8]).sum(0) unsqueeze(1).scaled_dot_product_attention(x.unsqueeze(1),x.unsqueeze(1),true).squeeze(1) \
    cast(f64).cast(f32) cast(f16).cast(f32) smooth_l1_loss(y,1.0).add(x) var([1],0).unsqueeze(1).add(y) logsumexp([1]).unsqueeze(-1).mul(x)";
const STARTS: &str = "x y (x+y) (x*2.0) self.l.forward(x) self.n.forward(x) self.lay[1].forward(x) self.again(x) soft(x) soft(y*z) -x \
    self.head.forward(x) Self::pair(x,z).1 self.drop.forward(x) (x>0.0).select(y,0.5) x*self.share";
const OPERANDS: &str = "x y z 2.0 3 -1 0 true x y 1e-3 [x,y] N M self.p self.w i b DEPTH h";
const SHAPES: [&str; 18] = [
    ", N, 8",
    ", N, 8",
    ", N, 8",
    ", N, 8",
    ", N, 8",
    ", N, 8",
    ", N, 8",
    "",
    ", N",
    ", 1, 8",
    ", N, 1",
    ", N, 3, 8",
    ", N, 4, 6, 6",
    ", N, N",
    ", 8",
    ", 1",
    ", { N * 2 }, 8",
    ", M, 8",
];
const TYPES: &str = "f32 f32 f32 f32 f32 f32 f32 f32 f32 f32 i32 u32 bool f16 bf16 f64 u8";

/// What follows a value.
fn call(draw: &mut Draw) -> String {
    let (operand, axes) = (draw.word(OPERANDS), draw.word(AXES));
    let number = draw.word("0 1 2 -1 3 N 8 N-1 DEPTH");
    let axis = draw.word("0 1 -1 2");
    match draw.below(40) {
        0..10 => format!(".{}()", draw.word(ONE)),
        10..17 => format!(".{}({operand})", draw.word(TWO)),
        17..22 => format!(".{}({axes})", draw.word(REDUCTIONS)),
        22 => format!(".{}({axes}, {})", draw.word("var std"), draw.word("0 1 8")),
        23 | 24 => format!(
            ".reshape([{}])",
            draw.word("N,8 -1 N,-1 2,-1,4 N,2,4 8,N 1,-1 -1,1 N*8 M,-1 N,0 {N/2},16 DEPTH,-1")
        ),
        25 => format!(".permute([{}])", draw.word("1,0 0,2,1 0 -1,0 3,2,1,0 0,0")),
        26 => format!(".transpose({})", draw.word("0,1 -1,-2 0,0 1,3")),
        27 => format!(".broadcast_to([{}])", draw.word("N,8 N,3,8 4,N,8 N,N M,N,8 2,N,4,6,6")),
        28 => format!(".narrow({axis}, {number}, {})", draw.word("1 2 N 0 8")),
        29 => format!(".get({axis}, {number})"),
        30 => format!(".pad({axis}, {}, {}, {})", draw.word("0 1 N"), draw.word("0 2 -1"), draw.word("0.0 1 -1e9")),
        31 => format!(".{}([{}], {axis})", draw.word("concat stack"), draw.word("x y x,y z")),
        32 => format!(".repeat({axis}, {})", draw.word("1 3 0 N")),
        33 => format!(
            ".{}",
            draw.word(
                "gather(i) index_select(0,i) index_select(-1,i) one_hot(5) masked_fill(x>0.0,0.0) masked_fill(b,1) \
            tril(0) triu(-1) triu(100) cross_entropy(i) nll_loss(i) cross_entropy_ignoring(i,-100)"
            )
        ),
        34 => format!(".cast({})", draw.word("f32 i32 u32 bool f16 bf16 f64 u8 i64")),
        35 => format!(".clamp({})", draw.word("-1.0,1.0 0,1 1,-1")),
        36 => format!(
            ".{}",
            draw.word("leaky_relu(0.1) elu(1.0) celu(0.0) lerp(x,0.5) huber_loss(x,1.0) smooth_l1_loss(x,0) elu(z)")
        ),
        37 => format!(
            ".{}",
            draw.word(
                "linear(self.w,self.p) matmul(self.w) scaled_dot_product_attention(x,x,true) conv2d(self.k,1,1,1,1) \
            conv2d(self.k,[2,1],[0,1],1,2) max_pool2d(2,2,0,1) avg_pool2d([2,3],1,1) max_pool2d(3,0,1,2)"
            )
        ),
        38 => format!(".{}", draw.word("select(x,y) select(2.0,x) select(x,0)")),
        _ => format!(".{}({operand})", draw.word("add mul sub clone unwrap shape view iter sum")),
    }
}

fn value(draw: &mut Draw) -> String {
    // Mostly of one shape, so that what follows is not lost.
    if !draw.once_in(6) {
        let count = draw.below(5);
        let start = draw.word(STARTS);
        let calls: String = (0..count).map(|_| format!(".{}", draw.word(PLAIN))).collect();
        return format!("({start}){calls}");
    }
    let start = draw.word(
        "x x y (x+y) (x*2.0) self.l.forward(x) self.c.forward(x) self.n.forward(x) self.p self.w (x>0.0) (x-y).abs() -x self.at.forward(x) \
        self.bn.forward(x) self.lay[1].forward(x) self.again(x) Self::free(x) soft(x) soft(y*z) h &x (x) x[0] self.l.weight self.lay[0].bias \
        self.share !b b x.matmul(self.w) Self::pair(x,z).0 self.drop.forward(x) self.head.forward(x) self.head.scale",
    );
    let count = 1 + draw.below(3);
    let mut text = start.to_string();
    for _ in 0..count {
        text += &call(draw);
    }
    match draw.below(8) {
        0 => format!("({text}) {} ({})", draw.word("+ - * / < > == & |"), draw.word(OPERANDS)),
        1 => format!("{} {} ({text})", draw.word("2.0 z x 1 -1"), draw.word("+ - * / %")),
        _ => text,
    }
}

fn statement(draw: &mut Draw, depth: usize) -> String {
    let name = draw.word("h h h x y a c");
    let next = depth.saturating_sub(1);
    match draw.below(if depth == 0 { 6 } else { 14 }) {
        0..3 => format!("let {name} = {}; ", value(draw)),
        3 => format!("let mut {name} = {}; {name} = {}; ", value(draw), value(draw)),
        4 => format!("let ({name}, _) = ({}, {}); ", value(draw), value(draw)),
        5 => format!("let {name} = {{ {}{} }}; ", statement(draw, next), value(draw)),
        6 => format!(
            "let mut h = {}; for each in &self.lay {{ h = each.forward(&h){}; }} ",
            draw.word("x y x.square()"),
            call(draw)
        ),
        7 => format!(
            "for at in {} {{ {}}} ",
            draw.word("0..3 0..0 (0..4).rev() 0..N 0..=2 [1,2] (0..8).step_by(3)"),
            statement(draw, next)
        ),
        8 => format!(
            "if {} {{ {}}} ",
            draw.word("flag count>3 true count==0 x>0.0 DEPTH>2 !flag N>2"),
            statement(draw, next)
        ),
        9 => format!(
            "let {name} = if {} {{ {} }} else {{ {} }}; ",
            draw.word("flag count>3 flag&&count<2"),
            value(draw),
            value(draw)
        ),
        10 => format!("let mut h = x.clone(); if flag {{ h = {}; }} ", value(draw)),
        11 => format!("let (mut a, mut c) = (x.square(), y.square()); (a, c) = (c, {}); ", value(draw)),
        12 => format!("let {name} = ({}, {}).{}; ", value(draw), value(draw), draw.word("0 1 2")),
        _ => format!("let mut h = {}; h {} {}; ", value(draw), draw.word("+= -= *= /= %="), value(draw)),
    }
}

#[test]
fn functions_of_models() {
    tried("bodies", 16, |draw| {
        let tensor = |draw: &mut Draw, odd: bool| match odd {
            true => format!("Tensor<{}{}>", draw.word(TYPES), draw.of(&SHAPES)),
            false => "Tensor<f32, N, 8>".to_string(),
        };
        let odd = draw.once_in(3);
        let (x, y) = (tensor(draw, odd), tensor(draw, odd));
        let count = draw.below(3);
        let statements: String = (0..count).map(|_| statement(draw, 2)).collect();
        let value = value(draw);
        let end = if draw.once_in(4) { "" } else { ".cast(f32).sum_all()" };
        let source = format!(
            "#[netcl::constant] const DEPTH: usize = 4;
            #[netcl::function] fn soft(x: f32) -> f32 {{ if x > 0.0 {{ x.sqrt() }} else {{ -x }} }}
            #[netcl::model] pub struct Head {{ #[layer(inputs = 8, outputs = 8)] l: Linear, #[parameter(init = 1.0)] scale: Tensor<f32> }}
            #[netcl::model] impl Head {{
                pub fn forward(&self, x: &Tensor<f32, R, 8>) -> Tensor<f32, R, 8> {{ self.l.forward(x) * &self.scale }}
            }}
            #[netcl::model] pub struct Net {{
                #[layer(inputs = 8, outputs = 8)] l: Linear,
                #[layer(inputs = 8, outputs = 8)] lay: [Linear; 2],
                #[layer(inputs = 4, outputs = 4, kernel = 3, padding = 1)] c: Conv2d,
                #[layer(features = 8)] n: LayerNorm,
                #[layer(features = 8, heads = 2)] at: SelfAttention,
                #[layer(features = 4)] bn: BatchNorm,
                #[layer(rate = 0.5)] drop: Dropout,
                head: Head,
                #[parameter(init = 0.5)] p: Tensor<f32, 8>,
                #[parameter(init = 0.5)] w: Tensor<f32, 8, 8>,
                #[parameter(init = 0.5)] k: Tensor<f32, 4, 4, 3, 3>,
                #[constant(0.5)] share: f32,
            }}
            #[netcl::model] impl Net {{
                fn again(&self, x: &Tensor<f32, R, 8>) -> Tensor<f32, R, 8> {{ self.l.forward(x).relu() }}
                fn free(x: &Tensor<f32, R, C>) -> Tensor<f32, R> {{ x.mean(-1) }}
                fn pair(x: &Tensor<f32, R, C>, z: f32) -> (Tensor<f32, R>, Tensor<f32, R, C>) {{ (x.sum(1), x * z) }}
                pub fn f(
                    &self, x: &{x}, y: &{y}, i: &Tensor<u32, N>, b: &Tensor<bool, N, 8>, h: &Tensor<f32, M, 8>, z: f32, flag: bool, count: usize
                ) -> Tensor<f32> {{ {statements} ({value}){end} }}
            }}"
        );
        judged(draw, &source)
    });
}
