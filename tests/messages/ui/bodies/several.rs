//! What is wrong with a name is said where it is bound, and nowhere else; and what is wrong elsewhere is said as well.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        let mut tile = local!([[f32; 8]; 8]);
        tile[0] = x[n];
        let mut table = private!([f32; 0]);
        table[n] = tile[1];
        let (a, b) = table[0];
        let (c, d) = x[n];
        let (e, f, g) = (x[n], x[n]);
        let Some(h) = x[n];
        let mut list = [x[n], x[n]];
        list[0] = 2.0;
        for (i, j) in 0..4 {
            let k = i + j + undefined;
        }
        for i in 0.0..x[n] {
            y[n] += i + missing;
        }
        for i in x {
            y[n] += i * absent;
        }
        if x[n] {
            y[n] = unknown;
        } else {
            y[n] = unseen;
        }
        while x[n] {
            y[n] = lacking;
        }
        y[n] = a + b + c + d + e + f + g + h + list[1];
    }

    fn index_form(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let (a, b) = x[n];
            let (c, d, e) = (x[n], x[n]);
            let Some(f) = x[n];
            let mut s = 0.0;
            for (i, j) in 0..4 {
                let k = i + j + undefined;
            }
            for i in 0..N {
                s += i as f32 + missing;
            }
            for i in x {
                s += i * absent;
            }
            if x[n] {
                s = unknown;
            } else {
                s = unseen;
            }
            let mut at = 0;
            for _ in 0..N {
                at += 7;
            }
            let list = [x[n], x[n]];
            a + b + c + d + e + f + s + list[at]
        }
    }
}

fn main() {}
