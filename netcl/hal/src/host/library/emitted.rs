//! Written by the test of this module; do not edit.

use crate::host::entry::NativeEntry;

pub(super) const ENTRIES: &[(&str, NativeEntry)] = &[
    ("kernel \"\"\nlaunch []\nparam a: read f32\nparam b: read f32\nparam upper: scalar i32\nparam x: read_write f32\nparam N: size\nparam M: size\nvar i: i32\nvar r: i32\nvar m: i32\nvar t: i32\nvar row: i32\nvar from: i32\nvar to: i32\nvar k: i32\nvar sum: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @M\n%4 = div(%2, %3)\nlet $r = %4\n%5 = $i\n%6 = @M\n%7 = rem(%5, %6)\nlet $m = %7\n%8 = 0i32\n%9 = @N\n%10 = 1i32\nfor $t in %8 .. %9 step %10 {\n    %11 = @upper\n    %12 = 0i32\n    %13 = ne(%11, %12)\n    %14 = @N\n    %15 = 1i32\n    %16 = sub(%14, %15)\n    %17 = $t\n    %18 = sub(%16, %17)\n    %19 = $t\n    %20 = select(%13, %18, %19)\n    let $row = %20\n    %21 = @upper\n    %22 = 0i32\n    %23 = ne(%21, %22)\n    %24 = $row\n    %25 = 1i32\n    %26 = add(%24, %25)\n    %27 = 0i32\n    %28 = select(%23, %26, %27)\n    let $from = %28\n    %29 = @upper\n    %30 = 0i32\n    %31 = ne(%29, %30)\n    %32 = @N\n    %33 = $row\n    %34 = select(%31, %32, %33)\n    let $to = %34\n    %35 = $r\n    %36 = @N\n    %37 = mul(%35, %36)\n    %38 = $row\n    %39 = add(%37, %38)\n    %40 = @M\n    %41 = mul(%39, %40)\n    %42 = $m\n    %43 = add(%41, %42)\n    %44 = load @b[%43]\n    let $sum = %44\n    %45 = $from\n    %46 = $to\n    %47 = 1i32\n    for $k in %45 .. %46 step %47 {\n        %48 = $sum\n        %49 = $r\n        %50 = @N\n        %51 = mul(%49, %50)\n        %52 = $row\n        %53 = add(%51, %52)\n        %54 = @N\n        %55 = mul(%53, %54)\n        %56 = $k\n        %57 = add(%55, %56)\n        %58 = load @a[%57]\n        %59 = $r\n        %60 = @N\n        %61 = mul(%59, %60)\n        %62 = $k\n        %63 = add(%61, %62)\n        %64 = @M\n        %65 = mul(%63, %64)\n        %66 = $m\n        %67 = add(%65, %66)\n        %68 = load @x[%67]\n        %69 = mul(%58, %68)\n        %70 = sub(%48, %69)\n        set $sum = %70\n    }\n    %71 = $r\n    %72 = @N\n    %73 = mul(%71, %72)\n    %74 = $row\n    %75 = add(%73, %74)\n    %76 = @M\n    %77 = mul(%75, %76)\n    %78 = $m\n    %79 = add(%77, %78)\n    %80 = $sum\n    %81 = $r\n    %82 = @N\n    %83 = mul(%81, %82)\n    %84 = $row\n    %85 = add(%83, %84)\n    %86 = @N\n    %87 = mul(%85, %86)\n    %88 = $row\n    %89 = add(%87, %88)\n    %90 = load @a[%89]\n    %91 = div(%80, %90)\n    store @x[%79] = %91\n}\n", {
        use crate::host::exports as h;
        struct Kernel0;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel0 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f32>(0);
                let b_p1 = args.view::<f32>(1);
                let upper_p2 = args.number::<i32>(2);
                let x_p3 = args.view::<f32>(3);
                let n_p4 = args.number::<i32>(4);
                let m_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let r_1: i32 = h::div(i_0, m_p5);
                    let m_2: i32 = h::rem(i_0, m_p5);
                    let mut t_3: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (n_p4, 1_i32);
                    'loop_0: while t_3 < loop0_end {
                        'round_0: {
                            let row_4: i32 = (if (upper_p2 != 0_i32) { h::sub(h::sub(n_p4, 1_i32), t_3) } else { t_3 });
                            let from_5: i32 = (if (upper_p2 != 0_i32) { h::add(row_4, 1_i32) } else { 0_i32 });
                            let to_6: i32 = (if (upper_p2 != 0_i32) { n_p4 } else { row_4 });
                            let mut sum_8: f32 = b_p1.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), m_p5), m_2));
                            let mut k_7: i32 = from_5;
                            let (loop1_end, loop1_step): (i32, i32) = (to_6, 1_i32);
                            'loop_1: while k_7 < loop1_end {
                                'round_1: {
                                    sum_8 = (sum_8 - (a_p0.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), n_p4), k_7)) * x_p3.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), k_7), m_p5), m_2))));
                                }
                                k_7 = h::add(k_7, loop1_step);
                            }
                            x_p3.put(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), m_p5), m_2), (sum_8 / a_p0.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), n_p4), row_4))));
                        }
                        t_3 = h::add(t_3, loop0_step);
                    }
                }
            }
        }
        h::entry::<Kernel0>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f32\nparam l: read_write f32\nparam R: size\nparam N: size\nvar lane: i32\nvar i: i32\nvar j: i32\nvar k: i32\nvar all: i32\nvar sum: f32\nvar definite: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = true\nlet $definite = %2\n%3 = 0i32\n%4 = @N\n%5 = 1i32\nfor $i in %3 .. %4 step %5 {\n    %6 = 0i32\n    %7 = @N\n    %8 = 1i32\n    for $j in %6 .. %7 step %8 {\n        %9 = $i\n        %10 = @N\n        %11 = mul(%9, %10)\n        %12 = $j\n        %13 = add(%11, %12)\n        %14 = @R\n        %15 = mul(%13, %14)\n        %16 = $lane\n        %17 = add(%15, %16)\n        %18 = load @a[%17]\n        let $sum = %18\n        %19 = 0i32\n        %20 = $i\n        %21 = $j\n        %22 = min(%20, %21)\n        %23 = 1i32\n        for $k in %19 .. %22 step %23 {\n            %24 = $sum\n            %25 = $i\n            %26 = @N\n            %27 = mul(%25, %26)\n            %28 = $k\n            %29 = add(%27, %28)\n            %30 = @R\n            %31 = mul(%29, %30)\n            %32 = $lane\n            %33 = add(%31, %32)\n            %34 = load @l[%33]\n            %35 = $j\n            %36 = @N\n            %37 = mul(%35, %36)\n            %38 = $k\n            %39 = add(%37, %38)\n            %40 = @R\n            %41 = mul(%39, %40)\n            %42 = $lane\n            %43 = add(%41, %42)\n            %44 = load @l[%43]\n            %45 = mul(%34, %44)\n            %46 = sub(%24, %45)\n            set $sum = %46\n        }\n        %47 = $j\n        %48 = $i\n        %49 = lt(%47, %48)\n        if %49 {\n            %50 = $i\n            %51 = @N\n            %52 = mul(%50, %51)\n            %53 = $j\n            %54 = add(%52, %53)\n            %55 = @R\n            %56 = mul(%54, %55)\n            %57 = $lane\n            %58 = add(%56, %57)\n            %59 = $sum\n            %60 = $j\n            %61 = @N\n            %62 = mul(%60, %61)\n            %63 = $j\n            %64 = add(%62, %63)\n            %65 = @R\n            %66 = mul(%64, %65)\n            %67 = $lane\n            %68 = add(%66, %67)\n            %69 = load @l[%68]\n            %70 = div(%59, %69)\n            store @l[%58] = %70\n        } else {\n            %71 = $i\n            %72 = $j\n            %73 = eq(%71, %72)\n            if %73 {\n                %74 = $definite\n                %75 = $sum\n                %76 = 0.0f32\n                %77 = gt(%75, %76)\n                %78 = and(%74, %77)\n                set $definite = %78\n                %79 = $i\n                %80 = @N\n                %81 = mul(%79, %80)\n                %82 = $j\n                %83 = add(%81, %82)\n                %84 = @R\n                %85 = mul(%83, %84)\n                %86 = $lane\n                %87 = add(%85, %86)\n                %88 = $sum\n                %89 = sqrt(%88)\n                store @l[%87] = %89\n            } else {\n                %90 = $i\n                %91 = @N\n                %92 = mul(%90, %91)\n                %93 = $j\n                %94 = add(%92, %93)\n                %95 = @R\n                %96 = mul(%94, %95)\n                %97 = $lane\n                %98 = add(%96, %97)\n                %99 = 0.0f32\n                store @l[%98] = %99\n            }\n        }\n    }\n}\n%100 = $definite\n%101 = not(%100)\nif %101 {\n    %102 = 0i32\n    %103 = @N\n    %104 = @N\n    %105 = mul(%103, %104)\n    %106 = 1i32\n    for $all in %102 .. %105 step %106 {\n        %107 = $all\n        %108 = @R\n        %109 = mul(%107, %108)\n        %110 = $lane\n        %111 = add(%109, %110)\n        %112 = nan.f32\n        store @l[%111] = %112\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel1;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel1 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f32>(0);
                let l_p1 = args.view::<f32>(1);
                let r_p2 = args.number::<i32>(2);
                let n_p3 = args.number::<i32>(3);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut definite_6: bool = true;
                    let mut i_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (n_p3, 1_i32);
                    'loop_0: while i_1 < loop0_end {
                        'round_0: {
                            let mut j_2: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (n_p3, 1_i32);
                            'loop_1: while j_2 < loop1_end {
                                'round_1: {
                                    let mut sum_5: f32 = a_p0.at(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0));
                                    let mut k_3: i32 = 0_i32;
                                    let (loop2_end, loop2_step): (i32, i32) = (h::min(i_1, j_2), 1_i32);
                                    'loop_2: while k_3 < loop2_end {
                                        'round_2: {
                                            sum_5 = (sum_5 - (l_p1.at(h::add(h::mul(h::add(h::mul(i_1, n_p3), k_3), r_p2), lane_0)) * l_p1.at(h::add(h::mul(h::add(h::mul(j_2, n_p3), k_3), r_p2), lane_0))));
                                        }
                                        k_3 = h::add(k_3, loop2_step);
                                    }
                                    if (j_2 < i_1) {
                                        l_p1.put(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0), (sum_5 / l_p1.at(h::add(h::mul(h::add(h::mul(j_2, n_p3), j_2), r_p2), lane_0))));
                                    } else {
                                        if (i_1 == j_2) {
                                            definite_6 = h::and(definite_6, (sum_5 > 0.0_f32));
                                            l_p1.put(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0), h::sqrt::<I, _>(sum_5));
                                        } else {
                                            l_p1.put(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0), 0.0_f32);
                                        }
                                    }
                                }
                                j_2 = h::add(j_2, loop1_step);
                            }
                        }
                        i_1 = h::add(i_1, loop0_step);
                    }
                    if h::not(definite_6) {
                        let mut all_4: i32 = 0_i32;
                        let (loop3_end, loop3_step): (i32, i32) = (h::mul(n_p3, n_p3), 1_i32);
                        'loop_3: while all_4 < loop3_end {
                            'round_3: {
                                l_p1.put(h::add(h::mul(all_4, r_p2), lane_0), f32::from_bits(2143289344_u32));
                            }
                            all_4 = h::add(all_4, loop3_step);
                        }
                    }
                }
            }
        }
        h::entry::<Kernel1>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f32\nparam lu: read_write f32\nparam parity: write f32\nparam order: read_write i32\nparam R: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar row: i32\nvar k: i32\nvar i: i32\nvar t: i32\nvar j: i32\nvar from: i32\nvar held: i32\nvar m: i32\nvar most: f32\nvar size: f32\nvar pivot: f32\nvar factor: f32\nvar value: f32\nvar sign: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 1.0f32\nlet $sign = %2\n%3 = 0i32\n%4 = @N\n%5 = @N\n%6 = mul(%4, %5)\n%7 = 1i32\nfor $start in %3 .. %6 step %7 {\n    %8 = $start\n    %9 = @R\n    %10 = mul(%8, %9)\n    %11 = $lane\n    %12 = add(%10, %11)\n    %13 = $start\n    %14 = @R\n    %15 = mul(%13, %14)\n    %16 = $lane\n    %17 = add(%15, %16)\n    %18 = load @a[%17]\n    store @lu[%12] = %18\n}\n%19 = 0i32\n%20 = @N\n%21 = 1i32\nfor $row in %19 .. %20 step %21 {\n    %22 = $row\n    %23 = @R\n    %24 = mul(%22, %23)\n    %25 = $lane\n    %26 = add(%24, %25)\n    %27 = $row\n    store @order[%26] = %27\n}\n%28 = 0i32\n%29 = @N\n%30 = 1i32\nfor $k in %28 .. %29 step %30 {\n    %31 = $k\n    let $from = %31\n    %32 = $k\n    %33 = @N\n    %34 = mul(%32, %33)\n    %35 = $k\n    %36 = add(%34, %35)\n    %37 = @R\n    %38 = mul(%36, %37)\n    %39 = $lane\n    %40 = add(%38, %39)\n    %41 = load @lu[%40]\n    %42 = abs(%41)\n    let $most = %42\n    %43 = $k\n    %44 = 1i32\n    %45 = add(%43, %44)\n    %46 = @N\n    %47 = 1i32\n    for $i in %45 .. %46 step %47 {\n        %48 = $i\n        %49 = @N\n        %50 = mul(%48, %49)\n        %51 = $k\n        %52 = add(%50, %51)\n        %53 = @R\n        %54 = mul(%52, %53)\n        %55 = $lane\n        %56 = add(%54, %55)\n        %57 = load @lu[%56]\n        %58 = abs(%57)\n        let $size = %58\n        %59 = $size\n        %60 = $most\n        %61 = gt(%59, %60)\n        if %61 {\n            %62 = $size\n            set $most = %62\n            %63 = $i\n            set $from = %63\n        }\n    }\n    %64 = $from\n    %65 = $k\n    %66 = ne(%64, %65)\n    if %66 {\n        %67 = $sign\n        %68 = neg(%67)\n        set $sign = %68\n        %69 = $k\n        %70 = @R\n        %71 = mul(%69, %70)\n        %72 = $lane\n        %73 = add(%71, %72)\n        %74 = load @order[%73]\n        let $held = %74\n        %75 = $k\n        %76 = @R\n        %77 = mul(%75, %76)\n        %78 = $lane\n        %79 = add(%77, %78)\n        %80 = $from\n        %81 = @R\n        %82 = mul(%80, %81)\n        %83 = $lane\n        %84 = add(%82, %83)\n        %85 = load @order[%84]\n        store @order[%79] = %85\n        %86 = $from\n        %87 = @R\n        %88 = mul(%86, %87)\n        %89 = $lane\n        %90 = add(%88, %89)\n        %91 = $held\n        store @order[%90] = %91\n        %92 = 0i32\n        %93 = @N\n        %94 = 1i32\n        for $j in %92 .. %93 step %94 {\n            %95 = $k\n            %96 = @N\n            %97 = mul(%95, %96)\n            %98 = $j\n            %99 = add(%97, %98)\n            %100 = @R\n            %101 = mul(%99, %100)\n            %102 = $lane\n            %103 = add(%101, %102)\n            %104 = load @lu[%103]\n            let $value = %104\n            %105 = $k\n            %106 = @N\n            %107 = mul(%105, %106)\n            %108 = $j\n            %109 = add(%107, %108)\n            %110 = @R\n            %111 = mul(%109, %110)\n            %112 = $lane\n            %113 = add(%111, %112)\n            %114 = $from\n            %115 = @N\n            %116 = mul(%114, %115)\n            %117 = $j\n            %118 = add(%116, %117)\n            %119 = @R\n            %120 = mul(%118, %119)\n            %121 = $lane\n            %122 = add(%120, %121)\n            %123 = load @lu[%122]\n            store @lu[%113] = %123\n            %124 = $from\n            %125 = @N\n            %126 = mul(%124, %125)\n            %127 = $j\n            %128 = add(%126, %127)\n            %129 = @R\n            %130 = mul(%128, %129)\n            %131 = $lane\n            %132 = add(%130, %131)\n            %133 = $value\n            store @lu[%132] = %133\n        }\n    }\n    %134 = $k\n    %135 = @N\n    %136 = mul(%134, %135)\n    %137 = $k\n    %138 = add(%136, %137)\n    %139 = @R\n    %140 = mul(%138, %139)\n    %141 = $lane\n    %142 = add(%140, %141)\n    %143 = load @lu[%142]\n    let $pivot = %143\n    %144 = $pivot\n    %145 = 0.0f32\n    %146 = ne(%144, %145)\n    if %146 {\n        %147 = $k\n        %148 = 1i32\n        %149 = add(%147, %148)\n        %150 = @N\n        %151 = 1i32\n        for $t in %149 .. %150 step %151 {\n            %152 = $t\n            %153 = @N\n            %154 = mul(%152, %153)\n            %155 = $k\n            %156 = add(%154, %155)\n            %157 = @R\n            %158 = mul(%156, %157)\n            %159 = $lane\n            %160 = add(%158, %159)\n            %161 = load @lu[%160]\n            %162 = $pivot\n            %163 = div(%161, %162)\n            let $factor = %163\n            %164 = $t\n            %165 = @N\n            %166 = mul(%164, %165)\n            %167 = $k\n            %168 = add(%166, %167)\n            %169 = @R\n            %170 = mul(%168, %169)\n            %171 = $lane\n            %172 = add(%170, %171)\n            %173 = $factor\n            store @lu[%172] = %173\n            %174 = $k\n            %175 = 1i32\n            %176 = add(%174, %175)\n            %177 = @N\n            %178 = 1i32\n            for $m in %176 .. %177 step %178 {\n                %179 = $t\n                %180 = @N\n                %181 = mul(%179, %180)\n                %182 = $m\n                %183 = add(%181, %182)\n                %184 = @R\n                %185 = mul(%183, %184)\n                %186 = $lane\n                %187 = add(%185, %186)\n                %188 = $t\n                %189 = @N\n                %190 = mul(%188, %189)\n                %191 = $m\n                %192 = add(%190, %191)\n                %193 = @R\n                %194 = mul(%192, %193)\n                %195 = $lane\n                %196 = add(%194, %195)\n                %197 = load @lu[%196]\n                %198 = $factor\n                %199 = $k\n                %200 = @N\n                %201 = mul(%199, %200)\n                %202 = $m\n                %203 = add(%201, %202)\n                %204 = @R\n                %205 = mul(%203, %204)\n                %206 = $lane\n                %207 = add(%205, %206)\n                %208 = load @lu[%207]\n                %209 = mul(%198, %208)\n                %210 = sub(%197, %209)\n                store @lu[%187] = %210\n            }\n        }\n    }\n}\n%211 = $lane\n%212 = $sign\nstore @parity[%211] = %212\n", {
        use crate::host::exports as h;
        struct Kernel2;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel2 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f32>(0);
                let lu_p1 = args.view::<f32>(1);
                let parity_p2 = args.view::<f32>(2);
                let order_p3 = args.view::<i32>(3);
                let r_p4 = args.number::<i32>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut sign_15: f32 = 1.0_f32;
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(n_p5, n_p5), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            lu_p1.put(h::add(h::mul(start_1, r_p4), lane_0), a_p0.at(h::add(h::mul(start_1, r_p4), lane_0)));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let mut row_2: i32 = 0_i32;
                    let (loop1_end, loop1_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_1: while row_2 < loop1_end {
                        'round_1: {
                            order_p3.put(h::add(h::mul(row_2, r_p4), lane_0), row_2);
                        }
                        row_2 = h::add(row_2, loop1_step);
                    }
                    let mut k_3: i32 = 0_i32;
                    let (loop2_end, loop2_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_2: while k_3 < loop2_end {
                        'round_2: {
                            let mut from_7: i32 = k_3;
                            let mut most_10: f32 = h::abs(lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), k_3), r_p4), lane_0)));
                            let mut i_4: i32 = h::add(k_3, 1_i32);
                            let (loop3_end, loop3_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_3: while i_4 < loop3_end {
                                'round_3: {
                                    let size_11: f32 = h::abs(lu_p1.at(h::add(h::mul(h::add(h::mul(i_4, n_p5), k_3), r_p4), lane_0)));
                                    if (size_11 > most_10) {
                                        most_10 = size_11;
                                        from_7 = i_4;
                                    }
                                }
                                i_4 = h::add(i_4, loop3_step);
                            }
                            if (from_7 != k_3) {
                                sign_15 = h::neg(sign_15);
                                let held_8: i32 = order_p3.at(h::add(h::mul(k_3, r_p4), lane_0));
                                order_p3.put(h::add(h::mul(k_3, r_p4), lane_0), order_p3.at(h::add(h::mul(from_7, r_p4), lane_0)));
                                order_p3.put(h::add(h::mul(from_7, r_p4), lane_0), held_8);
                                let mut j_6: i32 = 0_i32;
                                let (loop4_end, loop4_step): (i32, i32) = (n_p5, 1_i32);
                                'loop_4: while j_6 < loop4_end {
                                    'round_4: {
                                        let value_14: f32 = lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), j_6), r_p4), lane_0));
                                        lu_p1.put(h::add(h::mul(h::add(h::mul(k_3, n_p5), j_6), r_p4), lane_0), lu_p1.at(h::add(h::mul(h::add(h::mul(from_7, n_p5), j_6), r_p4), lane_0)));
                                        lu_p1.put(h::add(h::mul(h::add(h::mul(from_7, n_p5), j_6), r_p4), lane_0), value_14);
                                    }
                                    j_6 = h::add(j_6, loop4_step);
                                }
                            }
                            let pivot_12: f32 = lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), k_3), r_p4), lane_0));
                            if (pivot_12 != 0.0_f32) {
                                let mut t_5: i32 = h::add(k_3, 1_i32);
                                let (loop5_end, loop5_step): (i32, i32) = (n_p5, 1_i32);
                                'loop_5: while t_5 < loop5_end {
                                    'round_5: {
                                        let factor_13: f32 = (lu_p1.at(h::add(h::mul(h::add(h::mul(t_5, n_p5), k_3), r_p4), lane_0)) / pivot_12);
                                        lu_p1.put(h::add(h::mul(h::add(h::mul(t_5, n_p5), k_3), r_p4), lane_0), factor_13);
                                        let mut m_9: i32 = h::add(k_3, 1_i32);
                                        let (loop6_end, loop6_step): (i32, i32) = (n_p5, 1_i32);
                                        'loop_6: while m_9 < loop6_end {
                                            'round_6: {
                                                lu_p1.put(h::add(h::mul(h::add(h::mul(t_5, n_p5), m_9), r_p4), lane_0), (lu_p1.at(h::add(h::mul(h::add(h::mul(t_5, n_p5), m_9), r_p4), lane_0)) - (factor_13 * lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), m_9), r_p4), lane_0)))));
                                            }
                                            m_9 = h::add(m_9, loop6_step);
                                        }
                                    }
                                    t_5 = h::add(t_5, loop5_step);
                                }
                            }
                        }
                        k_3 = h::add(k_3, loop2_step);
                    }
                    parity_p2.put(lane_0, sign_15);
                }
            }
        }
        h::entry::<Kernel2>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f32\nparam of_right: scalar i32\nparam u: read_write f32\nparam s: read_write f32\nparam v: read_write f32\nparam R: size\nparam M: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar fill: i32\nvar b1: i32\nvar p: i32\nvar q: i32\nvar k1: i32\nvar k2: i32\nvar k3: i32\nvar d1: i32\nvar d2: i32\nvar i: i32\nvar j: i32\nvar k4: i32\nvar k5: i32\nvar e1: i32\nvar f1: i32\nvar f2: i32\nvar g1: i32\nvar g2: i32\nvar g3: i32\nvar g4: i32\nvar g5: i32\nvar g6: i32\nvar g7: i32\nvar h1: i32\nvar h2: i32\nvar h3: i32\nvar h4: i32\nvar h5: i32\nvar best: i32\nvar most_at: i32\nvar sweep: i32\nvar again: i32\nvar turned: bool\nvar size: f32\nvar unit: f32\nvar alpha: f32\nvar beta: f32\nvar gamma: f32\nvar limit: f32\nvar zeta: f32\nvar t: f32\nvar c: f32\nvar n: f32\nvar x1: f32\nvar y1: f32\nvar x2: f32\nvar y2: f32\nvar x3: f32\nvar y3: f32\nvar total: f32\nvar held: f32\nvar value: f32\nvar other: f32\nvar left: f32\nvar longest: f32\nvar part: f32\nvar long: f32\nvar dot: f32\nvar most: f32\nvar factor: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 0.0f32\nlet $size = %2\n%3 = 0i32\n%4 = @M\n%5 = @N\n%6 = mul(%4, %5)\n%7 = 1i32\nfor $start in %3 .. %6 step %7 {\n    %8 = $size\n    %9 = $start\n    %10 = @R\n    %11 = mul(%9, %10)\n    %12 = $lane\n    %13 = add(%11, %12)\n    %14 = load @a[%13]\n    %15 = abs(%14)\n    %16 = max(%8, %15)\n    set $size = %16\n}\n%17 = $size\n%18 = 0.0f32\n%19 = eq(%17, %18)\n%20 = 1.0f32\n%21 = $size\n%22 = select(%19, %20, %21)\nlet $unit = %22\n%23 = 0i32\n%24 = @M\n%25 = @N\n%26 = mul(%24, %25)\n%27 = 1i32\nfor $fill in %23 .. %26 step %27 {\n    %28 = $fill\n    %29 = @R\n    %30 = mul(%28, %29)\n    %31 = $lane\n    %32 = add(%30, %31)\n    %33 = $fill\n    %34 = @R\n    %35 = mul(%33, %34)\n    %36 = $lane\n    %37 = add(%35, %36)\n    %38 = load @a[%37]\n    %39 = $unit\n    %40 = div(%38, %39)\n    store @u[%32] = %40\n}\n%41 = 0i32\n%42 = @N\n%43 = @N\n%44 = mul(%42, %43)\n%45 = 1i32\nfor $b1 in %41 .. %44 step %45 {\n    %46 = $b1\n    %47 = @R\n    %48 = mul(%46, %47)\n    %49 = $lane\n    %50 = add(%48, %49)\n    %51 = $b1\n    %52 = @N\n    %53 = div(%51, %52)\n    %54 = $b1\n    %55 = @N\n    %56 = rem(%54, %55)\n    %57 = eq(%53, %56)\n    %58 = 1.0f32\n    %59 = 0.0f32\n    %60 = select(%57, %58, %59)\n    store @v[%50] = %60\n}\n%61 = 0i32\nlet $sweep = %61\n%62 = true\nlet $turned = %62\n%63 = $turned\n%64 = $sweep\n%65 = 40i32\n%66 = lt(%64, %65)\n%67 = and(%63, %66)\nwhile %67 {\n    %68 = false\n    set $turned = %68\n    %69 = $sweep\n    %70 = 1i32\n    %71 = add(%69, %70)\n    set $sweep = %71\n    %72 = 0i32\n    %73 = @N\n    %74 = 1i32\n    for $p in %72 .. %73 step %74 {\n        %75 = $p\n        %76 = 1i32\n        %77 = add(%75, %76)\n        %78 = @N\n        %79 = 1i32\n        for $q in %77 .. %78 step %79 {\n            %80 = 0.0f32\n            let $alpha = %80\n            %81 = 0.0f32\n            let $beta = %81\n            %82 = 0.0f32\n            let $gamma = %82\n            %83 = 0i32\n            %84 = @M\n            %85 = 1i32\n            for $k1 in %83 .. %84 step %85 {\n                %86 = $k1\n                %87 = @N\n                %88 = mul(%86, %87)\n                %89 = $p\n                %90 = add(%88, %89)\n                %91 = @R\n                %92 = mul(%90, %91)\n                %93 = $lane\n                %94 = add(%92, %93)\n                %95 = load @u[%94]\n                let $x1 = %95\n                %96 = $k1\n                %97 = @N\n                %98 = mul(%96, %97)\n                %99 = $q\n                %100 = add(%98, %99)\n                %101 = @R\n                %102 = mul(%100, %101)\n                %103 = $lane\n                %104 = add(%102, %103)\n                %105 = load @u[%104]\n                let $y1 = %105\n                %106 = $alpha\n                %107 = $x1\n                %108 = $x1\n                %109 = mul(%107, %108)\n                %110 = add(%106, %109)\n                set $alpha = %110\n                %111 = $beta\n                %112 = $y1\n                %113 = $y1\n                %114 = mul(%112, %113)\n                %115 = add(%111, %114)\n                set $beta = %115\n                %116 = $gamma\n                %117 = $x1\n                %118 = $y1\n                %119 = mul(%117, %118)\n                %120 = add(%116, %119)\n                set $gamma = %120\n            }\n            %121 = $alpha\n            %122 = sqrt(%121)\n            %123 = $beta\n            %124 = sqrt(%123)\n            %125 = mul(%122, %124)\n            %126 = @M\n            %127 = 4i32\n            %128 = add(%126, %127)\n            %129 = cast.f32(%128)\n            %130 = mul(%125, %129)\n            let $limit = %130\n            %131 = $limit\n            %132 = $gamma\n            %133 = abs(%132)\n            %134 = add(%131, %133)\n            %135 = $limit\n            %136 = ne(%134, %135)\n            if %136 {\n                %137 = true\n                set $turned = %137\n                %138 = $beta\n                %139 = $alpha\n                %140 = sub(%138, %139)\n                %141 = 2.0f32\n                %142 = $gamma\n                %143 = mul(%141, %142)\n                %144 = div(%140, %143)\n                let $zeta = %144\n                %145 = 1.0f32\n                %146 = $zeta\n                %147 = abs(%146)\n                %148 = $zeta\n                %149 = $zeta\n                %150 = mul(%148, %149)\n                %151 = 1.0f32\n                %152 = add(%150, %151)\n                %153 = sqrt(%152)\n                %154 = add(%147, %153)\n                %155 = div(%145, %154)\n                let $t = %155\n                %156 = $zeta\n                %157 = 0.0f32\n                %158 = lt(%156, %157)\n                %159 = $t\n                %160 = neg(%159)\n                %161 = $t\n                %162 = select(%158, %160, %161)\n                set $t = %162\n                %163 = 1.0f32\n                %164 = $t\n                %165 = $t\n                %166 = mul(%164, %165)\n                %167 = 1.0f32\n                %168 = add(%166, %167)\n                %169 = sqrt(%168)\n                %170 = div(%163, %169)\n                let $c = %170\n                %171 = $t\n                %172 = $c\n                %173 = mul(%171, %172)\n                let $n = %173\n                %174 = 0i32\n                %175 = @M\n                %176 = 1i32\n                for $k2 in %174 .. %175 step %176 {\n                    %177 = $k2\n                    %178 = @N\n                    %179 = mul(%177, %178)\n                    %180 = $p\n                    %181 = add(%179, %180)\n                    %182 = @R\n                    %183 = mul(%181, %182)\n                    %184 = $lane\n                    %185 = add(%183, %184)\n                    %186 = load @u[%185]\n                    let $x2 = %186\n                    %187 = $k2\n                    %188 = @N\n                    %189 = mul(%187, %188)\n                    %190 = $q\n                    %191 = add(%189, %190)\n                    %192 = @R\n                    %193 = mul(%191, %192)\n                    %194 = $lane\n                    %195 = add(%193, %194)\n                    %196 = load @u[%195]\n                    let $y2 = %196\n                    %197 = $k2\n                    %198 = @N\n                    %199 = mul(%197, %198)\n                    %200 = $p\n                    %201 = add(%199, %200)\n                    %202 = @R\n                    %203 = mul(%201, %202)\n                    %204 = $lane\n                    %205 = add(%203, %204)\n                    %206 = $c\n                    %207 = $x2\n                    %208 = mul(%206, %207)\n                    %209 = $n\n                    %210 = $y2\n                    %211 = mul(%209, %210)\n                    %212 = sub(%208, %211)\n                    store @u[%205] = %212\n                    %213 = $k2\n                    %214 = @N\n                    %215 = mul(%213, %214)\n                    %216 = $q\n                    %217 = add(%215, %216)\n                    %218 = @R\n                    %219 = mul(%217, %218)\n                    %220 = $lane\n                    %221 = add(%219, %220)\n                    %222 = $n\n                    %223 = $x2\n                    %224 = mul(%222, %223)\n                    %225 = $c\n                    %226 = $y2\n                    %227 = mul(%225, %226)\n                    %228 = add(%224, %227)\n                    store @u[%221] = %228\n                }\n                %229 = 0i32\n                %230 = @N\n                %231 = 1i32\n                for $k3 in %229 .. %230 step %231 {\n                    %232 = $k3\n                    %233 = @N\n                    %234 = mul(%232, %233)\n                    %235 = $p\n                    %236 = add(%234, %235)\n                    %237 = @R\n                    %238 = mul(%236, %237)\n                    %239 = $lane\n                    %240 = add(%238, %239)\n                    %241 = load @v[%240]\n                    let $x3 = %241\n                    %242 = $k3\n                    %243 = @N\n                    %244 = mul(%242, %243)\n                    %245 = $q\n                    %246 = add(%244, %245)\n                    %247 = @R\n                    %248 = mul(%246, %247)\n                    %249 = $lane\n                    %250 = add(%248, %249)\n                    %251 = load @v[%250]\n                    let $y3 = %251\n                    %252 = $k3\n                    %253 = @N\n                    %254 = mul(%252, %253)\n                    %255 = $p\n                    %256 = add(%254, %255)\n                    %257 = @R\n                    %258 = mul(%256, %257)\n                    %259 = $lane\n                    %260 = add(%258, %259)\n                    %261 = $c\n                    %262 = $x3\n                    %263 = mul(%261, %262)\n                    %264 = $n\n                    %265 = $y3\n                    %266 = mul(%264, %265)\n                    %267 = sub(%263, %266)\n                    store @v[%260] = %267\n                    %268 = $k3\n                    %269 = @N\n                    %270 = mul(%268, %269)\n                    %271 = $q\n                    %272 = add(%270, %271)\n                    %273 = @R\n                    %274 = mul(%272, %273)\n                    %275 = $lane\n                    %276 = add(%274, %275)\n                    %277 = $n\n                    %278 = $x3\n                    %279 = mul(%277, %278)\n                    %280 = $c\n                    %281 = $y3\n                    %282 = mul(%280, %281)\n                    %283 = add(%279, %282)\n                    store @v[%276] = %283\n                }\n            }\n        }\n    }\n}\n%284 = 0i32\n%285 = @N\n%286 = 1i32\nfor $d1 in %284 .. %285 step %286 {\n    %287 = 0.0f32\n    let $total = %287\n    %288 = 0i32\n    %289 = @M\n    %290 = 1i32\n    for $d2 in %288 .. %289 step %290 {\n        %291 = $total\n        %292 = $d2\n        %293 = @N\n        %294 = mul(%292, %293)\n        %295 = $d1\n        %296 = add(%294, %295)\n        %297 = @R\n        %298 = mul(%296, %297)\n        %299 = $lane\n        %300 = add(%298, %299)\n        %301 = load @u[%300]\n        %302 = $d2\n        %303 = @N\n        %304 = mul(%302, %303)\n        %305 = $d1\n        %306 = add(%304, %305)\n        %307 = @R\n        %308 = mul(%306, %307)\n        %309 = $lane\n        %310 = add(%308, %309)\n        %311 = load @u[%310]\n        %312 = mul(%301, %311)\n        %313 = add(%291, %312)\n        set $total = %313\n    }\n    %314 = $d1\n    %315 = @R\n    %316 = mul(%314, %315)\n    %317 = $lane\n    %318 = add(%316, %317)\n    %319 = $total\n    %320 = sqrt(%319)\n    store @s[%318] = %320\n}\n%321 = 0i32\n%322 = @N\n%323 = 1i32\nfor $i in %321 .. %322 step %323 {\n    %324 = $i\n    let $most_at = %324\n    %325 = $i\n    %326 = 1i32\n    %327 = add(%325, %326)\n    %328 = @N\n    %329 = 1i32\n    for $j in %327 .. %328 step %329 {\n        %330 = $j\n        %331 = @R\n        %332 = mul(%330, %331)\n        %333 = $lane\n        %334 = add(%332, %333)\n        %335 = load @s[%334]\n        %336 = $most_at\n        %337 = @R\n        %338 = mul(%336, %337)\n        %339 = $lane\n        %340 = add(%338, %339)\n        %341 = load @s[%340]\n        %342 = gt(%335, %341)\n        if %342 {\n            %343 = $j\n            set $most_at = %343\n        }\n    }\n    %344 = $i\n    %345 = @R\n    %346 = mul(%344, %345)\n    %347 = $lane\n    %348 = add(%346, %347)\n    %349 = load @s[%348]\n    let $held = %349\n    %350 = $i\n    %351 = @R\n    %352 = mul(%350, %351)\n    %353 = $lane\n    %354 = add(%352, %353)\n    %355 = $most_at\n    %356 = @R\n    %357 = mul(%355, %356)\n    %358 = $lane\n    %359 = add(%357, %358)\n    %360 = load @s[%359]\n    store @s[%354] = %360\n    %361 = $most_at\n    %362 = @R\n    %363 = mul(%361, %362)\n    %364 = $lane\n    %365 = add(%363, %364)\n    %366 = $held\n    store @s[%365] = %366\n    %367 = 0i32\n    %368 = @M\n    %369 = 1i32\n    for $k4 in %367 .. %368 step %369 {\n        %370 = $k4\n        %371 = @N\n        %372 = mul(%370, %371)\n        %373 = $i\n        %374 = add(%372, %373)\n        %375 = @R\n        %376 = mul(%374, %375)\n        %377 = $lane\n        %378 = add(%376, %377)\n        %379 = load @u[%378]\n        let $value = %379\n        %380 = $k4\n        %381 = @N\n        %382 = mul(%380, %381)\n        %383 = $i\n        %384 = add(%382, %383)\n        %385 = @R\n        %386 = mul(%384, %385)\n        %387 = $lane\n        %388 = add(%386, %387)\n        %389 = $k4\n        %390 = @N\n        %391 = mul(%389, %390)\n        %392 = $most_at\n        %393 = add(%391, %392)\n        %394 = @R\n        %395 = mul(%393, %394)\n        %396 = $lane\n        %397 = add(%395, %396)\n        %398 = load @u[%397]\n        store @u[%388] = %398\n        %399 = $k4\n        %400 = @N\n        %401 = mul(%399, %400)\n        %402 = $most_at\n        %403 = add(%401, %402)\n        %404 = @R\n        %405 = mul(%403, %404)\n        %406 = $lane\n        %407 = add(%405, %406)\n        %408 = $value\n        store @u[%407] = %408\n    }\n    %409 = 0i32\n    %410 = @N\n    %411 = 1i32\n    for $k5 in %409 .. %410 step %411 {\n        %412 = $k5\n        %413 = @N\n        %414 = mul(%412, %413)\n        %415 = $i\n        %416 = add(%414, %415)\n        %417 = @R\n        %418 = mul(%416, %417)\n        %419 = $lane\n        %420 = add(%418, %419)\n        %421 = load @v[%420]\n        let $other = %421\n        %422 = $k5\n        %423 = @N\n        %424 = mul(%422, %423)\n        %425 = $i\n        %426 = add(%424, %425)\n        %427 = @R\n        %428 = mul(%426, %427)\n        %429 = $lane\n        %430 = add(%428, %429)\n        %431 = $k5\n        %432 = @N\n        %433 = mul(%431, %432)\n        %434 = $most_at\n        %435 = add(%433, %434)\n        %436 = @R\n        %437 = mul(%435, %436)\n        %438 = $lane\n        %439 = add(%437, %438)\n        %440 = load @v[%439]\n        store @v[%430] = %440\n        %441 = $k5\n        %442 = @N\n        %443 = mul(%441, %442)\n        %444 = $most_at\n        %445 = add(%443, %444)\n        %446 = @R\n        %447 = mul(%445, %446)\n        %448 = $lane\n        %449 = add(%447, %448)\n        %450 = $other\n        store @v[%449] = %450\n    }\n}\n%451 = $lane\n%452 = load @s[%451]\nlet $longest = %452\n%453 = 0i32\n%454 = @N\n%455 = 1i32\nfor $e1 in %453 .. %454 step %455 {\n    %456 = $e1\n    %457 = @R\n    %458 = mul(%456, %457)\n    %459 = $lane\n    %460 = add(%458, %459)\n    %461 = load @s[%460]\n    %462 = 0.0f32\n    %463 = ne(%461, %462)\n    if %463 {\n        %464 = 0i32\n        %465 = @M\n        %466 = 1i32\n        for $f1 in %464 .. %465 step %466 {\n            %467 = $f1\n            %468 = @N\n            %469 = mul(%467, %468)\n            %470 = $e1\n            %471 = add(%469, %470)\n            %472 = @R\n            %473 = mul(%471, %472)\n            %474 = $lane\n            %475 = add(%473, %474)\n            %476 = $f1\n            %477 = @N\n            %478 = mul(%476, %477)\n            %479 = $e1\n            %480 = add(%478, %479)\n            %481 = @R\n            %482 = mul(%480, %481)\n            %483 = $lane\n            %484 = add(%482, %483)\n            %485 = load @u[%484]\n            %486 = $e1\n            %487 = @R\n            %488 = mul(%486, %487)\n            %489 = $lane\n            %490 = add(%488, %489)\n            %491 = load @s[%490]\n            %492 = div(%485, %491)\n            store @u[%475] = %492\n        }\n    }\n    %493 = $longest\n    %494 = $e1\n    %495 = @R\n    %496 = mul(%494, %495)\n    %497 = $lane\n    %498 = add(%496, %497)\n    %499 = load @s[%498]\n    %500 = add(%493, %499)\n    %501 = $longest\n    %502 = eq(%500, %501)\n    if %502 {\n        %503 = 0i32\n        %504 = 3i32\n        %505 = 1i32\n        for $again in %503 .. %504 step %505 {\n            %506 = 0i32\n            %507 = $e1\n            %508 = 1i32\n            for $g3 in %506 .. %507 step %508 {\n                %509 = 0.0f32\n                let $dot = %509\n                %510 = 0i32\n                %511 = @M\n                %512 = 1i32\n                for $g4 in %510 .. %511 step %512 {\n                    %513 = $dot\n                    %514 = $g4\n                    %515 = @N\n                    %516 = mul(%514, %515)\n                    %517 = $g3\n                    %518 = add(%516, %517)\n                    %519 = @R\n                    %520 = mul(%518, %519)\n                    %521 = $lane\n                    %522 = add(%520, %521)\n                    %523 = load @u[%522]\n                    %524 = $g4\n                    %525 = @N\n                    %526 = mul(%524, %525)\n                    %527 = $e1\n                    %528 = add(%526, %527)\n                    %529 = @R\n                    %530 = mul(%528, %529)\n                    %531 = $lane\n                    %532 = add(%530, %531)\n                    %533 = load @u[%532]\n                    %534 = mul(%523, %533)\n                    %535 = add(%513, %534)\n                    set $dot = %535\n                }\n                %536 = 0i32\n                %537 = @M\n                %538 = 1i32\n                for $g5 in %536 .. %537 step %538 {\n                    %539 = $g5\n                    %540 = @N\n                    %541 = mul(%539, %540)\n                    %542 = $e1\n                    %543 = add(%541, %542)\n                    %544 = @R\n                    %545 = mul(%543, %544)\n                    %546 = $lane\n                    %547 = add(%545, %546)\n                    %548 = $g5\n                    %549 = @N\n                    %550 = mul(%548, %549)\n                    %551 = $e1\n                    %552 = add(%550, %551)\n                    %553 = @R\n                    %554 = mul(%552, %553)\n                    %555 = $lane\n                    %556 = add(%554, %555)\n                    %557 = load @u[%556]\n                    %558 = $dot\n                    %559 = $g5\n                    %560 = @N\n                    %561 = mul(%559, %560)\n                    %562 = $g3\n                    %563 = add(%561, %562)\n                    %564 = @R\n                    %565 = mul(%563, %564)\n                    %566 = $lane\n                    %567 = add(%565, %566)\n                    %568 = load @u[%567]\n                    %569 = mul(%558, %568)\n                    %570 = sub(%557, %569)\n                    store @u[%547] = %570\n                }\n            }\n            %571 = 0.0f32\n            let $long = %571\n            %572 = 0i32\n            %573 = @M\n            %574 = 1i32\n            for $g6 in %572 .. %573 step %574 {\n                %575 = $long\n                %576 = $g6\n                %577 = @N\n                %578 = mul(%576, %577)\n                %579 = $e1\n                %580 = add(%578, %579)\n                %581 = @R\n                %582 = mul(%580, %581)\n                %583 = $lane\n                %584 = add(%582, %583)\n                %585 = load @u[%584]\n                %586 = $g6\n                %587 = @N\n                %588 = mul(%586, %587)\n                %589 = $e1\n                %590 = add(%588, %589)\n                %591 = @R\n                %592 = mul(%590, %591)\n                %593 = $lane\n                %594 = add(%592, %593)\n                %595 = load @u[%594]\n                %596 = mul(%585, %595)\n                %597 = add(%575, %596)\n                set $long = %597\n            }\n            %598 = $again\n            %599 = 0i32\n            %600 = eq(%598, %599)\n            %601 = $long\n            %602 = 0.25f32\n            %603 = lt(%601, %602)\n            %604 = and(%600, %603)\n            if %604 {\n                %605 = 0i32\n                let $best = %605\n                %606 = 0.0f32\n                let $left = %606\n                %607 = 0i32\n                %608 = @M\n                %609 = 1i32\n                for $f2 in %607 .. %608 step %609 {\n                    %610 = 1.0f32\n                    let $part = %610\n                    %611 = 0i32\n                    %612 = $e1\n                    %613 = 1i32\n                    for $g1 in %611 .. %612 step %613 {\n                        %614 = $part\n                        %615 = $f2\n                        %616 = @N\n                        %617 = mul(%615, %616)\n                        %618 = $g1\n                        %619 = add(%617, %618)\n                        %620 = @R\n                        %621 = mul(%619, %620)\n                        %622 = $lane\n                        %623 = add(%621, %622)\n                        %624 = load @u[%623]\n                        %625 = $f2\n                        %626 = @N\n                        %627 = mul(%625, %626)\n                        %628 = $g1\n                        %629 = add(%627, %628)\n                        %630 = @R\n                        %631 = mul(%629, %630)\n                        %632 = $lane\n                        %633 = add(%631, %632)\n                        %634 = load @u[%633]\n                        %635 = mul(%624, %634)\n                        %636 = sub(%614, %635)\n                        set $part = %636\n                    }\n                    %637 = $part\n                    %638 = $left\n                    %639 = gt(%637, %638)\n                    if %639 {\n                        %640 = $part\n                        set $left = %640\n                        %641 = $f2\n                        set $best = %641\n                    }\n                }\n                %642 = 0i32\n                %643 = @M\n                %644 = 1i32\n                for $g2 in %642 .. %643 step %644 {\n                    %645 = $g2\n                    %646 = @N\n                    %647 = mul(%645, %646)\n                    %648 = $e1\n                    %649 = add(%647, %648)\n                    %650 = @R\n                    %651 = mul(%649, %650)\n                    %652 = $lane\n                    %653 = add(%651, %652)\n                    %654 = $g2\n                    %655 = $best\n                    %656 = eq(%654, %655)\n                    %657 = 1.0f32\n                    %658 = 0.0f32\n                    %659 = select(%656, %657, %658)\n                    store @u[%653] = %659\n                }\n            } else {\n                %660 = 0i32\n                %661 = @M\n                %662 = 1i32\n                for $g7 in %660 .. %661 step %662 {\n                    %663 = $g7\n                    %664 = @N\n                    %665 = mul(%663, %664)\n                    %666 = $e1\n                    %667 = add(%665, %666)\n                    %668 = @R\n                    %669 = mul(%667, %668)\n                    %670 = $lane\n                    %671 = add(%669, %670)\n                    %672 = $g7\n                    %673 = @N\n                    %674 = mul(%672, %673)\n                    %675 = $e1\n                    %676 = add(%674, %675)\n                    %677 = @R\n                    %678 = mul(%676, %677)\n                    %679 = $lane\n                    %680 = add(%678, %679)\n                    %681 = load @u[%680]\n                    %682 = $long\n                    %683 = sqrt(%682)\n                    %684 = div(%681, %683)\n                    store @u[%671] = %684\n                }\n            }\n        }\n    }\n    %685 = $e1\n    %686 = @R\n    %687 = mul(%685, %686)\n    %688 = $lane\n    %689 = add(%687, %688)\n    %690 = $e1\n    %691 = @R\n    %692 = mul(%690, %691)\n    %693 = $lane\n    %694 = add(%692, %693)\n    %695 = load @s[%694]\n    %696 = $size\n    %697 = mul(%695, %696)\n    store @s[%689] = %697\n}\n%698 = 0i32\n%699 = @N\n%700 = 1i32\nfor $h1 in %698 .. %699 step %700 {\n    %701 = 0.0f32\n    let $most = %701\n    %702 = 1.0f32\n    let $factor = %702\n    %703 = @of_right\n    %704 = 0i32\n    %705 = ne(%703, %704)\n    if %705 {\n        %706 = 0i32\n        %707 = @N\n        %708 = 1i32\n        for $h2 in %706 .. %707 step %708 {\n            %709 = $h2\n            %710 = @N\n            %711 = mul(%709, %710)\n            %712 = $h1\n            %713 = add(%711, %712)\n            %714 = @R\n            %715 = mul(%713, %714)\n            %716 = $lane\n            %717 = add(%715, %716)\n            %718 = load @v[%717]\n            %719 = abs(%718)\n            %720 = $most\n            %721 = gt(%719, %720)\n            if %721 {\n                %722 = $h2\n                %723 = @N\n                %724 = mul(%722, %723)\n                %725 = $h1\n                %726 = add(%724, %725)\n                %727 = @R\n                %728 = mul(%726, %727)\n                %729 = $lane\n                %730 = add(%728, %729)\n                %731 = load @v[%730]\n                %732 = abs(%731)\n                set $most = %732\n                %733 = $h2\n                %734 = @N\n                %735 = mul(%733, %734)\n                %736 = $h1\n                %737 = add(%735, %736)\n                %738 = @R\n                %739 = mul(%737, %738)\n                %740 = $lane\n                %741 = add(%739, %740)\n                %742 = load @v[%741]\n                %743 = 0.0f32\n                %744 = lt(%742, %743)\n                %745 = -1.0f32\n                %746 = 1.0f32\n                %747 = select(%744, %745, %746)\n                set $factor = %747\n            }\n        }\n    } else {\n        %748 = 0i32\n        %749 = @M\n        %750 = 1i32\n        for $h3 in %748 .. %749 step %750 {\n            %751 = $h3\n            %752 = @N\n            %753 = mul(%751, %752)\n            %754 = $h1\n            %755 = add(%753, %754)\n            %756 = @R\n            %757 = mul(%755, %756)\n            %758 = $lane\n            %759 = add(%757, %758)\n            %760 = load @u[%759]\n            %761 = abs(%760)\n            %762 = $most\n            %763 = gt(%761, %762)\n            if %763 {\n                %764 = $h3\n                %765 = @N\n                %766 = mul(%764, %765)\n                %767 = $h1\n                %768 = add(%766, %767)\n                %769 = @R\n                %770 = mul(%768, %769)\n                %771 = $lane\n                %772 = add(%770, %771)\n                %773 = load @u[%772]\n                %774 = abs(%773)\n                set $most = %774\n                %775 = $h3\n                %776 = @N\n                %777 = mul(%775, %776)\n                %778 = $h1\n                %779 = add(%777, %778)\n                %780 = @R\n                %781 = mul(%779, %780)\n                %782 = $lane\n                %783 = add(%781, %782)\n                %784 = load @u[%783]\n                %785 = 0.0f32\n                %786 = lt(%784, %785)\n                %787 = -1.0f32\n                %788 = 1.0f32\n                %789 = select(%786, %787, %788)\n                set $factor = %789\n            }\n        }\n    }\n    %790 = 0i32\n    %791 = @N\n    %792 = 1i32\n    for $h4 in %790 .. %791 step %792 {\n        %793 = $h4\n        %794 = @N\n        %795 = mul(%793, %794)\n        %796 = $h1\n        %797 = add(%795, %796)\n        %798 = @R\n        %799 = mul(%797, %798)\n        %800 = $lane\n        %801 = add(%799, %800)\n        %802 = $factor\n        %803 = $h4\n        %804 = @N\n        %805 = mul(%803, %804)\n        %806 = $h1\n        %807 = add(%805, %806)\n        %808 = @R\n        %809 = mul(%807, %808)\n        %810 = $lane\n        %811 = add(%809, %810)\n        %812 = load @v[%811]\n        %813 = mul(%802, %812)\n        store @v[%801] = %813\n    }\n    %814 = 0i32\n    %815 = @M\n    %816 = 1i32\n    for $h5 in %814 .. %815 step %816 {\n        %817 = $h5\n        %818 = @N\n        %819 = mul(%817, %818)\n        %820 = $h1\n        %821 = add(%819, %820)\n        %822 = @R\n        %823 = mul(%821, %822)\n        %824 = $lane\n        %825 = add(%823, %824)\n        %826 = $factor\n        %827 = $h5\n        %828 = @N\n        %829 = mul(%827, %828)\n        %830 = $h1\n        %831 = add(%829, %830)\n        %832 = @R\n        %833 = mul(%831, %832)\n        %834 = $lane\n        %835 = add(%833, %834)\n        %836 = load @u[%835]\n        %837 = mul(%826, %836)\n        store @u[%825] = %837\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel3;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel3 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f32>(0);
                let of_right_p1 = args.number::<i32>(1);
                let u_p2 = args.view::<f32>(2);
                let s_p3 = args.view::<f32>(3);
                let v_p4 = args.view::<f32>(4);
                let r_p5 = args.number::<i32>(5);
                let m_p6 = args.number::<i32>(6);
                let n_p7 = args.number::<i32>(7);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut size_35: f32 = 0.0_f32;
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(m_p6, n_p7), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            size_35 = h::max(size_35, h::abs(a_p0.at(h::add(h::mul(start_1, r_p5), lane_0))));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let unit_36: f32 = (if (size_35 == 0.0_f32) { 1.0_f32 } else { size_35 });
                    let mut fill_2: i32 = 0_i32;
                    let (loop1_end, loop1_step): (i32, i32) = (h::mul(m_p6, n_p7), 1_i32);
                    'loop_1: while fill_2 < loop1_end {
                        'round_1: {
                            u_p2.put(h::add(h::mul(fill_2, r_p5), lane_0), (a_p0.at(h::add(h::mul(fill_2, r_p5), lane_0)) / unit_36));
                        }
                        fill_2 = h::add(fill_2, loop1_step);
                    }
                    let mut b1_3: i32 = 0_i32;
                    let (loop2_end, loop2_step): (i32, i32) = (h::mul(n_p7, n_p7), 1_i32);
                    'loop_2: while b1_3 < loop2_end {
                        'round_2: {
                            v_p4.put(h::add(h::mul(b1_3, r_p5), lane_0), (if (h::div(b1_3, n_p7) == h::rem(b1_3, n_p7)) { 1.0_f32 } else { 0.0_f32 }));
                        }
                        b1_3 = h::add(b1_3, loop2_step);
                    }
                    let mut sweep_32: i32 = 0_i32;
                    let mut turned_34: bool = true;
                    'loop_3: loop {
                        if !(h::and(turned_34, (sweep_32 < 40_i32))) { break 'loop_3; }
                        'round_3: {
                            turned_34 = false;
                            sweep_32 = h::add(sweep_32, 1_i32);
                            let mut p_4: i32 = 0_i32;
                            let (loop4_end, loop4_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_4: while p_4 < loop4_end {
                                'round_4: {
                                    let mut q_5: i32 = h::add(p_4, 1_i32);
                                    let (loop5_end, loop5_step): (i32, i32) = (n_p7, 1_i32);
                                    'loop_5: while q_5 < loop5_end {
                                        'round_5: {
                                            let mut alpha_37: f32 = 0.0_f32;
                                            let mut beta_38: f32 = 0.0_f32;
                                            let mut gamma_39: f32 = 0.0_f32;
                                            let mut k1_6: i32 = 0_i32;
                                            let (loop6_end, loop6_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_6: while k1_6 < loop6_end {
                                                'round_6: {
                                                    let x1_45: f32 = u_p2.at(h::add(h::mul(h::add(h::mul(k1_6, n_p7), p_4), r_p5), lane_0));
                                                    let y1_46: f32 = u_p2.at(h::add(h::mul(h::add(h::mul(k1_6, n_p7), q_5), r_p5), lane_0));
                                                    alpha_37 = (alpha_37 + (x1_45 * x1_45));
                                                    beta_38 = (beta_38 + (y1_46 * y1_46));
                                                    gamma_39 = (gamma_39 + (x1_45 * y1_46));
                                                }
                                                k1_6 = h::add(k1_6, loop6_step);
                                            }
                                            let limit_40: f32 = ((h::sqrt::<I, _>(alpha_37) * h::sqrt::<I, _>(beta_38)) * h::cast::<i32, f32>(h::add(m_p6, 4_i32)));
                                            if ((limit_40 + h::abs(gamma_39)) != limit_40) {
                                                turned_34 = true;
                                                let zeta_41: f32 = ((beta_38 - alpha_37) / (2.0_f32 * gamma_39));
                                                let mut t_42: f32 = (1.0_f32 / (h::abs(zeta_41) + h::sqrt::<I, _>(((zeta_41 * zeta_41) + 1.0_f32))));
                                                t_42 = (if (zeta_41 < 0.0_f32) { h::neg(t_42) } else { t_42 });
                                                let c_43: f32 = (1.0_f32 / h::sqrt::<I, _>(((t_42 * t_42) + 1.0_f32)));
                                                let n_44: f32 = (t_42 * c_43);
                                                let mut k2_7: i32 = 0_i32;
                                                let (loop7_end, loop7_step): (i32, i32) = (m_p6, 1_i32);
                                                'loop_7: while k2_7 < loop7_end {
                                                    'round_7: {
                                                        let x2_47: f32 = u_p2.at(h::add(h::mul(h::add(h::mul(k2_7, n_p7), p_4), r_p5), lane_0));
                                                        let y2_48: f32 = u_p2.at(h::add(h::mul(h::add(h::mul(k2_7, n_p7), q_5), r_p5), lane_0));
                                                        u_p2.put(h::add(h::mul(h::add(h::mul(k2_7, n_p7), p_4), r_p5), lane_0), ((c_43 * x2_47) - (n_44 * y2_48)));
                                                        u_p2.put(h::add(h::mul(h::add(h::mul(k2_7, n_p7), q_5), r_p5), lane_0), ((n_44 * x2_47) + (c_43 * y2_48)));
                                                    }
                                                    k2_7 = h::add(k2_7, loop7_step);
                                                }
                                                let mut k3_8: i32 = 0_i32;
                                                let (loop8_end, loop8_step): (i32, i32) = (n_p7, 1_i32);
                                                'loop_8: while k3_8 < loop8_end {
                                                    'round_8: {
                                                        let x3_49: f32 = v_p4.at(h::add(h::mul(h::add(h::mul(k3_8, n_p7), p_4), r_p5), lane_0));
                                                        let y3_50: f32 = v_p4.at(h::add(h::mul(h::add(h::mul(k3_8, n_p7), q_5), r_p5), lane_0));
                                                        v_p4.put(h::add(h::mul(h::add(h::mul(k3_8, n_p7), p_4), r_p5), lane_0), ((c_43 * x3_49) - (n_44 * y3_50)));
                                                        v_p4.put(h::add(h::mul(h::add(h::mul(k3_8, n_p7), q_5), r_p5), lane_0), ((n_44 * x3_49) + (c_43 * y3_50)));
                                                    }
                                                    k3_8 = h::add(k3_8, loop8_step);
                                                }
                                            }
                                        }
                                        q_5 = h::add(q_5, loop5_step);
                                    }
                                }
                                p_4 = h::add(p_4, loop4_step);
                            }
                        }
                    }
                    let mut d1_9: i32 = 0_i32;
                    let (loop9_end, loop9_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_9: while d1_9 < loop9_end {
                        'round_9: {
                            let mut total_51: f32 = 0.0_f32;
                            let mut d2_10: i32 = 0_i32;
                            let (loop10_end, loop10_step): (i32, i32) = (m_p6, 1_i32);
                            'loop_10: while d2_10 < loop10_end {
                                'round_10: {
                                    total_51 = (total_51 + (u_p2.at(h::add(h::mul(h::add(h::mul(d2_10, n_p7), d1_9), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(d2_10, n_p7), d1_9), r_p5), lane_0))));
                                }
                                d2_10 = h::add(d2_10, loop10_step);
                            }
                            s_p3.put(h::add(h::mul(d1_9, r_p5), lane_0), h::sqrt::<I, _>(total_51));
                        }
                        d1_9 = h::add(d1_9, loop9_step);
                    }
                    let mut i_11: i32 = 0_i32;
                    let (loop11_end, loop11_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_11: while i_11 < loop11_end {
                        'round_11: {
                            let mut most_at_31: i32 = i_11;
                            let mut j_12: i32 = h::add(i_11, 1_i32);
                            let (loop12_end, loop12_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_12: while j_12 < loop12_end {
                                'round_12: {
                                    if (s_p3.at(h::add(h::mul(j_12, r_p5), lane_0)) > s_p3.at(h::add(h::mul(most_at_31, r_p5), lane_0))) {
                                        most_at_31 = j_12;
                                    }
                                }
                                j_12 = h::add(j_12, loop12_step);
                            }
                            let held_52: f32 = s_p3.at(h::add(h::mul(i_11, r_p5), lane_0));
                            s_p3.put(h::add(h::mul(i_11, r_p5), lane_0), s_p3.at(h::add(h::mul(most_at_31, r_p5), lane_0)));
                            s_p3.put(h::add(h::mul(most_at_31, r_p5), lane_0), held_52);
                            let mut k4_13: i32 = 0_i32;
                            let (loop13_end, loop13_step): (i32, i32) = (m_p6, 1_i32);
                            'loop_13: while k4_13 < loop13_end {
                                'round_13: {
                                    let value_53: f32 = u_p2.at(h::add(h::mul(h::add(h::mul(k4_13, n_p7), i_11), r_p5), lane_0));
                                    u_p2.put(h::add(h::mul(h::add(h::mul(k4_13, n_p7), i_11), r_p5), lane_0), u_p2.at(h::add(h::mul(h::add(h::mul(k4_13, n_p7), most_at_31), r_p5), lane_0)));
                                    u_p2.put(h::add(h::mul(h::add(h::mul(k4_13, n_p7), most_at_31), r_p5), lane_0), value_53);
                                }
                                k4_13 = h::add(k4_13, loop13_step);
                            }
                            let mut k5_14: i32 = 0_i32;
                            let (loop14_end, loop14_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_14: while k5_14 < loop14_end {
                                'round_14: {
                                    let other_54: f32 = v_p4.at(h::add(h::mul(h::add(h::mul(k5_14, n_p7), i_11), r_p5), lane_0));
                                    v_p4.put(h::add(h::mul(h::add(h::mul(k5_14, n_p7), i_11), r_p5), lane_0), v_p4.at(h::add(h::mul(h::add(h::mul(k5_14, n_p7), most_at_31), r_p5), lane_0)));
                                    v_p4.put(h::add(h::mul(h::add(h::mul(k5_14, n_p7), most_at_31), r_p5), lane_0), other_54);
                                }
                                k5_14 = h::add(k5_14, loop14_step);
                            }
                        }
                        i_11 = h::add(i_11, loop11_step);
                    }
                    let longest_56: f32 = s_p3.at(lane_0);
                    let mut e1_15: i32 = 0_i32;
                    let (loop15_end, loop15_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_15: while e1_15 < loop15_end {
                        'round_15: {
                            if (s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0)) != 0.0_f32) {
                                let mut f1_16: i32 = 0_i32;
                                let (loop16_end, loop16_step): (i32, i32) = (m_p6, 1_i32);
                                'loop_16: while f1_16 < loop16_end {
                                    'round_16: {
                                        u_p2.put(h::add(h::mul(h::add(h::mul(f1_16, n_p7), e1_15), r_p5), lane_0), (u_p2.at(h::add(h::mul(h::add(h::mul(f1_16, n_p7), e1_15), r_p5), lane_0)) / s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0))));
                                    }
                                    f1_16 = h::add(f1_16, loop16_step);
                                }
                            }
                            if ((longest_56 + s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0))) == longest_56) {
                                let mut again_33: i32 = 0_i32;
                                let (loop17_end, loop17_step): (i32, i32) = (3_i32, 1_i32);
                                'loop_17: while again_33 < loop17_end {
                                    'round_17: {
                                        let mut g3_20: i32 = 0_i32;
                                        let (loop18_end, loop18_step): (i32, i32) = (e1_15, 1_i32);
                                        'loop_18: while g3_20 < loop18_end {
                                            'round_18: {
                                                let mut dot_59: f32 = 0.0_f32;
                                                let mut g4_21: i32 = 0_i32;
                                                let (loop19_end, loop19_step): (i32, i32) = (m_p6, 1_i32);
                                                'loop_19: while g4_21 < loop19_end {
                                                    'round_19: {
                                                        dot_59 = (dot_59 + (u_p2.at(h::add(h::mul(h::add(h::mul(g4_21, n_p7), g3_20), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(g4_21, n_p7), e1_15), r_p5), lane_0))));
                                                    }
                                                    g4_21 = h::add(g4_21, loop19_step);
                                                }
                                                let mut g5_22: i32 = 0_i32;
                                                let (loop20_end, loop20_step): (i32, i32) = (m_p6, 1_i32);
                                                'loop_20: while g5_22 < loop20_end {
                                                    'round_20: {
                                                        u_p2.put(h::add(h::mul(h::add(h::mul(g5_22, n_p7), e1_15), r_p5), lane_0), (u_p2.at(h::add(h::mul(h::add(h::mul(g5_22, n_p7), e1_15), r_p5), lane_0)) - (dot_59 * u_p2.at(h::add(h::mul(h::add(h::mul(g5_22, n_p7), g3_20), r_p5), lane_0)))));
                                                    }
                                                    g5_22 = h::add(g5_22, loop20_step);
                                                }
                                            }
                                            g3_20 = h::add(g3_20, loop18_step);
                                        }
                                        let mut long_58: f32 = 0.0_f32;
                                        let mut g6_23: i32 = 0_i32;
                                        let (loop21_end, loop21_step): (i32, i32) = (m_p6, 1_i32);
                                        'loop_21: while g6_23 < loop21_end {
                                            'round_21: {
                                                long_58 = (long_58 + (u_p2.at(h::add(h::mul(h::add(h::mul(g6_23, n_p7), e1_15), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(g6_23, n_p7), e1_15), r_p5), lane_0))));
                                            }
                                            g6_23 = h::add(g6_23, loop21_step);
                                        }
                                        if h::and((again_33 == 0_i32), (long_58 < 0.25_f32)) {
                                            let mut best_30: i32 = 0_i32;
                                            let mut left_55: f32 = 0.0_f32;
                                            let mut f2_17: i32 = 0_i32;
                                            let (loop22_end, loop22_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_22: while f2_17 < loop22_end {
                                                'round_22: {
                                                    let mut part_57: f32 = 1.0_f32;
                                                    let mut g1_18: i32 = 0_i32;
                                                    let (loop23_end, loop23_step): (i32, i32) = (e1_15, 1_i32);
                                                    'loop_23: while g1_18 < loop23_end {
                                                        'round_23: {
                                                            part_57 = (part_57 - (u_p2.at(h::add(h::mul(h::add(h::mul(f2_17, n_p7), g1_18), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(f2_17, n_p7), g1_18), r_p5), lane_0))));
                                                        }
                                                        g1_18 = h::add(g1_18, loop23_step);
                                                    }
                                                    if (part_57 > left_55) {
                                                        left_55 = part_57;
                                                        best_30 = f2_17;
                                                    }
                                                }
                                                f2_17 = h::add(f2_17, loop22_step);
                                            }
                                            let mut g2_19: i32 = 0_i32;
                                            let (loop24_end, loop24_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_24: while g2_19 < loop24_end {
                                                'round_24: {
                                                    u_p2.put(h::add(h::mul(h::add(h::mul(g2_19, n_p7), e1_15), r_p5), lane_0), (if (g2_19 == best_30) { 1.0_f32 } else { 0.0_f32 }));
                                                }
                                                g2_19 = h::add(g2_19, loop24_step);
                                            }
                                        } else {
                                            let mut g7_24: i32 = 0_i32;
                                            let (loop25_end, loop25_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_25: while g7_24 < loop25_end {
                                                'round_25: {
                                                    u_p2.put(h::add(h::mul(h::add(h::mul(g7_24, n_p7), e1_15), r_p5), lane_0), (u_p2.at(h::add(h::mul(h::add(h::mul(g7_24, n_p7), e1_15), r_p5), lane_0)) / h::sqrt::<I, _>(long_58)));
                                                }
                                                g7_24 = h::add(g7_24, loop25_step);
                                            }
                                        }
                                    }
                                    again_33 = h::add(again_33, loop17_step);
                                }
                            }
                            s_p3.put(h::add(h::mul(e1_15, r_p5), lane_0), (s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0)) * size_35));
                        }
                        e1_15 = h::add(e1_15, loop15_step);
                    }
                    let mut h1_25: i32 = 0_i32;
                    let (loop26_end, loop26_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_26: while h1_25 < loop26_end {
                        'round_26: {
                            let mut most_60: f32 = 0.0_f32;
                            let mut factor_61: f32 = 1.0_f32;
                            if (of_right_p1 != 0_i32) {
                                let mut h2_26: i32 = 0_i32;
                                let (loop27_end, loop27_step): (i32, i32) = (n_p7, 1_i32);
                                'loop_27: while h2_26 < loop27_end {
                                    'round_27: {
                                        if (h::abs(v_p4.at(h::add(h::mul(h::add(h::mul(h2_26, n_p7), h1_25), r_p5), lane_0))) > most_60) {
                                            most_60 = h::abs(v_p4.at(h::add(h::mul(h::add(h::mul(h2_26, n_p7), h1_25), r_p5), lane_0)));
                                            factor_61 = (if (v_p4.at(h::add(h::mul(h::add(h::mul(h2_26, n_p7), h1_25), r_p5), lane_0)) < 0.0_f32) { (-1.0_f32) } else { 1.0_f32 });
                                        }
                                    }
                                    h2_26 = h::add(h2_26, loop27_step);
                                }
                            } else {
                                let mut h3_27: i32 = 0_i32;
                                let (loop28_end, loop28_step): (i32, i32) = (m_p6, 1_i32);
                                'loop_28: while h3_27 < loop28_end {
                                    'round_28: {
                                        if (h::abs(u_p2.at(h::add(h::mul(h::add(h::mul(h3_27, n_p7), h1_25), r_p5), lane_0))) > most_60) {
                                            most_60 = h::abs(u_p2.at(h::add(h::mul(h::add(h::mul(h3_27, n_p7), h1_25), r_p5), lane_0)));
                                            factor_61 = (if (u_p2.at(h::add(h::mul(h::add(h::mul(h3_27, n_p7), h1_25), r_p5), lane_0)) < 0.0_f32) { (-1.0_f32) } else { 1.0_f32 });
                                        }
                                    }
                                    h3_27 = h::add(h3_27, loop28_step);
                                }
                            }
                            let mut h4_28: i32 = 0_i32;
                            let (loop29_end, loop29_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_29: while h4_28 < loop29_end {
                                'round_29: {
                                    v_p4.put(h::add(h::mul(h::add(h::mul(h4_28, n_p7), h1_25), r_p5), lane_0), (factor_61 * v_p4.at(h::add(h::mul(h::add(h::mul(h4_28, n_p7), h1_25), r_p5), lane_0))));
                                }
                                h4_28 = h::add(h4_28, loop29_step);
                            }
                            let mut h5_29: i32 = 0_i32;
                            let (loop30_end, loop30_step): (i32, i32) = (m_p6, 1_i32);
                            'loop_30: while h5_29 < loop30_end {
                                'round_30: {
                                    u_p2.put(h::add(h::mul(h::add(h::mul(h5_29, n_p7), h1_25), r_p5), lane_0), (factor_61 * u_p2.at(h::add(h::mul(h::add(h::mul(h5_29, n_p7), h1_25), r_p5), lane_0))));
                                }
                                h5_29 = h::add(h5_29, loop30_step);
                            }
                        }
                        h1_25 = h::add(h1_25, loop26_step);
                    }
                }
            }
        }
        h::entry::<Kernel3>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f32\nparam q: read_write f32\nparam r: write f32\nparam work: read_write f32\nparam R: size\nparam M: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar i: i32\nvar a1: i32\nvar a2: i32\nvar a3: i32\nvar a4: i32\nvar a5: i32\nvar a6: i32\nvar j: i32\nvar b1: i32\nvar b2: i32\nvar c1: i32\nvar c2: i32\nvar d1: i32\nvar s: i32\nvar e: i32\nvar f1: i32\nvar f2: i32\nvar f3: i32\nvar alpha: f32\nvar most: f32\nvar tail: f32\nvar part: f32\nvar beta: f32\nvar tau: f32\nvar sum: f32\nvar rest: f32\nvar back: f32\nvar total: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 0i32\n%3 = @M\n%4 = @N\n%5 = mul(%3, %4)\n%6 = 1i32\nfor $start in %2 .. %5 step %6 {\n    %7 = $start\n    %8 = @R\n    %9 = mul(%7, %8)\n    %10 = $lane\n    %11 = add(%9, %10)\n    %12 = $start\n    %13 = @R\n    %14 = mul(%12, %13)\n    %15 = $lane\n    %16 = add(%14, %15)\n    %17 = load @a[%16]\n    store @work[%11] = %17\n    %18 = $start\n    %19 = @R\n    %20 = mul(%18, %19)\n    %21 = $lane\n    %22 = add(%20, %21)\n    %23 = $start\n    %24 = @N\n    %25 = div(%23, %24)\n    %26 = $start\n    %27 = @N\n    %28 = rem(%26, %27)\n    %29 = eq(%25, %28)\n    %30 = 1.0f32\n    %31 = 0.0f32\n    %32 = select(%29, %30, %31)\n    store @q[%22] = %32\n}\n%33 = 0i32\n%34 = @N\n%35 = 1i32\nfor $i in %33 .. %34 step %35 {\n    %36 = $i\n    %37 = @N\n    %38 = mul(%36, %37)\n    %39 = $i\n    %40 = add(%38, %39)\n    %41 = @R\n    %42 = mul(%40, %41)\n    %43 = $lane\n    %44 = add(%42, %43)\n    %45 = load @work[%44]\n    let $alpha = %45\n    %46 = $alpha\n    %47 = abs(%46)\n    let $most = %47\n    %48 = $i\n    %49 = 1i32\n    %50 = add(%48, %49)\n    %51 = @M\n    %52 = 1i32\n    for $a1 in %50 .. %51 step %52 {\n        %53 = $most\n        %54 = $a1\n        %55 = @N\n        %56 = mul(%54, %55)\n        %57 = $i\n        %58 = add(%56, %57)\n        %59 = @R\n        %60 = mul(%58, %59)\n        %61 = $lane\n        %62 = add(%60, %61)\n        %63 = load @work[%62]\n        %64 = abs(%63)\n        %65 = max(%53, %64)\n        set $most = %65\n    }\n    %66 = 0.0f32\n    let $tail = %66\n    %67 = $i\n    %68 = 1i32\n    %69 = add(%67, %68)\n    %70 = @M\n    %71 = 1i32\n    for $a2 in %69 .. %70 step %71 {\n        %72 = $a2\n        %73 = @N\n        %74 = mul(%72, %73)\n        %75 = $i\n        %76 = add(%74, %75)\n        %77 = @R\n        %78 = mul(%76, %77)\n        %79 = $lane\n        %80 = add(%78, %79)\n        %81 = load @work[%80]\n        %82 = $most\n        %83 = div(%81, %82)\n        let $part = %83\n        %84 = $tail\n        %85 = $part\n        %86 = $part\n        %87 = mul(%85, %86)\n        %88 = add(%84, %87)\n        set $tail = %88\n    }\n    %89 = $tail\n    %90 = 0.0f32\n    %91 = gt(%89, %90)\n    if %91 {\n        %92 = $most\n        %93 = $alpha\n        %94 = $most\n        %95 = div(%93, %94)\n        %96 = $alpha\n        %97 = $most\n        %98 = div(%96, %97)\n        %99 = mul(%95, %98)\n        %100 = $tail\n        %101 = add(%99, %100)\n        %102 = sqrt(%101)\n        %103 = mul(%92, %102)\n        let $beta = %103\n        %104 = $alpha\n        %105 = 0.0f32\n        %106 = lt(%104, %105)\n        %107 = $beta\n        %108 = $beta\n        %109 = neg(%108)\n        %110 = select(%106, %107, %109)\n        set $beta = %110\n        %111 = $i\n        %112 = 1i32\n        %113 = add(%111, %112)\n        %114 = @M\n        %115 = 1i32\n        for $a3 in %113 .. %114 step %115 {\n            %116 = $a3\n            %117 = @N\n            %118 = mul(%116, %117)\n            %119 = $i\n            %120 = add(%118, %119)\n            %121 = @R\n            %122 = mul(%120, %121)\n            %123 = $lane\n            %124 = add(%122, %123)\n            %125 = $a3\n            %126 = @N\n            %127 = mul(%125, %126)\n            %128 = $i\n            %129 = add(%127, %128)\n            %130 = @R\n            %131 = mul(%129, %130)\n            %132 = $lane\n            %133 = add(%131, %132)\n            %134 = load @work[%133]\n            %135 = $alpha\n            %136 = $beta\n            %137 = sub(%135, %136)\n            %138 = div(%134, %137)\n            store @work[%124] = %138\n        }\n        %139 = $beta\n        %140 = $alpha\n        %141 = sub(%139, %140)\n        %142 = $beta\n        %143 = div(%141, %142)\n        let $tau = %143\n        %144 = $i\n        %145 = @N\n        %146 = mul(%144, %145)\n        %147 = $i\n        %148 = add(%146, %147)\n        %149 = @R\n        %150 = mul(%148, %149)\n        %151 = $lane\n        %152 = add(%150, %151)\n        %153 = $beta\n        store @work[%152] = %153\n        %154 = $i\n        %155 = 1i32\n        %156 = add(%154, %155)\n        %157 = @N\n        %158 = 1i32\n        for $j in %156 .. %157 step %158 {\n            %159 = $i\n            %160 = @N\n            %161 = mul(%159, %160)\n            %162 = $j\n            %163 = add(%161, %162)\n            %164 = @R\n            %165 = mul(%163, %164)\n            %166 = $lane\n            %167 = add(%165, %166)\n            %168 = load @work[%167]\n            let $sum = %168\n            %169 = $i\n            %170 = 1i32\n            %171 = add(%169, %170)\n            %172 = @M\n            %173 = 1i32\n            for $a4 in %171 .. %172 step %173 {\n                %174 = $sum\n                %175 = $a4\n                %176 = @N\n                %177 = mul(%175, %176)\n                %178 = $i\n                %179 = add(%177, %178)\n                %180 = @R\n                %181 = mul(%179, %180)\n                %182 = $lane\n                %183 = add(%181, %182)\n                %184 = load @work[%183]\n                %185 = $a4\n                %186 = @N\n                %187 = mul(%185, %186)\n                %188 = $j\n                %189 = add(%187, %188)\n                %190 = @R\n                %191 = mul(%189, %190)\n                %192 = $lane\n                %193 = add(%191, %192)\n                %194 = load @work[%193]\n                %195 = mul(%184, %194)\n                %196 = add(%174, %195)\n                set $sum = %196\n            }\n            %197 = $sum\n            %198 = $tau\n            %199 = mul(%197, %198)\n            set $sum = %199\n            %200 = $i\n            %201 = @N\n            %202 = mul(%200, %201)\n            %203 = $j\n            %204 = add(%202, %203)\n            %205 = @R\n            %206 = mul(%204, %205)\n            %207 = $lane\n            %208 = add(%206, %207)\n            %209 = $i\n            %210 = @N\n            %211 = mul(%209, %210)\n            %212 = $j\n            %213 = add(%211, %212)\n            %214 = @R\n            %215 = mul(%213, %214)\n            %216 = $lane\n            %217 = add(%215, %216)\n            %218 = load @work[%217]\n            %219 = $sum\n            %220 = sub(%218, %219)\n            store @work[%208] = %220\n            %221 = $i\n            %222 = 1i32\n            %223 = add(%221, %222)\n            %224 = @M\n            %225 = 1i32\n            for $a5 in %223 .. %224 step %225 {\n                %226 = $a5\n                %227 = @N\n                %228 = mul(%226, %227)\n                %229 = $j\n                %230 = add(%228, %229)\n                %231 = @R\n                %232 = mul(%230, %231)\n                %233 = $lane\n                %234 = add(%232, %233)\n                %235 = $a5\n                %236 = @N\n                %237 = mul(%235, %236)\n                %238 = $j\n                %239 = add(%237, %238)\n                %240 = @R\n                %241 = mul(%239, %240)\n                %242 = $lane\n                %243 = add(%241, %242)\n                %244 = load @work[%243]\n                %245 = $a5\n                %246 = @N\n                %247 = mul(%245, %246)\n                %248 = $i\n                %249 = add(%247, %248)\n                %250 = @R\n                %251 = mul(%249, %250)\n                %252 = $lane\n                %253 = add(%251, %252)\n                %254 = load @work[%253]\n                %255 = $sum\n                %256 = mul(%254, %255)\n                %257 = sub(%244, %256)\n                store @work[%234] = %257\n            }\n        }\n    } else {\n        %258 = $i\n        %259 = 1i32\n        %260 = add(%258, %259)\n        %261 = @M\n        %262 = 1i32\n        for $a6 in %260 .. %261 step %262 {\n            %263 = $a6\n            %264 = @N\n            %265 = mul(%263, %264)\n            %266 = $i\n            %267 = add(%265, %266)\n            %268 = @R\n            %269 = mul(%267, %268)\n            %270 = $lane\n            %271 = add(%269, %270)\n            %272 = 0.0f32\n            store @work[%271] = %272\n        }\n    }\n}\n%273 = 0i32\n%274 = @N\n%275 = 1i32\nfor $b1 in %273 .. %274 step %275 {\n    %276 = 0i32\n    %277 = @N\n    %278 = 1i32\n    for $b2 in %276 .. %277 step %278 {\n        %279 = $b1\n        %280 = @N\n        %281 = mul(%279, %280)\n        %282 = $b2\n        %283 = add(%281, %282)\n        %284 = @R\n        %285 = mul(%283, %284)\n        %286 = $lane\n        %287 = add(%285, %286)\n        %288 = $b2\n        %289 = $b1\n        %290 = ge(%288, %289)\n        %291 = $b1\n        %292 = @N\n        %293 = mul(%291, %292)\n        %294 = $b2\n        %295 = add(%293, %294)\n        %296 = @R\n        %297 = mul(%295, %296)\n        %298 = $lane\n        %299 = add(%297, %298)\n        %300 = load @work[%299]\n        %301 = 0.0f32\n        %302 = select(%290, %300, %301)\n        store @r[%287] = %302\n    }\n}\n%303 = 0i32\n%304 = @N\n%305 = 1i32\nfor $c1 in %303 .. %304 step %305 {\n    %306 = @N\n    %307 = 1i32\n    %308 = sub(%306, %307)\n    %309 = $c1\n    %310 = sub(%308, %309)\n    let $s = %310\n    %311 = 0.0f32\n    let $rest = %311\n    %312 = $s\n    %313 = 1i32\n    %314 = add(%312, %313)\n    %315 = @M\n    %316 = 1i32\n    for $c2 in %314 .. %315 step %316 {\n        %317 = $rest\n        %318 = $c2\n        %319 = @N\n        %320 = mul(%318, %319)\n        %321 = $s\n        %322 = add(%320, %321)\n        %323 = @R\n        %324 = mul(%322, %323)\n        %325 = $lane\n        %326 = add(%324, %325)\n        %327 = load @work[%326]\n        %328 = $c2\n        %329 = @N\n        %330 = mul(%328, %329)\n        %331 = $s\n        %332 = add(%330, %331)\n        %333 = @R\n        %334 = mul(%332, %333)\n        %335 = $lane\n        %336 = add(%334, %335)\n        %337 = load @work[%336]\n        %338 = mul(%327, %337)\n        %339 = add(%317, %338)\n        set $rest = %339\n    }\n    %340 = $rest\n    %341 = 0.0f32\n    %342 = gt(%340, %341)\n    if %342 {\n        %343 = 2.0f32\n        %344 = $rest\n        %345 = 1.0f32\n        %346 = add(%344, %345)\n        %347 = div(%343, %346)\n        let $back = %347\n        %348 = $s\n        %349 = @N\n        %350 = 1i32\n        for $e in %348 .. %349 step %350 {\n            %351 = $s\n            %352 = @N\n            %353 = mul(%351, %352)\n            %354 = $e\n            %355 = add(%353, %354)\n            %356 = @R\n            %357 = mul(%355, %356)\n            %358 = $lane\n            %359 = add(%357, %358)\n            %360 = load @q[%359]\n            let $total = %360\n            %361 = $s\n            %362 = 1i32\n            %363 = add(%361, %362)\n            %364 = @M\n            %365 = 1i32\n            for $f1 in %363 .. %364 step %365 {\n                %366 = $total\n                %367 = $f1\n                %368 = @N\n                %369 = mul(%367, %368)\n                %370 = $s\n                %371 = add(%369, %370)\n                %372 = @R\n                %373 = mul(%371, %372)\n                %374 = $lane\n                %375 = add(%373, %374)\n                %376 = load @work[%375]\n                %377 = $f1\n                %378 = @N\n                %379 = mul(%377, %378)\n                %380 = $e\n                %381 = add(%379, %380)\n                %382 = @R\n                %383 = mul(%381, %382)\n                %384 = $lane\n                %385 = add(%383, %384)\n                %386 = load @q[%385]\n                %387 = mul(%376, %386)\n                %388 = add(%366, %387)\n                set $total = %388\n            }\n            %389 = $total\n            %390 = $back\n            %391 = mul(%389, %390)\n            set $total = %391\n            %392 = $s\n            %393 = @N\n            %394 = mul(%392, %393)\n            %395 = $e\n            %396 = add(%394, %395)\n            %397 = @R\n            %398 = mul(%396, %397)\n            %399 = $lane\n            %400 = add(%398, %399)\n            %401 = $s\n            %402 = @N\n            %403 = mul(%401, %402)\n            %404 = $e\n            %405 = add(%403, %404)\n            %406 = @R\n            %407 = mul(%405, %406)\n            %408 = $lane\n            %409 = add(%407, %408)\n            %410 = load @q[%409]\n            %411 = $total\n            %412 = sub(%410, %411)\n            store @q[%400] = %412\n            %413 = $s\n            %414 = 1i32\n            %415 = add(%413, %414)\n            %416 = @M\n            %417 = 1i32\n            for $f2 in %415 .. %416 step %417 {\n                %418 = $f2\n                %419 = @N\n                %420 = mul(%418, %419)\n                %421 = $e\n                %422 = add(%420, %421)\n                %423 = @R\n                %424 = mul(%422, %423)\n                %425 = $lane\n                %426 = add(%424, %425)\n                %427 = $f2\n                %428 = @N\n                %429 = mul(%427, %428)\n                %430 = $e\n                %431 = add(%429, %430)\n                %432 = @R\n                %433 = mul(%431, %432)\n                %434 = $lane\n                %435 = add(%433, %434)\n                %436 = load @q[%435]\n                %437 = $f2\n                %438 = @N\n                %439 = mul(%437, %438)\n                %440 = $s\n                %441 = add(%439, %440)\n                %442 = @R\n                %443 = mul(%441, %442)\n                %444 = $lane\n                %445 = add(%443, %444)\n                %446 = load @work[%445]\n                %447 = $total\n                %448 = mul(%446, %447)\n                %449 = sub(%436, %448)\n                store @q[%426] = %449\n            }\n        }\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel4;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel4 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f32>(0);
                let q_p1 = args.view::<f32>(1);
                let r_p2 = args.view::<f32>(2);
                let work_p3 = args.view::<f32>(3);
                let r_p4 = args.number::<i32>(4);
                let m_p5 = args.number::<i32>(5);
                let n_p6 = args.number::<i32>(6);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(m_p5, n_p6), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            work_p3.put(h::add(h::mul(start_1, r_p4), lane_0), a_p0.at(h::add(h::mul(start_1, r_p4), lane_0)));
                            q_p1.put(h::add(h::mul(start_1, r_p4), lane_0), (if (h::div(start_1, n_p6) == h::rem(start_1, n_p6)) { 1.0_f32 } else { 0.0_f32 }));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let mut i_2: i32 = 0_i32;
                    let (loop1_end, loop1_step): (i32, i32) = (n_p6, 1_i32);
                    'loop_1: while i_2 < loop1_end {
                        'round_1: {
                            let alpha_20: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(i_2, n_p6), i_2), r_p4), lane_0));
                            let mut most_21: f32 = h::abs(alpha_20);
                            let mut a1_3: i32 = h::add(i_2, 1_i32);
                            let (loop2_end, loop2_step): (i32, i32) = (m_p5, 1_i32);
                            'loop_2: while a1_3 < loop2_end {
                                'round_2: {
                                    most_21 = h::max(most_21, h::abs(work_p3.at(h::add(h::mul(h::add(h::mul(a1_3, n_p6), i_2), r_p4), lane_0))));
                                }
                                a1_3 = h::add(a1_3, loop2_step);
                            }
                            let mut tail_22: f32 = 0.0_f32;
                            let mut a2_4: i32 = h::add(i_2, 1_i32);
                            let (loop3_end, loop3_step): (i32, i32) = (m_p5, 1_i32);
                            'loop_3: while a2_4 < loop3_end {
                                'round_3: {
                                    let part_23: f32 = (work_p3.at(h::add(h::mul(h::add(h::mul(a2_4, n_p6), i_2), r_p4), lane_0)) / most_21);
                                    tail_22 = (tail_22 + (part_23 * part_23));
                                }
                                a2_4 = h::add(a2_4, loop3_step);
                            }
                            if (tail_22 > 0.0_f32) {
                                let mut beta_24: f32 = (most_21 * h::sqrt::<I, _>((((alpha_20 / most_21) * (alpha_20 / most_21)) + tail_22)));
                                beta_24 = (if (alpha_20 < 0.0_f32) { beta_24 } else { h::neg(beta_24) });
                                let mut a3_5: i32 = h::add(i_2, 1_i32);
                                let (loop4_end, loop4_step): (i32, i32) = (m_p5, 1_i32);
                                'loop_4: while a3_5 < loop4_end {
                                    'round_4: {
                                        work_p3.put(h::add(h::mul(h::add(h::mul(a3_5, n_p6), i_2), r_p4), lane_0), (work_p3.at(h::add(h::mul(h::add(h::mul(a3_5, n_p6), i_2), r_p4), lane_0)) / (alpha_20 - beta_24)));
                                    }
                                    a3_5 = h::add(a3_5, loop4_step);
                                }
                                let tau_25: f32 = ((beta_24 - alpha_20) / beta_24);
                                work_p3.put(h::add(h::mul(h::add(h::mul(i_2, n_p6), i_2), r_p4), lane_0), beta_24);
                                let mut j_9: i32 = h::add(i_2, 1_i32);
                                let (loop5_end, loop5_step): (i32, i32) = (n_p6, 1_i32);
                                'loop_5: while j_9 < loop5_end {
                                    'round_5: {
                                        let mut sum_26: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(i_2, n_p6), j_9), r_p4), lane_0));
                                        let mut a4_6: i32 = h::add(i_2, 1_i32);
                                        let (loop6_end, loop6_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_6: while a4_6 < loop6_end {
                                            'round_6: {
                                                sum_26 = (sum_26 + (work_p3.at(h::add(h::mul(h::add(h::mul(a4_6, n_p6), i_2), r_p4), lane_0)) * work_p3.at(h::add(h::mul(h::add(h::mul(a4_6, n_p6), j_9), r_p4), lane_0))));
                                            }
                                            a4_6 = h::add(a4_6, loop6_step);
                                        }
                                        sum_26 = (sum_26 * tau_25);
                                        work_p3.put(h::add(h::mul(h::add(h::mul(i_2, n_p6), j_9), r_p4), lane_0), (work_p3.at(h::add(h::mul(h::add(h::mul(i_2, n_p6), j_9), r_p4), lane_0)) - sum_26));
                                        let mut a5_7: i32 = h::add(i_2, 1_i32);
                                        let (loop7_end, loop7_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_7: while a5_7 < loop7_end {
                                            'round_7: {
                                                work_p3.put(h::add(h::mul(h::add(h::mul(a5_7, n_p6), j_9), r_p4), lane_0), (work_p3.at(h::add(h::mul(h::add(h::mul(a5_7, n_p6), j_9), r_p4), lane_0)) - (work_p3.at(h::add(h::mul(h::add(h::mul(a5_7, n_p6), i_2), r_p4), lane_0)) * sum_26)));
                                            }
                                            a5_7 = h::add(a5_7, loop7_step);
                                        }
                                    }
                                    j_9 = h::add(j_9, loop5_step);
                                }
                            } else {
                                let mut a6_8: i32 = h::add(i_2, 1_i32);
                                let (loop8_end, loop8_step): (i32, i32) = (m_p5, 1_i32);
                                'loop_8: while a6_8 < loop8_end {
                                    'round_8: {
                                        work_p3.put(h::add(h::mul(h::add(h::mul(a6_8, n_p6), i_2), r_p4), lane_0), 0.0_f32);
                                    }
                                    a6_8 = h::add(a6_8, loop8_step);
                                }
                            }
                        }
                        i_2 = h::add(i_2, loop1_step);
                    }
                    let mut b1_10: i32 = 0_i32;
                    let (loop9_end, loop9_step): (i32, i32) = (n_p6, 1_i32);
                    'loop_9: while b1_10 < loop9_end {
                        'round_9: {
                            let mut b2_11: i32 = 0_i32;
                            let (loop10_end, loop10_step): (i32, i32) = (n_p6, 1_i32);
                            'loop_10: while b2_11 < loop10_end {
                                'round_10: {
                                    r_p2.put(h::add(h::mul(h::add(h::mul(b1_10, n_p6), b2_11), r_p4), lane_0), (if (b2_11 >= b1_10) {  work_p3.at(h::add(h::mul(h::add(h::mul(b1_10, n_p6), b2_11), r_p4), lane_0)) } else { 0.0_f32 }));
                                }
                                b2_11 = h::add(b2_11, loop10_step);
                            }
                        }
                        b1_10 = h::add(b1_10, loop9_step);
                    }
                    let mut c1_12: i32 = 0_i32;
                    let (loop11_end, loop11_step): (i32, i32) = (n_p6, 1_i32);
                    'loop_11: while c1_12 < loop11_end {
                        'round_11: {
                            let s_15: i32 = h::sub(h::sub(n_p6, 1_i32), c1_12);
                            let mut rest_27: f32 = 0.0_f32;
                            let mut c2_13: i32 = h::add(s_15, 1_i32);
                            let (loop12_end, loop12_step): (i32, i32) = (m_p5, 1_i32);
                            'loop_12: while c2_13 < loop12_end {
                                'round_12: {
                                    rest_27 = (rest_27 + (work_p3.at(h::add(h::mul(h::add(h::mul(c2_13, n_p6), s_15), r_p4), lane_0)) * work_p3.at(h::add(h::mul(h::add(h::mul(c2_13, n_p6), s_15), r_p4), lane_0))));
                                }
                                c2_13 = h::add(c2_13, loop12_step);
                            }
                            if (rest_27 > 0.0_f32) {
                                let back_28: f32 = (2.0_f32 / (rest_27 + 1.0_f32));
                                let mut e_16: i32 = s_15;
                                let (loop13_end, loop13_step): (i32, i32) = (n_p6, 1_i32);
                                'loop_13: while e_16 < loop13_end {
                                    'round_13: {
                                        let mut total_29: f32 = q_p1.at(h::add(h::mul(h::add(h::mul(s_15, n_p6), e_16), r_p4), lane_0));
                                        let mut f1_17: i32 = h::add(s_15, 1_i32);
                                        let (loop14_end, loop14_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_14: while f1_17 < loop14_end {
                                            'round_14: {
                                                total_29 = (total_29 + (work_p3.at(h::add(h::mul(h::add(h::mul(f1_17, n_p6), s_15), r_p4), lane_0)) * q_p1.at(h::add(h::mul(h::add(h::mul(f1_17, n_p6), e_16), r_p4), lane_0))));
                                            }
                                            f1_17 = h::add(f1_17, loop14_step);
                                        }
                                        total_29 = (total_29 * back_28);
                                        q_p1.put(h::add(h::mul(h::add(h::mul(s_15, n_p6), e_16), r_p4), lane_0), (q_p1.at(h::add(h::mul(h::add(h::mul(s_15, n_p6), e_16), r_p4), lane_0)) - total_29));
                                        let mut f2_18: i32 = h::add(s_15, 1_i32);
                                        let (loop15_end, loop15_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_15: while f2_18 < loop15_end {
                                            'round_15: {
                                                q_p1.put(h::add(h::mul(h::add(h::mul(f2_18, n_p6), e_16), r_p4), lane_0), (q_p1.at(h::add(h::mul(h::add(h::mul(f2_18, n_p6), e_16), r_p4), lane_0)) - (work_p3.at(h::add(h::mul(h::add(h::mul(f2_18, n_p6), s_15), r_p4), lane_0)) * total_29)));
                                            }
                                            f2_18 = h::add(f2_18, loop15_step);
                                        }
                                    }
                                    e_16 = h::add(e_16, loop13_step);
                                }
                            }
                        }
                        c1_12 = h::add(c1_12, loop11_step);
                    }
                }
            }
        }
        h::entry::<Kernel4>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f32\nparam w: read_write f32\nparam v: read_write f32\nparam work: read_write f32\nparam R: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar p: i32\nvar q: i32\nvar k1: i32\nvar k2: i32\nvar k3: i32\nvar i: i32\nvar j: i32\nvar k4: i32\nvar d: i32\nvar c1: i32\nvar c2: i32\nvar c3: i32\nvar least: i32\nvar sweep: i32\nvar turned: bool\nvar size: f32\nvar across: f32\nvar theta: f32\nvar t: f32\nvar c: f32\nvar s: f32\nvar x1: f32\nvar y1: f32\nvar x2: f32\nvar y2: f32\nvar x3: f32\nvar y3: f32\nvar held: f32\nvar value: f32\nvar most: f32\nvar factor: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 0.0f32\nlet $size = %2\n%3 = 0i32\n%4 = @N\n%5 = @N\n%6 = mul(%4, %5)\n%7 = 1i32\nfor $start in %3 .. %6 step %7 {\n    %8 = $start\n    %9 = @R\n    %10 = mul(%8, %9)\n    %11 = $lane\n    %12 = add(%10, %11)\n    %13 = $start\n    %14 = @R\n    %15 = mul(%13, %14)\n    %16 = $lane\n    %17 = add(%15, %16)\n    %18 = load @a[%17]\n    store @work[%12] = %18\n    %19 = $start\n    %20 = @R\n    %21 = mul(%19, %20)\n    %22 = $lane\n    %23 = add(%21, %22)\n    %24 = $start\n    %25 = @N\n    %26 = div(%24, %25)\n    %27 = $start\n    %28 = @N\n    %29 = rem(%27, %28)\n    %30 = eq(%26, %29)\n    %31 = 1.0f32\n    %32 = 0.0f32\n    %33 = select(%30, %31, %32)\n    store @v[%23] = %33\n    %34 = $size\n    %35 = $start\n    %36 = @R\n    %37 = mul(%35, %36)\n    %38 = $lane\n    %39 = add(%37, %38)\n    %40 = load @a[%39]\n    %41 = abs(%40)\n    %42 = max(%34, %41)\n    set $size = %42\n}\n%43 = 0i32\nlet $sweep = %43\n%44 = true\nlet $turned = %44\n%45 = $turned\n%46 = $sweep\n%47 = 40i32\n%48 = lt(%46, %47)\n%49 = and(%45, %48)\nwhile %49 {\n    %50 = false\n    set $turned = %50\n    %51 = $sweep\n    %52 = 1i32\n    %53 = add(%51, %52)\n    set $sweep = %53\n    %54 = 0i32\n    %55 = @N\n    %56 = 1i32\n    for $p in %54 .. %55 step %56 {\n        %57 = $p\n        %58 = 1i32\n        %59 = add(%57, %58)\n        %60 = @N\n        %61 = 1i32\n        for $q in %59 .. %60 step %61 {\n            %62 = $p\n            %63 = @N\n            %64 = mul(%62, %63)\n            %65 = $q\n            %66 = add(%64, %65)\n            %67 = @R\n            %68 = mul(%66, %67)\n            %69 = $lane\n            %70 = add(%68, %69)\n            %71 = load @work[%70]\n            let $across = %71\n            %72 = $size\n            %73 = $across\n            %74 = abs(%73)\n            %75 = add(%72, %74)\n            %76 = $size\n            %77 = ne(%75, %76)\n            if %77 {\n                %78 = true\n                set $turned = %78\n                %79 = $q\n                %80 = @N\n                %81 = mul(%79, %80)\n                %82 = $q\n                %83 = add(%81, %82)\n                %84 = @R\n                %85 = mul(%83, %84)\n                %86 = $lane\n                %87 = add(%85, %86)\n                %88 = load @work[%87]\n                %89 = $p\n                %90 = @N\n                %91 = mul(%89, %90)\n                %92 = $p\n                %93 = add(%91, %92)\n                %94 = @R\n                %95 = mul(%93, %94)\n                %96 = $lane\n                %97 = add(%95, %96)\n                %98 = load @work[%97]\n                %99 = sub(%88, %98)\n                %100 = 2.0f32\n                %101 = $across\n                %102 = mul(%100, %101)\n                %103 = div(%99, %102)\n                let $theta = %103\n                %104 = 1.0f32\n                %105 = $theta\n                %106 = abs(%105)\n                %107 = $theta\n                %108 = $theta\n                %109 = mul(%107, %108)\n                %110 = 1.0f32\n                %111 = add(%109, %110)\n                %112 = sqrt(%111)\n                %113 = add(%106, %112)\n                %114 = div(%104, %113)\n                let $t = %114\n                %115 = $theta\n                %116 = 0.0f32\n                %117 = lt(%115, %116)\n                %118 = $t\n                %119 = neg(%118)\n                %120 = $t\n                %121 = select(%117, %119, %120)\n                set $t = %121\n                %122 = 1.0f32\n                %123 = $t\n                %124 = $t\n                %125 = mul(%123, %124)\n                %126 = 1.0f32\n                %127 = add(%125, %126)\n                %128 = sqrt(%127)\n                %129 = div(%122, %128)\n                let $c = %129\n                %130 = $t\n                %131 = $c\n                %132 = mul(%130, %131)\n                let $s = %132\n                %133 = 0i32\n                %134 = @N\n                %135 = 1i32\n                for $k1 in %133 .. %134 step %135 {\n                    %136 = $k1\n                    %137 = @N\n                    %138 = mul(%136, %137)\n                    %139 = $p\n                    %140 = add(%138, %139)\n                    %141 = @R\n                    %142 = mul(%140, %141)\n                    %143 = $lane\n                    %144 = add(%142, %143)\n                    %145 = load @work[%144]\n                    let $x1 = %145\n                    %146 = $k1\n                    %147 = @N\n                    %148 = mul(%146, %147)\n                    %149 = $q\n                    %150 = add(%148, %149)\n                    %151 = @R\n                    %152 = mul(%150, %151)\n                    %153 = $lane\n                    %154 = add(%152, %153)\n                    %155 = load @work[%154]\n                    let $y1 = %155\n                    %156 = $k1\n                    %157 = @N\n                    %158 = mul(%156, %157)\n                    %159 = $p\n                    %160 = add(%158, %159)\n                    %161 = @R\n                    %162 = mul(%160, %161)\n                    %163 = $lane\n                    %164 = add(%162, %163)\n                    %165 = $c\n                    %166 = $x1\n                    %167 = mul(%165, %166)\n                    %168 = $s\n                    %169 = $y1\n                    %170 = mul(%168, %169)\n                    %171 = sub(%167, %170)\n                    store @work[%164] = %171\n                    %172 = $k1\n                    %173 = @N\n                    %174 = mul(%172, %173)\n                    %175 = $q\n                    %176 = add(%174, %175)\n                    %177 = @R\n                    %178 = mul(%176, %177)\n                    %179 = $lane\n                    %180 = add(%178, %179)\n                    %181 = $s\n                    %182 = $x1\n                    %183 = mul(%181, %182)\n                    %184 = $c\n                    %185 = $y1\n                    %186 = mul(%184, %185)\n                    %187 = add(%183, %186)\n                    store @work[%180] = %187\n                }\n                %188 = 0i32\n                %189 = @N\n                %190 = 1i32\n                for $k2 in %188 .. %189 step %190 {\n                    %191 = $p\n                    %192 = @N\n                    %193 = mul(%191, %192)\n                    %194 = $k2\n                    %195 = add(%193, %194)\n                    %196 = @R\n                    %197 = mul(%195, %196)\n                    %198 = $lane\n                    %199 = add(%197, %198)\n                    %200 = load @work[%199]\n                    let $x2 = %200\n                    %201 = $q\n                    %202 = @N\n                    %203 = mul(%201, %202)\n                    %204 = $k2\n                    %205 = add(%203, %204)\n                    %206 = @R\n                    %207 = mul(%205, %206)\n                    %208 = $lane\n                    %209 = add(%207, %208)\n                    %210 = load @work[%209]\n                    let $y2 = %210\n                    %211 = $p\n                    %212 = @N\n                    %213 = mul(%211, %212)\n                    %214 = $k2\n                    %215 = add(%213, %214)\n                    %216 = @R\n                    %217 = mul(%215, %216)\n                    %218 = $lane\n                    %219 = add(%217, %218)\n                    %220 = $c\n                    %221 = $x2\n                    %222 = mul(%220, %221)\n                    %223 = $s\n                    %224 = $y2\n                    %225 = mul(%223, %224)\n                    %226 = sub(%222, %225)\n                    store @work[%219] = %226\n                    %227 = $q\n                    %228 = @N\n                    %229 = mul(%227, %228)\n                    %230 = $k2\n                    %231 = add(%229, %230)\n                    %232 = @R\n                    %233 = mul(%231, %232)\n                    %234 = $lane\n                    %235 = add(%233, %234)\n                    %236 = $s\n                    %237 = $x2\n                    %238 = mul(%236, %237)\n                    %239 = $c\n                    %240 = $y2\n                    %241 = mul(%239, %240)\n                    %242 = add(%238, %241)\n                    store @work[%235] = %242\n                }\n                %243 = $p\n                %244 = @N\n                %245 = mul(%243, %244)\n                %246 = $q\n                %247 = add(%245, %246)\n                %248 = @R\n                %249 = mul(%247, %248)\n                %250 = $lane\n                %251 = add(%249, %250)\n                %252 = 0.0f32\n                store @work[%251] = %252\n                %253 = $q\n                %254 = @N\n                %255 = mul(%253, %254)\n                %256 = $p\n                %257 = add(%255, %256)\n                %258 = @R\n                %259 = mul(%257, %258)\n                %260 = $lane\n                %261 = add(%259, %260)\n                %262 = 0.0f32\n                store @work[%261] = %262\n                %263 = 0i32\n                %264 = @N\n                %265 = 1i32\n                for $k3 in %263 .. %264 step %265 {\n                    %266 = $k3\n                    %267 = @N\n                    %268 = mul(%266, %267)\n                    %269 = $p\n                    %270 = add(%268, %269)\n                    %271 = @R\n                    %272 = mul(%270, %271)\n                    %273 = $lane\n                    %274 = add(%272, %273)\n                    %275 = load @v[%274]\n                    let $x3 = %275\n                    %276 = $k3\n                    %277 = @N\n                    %278 = mul(%276, %277)\n                    %279 = $q\n                    %280 = add(%278, %279)\n                    %281 = @R\n                    %282 = mul(%280, %281)\n                    %283 = $lane\n                    %284 = add(%282, %283)\n                    %285 = load @v[%284]\n                    let $y3 = %285\n                    %286 = $k3\n                    %287 = @N\n                    %288 = mul(%286, %287)\n                    %289 = $p\n                    %290 = add(%288, %289)\n                    %291 = @R\n                    %292 = mul(%290, %291)\n                    %293 = $lane\n                    %294 = add(%292, %293)\n                    %295 = $c\n                    %296 = $x3\n                    %297 = mul(%295, %296)\n                    %298 = $s\n                    %299 = $y3\n                    %300 = mul(%298, %299)\n                    %301 = sub(%297, %300)\n                    store @v[%294] = %301\n                    %302 = $k3\n                    %303 = @N\n                    %304 = mul(%302, %303)\n                    %305 = $q\n                    %306 = add(%304, %305)\n                    %307 = @R\n                    %308 = mul(%306, %307)\n                    %309 = $lane\n                    %310 = add(%308, %309)\n                    %311 = $s\n                    %312 = $x3\n                    %313 = mul(%311, %312)\n                    %314 = $c\n                    %315 = $y3\n                    %316 = mul(%314, %315)\n                    %317 = add(%313, %316)\n                    store @v[%310] = %317\n                }\n            }\n        }\n    }\n}\n%318 = 0i32\n%319 = @N\n%320 = 1i32\nfor $d in %318 .. %319 step %320 {\n    %321 = $d\n    %322 = @R\n    %323 = mul(%321, %322)\n    %324 = $lane\n    %325 = add(%323, %324)\n    %326 = $d\n    %327 = @N\n    %328 = mul(%326, %327)\n    %329 = $d\n    %330 = add(%328, %329)\n    %331 = @R\n    %332 = mul(%330, %331)\n    %333 = $lane\n    %334 = add(%332, %333)\n    %335 = load @work[%334]\n    store @w[%325] = %335\n}\n%336 = 0i32\n%337 = @N\n%338 = 1i32\nfor $i in %336 .. %337 step %338 {\n    %339 = $i\n    let $least = %339\n    %340 = $i\n    %341 = 1i32\n    %342 = add(%340, %341)\n    %343 = @N\n    %344 = 1i32\n    for $j in %342 .. %343 step %344 {\n        %345 = $j\n        %346 = @R\n        %347 = mul(%345, %346)\n        %348 = $lane\n        %349 = add(%347, %348)\n        %350 = load @w[%349]\n        %351 = $least\n        %352 = @R\n        %353 = mul(%351, %352)\n        %354 = $lane\n        %355 = add(%353, %354)\n        %356 = load @w[%355]\n        %357 = lt(%350, %356)\n        if %357 {\n            %358 = $j\n            set $least = %358\n        }\n    }\n    %359 = $i\n    %360 = @R\n    %361 = mul(%359, %360)\n    %362 = $lane\n    %363 = add(%361, %362)\n    %364 = load @w[%363]\n    let $held = %364\n    %365 = $i\n    %366 = @R\n    %367 = mul(%365, %366)\n    %368 = $lane\n    %369 = add(%367, %368)\n    %370 = $least\n    %371 = @R\n    %372 = mul(%370, %371)\n    %373 = $lane\n    %374 = add(%372, %373)\n    %375 = load @w[%374]\n    store @w[%369] = %375\n    %376 = $least\n    %377 = @R\n    %378 = mul(%376, %377)\n    %379 = $lane\n    %380 = add(%378, %379)\n    %381 = $held\n    store @w[%380] = %381\n    %382 = 0i32\n    %383 = @N\n    %384 = 1i32\n    for $k4 in %382 .. %383 step %384 {\n        %385 = $k4\n        %386 = @N\n        %387 = mul(%385, %386)\n        %388 = $i\n        %389 = add(%387, %388)\n        %390 = @R\n        %391 = mul(%389, %390)\n        %392 = $lane\n        %393 = add(%391, %392)\n        %394 = load @v[%393]\n        let $value = %394\n        %395 = $k4\n        %396 = @N\n        %397 = mul(%395, %396)\n        %398 = $i\n        %399 = add(%397, %398)\n        %400 = @R\n        %401 = mul(%399, %400)\n        %402 = $lane\n        %403 = add(%401, %402)\n        %404 = $k4\n        %405 = @N\n        %406 = mul(%404, %405)\n        %407 = $least\n        %408 = add(%406, %407)\n        %409 = @R\n        %410 = mul(%408, %409)\n        %411 = $lane\n        %412 = add(%410, %411)\n        %413 = load @v[%412]\n        store @v[%403] = %413\n        %414 = $k4\n        %415 = @N\n        %416 = mul(%414, %415)\n        %417 = $least\n        %418 = add(%416, %417)\n        %419 = @R\n        %420 = mul(%418, %419)\n        %421 = $lane\n        %422 = add(%420, %421)\n        %423 = $value\n        store @v[%422] = %423\n    }\n}\n%424 = 0i32\n%425 = @N\n%426 = 1i32\nfor $c1 in %424 .. %425 step %426 {\n    %427 = 0.0f32\n    let $most = %427\n    %428 = 1.0f32\n    let $factor = %428\n    %429 = 0i32\n    %430 = @N\n    %431 = 1i32\n    for $c2 in %429 .. %430 step %431 {\n        %432 = $c2\n        %433 = @N\n        %434 = mul(%432, %433)\n        %435 = $c1\n        %436 = add(%434, %435)\n        %437 = @R\n        %438 = mul(%436, %437)\n        %439 = $lane\n        %440 = add(%438, %439)\n        %441 = load @v[%440]\n        %442 = abs(%441)\n        %443 = $most\n        %444 = gt(%442, %443)\n        if %444 {\n            %445 = $c2\n            %446 = @N\n            %447 = mul(%445, %446)\n            %448 = $c1\n            %449 = add(%447, %448)\n            %450 = @R\n            %451 = mul(%449, %450)\n            %452 = $lane\n            %453 = add(%451, %452)\n            %454 = load @v[%453]\n            %455 = abs(%454)\n            set $most = %455\n            %456 = $c2\n            %457 = @N\n            %458 = mul(%456, %457)\n            %459 = $c1\n            %460 = add(%458, %459)\n            %461 = @R\n            %462 = mul(%460, %461)\n            %463 = $lane\n            %464 = add(%462, %463)\n            %465 = load @v[%464]\n            %466 = 0.0f32\n            %467 = lt(%465, %466)\n            %468 = -1.0f32\n            %469 = 1.0f32\n            %470 = select(%467, %468, %469)\n            set $factor = %470\n        }\n    }\n    %471 = 0i32\n    %472 = @N\n    %473 = 1i32\n    for $c3 in %471 .. %472 step %473 {\n        %474 = $c3\n        %475 = @N\n        %476 = mul(%474, %475)\n        %477 = $c1\n        %478 = add(%476, %477)\n        %479 = @R\n        %480 = mul(%478, %479)\n        %481 = $lane\n        %482 = add(%480, %481)\n        %483 = $factor\n        %484 = $c3\n        %485 = @N\n        %486 = mul(%484, %485)\n        %487 = $c1\n        %488 = add(%486, %487)\n        %489 = @R\n        %490 = mul(%488, %489)\n        %491 = $lane\n        %492 = add(%490, %491)\n        %493 = load @v[%492]\n        %494 = mul(%483, %493)\n        store @v[%482] = %494\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel5;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel5 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f32>(0);
                let w_p1 = args.view::<f32>(1);
                let v_p2 = args.view::<f32>(2);
                let work_p3 = args.view::<f32>(3);
                let r_p4 = args.number::<i32>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut size_17: f32 = 0.0_f32;
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(n_p5, n_p5), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            work_p3.put(h::add(h::mul(start_1, r_p4), lane_0), a_p0.at(h::add(h::mul(start_1, r_p4), lane_0)));
                            v_p2.put(h::add(h::mul(start_1, r_p4), lane_0), (if (h::div(start_1, n_p5) == h::rem(start_1, n_p5)) { 1.0_f32 } else { 0.0_f32 }));
                            size_17 = h::max(size_17, h::abs(a_p0.at(h::add(h::mul(start_1, r_p4), lane_0))));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let mut sweep_15: i32 = 0_i32;
                    let mut turned_16: bool = true;
                    'loop_1: loop {
                        if !(h::and(turned_16, (sweep_15 < 40_i32))) { break 'loop_1; }
                        'round_1: {
                            turned_16 = false;
                            sweep_15 = h::add(sweep_15, 1_i32);
                            let mut p_2: i32 = 0_i32;
                            let (loop2_end, loop2_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_2: while p_2 < loop2_end {
                                'round_2: {
                                    let mut q_3: i32 = h::add(p_2, 1_i32);
                                    let (loop3_end, loop3_step): (i32, i32) = (n_p5, 1_i32);
                                    'loop_3: while q_3 < loop3_end {
                                        'round_3: {
                                            let across_18: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(p_2, n_p5), q_3), r_p4), lane_0));
                                            if ((size_17 + h::abs(across_18)) != size_17) {
                                                turned_16 = true;
                                                let theta_19: f32 = ((work_p3.at(h::add(h::mul(h::add(h::mul(q_3, n_p5), q_3), r_p4), lane_0)) - work_p3.at(h::add(h::mul(h::add(h::mul(p_2, n_p5), p_2), r_p4), lane_0))) / (2.0_f32 * across_18));
                                                let mut t_20: f32 = (1.0_f32 / (h::abs(theta_19) + h::sqrt::<I, _>(((theta_19 * theta_19) + 1.0_f32))));
                                                t_20 = (if (theta_19 < 0.0_f32) { h::neg(t_20) } else { t_20 });
                                                let c_21: f32 = (1.0_f32 / h::sqrt::<I, _>(((t_20 * t_20) + 1.0_f32)));
                                                let s_22: f32 = (t_20 * c_21);
                                                let mut k1_4: i32 = 0_i32;
                                                let (loop4_end, loop4_step): (i32, i32) = (n_p5, 1_i32);
                                                'loop_4: while k1_4 < loop4_end {
                                                    'round_4: {
                                                        let x1_23: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(k1_4, n_p5), p_2), r_p4), lane_0));
                                                        let y1_24: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(k1_4, n_p5), q_3), r_p4), lane_0));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(k1_4, n_p5), p_2), r_p4), lane_0), ((c_21 * x1_23) - (s_22 * y1_24)));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(k1_4, n_p5), q_3), r_p4), lane_0), ((s_22 * x1_23) + (c_21 * y1_24)));
                                                    }
                                                    k1_4 = h::add(k1_4, loop4_step);
                                                }
                                                let mut k2_5: i32 = 0_i32;
                                                let (loop5_end, loop5_step): (i32, i32) = (n_p5, 1_i32);
                                                'loop_5: while k2_5 < loop5_end {
                                                    'round_5: {
                                                        let x2_25: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(p_2, n_p5), k2_5), r_p4), lane_0));
                                                        let y2_26: f32 = work_p3.at(h::add(h::mul(h::add(h::mul(q_3, n_p5), k2_5), r_p4), lane_0));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(p_2, n_p5), k2_5), r_p4), lane_0), ((c_21 * x2_25) - (s_22 * y2_26)));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(q_3, n_p5), k2_5), r_p4), lane_0), ((s_22 * x2_25) + (c_21 * y2_26)));
                                                    }
                                                    k2_5 = h::add(k2_5, loop5_step);
                                                }
                                                work_p3.put(h::add(h::mul(h::add(h::mul(p_2, n_p5), q_3), r_p4), lane_0), 0.0_f32);
                                                work_p3.put(h::add(h::mul(h::add(h::mul(q_3, n_p5), p_2), r_p4), lane_0), 0.0_f32);
                                                let mut k3_6: i32 = 0_i32;
                                                let (loop6_end, loop6_step): (i32, i32) = (n_p5, 1_i32);
                                                'loop_6: while k3_6 < loop6_end {
                                                    'round_6: {
                                                        let x3_27: f32 = v_p2.at(h::add(h::mul(h::add(h::mul(k3_6, n_p5), p_2), r_p4), lane_0));
                                                        let y3_28: f32 = v_p2.at(h::add(h::mul(h::add(h::mul(k3_6, n_p5), q_3), r_p4), lane_0));
                                                        v_p2.put(h::add(h::mul(h::add(h::mul(k3_6, n_p5), p_2), r_p4), lane_0), ((c_21 * x3_27) - (s_22 * y3_28)));
                                                        v_p2.put(h::add(h::mul(h::add(h::mul(k3_6, n_p5), q_3), r_p4), lane_0), ((s_22 * x3_27) + (c_21 * y3_28)));
                                                    }
                                                    k3_6 = h::add(k3_6, loop6_step);
                                                }
                                            }
                                        }
                                        q_3 = h::add(q_3, loop3_step);
                                    }
                                }
                                p_2 = h::add(p_2, loop2_step);
                            }
                        }
                    }
                    let mut d_10: i32 = 0_i32;
                    let (loop7_end, loop7_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_7: while d_10 < loop7_end {
                        'round_7: {
                            w_p1.put(h::add(h::mul(d_10, r_p4), lane_0), work_p3.at(h::add(h::mul(h::add(h::mul(d_10, n_p5), d_10), r_p4), lane_0)));
                        }
                        d_10 = h::add(d_10, loop7_step);
                    }
                    let mut i_7: i32 = 0_i32;
                    let (loop8_end, loop8_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_8: while i_7 < loop8_end {
                        'round_8: {
                            let mut least_14: i32 = i_7;
                            let mut j_8: i32 = h::add(i_7, 1_i32);
                            let (loop9_end, loop9_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_9: while j_8 < loop9_end {
                                'round_9: {
                                    if (w_p1.at(h::add(h::mul(j_8, r_p4), lane_0)) < w_p1.at(h::add(h::mul(least_14, r_p4), lane_0))) {
                                        least_14 = j_8;
                                    }
                                }
                                j_8 = h::add(j_8, loop9_step);
                            }
                            let held_29: f32 = w_p1.at(h::add(h::mul(i_7, r_p4), lane_0));
                            w_p1.put(h::add(h::mul(i_7, r_p4), lane_0), w_p1.at(h::add(h::mul(least_14, r_p4), lane_0)));
                            w_p1.put(h::add(h::mul(least_14, r_p4), lane_0), held_29);
                            let mut k4_9: i32 = 0_i32;
                            let (loop10_end, loop10_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_10: while k4_9 < loop10_end {
                                'round_10: {
                                    let value_30: f32 = v_p2.at(h::add(h::mul(h::add(h::mul(k4_9, n_p5), i_7), r_p4), lane_0));
                                    v_p2.put(h::add(h::mul(h::add(h::mul(k4_9, n_p5), i_7), r_p4), lane_0), v_p2.at(h::add(h::mul(h::add(h::mul(k4_9, n_p5), least_14), r_p4), lane_0)));
                                    v_p2.put(h::add(h::mul(h::add(h::mul(k4_9, n_p5), least_14), r_p4), lane_0), value_30);
                                }
                                k4_9 = h::add(k4_9, loop10_step);
                            }
                        }
                        i_7 = h::add(i_7, loop8_step);
                    }
                    let mut c1_11: i32 = 0_i32;
                    let (loop11_end, loop11_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_11: while c1_11 < loop11_end {
                        'round_11: {
                            let mut most_31: f32 = 0.0_f32;
                            let mut factor_32: f32 = 1.0_f32;
                            let mut c2_12: i32 = 0_i32;
                            let (loop12_end, loop12_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_12: while c2_12 < loop12_end {
                                'round_12: {
                                    if (h::abs(v_p2.at(h::add(h::mul(h::add(h::mul(c2_12, n_p5), c1_11), r_p4), lane_0))) > most_31) {
                                        most_31 = h::abs(v_p2.at(h::add(h::mul(h::add(h::mul(c2_12, n_p5), c1_11), r_p4), lane_0)));
                                        factor_32 = (if (v_p2.at(h::add(h::mul(h::add(h::mul(c2_12, n_p5), c1_11), r_p4), lane_0)) < 0.0_f32) { (-1.0_f32) } else { 1.0_f32 });
                                    }
                                }
                                c2_12 = h::add(c2_12, loop12_step);
                            }
                            let mut c3_13: i32 = 0_i32;
                            let (loop13_end, loop13_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_13: while c3_13 < loop13_end {
                                'round_13: {
                                    v_p2.put(h::add(h::mul(h::add(h::mul(c3_13, n_p5), c1_11), r_p4), lane_0), (factor_32 * v_p2.at(h::add(h::mul(h::add(h::mul(c3_13, n_p5), c1_11), r_p4), lane_0))));
                                }
                                c3_13 = h::add(c3_13, loop13_step);
                            }
                        }
                        c1_11 = h::add(c1_11, loop11_step);
                    }
                }
            }
        }
        h::entry::<Kernel5>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f64\nparam b: read f64\nparam upper: scalar i32\nparam x: read_write f64\nparam N: size\nparam M: size\nvar i: i32\nvar r: i32\nvar m: i32\nvar t: i32\nvar row: i32\nvar from: i32\nvar to: i32\nvar k: i32\nvar sum: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @M\n%4 = div(%2, %3)\nlet $r = %4\n%5 = $i\n%6 = @M\n%7 = rem(%5, %6)\nlet $m = %7\n%8 = 0i32\n%9 = @N\n%10 = 1i32\nfor $t in %8 .. %9 step %10 {\n    %11 = @upper\n    %12 = 0i32\n    %13 = ne(%11, %12)\n    %14 = @N\n    %15 = 1i32\n    %16 = sub(%14, %15)\n    %17 = $t\n    %18 = sub(%16, %17)\n    %19 = $t\n    %20 = select(%13, %18, %19)\n    let $row = %20\n    %21 = @upper\n    %22 = 0i32\n    %23 = ne(%21, %22)\n    %24 = $row\n    %25 = 1i32\n    %26 = add(%24, %25)\n    %27 = 0i32\n    %28 = select(%23, %26, %27)\n    let $from = %28\n    %29 = @upper\n    %30 = 0i32\n    %31 = ne(%29, %30)\n    %32 = @N\n    %33 = $row\n    %34 = select(%31, %32, %33)\n    let $to = %34\n    %35 = $r\n    %36 = @N\n    %37 = mul(%35, %36)\n    %38 = $row\n    %39 = add(%37, %38)\n    %40 = @M\n    %41 = mul(%39, %40)\n    %42 = $m\n    %43 = add(%41, %42)\n    %44 = load @b[%43]\n    let $sum = %44\n    %45 = $from\n    %46 = $to\n    %47 = 1i32\n    for $k in %45 .. %46 step %47 {\n        %48 = $sum\n        %49 = $r\n        %50 = @N\n        %51 = mul(%49, %50)\n        %52 = $row\n        %53 = add(%51, %52)\n        %54 = @N\n        %55 = mul(%53, %54)\n        %56 = $k\n        %57 = add(%55, %56)\n        %58 = load @a[%57]\n        %59 = $r\n        %60 = @N\n        %61 = mul(%59, %60)\n        %62 = $k\n        %63 = add(%61, %62)\n        %64 = @M\n        %65 = mul(%63, %64)\n        %66 = $m\n        %67 = add(%65, %66)\n        %68 = load @x[%67]\n        %69 = mul(%58, %68)\n        %70 = sub(%48, %69)\n        set $sum = %70\n    }\n    %71 = $r\n    %72 = @N\n    %73 = mul(%71, %72)\n    %74 = $row\n    %75 = add(%73, %74)\n    %76 = @M\n    %77 = mul(%75, %76)\n    %78 = $m\n    %79 = add(%77, %78)\n    %80 = $sum\n    %81 = $r\n    %82 = @N\n    %83 = mul(%81, %82)\n    %84 = $row\n    %85 = add(%83, %84)\n    %86 = @N\n    %87 = mul(%85, %86)\n    %88 = $row\n    %89 = add(%87, %88)\n    %90 = load @a[%89]\n    %91 = div(%80, %90)\n    store @x[%79] = %91\n}\n", {
        use crate::host::exports as h;
        struct Kernel6;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel6 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f64>(0);
                let b_p1 = args.view::<f64>(1);
                let upper_p2 = args.number::<i32>(2);
                let x_p3 = args.view::<f64>(3);
                let n_p4 = args.number::<i32>(4);
                let m_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let r_1: i32 = h::div(i_0, m_p5);
                    let m_2: i32 = h::rem(i_0, m_p5);
                    let mut t_3: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (n_p4, 1_i32);
                    'loop_0: while t_3 < loop0_end {
                        'round_0: {
                            let row_4: i32 = (if (upper_p2 != 0_i32) { h::sub(h::sub(n_p4, 1_i32), t_3) } else { t_3 });
                            let from_5: i32 = (if (upper_p2 != 0_i32) { h::add(row_4, 1_i32) } else { 0_i32 });
                            let to_6: i32 = (if (upper_p2 != 0_i32) { n_p4 } else { row_4 });
                            let mut sum_8: f64 = b_p1.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), m_p5), m_2));
                            let mut k_7: i32 = from_5;
                            let (loop1_end, loop1_step): (i32, i32) = (to_6, 1_i32);
                            'loop_1: while k_7 < loop1_end {
                                'round_1: {
                                    sum_8 = (sum_8 - (a_p0.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), n_p4), k_7)) * x_p3.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), k_7), m_p5), m_2))));
                                }
                                k_7 = h::add(k_7, loop1_step);
                            }
                            x_p3.put(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), m_p5), m_2), (sum_8 / a_p0.at(h::add(h::mul(h::add(h::mul(r_1, n_p4), row_4), n_p4), row_4))));
                        }
                        t_3 = h::add(t_3, loop0_step);
                    }
                }
            }
        }
        h::entry::<Kernel6>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f64\nparam l: read_write f64\nparam R: size\nparam N: size\nvar lane: i32\nvar i: i32\nvar j: i32\nvar k: i32\nvar all: i32\nvar sum: f64\nvar definite: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = true\nlet $definite = %2\n%3 = 0i32\n%4 = @N\n%5 = 1i32\nfor $i in %3 .. %4 step %5 {\n    %6 = 0i32\n    %7 = @N\n    %8 = 1i32\n    for $j in %6 .. %7 step %8 {\n        %9 = $i\n        %10 = @N\n        %11 = mul(%9, %10)\n        %12 = $j\n        %13 = add(%11, %12)\n        %14 = @R\n        %15 = mul(%13, %14)\n        %16 = $lane\n        %17 = add(%15, %16)\n        %18 = load @a[%17]\n        let $sum = %18\n        %19 = 0i32\n        %20 = $i\n        %21 = $j\n        %22 = min(%20, %21)\n        %23 = 1i32\n        for $k in %19 .. %22 step %23 {\n            %24 = $sum\n            %25 = $i\n            %26 = @N\n            %27 = mul(%25, %26)\n            %28 = $k\n            %29 = add(%27, %28)\n            %30 = @R\n            %31 = mul(%29, %30)\n            %32 = $lane\n            %33 = add(%31, %32)\n            %34 = load @l[%33]\n            %35 = $j\n            %36 = @N\n            %37 = mul(%35, %36)\n            %38 = $k\n            %39 = add(%37, %38)\n            %40 = @R\n            %41 = mul(%39, %40)\n            %42 = $lane\n            %43 = add(%41, %42)\n            %44 = load @l[%43]\n            %45 = mul(%34, %44)\n            %46 = sub(%24, %45)\n            set $sum = %46\n        }\n        %47 = $j\n        %48 = $i\n        %49 = lt(%47, %48)\n        if %49 {\n            %50 = $i\n            %51 = @N\n            %52 = mul(%50, %51)\n            %53 = $j\n            %54 = add(%52, %53)\n            %55 = @R\n            %56 = mul(%54, %55)\n            %57 = $lane\n            %58 = add(%56, %57)\n            %59 = $sum\n            %60 = $j\n            %61 = @N\n            %62 = mul(%60, %61)\n            %63 = $j\n            %64 = add(%62, %63)\n            %65 = @R\n            %66 = mul(%64, %65)\n            %67 = $lane\n            %68 = add(%66, %67)\n            %69 = load @l[%68]\n            %70 = div(%59, %69)\n            store @l[%58] = %70\n        } else {\n            %71 = $i\n            %72 = $j\n            %73 = eq(%71, %72)\n            if %73 {\n                %74 = $definite\n                %75 = $sum\n                %76 = 0.0f64\n                %77 = gt(%75, %76)\n                %78 = and(%74, %77)\n                set $definite = %78\n                %79 = $i\n                %80 = @N\n                %81 = mul(%79, %80)\n                %82 = $j\n                %83 = add(%81, %82)\n                %84 = @R\n                %85 = mul(%83, %84)\n                %86 = $lane\n                %87 = add(%85, %86)\n                %88 = $sum\n                %89 = sqrt(%88)\n                store @l[%87] = %89\n            } else {\n                %90 = $i\n                %91 = @N\n                %92 = mul(%90, %91)\n                %93 = $j\n                %94 = add(%92, %93)\n                %95 = @R\n                %96 = mul(%94, %95)\n                %97 = $lane\n                %98 = add(%96, %97)\n                %99 = 0.0f64\n                store @l[%98] = %99\n            }\n        }\n    }\n}\n%100 = $definite\n%101 = not(%100)\nif %101 {\n    %102 = 0i32\n    %103 = @N\n    %104 = @N\n    %105 = mul(%103, %104)\n    %106 = 1i32\n    for $all in %102 .. %105 step %106 {\n        %107 = $all\n        %108 = @R\n        %109 = mul(%107, %108)\n        %110 = $lane\n        %111 = add(%109, %110)\n        %112 = nan.f64\n        store @l[%111] = %112\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel7;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel7 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f64>(0);
                let l_p1 = args.view::<f64>(1);
                let r_p2 = args.number::<i32>(2);
                let n_p3 = args.number::<i32>(3);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut definite_6: bool = true;
                    let mut i_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (n_p3, 1_i32);
                    'loop_0: while i_1 < loop0_end {
                        'round_0: {
                            let mut j_2: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (n_p3, 1_i32);
                            'loop_1: while j_2 < loop1_end {
                                'round_1: {
                                    let mut sum_5: f64 = a_p0.at(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0));
                                    let mut k_3: i32 = 0_i32;
                                    let (loop2_end, loop2_step): (i32, i32) = (h::min(i_1, j_2), 1_i32);
                                    'loop_2: while k_3 < loop2_end {
                                        'round_2: {
                                            sum_5 = (sum_5 - (l_p1.at(h::add(h::mul(h::add(h::mul(i_1, n_p3), k_3), r_p2), lane_0)) * l_p1.at(h::add(h::mul(h::add(h::mul(j_2, n_p3), k_3), r_p2), lane_0))));
                                        }
                                        k_3 = h::add(k_3, loop2_step);
                                    }
                                    if (j_2 < i_1) {
                                        l_p1.put(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0), (sum_5 / l_p1.at(h::add(h::mul(h::add(h::mul(j_2, n_p3), j_2), r_p2), lane_0))));
                                    } else {
                                        if (i_1 == j_2) {
                                            definite_6 = h::and(definite_6, (sum_5 > 0.0_f64));
                                            l_p1.put(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0), h::sqrt::<I, _>(sum_5));
                                        } else {
                                            l_p1.put(h::add(h::mul(h::add(h::mul(i_1, n_p3), j_2), r_p2), lane_0), 0.0_f64);
                                        }
                                    }
                                }
                                j_2 = h::add(j_2, loop1_step);
                            }
                        }
                        i_1 = h::add(i_1, loop0_step);
                    }
                    if h::not(definite_6) {
                        let mut all_4: i32 = 0_i32;
                        let (loop3_end, loop3_step): (i32, i32) = (h::mul(n_p3, n_p3), 1_i32);
                        'loop_3: while all_4 < loop3_end {
                            'round_3: {
                                l_p1.put(h::add(h::mul(all_4, r_p2), lane_0), f64::from_bits(9221120237041090560_u64));
                            }
                            all_4 = h::add(all_4, loop3_step);
                        }
                    }
                }
            }
        }
        h::entry::<Kernel7>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f64\nparam lu: read_write f64\nparam parity: write f64\nparam order: read_write i32\nparam R: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar row: i32\nvar k: i32\nvar i: i32\nvar t: i32\nvar j: i32\nvar from: i32\nvar held: i32\nvar m: i32\nvar most: f64\nvar size: f64\nvar pivot: f64\nvar factor: f64\nvar value: f64\nvar sign: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 1.0f64\nlet $sign = %2\n%3 = 0i32\n%4 = @N\n%5 = @N\n%6 = mul(%4, %5)\n%7 = 1i32\nfor $start in %3 .. %6 step %7 {\n    %8 = $start\n    %9 = @R\n    %10 = mul(%8, %9)\n    %11 = $lane\n    %12 = add(%10, %11)\n    %13 = $start\n    %14 = @R\n    %15 = mul(%13, %14)\n    %16 = $lane\n    %17 = add(%15, %16)\n    %18 = load @a[%17]\n    store @lu[%12] = %18\n}\n%19 = 0i32\n%20 = @N\n%21 = 1i32\nfor $row in %19 .. %20 step %21 {\n    %22 = $row\n    %23 = @R\n    %24 = mul(%22, %23)\n    %25 = $lane\n    %26 = add(%24, %25)\n    %27 = $row\n    store @order[%26] = %27\n}\n%28 = 0i32\n%29 = @N\n%30 = 1i32\nfor $k in %28 .. %29 step %30 {\n    %31 = $k\n    let $from = %31\n    %32 = $k\n    %33 = @N\n    %34 = mul(%32, %33)\n    %35 = $k\n    %36 = add(%34, %35)\n    %37 = @R\n    %38 = mul(%36, %37)\n    %39 = $lane\n    %40 = add(%38, %39)\n    %41 = load @lu[%40]\n    %42 = abs(%41)\n    let $most = %42\n    %43 = $k\n    %44 = 1i32\n    %45 = add(%43, %44)\n    %46 = @N\n    %47 = 1i32\n    for $i in %45 .. %46 step %47 {\n        %48 = $i\n        %49 = @N\n        %50 = mul(%48, %49)\n        %51 = $k\n        %52 = add(%50, %51)\n        %53 = @R\n        %54 = mul(%52, %53)\n        %55 = $lane\n        %56 = add(%54, %55)\n        %57 = load @lu[%56]\n        %58 = abs(%57)\n        let $size = %58\n        %59 = $size\n        %60 = $most\n        %61 = gt(%59, %60)\n        if %61 {\n            %62 = $size\n            set $most = %62\n            %63 = $i\n            set $from = %63\n        }\n    }\n    %64 = $from\n    %65 = $k\n    %66 = ne(%64, %65)\n    if %66 {\n        %67 = $sign\n        %68 = neg(%67)\n        set $sign = %68\n        %69 = $k\n        %70 = @R\n        %71 = mul(%69, %70)\n        %72 = $lane\n        %73 = add(%71, %72)\n        %74 = load @order[%73]\n        let $held = %74\n        %75 = $k\n        %76 = @R\n        %77 = mul(%75, %76)\n        %78 = $lane\n        %79 = add(%77, %78)\n        %80 = $from\n        %81 = @R\n        %82 = mul(%80, %81)\n        %83 = $lane\n        %84 = add(%82, %83)\n        %85 = load @order[%84]\n        store @order[%79] = %85\n        %86 = $from\n        %87 = @R\n        %88 = mul(%86, %87)\n        %89 = $lane\n        %90 = add(%88, %89)\n        %91 = $held\n        store @order[%90] = %91\n        %92 = 0i32\n        %93 = @N\n        %94 = 1i32\n        for $j in %92 .. %93 step %94 {\n            %95 = $k\n            %96 = @N\n            %97 = mul(%95, %96)\n            %98 = $j\n            %99 = add(%97, %98)\n            %100 = @R\n            %101 = mul(%99, %100)\n            %102 = $lane\n            %103 = add(%101, %102)\n            %104 = load @lu[%103]\n            let $value = %104\n            %105 = $k\n            %106 = @N\n            %107 = mul(%105, %106)\n            %108 = $j\n            %109 = add(%107, %108)\n            %110 = @R\n            %111 = mul(%109, %110)\n            %112 = $lane\n            %113 = add(%111, %112)\n            %114 = $from\n            %115 = @N\n            %116 = mul(%114, %115)\n            %117 = $j\n            %118 = add(%116, %117)\n            %119 = @R\n            %120 = mul(%118, %119)\n            %121 = $lane\n            %122 = add(%120, %121)\n            %123 = load @lu[%122]\n            store @lu[%113] = %123\n            %124 = $from\n            %125 = @N\n            %126 = mul(%124, %125)\n            %127 = $j\n            %128 = add(%126, %127)\n            %129 = @R\n            %130 = mul(%128, %129)\n            %131 = $lane\n            %132 = add(%130, %131)\n            %133 = $value\n            store @lu[%132] = %133\n        }\n    }\n    %134 = $k\n    %135 = @N\n    %136 = mul(%134, %135)\n    %137 = $k\n    %138 = add(%136, %137)\n    %139 = @R\n    %140 = mul(%138, %139)\n    %141 = $lane\n    %142 = add(%140, %141)\n    %143 = load @lu[%142]\n    let $pivot = %143\n    %144 = $pivot\n    %145 = 0.0f64\n    %146 = ne(%144, %145)\n    if %146 {\n        %147 = $k\n        %148 = 1i32\n        %149 = add(%147, %148)\n        %150 = @N\n        %151 = 1i32\n        for $t in %149 .. %150 step %151 {\n            %152 = $t\n            %153 = @N\n            %154 = mul(%152, %153)\n            %155 = $k\n            %156 = add(%154, %155)\n            %157 = @R\n            %158 = mul(%156, %157)\n            %159 = $lane\n            %160 = add(%158, %159)\n            %161 = load @lu[%160]\n            %162 = $pivot\n            %163 = div(%161, %162)\n            let $factor = %163\n            %164 = $t\n            %165 = @N\n            %166 = mul(%164, %165)\n            %167 = $k\n            %168 = add(%166, %167)\n            %169 = @R\n            %170 = mul(%168, %169)\n            %171 = $lane\n            %172 = add(%170, %171)\n            %173 = $factor\n            store @lu[%172] = %173\n            %174 = $k\n            %175 = 1i32\n            %176 = add(%174, %175)\n            %177 = @N\n            %178 = 1i32\n            for $m in %176 .. %177 step %178 {\n                %179 = $t\n                %180 = @N\n                %181 = mul(%179, %180)\n                %182 = $m\n                %183 = add(%181, %182)\n                %184 = @R\n                %185 = mul(%183, %184)\n                %186 = $lane\n                %187 = add(%185, %186)\n                %188 = $t\n                %189 = @N\n                %190 = mul(%188, %189)\n                %191 = $m\n                %192 = add(%190, %191)\n                %193 = @R\n                %194 = mul(%192, %193)\n                %195 = $lane\n                %196 = add(%194, %195)\n                %197 = load @lu[%196]\n                %198 = $factor\n                %199 = $k\n                %200 = @N\n                %201 = mul(%199, %200)\n                %202 = $m\n                %203 = add(%201, %202)\n                %204 = @R\n                %205 = mul(%203, %204)\n                %206 = $lane\n                %207 = add(%205, %206)\n                %208 = load @lu[%207]\n                %209 = mul(%198, %208)\n                %210 = sub(%197, %209)\n                store @lu[%187] = %210\n            }\n        }\n    }\n}\n%211 = $lane\n%212 = $sign\nstore @parity[%211] = %212\n", {
        use crate::host::exports as h;
        struct Kernel8;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel8 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f64>(0);
                let lu_p1 = args.view::<f64>(1);
                let parity_p2 = args.view::<f64>(2);
                let order_p3 = args.view::<i32>(3);
                let r_p4 = args.number::<i32>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut sign_15: f64 = 1.0_f64;
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(n_p5, n_p5), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            lu_p1.put(h::add(h::mul(start_1, r_p4), lane_0), a_p0.at(h::add(h::mul(start_1, r_p4), lane_0)));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let mut row_2: i32 = 0_i32;
                    let (loop1_end, loop1_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_1: while row_2 < loop1_end {
                        'round_1: {
                            order_p3.put(h::add(h::mul(row_2, r_p4), lane_0), row_2);
                        }
                        row_2 = h::add(row_2, loop1_step);
                    }
                    let mut k_3: i32 = 0_i32;
                    let (loop2_end, loop2_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_2: while k_3 < loop2_end {
                        'round_2: {
                            let mut from_7: i32 = k_3;
                            let mut most_10: f64 = h::abs(lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), k_3), r_p4), lane_0)));
                            let mut i_4: i32 = h::add(k_3, 1_i32);
                            let (loop3_end, loop3_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_3: while i_4 < loop3_end {
                                'round_3: {
                                    let size_11: f64 = h::abs(lu_p1.at(h::add(h::mul(h::add(h::mul(i_4, n_p5), k_3), r_p4), lane_0)));
                                    if (size_11 > most_10) {
                                        most_10 = size_11;
                                        from_7 = i_4;
                                    }
                                }
                                i_4 = h::add(i_4, loop3_step);
                            }
                            if (from_7 != k_3) {
                                sign_15 = h::neg(sign_15);
                                let held_8: i32 = order_p3.at(h::add(h::mul(k_3, r_p4), lane_0));
                                order_p3.put(h::add(h::mul(k_3, r_p4), lane_0), order_p3.at(h::add(h::mul(from_7, r_p4), lane_0)));
                                order_p3.put(h::add(h::mul(from_7, r_p4), lane_0), held_8);
                                let mut j_6: i32 = 0_i32;
                                let (loop4_end, loop4_step): (i32, i32) = (n_p5, 1_i32);
                                'loop_4: while j_6 < loop4_end {
                                    'round_4: {
                                        let value_14: f64 = lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), j_6), r_p4), lane_0));
                                        lu_p1.put(h::add(h::mul(h::add(h::mul(k_3, n_p5), j_6), r_p4), lane_0), lu_p1.at(h::add(h::mul(h::add(h::mul(from_7, n_p5), j_6), r_p4), lane_0)));
                                        lu_p1.put(h::add(h::mul(h::add(h::mul(from_7, n_p5), j_6), r_p4), lane_0), value_14);
                                    }
                                    j_6 = h::add(j_6, loop4_step);
                                }
                            }
                            let pivot_12: f64 = lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), k_3), r_p4), lane_0));
                            if (pivot_12 != 0.0_f64) {
                                let mut t_5: i32 = h::add(k_3, 1_i32);
                                let (loop5_end, loop5_step): (i32, i32) = (n_p5, 1_i32);
                                'loop_5: while t_5 < loop5_end {
                                    'round_5: {
                                        let factor_13: f64 = (lu_p1.at(h::add(h::mul(h::add(h::mul(t_5, n_p5), k_3), r_p4), lane_0)) / pivot_12);
                                        lu_p1.put(h::add(h::mul(h::add(h::mul(t_5, n_p5), k_3), r_p4), lane_0), factor_13);
                                        let mut m_9: i32 = h::add(k_3, 1_i32);
                                        let (loop6_end, loop6_step): (i32, i32) = (n_p5, 1_i32);
                                        'loop_6: while m_9 < loop6_end {
                                            'round_6: {
                                                lu_p1.put(h::add(h::mul(h::add(h::mul(t_5, n_p5), m_9), r_p4), lane_0), (lu_p1.at(h::add(h::mul(h::add(h::mul(t_5, n_p5), m_9), r_p4), lane_0)) - (factor_13 * lu_p1.at(h::add(h::mul(h::add(h::mul(k_3, n_p5), m_9), r_p4), lane_0)))));
                                            }
                                            m_9 = h::add(m_9, loop6_step);
                                        }
                                    }
                                    t_5 = h::add(t_5, loop5_step);
                                }
                            }
                        }
                        k_3 = h::add(k_3, loop2_step);
                    }
                    parity_p2.put(lane_0, sign_15);
                }
            }
        }
        h::entry::<Kernel8>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f64\nparam of_right: scalar i32\nparam u: read_write f64\nparam s: read_write f64\nparam v: read_write f64\nparam R: size\nparam M: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar fill: i32\nvar b1: i32\nvar p: i32\nvar q: i32\nvar k1: i32\nvar k2: i32\nvar k3: i32\nvar d1: i32\nvar d2: i32\nvar i: i32\nvar j: i32\nvar k4: i32\nvar k5: i32\nvar e1: i32\nvar f1: i32\nvar f2: i32\nvar g1: i32\nvar g2: i32\nvar g3: i32\nvar g4: i32\nvar g5: i32\nvar g6: i32\nvar g7: i32\nvar h1: i32\nvar h2: i32\nvar h3: i32\nvar h4: i32\nvar h5: i32\nvar best: i32\nvar most_at: i32\nvar sweep: i32\nvar again: i32\nvar turned: bool\nvar size: f64\nvar unit: f64\nvar alpha: f64\nvar beta: f64\nvar gamma: f64\nvar limit: f64\nvar zeta: f64\nvar t: f64\nvar c: f64\nvar n: f64\nvar x1: f64\nvar y1: f64\nvar x2: f64\nvar y2: f64\nvar x3: f64\nvar y3: f64\nvar total: f64\nvar held: f64\nvar value: f64\nvar other: f64\nvar left: f64\nvar longest: f64\nvar part: f64\nvar long: f64\nvar dot: f64\nvar most: f64\nvar factor: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 0.0f64\nlet $size = %2\n%3 = 0i32\n%4 = @M\n%5 = @N\n%6 = mul(%4, %5)\n%7 = 1i32\nfor $start in %3 .. %6 step %7 {\n    %8 = $size\n    %9 = $start\n    %10 = @R\n    %11 = mul(%9, %10)\n    %12 = $lane\n    %13 = add(%11, %12)\n    %14 = load @a[%13]\n    %15 = abs(%14)\n    %16 = max(%8, %15)\n    set $size = %16\n}\n%17 = $size\n%18 = 0.0f64\n%19 = eq(%17, %18)\n%20 = 1.0f64\n%21 = $size\n%22 = select(%19, %20, %21)\nlet $unit = %22\n%23 = 0i32\n%24 = @M\n%25 = @N\n%26 = mul(%24, %25)\n%27 = 1i32\nfor $fill in %23 .. %26 step %27 {\n    %28 = $fill\n    %29 = @R\n    %30 = mul(%28, %29)\n    %31 = $lane\n    %32 = add(%30, %31)\n    %33 = $fill\n    %34 = @R\n    %35 = mul(%33, %34)\n    %36 = $lane\n    %37 = add(%35, %36)\n    %38 = load @a[%37]\n    %39 = $unit\n    %40 = div(%38, %39)\n    store @u[%32] = %40\n}\n%41 = 0i32\n%42 = @N\n%43 = @N\n%44 = mul(%42, %43)\n%45 = 1i32\nfor $b1 in %41 .. %44 step %45 {\n    %46 = $b1\n    %47 = @R\n    %48 = mul(%46, %47)\n    %49 = $lane\n    %50 = add(%48, %49)\n    %51 = $b1\n    %52 = @N\n    %53 = div(%51, %52)\n    %54 = $b1\n    %55 = @N\n    %56 = rem(%54, %55)\n    %57 = eq(%53, %56)\n    %58 = 1.0f64\n    %59 = 0.0f64\n    %60 = select(%57, %58, %59)\n    store @v[%50] = %60\n}\n%61 = 0i32\nlet $sweep = %61\n%62 = true\nlet $turned = %62\n%63 = $turned\n%64 = $sweep\n%65 = 40i32\n%66 = lt(%64, %65)\n%67 = and(%63, %66)\nwhile %67 {\n    %68 = false\n    set $turned = %68\n    %69 = $sweep\n    %70 = 1i32\n    %71 = add(%69, %70)\n    set $sweep = %71\n    %72 = 0i32\n    %73 = @N\n    %74 = 1i32\n    for $p in %72 .. %73 step %74 {\n        %75 = $p\n        %76 = 1i32\n        %77 = add(%75, %76)\n        %78 = @N\n        %79 = 1i32\n        for $q in %77 .. %78 step %79 {\n            %80 = 0.0f64\n            let $alpha = %80\n            %81 = 0.0f64\n            let $beta = %81\n            %82 = 0.0f64\n            let $gamma = %82\n            %83 = 0i32\n            %84 = @M\n            %85 = 1i32\n            for $k1 in %83 .. %84 step %85 {\n                %86 = $k1\n                %87 = @N\n                %88 = mul(%86, %87)\n                %89 = $p\n                %90 = add(%88, %89)\n                %91 = @R\n                %92 = mul(%90, %91)\n                %93 = $lane\n                %94 = add(%92, %93)\n                %95 = load @u[%94]\n                let $x1 = %95\n                %96 = $k1\n                %97 = @N\n                %98 = mul(%96, %97)\n                %99 = $q\n                %100 = add(%98, %99)\n                %101 = @R\n                %102 = mul(%100, %101)\n                %103 = $lane\n                %104 = add(%102, %103)\n                %105 = load @u[%104]\n                let $y1 = %105\n                %106 = $alpha\n                %107 = $x1\n                %108 = $x1\n                %109 = mul(%107, %108)\n                %110 = add(%106, %109)\n                set $alpha = %110\n                %111 = $beta\n                %112 = $y1\n                %113 = $y1\n                %114 = mul(%112, %113)\n                %115 = add(%111, %114)\n                set $beta = %115\n                %116 = $gamma\n                %117 = $x1\n                %118 = $y1\n                %119 = mul(%117, %118)\n                %120 = add(%116, %119)\n                set $gamma = %120\n            }\n            %121 = $alpha\n            %122 = sqrt(%121)\n            %123 = $beta\n            %124 = sqrt(%123)\n            %125 = mul(%122, %124)\n            %126 = @M\n            %127 = 4i32\n            %128 = add(%126, %127)\n            %129 = cast.f64(%128)\n            %130 = mul(%125, %129)\n            let $limit = %130\n            %131 = $limit\n            %132 = $gamma\n            %133 = abs(%132)\n            %134 = add(%131, %133)\n            %135 = $limit\n            %136 = ne(%134, %135)\n            if %136 {\n                %137 = true\n                set $turned = %137\n                %138 = $beta\n                %139 = $alpha\n                %140 = sub(%138, %139)\n                %141 = 2.0f64\n                %142 = $gamma\n                %143 = mul(%141, %142)\n                %144 = div(%140, %143)\n                let $zeta = %144\n                %145 = 1.0f64\n                %146 = $zeta\n                %147 = abs(%146)\n                %148 = $zeta\n                %149 = $zeta\n                %150 = mul(%148, %149)\n                %151 = 1.0f64\n                %152 = add(%150, %151)\n                %153 = sqrt(%152)\n                %154 = add(%147, %153)\n                %155 = div(%145, %154)\n                let $t = %155\n                %156 = $zeta\n                %157 = 0.0f64\n                %158 = lt(%156, %157)\n                %159 = $t\n                %160 = neg(%159)\n                %161 = $t\n                %162 = select(%158, %160, %161)\n                set $t = %162\n                %163 = 1.0f64\n                %164 = $t\n                %165 = $t\n                %166 = mul(%164, %165)\n                %167 = 1.0f64\n                %168 = add(%166, %167)\n                %169 = sqrt(%168)\n                %170 = div(%163, %169)\n                let $c = %170\n                %171 = $t\n                %172 = $c\n                %173 = mul(%171, %172)\n                let $n = %173\n                %174 = 0i32\n                %175 = @M\n                %176 = 1i32\n                for $k2 in %174 .. %175 step %176 {\n                    %177 = $k2\n                    %178 = @N\n                    %179 = mul(%177, %178)\n                    %180 = $p\n                    %181 = add(%179, %180)\n                    %182 = @R\n                    %183 = mul(%181, %182)\n                    %184 = $lane\n                    %185 = add(%183, %184)\n                    %186 = load @u[%185]\n                    let $x2 = %186\n                    %187 = $k2\n                    %188 = @N\n                    %189 = mul(%187, %188)\n                    %190 = $q\n                    %191 = add(%189, %190)\n                    %192 = @R\n                    %193 = mul(%191, %192)\n                    %194 = $lane\n                    %195 = add(%193, %194)\n                    %196 = load @u[%195]\n                    let $y2 = %196\n                    %197 = $k2\n                    %198 = @N\n                    %199 = mul(%197, %198)\n                    %200 = $p\n                    %201 = add(%199, %200)\n                    %202 = @R\n                    %203 = mul(%201, %202)\n                    %204 = $lane\n                    %205 = add(%203, %204)\n                    %206 = $c\n                    %207 = $x2\n                    %208 = mul(%206, %207)\n                    %209 = $n\n                    %210 = $y2\n                    %211 = mul(%209, %210)\n                    %212 = sub(%208, %211)\n                    store @u[%205] = %212\n                    %213 = $k2\n                    %214 = @N\n                    %215 = mul(%213, %214)\n                    %216 = $q\n                    %217 = add(%215, %216)\n                    %218 = @R\n                    %219 = mul(%217, %218)\n                    %220 = $lane\n                    %221 = add(%219, %220)\n                    %222 = $n\n                    %223 = $x2\n                    %224 = mul(%222, %223)\n                    %225 = $c\n                    %226 = $y2\n                    %227 = mul(%225, %226)\n                    %228 = add(%224, %227)\n                    store @u[%221] = %228\n                }\n                %229 = 0i32\n                %230 = @N\n                %231 = 1i32\n                for $k3 in %229 .. %230 step %231 {\n                    %232 = $k3\n                    %233 = @N\n                    %234 = mul(%232, %233)\n                    %235 = $p\n                    %236 = add(%234, %235)\n                    %237 = @R\n                    %238 = mul(%236, %237)\n                    %239 = $lane\n                    %240 = add(%238, %239)\n                    %241 = load @v[%240]\n                    let $x3 = %241\n                    %242 = $k3\n                    %243 = @N\n                    %244 = mul(%242, %243)\n                    %245 = $q\n                    %246 = add(%244, %245)\n                    %247 = @R\n                    %248 = mul(%246, %247)\n                    %249 = $lane\n                    %250 = add(%248, %249)\n                    %251 = load @v[%250]\n                    let $y3 = %251\n                    %252 = $k3\n                    %253 = @N\n                    %254 = mul(%252, %253)\n                    %255 = $p\n                    %256 = add(%254, %255)\n                    %257 = @R\n                    %258 = mul(%256, %257)\n                    %259 = $lane\n                    %260 = add(%258, %259)\n                    %261 = $c\n                    %262 = $x3\n                    %263 = mul(%261, %262)\n                    %264 = $n\n                    %265 = $y3\n                    %266 = mul(%264, %265)\n                    %267 = sub(%263, %266)\n                    store @v[%260] = %267\n                    %268 = $k3\n                    %269 = @N\n                    %270 = mul(%268, %269)\n                    %271 = $q\n                    %272 = add(%270, %271)\n                    %273 = @R\n                    %274 = mul(%272, %273)\n                    %275 = $lane\n                    %276 = add(%274, %275)\n                    %277 = $n\n                    %278 = $x3\n                    %279 = mul(%277, %278)\n                    %280 = $c\n                    %281 = $y3\n                    %282 = mul(%280, %281)\n                    %283 = add(%279, %282)\n                    store @v[%276] = %283\n                }\n            }\n        }\n    }\n}\n%284 = 0i32\n%285 = @N\n%286 = 1i32\nfor $d1 in %284 .. %285 step %286 {\n    %287 = 0.0f64\n    let $total = %287\n    %288 = 0i32\n    %289 = @M\n    %290 = 1i32\n    for $d2 in %288 .. %289 step %290 {\n        %291 = $total\n        %292 = $d2\n        %293 = @N\n        %294 = mul(%292, %293)\n        %295 = $d1\n        %296 = add(%294, %295)\n        %297 = @R\n        %298 = mul(%296, %297)\n        %299 = $lane\n        %300 = add(%298, %299)\n        %301 = load @u[%300]\n        %302 = $d2\n        %303 = @N\n        %304 = mul(%302, %303)\n        %305 = $d1\n        %306 = add(%304, %305)\n        %307 = @R\n        %308 = mul(%306, %307)\n        %309 = $lane\n        %310 = add(%308, %309)\n        %311 = load @u[%310]\n        %312 = mul(%301, %311)\n        %313 = add(%291, %312)\n        set $total = %313\n    }\n    %314 = $d1\n    %315 = @R\n    %316 = mul(%314, %315)\n    %317 = $lane\n    %318 = add(%316, %317)\n    %319 = $total\n    %320 = sqrt(%319)\n    store @s[%318] = %320\n}\n%321 = 0i32\n%322 = @N\n%323 = 1i32\nfor $i in %321 .. %322 step %323 {\n    %324 = $i\n    let $most_at = %324\n    %325 = $i\n    %326 = 1i32\n    %327 = add(%325, %326)\n    %328 = @N\n    %329 = 1i32\n    for $j in %327 .. %328 step %329 {\n        %330 = $j\n        %331 = @R\n        %332 = mul(%330, %331)\n        %333 = $lane\n        %334 = add(%332, %333)\n        %335 = load @s[%334]\n        %336 = $most_at\n        %337 = @R\n        %338 = mul(%336, %337)\n        %339 = $lane\n        %340 = add(%338, %339)\n        %341 = load @s[%340]\n        %342 = gt(%335, %341)\n        if %342 {\n            %343 = $j\n            set $most_at = %343\n        }\n    }\n    %344 = $i\n    %345 = @R\n    %346 = mul(%344, %345)\n    %347 = $lane\n    %348 = add(%346, %347)\n    %349 = load @s[%348]\n    let $held = %349\n    %350 = $i\n    %351 = @R\n    %352 = mul(%350, %351)\n    %353 = $lane\n    %354 = add(%352, %353)\n    %355 = $most_at\n    %356 = @R\n    %357 = mul(%355, %356)\n    %358 = $lane\n    %359 = add(%357, %358)\n    %360 = load @s[%359]\n    store @s[%354] = %360\n    %361 = $most_at\n    %362 = @R\n    %363 = mul(%361, %362)\n    %364 = $lane\n    %365 = add(%363, %364)\n    %366 = $held\n    store @s[%365] = %366\n    %367 = 0i32\n    %368 = @M\n    %369 = 1i32\n    for $k4 in %367 .. %368 step %369 {\n        %370 = $k4\n        %371 = @N\n        %372 = mul(%370, %371)\n        %373 = $i\n        %374 = add(%372, %373)\n        %375 = @R\n        %376 = mul(%374, %375)\n        %377 = $lane\n        %378 = add(%376, %377)\n        %379 = load @u[%378]\n        let $value = %379\n        %380 = $k4\n        %381 = @N\n        %382 = mul(%380, %381)\n        %383 = $i\n        %384 = add(%382, %383)\n        %385 = @R\n        %386 = mul(%384, %385)\n        %387 = $lane\n        %388 = add(%386, %387)\n        %389 = $k4\n        %390 = @N\n        %391 = mul(%389, %390)\n        %392 = $most_at\n        %393 = add(%391, %392)\n        %394 = @R\n        %395 = mul(%393, %394)\n        %396 = $lane\n        %397 = add(%395, %396)\n        %398 = load @u[%397]\n        store @u[%388] = %398\n        %399 = $k4\n        %400 = @N\n        %401 = mul(%399, %400)\n        %402 = $most_at\n        %403 = add(%401, %402)\n        %404 = @R\n        %405 = mul(%403, %404)\n        %406 = $lane\n        %407 = add(%405, %406)\n        %408 = $value\n        store @u[%407] = %408\n    }\n    %409 = 0i32\n    %410 = @N\n    %411 = 1i32\n    for $k5 in %409 .. %410 step %411 {\n        %412 = $k5\n        %413 = @N\n        %414 = mul(%412, %413)\n        %415 = $i\n        %416 = add(%414, %415)\n        %417 = @R\n        %418 = mul(%416, %417)\n        %419 = $lane\n        %420 = add(%418, %419)\n        %421 = load @v[%420]\n        let $other = %421\n        %422 = $k5\n        %423 = @N\n        %424 = mul(%422, %423)\n        %425 = $i\n        %426 = add(%424, %425)\n        %427 = @R\n        %428 = mul(%426, %427)\n        %429 = $lane\n        %430 = add(%428, %429)\n        %431 = $k5\n        %432 = @N\n        %433 = mul(%431, %432)\n        %434 = $most_at\n        %435 = add(%433, %434)\n        %436 = @R\n        %437 = mul(%435, %436)\n        %438 = $lane\n        %439 = add(%437, %438)\n        %440 = load @v[%439]\n        store @v[%430] = %440\n        %441 = $k5\n        %442 = @N\n        %443 = mul(%441, %442)\n        %444 = $most_at\n        %445 = add(%443, %444)\n        %446 = @R\n        %447 = mul(%445, %446)\n        %448 = $lane\n        %449 = add(%447, %448)\n        %450 = $other\n        store @v[%449] = %450\n    }\n}\n%451 = $lane\n%452 = load @s[%451]\nlet $longest = %452\n%453 = 0i32\n%454 = @N\n%455 = 1i32\nfor $e1 in %453 .. %454 step %455 {\n    %456 = $e1\n    %457 = @R\n    %458 = mul(%456, %457)\n    %459 = $lane\n    %460 = add(%458, %459)\n    %461 = load @s[%460]\n    %462 = 0.0f64\n    %463 = ne(%461, %462)\n    if %463 {\n        %464 = 0i32\n        %465 = @M\n        %466 = 1i32\n        for $f1 in %464 .. %465 step %466 {\n            %467 = $f1\n            %468 = @N\n            %469 = mul(%467, %468)\n            %470 = $e1\n            %471 = add(%469, %470)\n            %472 = @R\n            %473 = mul(%471, %472)\n            %474 = $lane\n            %475 = add(%473, %474)\n            %476 = $f1\n            %477 = @N\n            %478 = mul(%476, %477)\n            %479 = $e1\n            %480 = add(%478, %479)\n            %481 = @R\n            %482 = mul(%480, %481)\n            %483 = $lane\n            %484 = add(%482, %483)\n            %485 = load @u[%484]\n            %486 = $e1\n            %487 = @R\n            %488 = mul(%486, %487)\n            %489 = $lane\n            %490 = add(%488, %489)\n            %491 = load @s[%490]\n            %492 = div(%485, %491)\n            store @u[%475] = %492\n        }\n    }\n    %493 = $longest\n    %494 = $e1\n    %495 = @R\n    %496 = mul(%494, %495)\n    %497 = $lane\n    %498 = add(%496, %497)\n    %499 = load @s[%498]\n    %500 = add(%493, %499)\n    %501 = $longest\n    %502 = eq(%500, %501)\n    if %502 {\n        %503 = 0i32\n        %504 = 3i32\n        %505 = 1i32\n        for $again in %503 .. %504 step %505 {\n            %506 = 0i32\n            %507 = $e1\n            %508 = 1i32\n            for $g3 in %506 .. %507 step %508 {\n                %509 = 0.0f64\n                let $dot = %509\n                %510 = 0i32\n                %511 = @M\n                %512 = 1i32\n                for $g4 in %510 .. %511 step %512 {\n                    %513 = $dot\n                    %514 = $g4\n                    %515 = @N\n                    %516 = mul(%514, %515)\n                    %517 = $g3\n                    %518 = add(%516, %517)\n                    %519 = @R\n                    %520 = mul(%518, %519)\n                    %521 = $lane\n                    %522 = add(%520, %521)\n                    %523 = load @u[%522]\n                    %524 = $g4\n                    %525 = @N\n                    %526 = mul(%524, %525)\n                    %527 = $e1\n                    %528 = add(%526, %527)\n                    %529 = @R\n                    %530 = mul(%528, %529)\n                    %531 = $lane\n                    %532 = add(%530, %531)\n                    %533 = load @u[%532]\n                    %534 = mul(%523, %533)\n                    %535 = add(%513, %534)\n                    set $dot = %535\n                }\n                %536 = 0i32\n                %537 = @M\n                %538 = 1i32\n                for $g5 in %536 .. %537 step %538 {\n                    %539 = $g5\n                    %540 = @N\n                    %541 = mul(%539, %540)\n                    %542 = $e1\n                    %543 = add(%541, %542)\n                    %544 = @R\n                    %545 = mul(%543, %544)\n                    %546 = $lane\n                    %547 = add(%545, %546)\n                    %548 = $g5\n                    %549 = @N\n                    %550 = mul(%548, %549)\n                    %551 = $e1\n                    %552 = add(%550, %551)\n                    %553 = @R\n                    %554 = mul(%552, %553)\n                    %555 = $lane\n                    %556 = add(%554, %555)\n                    %557 = load @u[%556]\n                    %558 = $dot\n                    %559 = $g5\n                    %560 = @N\n                    %561 = mul(%559, %560)\n                    %562 = $g3\n                    %563 = add(%561, %562)\n                    %564 = @R\n                    %565 = mul(%563, %564)\n                    %566 = $lane\n                    %567 = add(%565, %566)\n                    %568 = load @u[%567]\n                    %569 = mul(%558, %568)\n                    %570 = sub(%557, %569)\n                    store @u[%547] = %570\n                }\n            }\n            %571 = 0.0f64\n            let $long = %571\n            %572 = 0i32\n            %573 = @M\n            %574 = 1i32\n            for $g6 in %572 .. %573 step %574 {\n                %575 = $long\n                %576 = $g6\n                %577 = @N\n                %578 = mul(%576, %577)\n                %579 = $e1\n                %580 = add(%578, %579)\n                %581 = @R\n                %582 = mul(%580, %581)\n                %583 = $lane\n                %584 = add(%582, %583)\n                %585 = load @u[%584]\n                %586 = $g6\n                %587 = @N\n                %588 = mul(%586, %587)\n                %589 = $e1\n                %590 = add(%588, %589)\n                %591 = @R\n                %592 = mul(%590, %591)\n                %593 = $lane\n                %594 = add(%592, %593)\n                %595 = load @u[%594]\n                %596 = mul(%585, %595)\n                %597 = add(%575, %596)\n                set $long = %597\n            }\n            %598 = $again\n            %599 = 0i32\n            %600 = eq(%598, %599)\n            %601 = $long\n            %602 = 0.25f64\n            %603 = lt(%601, %602)\n            %604 = and(%600, %603)\n            if %604 {\n                %605 = 0i32\n                let $best = %605\n                %606 = 0.0f64\n                let $left = %606\n                %607 = 0i32\n                %608 = @M\n                %609 = 1i32\n                for $f2 in %607 .. %608 step %609 {\n                    %610 = 1.0f64\n                    let $part = %610\n                    %611 = 0i32\n                    %612 = $e1\n                    %613 = 1i32\n                    for $g1 in %611 .. %612 step %613 {\n                        %614 = $part\n                        %615 = $f2\n                        %616 = @N\n                        %617 = mul(%615, %616)\n                        %618 = $g1\n                        %619 = add(%617, %618)\n                        %620 = @R\n                        %621 = mul(%619, %620)\n                        %622 = $lane\n                        %623 = add(%621, %622)\n                        %624 = load @u[%623]\n                        %625 = $f2\n                        %626 = @N\n                        %627 = mul(%625, %626)\n                        %628 = $g1\n                        %629 = add(%627, %628)\n                        %630 = @R\n                        %631 = mul(%629, %630)\n                        %632 = $lane\n                        %633 = add(%631, %632)\n                        %634 = load @u[%633]\n                        %635 = mul(%624, %634)\n                        %636 = sub(%614, %635)\n                        set $part = %636\n                    }\n                    %637 = $part\n                    %638 = $left\n                    %639 = gt(%637, %638)\n                    if %639 {\n                        %640 = $part\n                        set $left = %640\n                        %641 = $f2\n                        set $best = %641\n                    }\n                }\n                %642 = 0i32\n                %643 = @M\n                %644 = 1i32\n                for $g2 in %642 .. %643 step %644 {\n                    %645 = $g2\n                    %646 = @N\n                    %647 = mul(%645, %646)\n                    %648 = $e1\n                    %649 = add(%647, %648)\n                    %650 = @R\n                    %651 = mul(%649, %650)\n                    %652 = $lane\n                    %653 = add(%651, %652)\n                    %654 = $g2\n                    %655 = $best\n                    %656 = eq(%654, %655)\n                    %657 = 1.0f64\n                    %658 = 0.0f64\n                    %659 = select(%656, %657, %658)\n                    store @u[%653] = %659\n                }\n            } else {\n                %660 = 0i32\n                %661 = @M\n                %662 = 1i32\n                for $g7 in %660 .. %661 step %662 {\n                    %663 = $g7\n                    %664 = @N\n                    %665 = mul(%663, %664)\n                    %666 = $e1\n                    %667 = add(%665, %666)\n                    %668 = @R\n                    %669 = mul(%667, %668)\n                    %670 = $lane\n                    %671 = add(%669, %670)\n                    %672 = $g7\n                    %673 = @N\n                    %674 = mul(%672, %673)\n                    %675 = $e1\n                    %676 = add(%674, %675)\n                    %677 = @R\n                    %678 = mul(%676, %677)\n                    %679 = $lane\n                    %680 = add(%678, %679)\n                    %681 = load @u[%680]\n                    %682 = $long\n                    %683 = sqrt(%682)\n                    %684 = div(%681, %683)\n                    store @u[%671] = %684\n                }\n            }\n        }\n    }\n    %685 = $e1\n    %686 = @R\n    %687 = mul(%685, %686)\n    %688 = $lane\n    %689 = add(%687, %688)\n    %690 = $e1\n    %691 = @R\n    %692 = mul(%690, %691)\n    %693 = $lane\n    %694 = add(%692, %693)\n    %695 = load @s[%694]\n    %696 = $size\n    %697 = mul(%695, %696)\n    store @s[%689] = %697\n}\n%698 = 0i32\n%699 = @N\n%700 = 1i32\nfor $h1 in %698 .. %699 step %700 {\n    %701 = 0.0f64\n    let $most = %701\n    %702 = 1.0f64\n    let $factor = %702\n    %703 = @of_right\n    %704 = 0i32\n    %705 = ne(%703, %704)\n    if %705 {\n        %706 = 0i32\n        %707 = @N\n        %708 = 1i32\n        for $h2 in %706 .. %707 step %708 {\n            %709 = $h2\n            %710 = @N\n            %711 = mul(%709, %710)\n            %712 = $h1\n            %713 = add(%711, %712)\n            %714 = @R\n            %715 = mul(%713, %714)\n            %716 = $lane\n            %717 = add(%715, %716)\n            %718 = load @v[%717]\n            %719 = abs(%718)\n            %720 = $most\n            %721 = gt(%719, %720)\n            if %721 {\n                %722 = $h2\n                %723 = @N\n                %724 = mul(%722, %723)\n                %725 = $h1\n                %726 = add(%724, %725)\n                %727 = @R\n                %728 = mul(%726, %727)\n                %729 = $lane\n                %730 = add(%728, %729)\n                %731 = load @v[%730]\n                %732 = abs(%731)\n                set $most = %732\n                %733 = $h2\n                %734 = @N\n                %735 = mul(%733, %734)\n                %736 = $h1\n                %737 = add(%735, %736)\n                %738 = @R\n                %739 = mul(%737, %738)\n                %740 = $lane\n                %741 = add(%739, %740)\n                %742 = load @v[%741]\n                %743 = 0.0f64\n                %744 = lt(%742, %743)\n                %745 = -1.0f64\n                %746 = 1.0f64\n                %747 = select(%744, %745, %746)\n                set $factor = %747\n            }\n        }\n    } else {\n        %748 = 0i32\n        %749 = @M\n        %750 = 1i32\n        for $h3 in %748 .. %749 step %750 {\n            %751 = $h3\n            %752 = @N\n            %753 = mul(%751, %752)\n            %754 = $h1\n            %755 = add(%753, %754)\n            %756 = @R\n            %757 = mul(%755, %756)\n            %758 = $lane\n            %759 = add(%757, %758)\n            %760 = load @u[%759]\n            %761 = abs(%760)\n            %762 = $most\n            %763 = gt(%761, %762)\n            if %763 {\n                %764 = $h3\n                %765 = @N\n                %766 = mul(%764, %765)\n                %767 = $h1\n                %768 = add(%766, %767)\n                %769 = @R\n                %770 = mul(%768, %769)\n                %771 = $lane\n                %772 = add(%770, %771)\n                %773 = load @u[%772]\n                %774 = abs(%773)\n                set $most = %774\n                %775 = $h3\n                %776 = @N\n                %777 = mul(%775, %776)\n                %778 = $h1\n                %779 = add(%777, %778)\n                %780 = @R\n                %781 = mul(%779, %780)\n                %782 = $lane\n                %783 = add(%781, %782)\n                %784 = load @u[%783]\n                %785 = 0.0f64\n                %786 = lt(%784, %785)\n                %787 = -1.0f64\n                %788 = 1.0f64\n                %789 = select(%786, %787, %788)\n                set $factor = %789\n            }\n        }\n    }\n    %790 = 0i32\n    %791 = @N\n    %792 = 1i32\n    for $h4 in %790 .. %791 step %792 {\n        %793 = $h4\n        %794 = @N\n        %795 = mul(%793, %794)\n        %796 = $h1\n        %797 = add(%795, %796)\n        %798 = @R\n        %799 = mul(%797, %798)\n        %800 = $lane\n        %801 = add(%799, %800)\n        %802 = $factor\n        %803 = $h4\n        %804 = @N\n        %805 = mul(%803, %804)\n        %806 = $h1\n        %807 = add(%805, %806)\n        %808 = @R\n        %809 = mul(%807, %808)\n        %810 = $lane\n        %811 = add(%809, %810)\n        %812 = load @v[%811]\n        %813 = mul(%802, %812)\n        store @v[%801] = %813\n    }\n    %814 = 0i32\n    %815 = @M\n    %816 = 1i32\n    for $h5 in %814 .. %815 step %816 {\n        %817 = $h5\n        %818 = @N\n        %819 = mul(%817, %818)\n        %820 = $h1\n        %821 = add(%819, %820)\n        %822 = @R\n        %823 = mul(%821, %822)\n        %824 = $lane\n        %825 = add(%823, %824)\n        %826 = $factor\n        %827 = $h5\n        %828 = @N\n        %829 = mul(%827, %828)\n        %830 = $h1\n        %831 = add(%829, %830)\n        %832 = @R\n        %833 = mul(%831, %832)\n        %834 = $lane\n        %835 = add(%833, %834)\n        %836 = load @u[%835]\n        %837 = mul(%826, %836)\n        store @u[%825] = %837\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel9;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel9 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f64>(0);
                let of_right_p1 = args.number::<i32>(1);
                let u_p2 = args.view::<f64>(2);
                let s_p3 = args.view::<f64>(3);
                let v_p4 = args.view::<f64>(4);
                let r_p5 = args.number::<i32>(5);
                let m_p6 = args.number::<i32>(6);
                let n_p7 = args.number::<i32>(7);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut size_35: f64 = 0.0_f64;
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(m_p6, n_p7), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            size_35 = h::max(size_35, h::abs(a_p0.at(h::add(h::mul(start_1, r_p5), lane_0))));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let unit_36: f64 = (if (size_35 == 0.0_f64) { 1.0_f64 } else { size_35 });
                    let mut fill_2: i32 = 0_i32;
                    let (loop1_end, loop1_step): (i32, i32) = (h::mul(m_p6, n_p7), 1_i32);
                    'loop_1: while fill_2 < loop1_end {
                        'round_1: {
                            u_p2.put(h::add(h::mul(fill_2, r_p5), lane_0), (a_p0.at(h::add(h::mul(fill_2, r_p5), lane_0)) / unit_36));
                        }
                        fill_2 = h::add(fill_2, loop1_step);
                    }
                    let mut b1_3: i32 = 0_i32;
                    let (loop2_end, loop2_step): (i32, i32) = (h::mul(n_p7, n_p7), 1_i32);
                    'loop_2: while b1_3 < loop2_end {
                        'round_2: {
                            v_p4.put(h::add(h::mul(b1_3, r_p5), lane_0), (if (h::div(b1_3, n_p7) == h::rem(b1_3, n_p7)) { 1.0_f64 } else { 0.0_f64 }));
                        }
                        b1_3 = h::add(b1_3, loop2_step);
                    }
                    let mut sweep_32: i32 = 0_i32;
                    let mut turned_34: bool = true;
                    'loop_3: loop {
                        if !(h::and(turned_34, (sweep_32 < 40_i32))) { break 'loop_3; }
                        'round_3: {
                            turned_34 = false;
                            sweep_32 = h::add(sweep_32, 1_i32);
                            let mut p_4: i32 = 0_i32;
                            let (loop4_end, loop4_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_4: while p_4 < loop4_end {
                                'round_4: {
                                    let mut q_5: i32 = h::add(p_4, 1_i32);
                                    let (loop5_end, loop5_step): (i32, i32) = (n_p7, 1_i32);
                                    'loop_5: while q_5 < loop5_end {
                                        'round_5: {
                                            let mut alpha_37: f64 = 0.0_f64;
                                            let mut beta_38: f64 = 0.0_f64;
                                            let mut gamma_39: f64 = 0.0_f64;
                                            let mut k1_6: i32 = 0_i32;
                                            let (loop6_end, loop6_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_6: while k1_6 < loop6_end {
                                                'round_6: {
                                                    let x1_45: f64 = u_p2.at(h::add(h::mul(h::add(h::mul(k1_6, n_p7), p_4), r_p5), lane_0));
                                                    let y1_46: f64 = u_p2.at(h::add(h::mul(h::add(h::mul(k1_6, n_p7), q_5), r_p5), lane_0));
                                                    alpha_37 = (alpha_37 + (x1_45 * x1_45));
                                                    beta_38 = (beta_38 + (y1_46 * y1_46));
                                                    gamma_39 = (gamma_39 + (x1_45 * y1_46));
                                                }
                                                k1_6 = h::add(k1_6, loop6_step);
                                            }
                                            let limit_40: f64 = ((h::sqrt::<I, _>(alpha_37) * h::sqrt::<I, _>(beta_38)) * h::cast::<i32, f64>(h::add(m_p6, 4_i32)));
                                            if ((limit_40 + h::abs(gamma_39)) != limit_40) {
                                                turned_34 = true;
                                                let zeta_41: f64 = ((beta_38 - alpha_37) / (2.0_f64 * gamma_39));
                                                let mut t_42: f64 = (1.0_f64 / (h::abs(zeta_41) + h::sqrt::<I, _>(((zeta_41 * zeta_41) + 1.0_f64))));
                                                t_42 = (if (zeta_41 < 0.0_f64) { h::neg(t_42) } else { t_42 });
                                                let c_43: f64 = (1.0_f64 / h::sqrt::<I, _>(((t_42 * t_42) + 1.0_f64)));
                                                let n_44: f64 = (t_42 * c_43);
                                                let mut k2_7: i32 = 0_i32;
                                                let (loop7_end, loop7_step): (i32, i32) = (m_p6, 1_i32);
                                                'loop_7: while k2_7 < loop7_end {
                                                    'round_7: {
                                                        let x2_47: f64 = u_p2.at(h::add(h::mul(h::add(h::mul(k2_7, n_p7), p_4), r_p5), lane_0));
                                                        let y2_48: f64 = u_p2.at(h::add(h::mul(h::add(h::mul(k2_7, n_p7), q_5), r_p5), lane_0));
                                                        u_p2.put(h::add(h::mul(h::add(h::mul(k2_7, n_p7), p_4), r_p5), lane_0), ((c_43 * x2_47) - (n_44 * y2_48)));
                                                        u_p2.put(h::add(h::mul(h::add(h::mul(k2_7, n_p7), q_5), r_p5), lane_0), ((n_44 * x2_47) + (c_43 * y2_48)));
                                                    }
                                                    k2_7 = h::add(k2_7, loop7_step);
                                                }
                                                let mut k3_8: i32 = 0_i32;
                                                let (loop8_end, loop8_step): (i32, i32) = (n_p7, 1_i32);
                                                'loop_8: while k3_8 < loop8_end {
                                                    'round_8: {
                                                        let x3_49: f64 = v_p4.at(h::add(h::mul(h::add(h::mul(k3_8, n_p7), p_4), r_p5), lane_0));
                                                        let y3_50: f64 = v_p4.at(h::add(h::mul(h::add(h::mul(k3_8, n_p7), q_5), r_p5), lane_0));
                                                        v_p4.put(h::add(h::mul(h::add(h::mul(k3_8, n_p7), p_4), r_p5), lane_0), ((c_43 * x3_49) - (n_44 * y3_50)));
                                                        v_p4.put(h::add(h::mul(h::add(h::mul(k3_8, n_p7), q_5), r_p5), lane_0), ((n_44 * x3_49) + (c_43 * y3_50)));
                                                    }
                                                    k3_8 = h::add(k3_8, loop8_step);
                                                }
                                            }
                                        }
                                        q_5 = h::add(q_5, loop5_step);
                                    }
                                }
                                p_4 = h::add(p_4, loop4_step);
                            }
                        }
                    }
                    let mut d1_9: i32 = 0_i32;
                    let (loop9_end, loop9_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_9: while d1_9 < loop9_end {
                        'round_9: {
                            let mut total_51: f64 = 0.0_f64;
                            let mut d2_10: i32 = 0_i32;
                            let (loop10_end, loop10_step): (i32, i32) = (m_p6, 1_i32);
                            'loop_10: while d2_10 < loop10_end {
                                'round_10: {
                                    total_51 = (total_51 + (u_p2.at(h::add(h::mul(h::add(h::mul(d2_10, n_p7), d1_9), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(d2_10, n_p7), d1_9), r_p5), lane_0))));
                                }
                                d2_10 = h::add(d2_10, loop10_step);
                            }
                            s_p3.put(h::add(h::mul(d1_9, r_p5), lane_0), h::sqrt::<I, _>(total_51));
                        }
                        d1_9 = h::add(d1_9, loop9_step);
                    }
                    let mut i_11: i32 = 0_i32;
                    let (loop11_end, loop11_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_11: while i_11 < loop11_end {
                        'round_11: {
                            let mut most_at_31: i32 = i_11;
                            let mut j_12: i32 = h::add(i_11, 1_i32);
                            let (loop12_end, loop12_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_12: while j_12 < loop12_end {
                                'round_12: {
                                    if (s_p3.at(h::add(h::mul(j_12, r_p5), lane_0)) > s_p3.at(h::add(h::mul(most_at_31, r_p5), lane_0))) {
                                        most_at_31 = j_12;
                                    }
                                }
                                j_12 = h::add(j_12, loop12_step);
                            }
                            let held_52: f64 = s_p3.at(h::add(h::mul(i_11, r_p5), lane_0));
                            s_p3.put(h::add(h::mul(i_11, r_p5), lane_0), s_p3.at(h::add(h::mul(most_at_31, r_p5), lane_0)));
                            s_p3.put(h::add(h::mul(most_at_31, r_p5), lane_0), held_52);
                            let mut k4_13: i32 = 0_i32;
                            let (loop13_end, loop13_step): (i32, i32) = (m_p6, 1_i32);
                            'loop_13: while k4_13 < loop13_end {
                                'round_13: {
                                    let value_53: f64 = u_p2.at(h::add(h::mul(h::add(h::mul(k4_13, n_p7), i_11), r_p5), lane_0));
                                    u_p2.put(h::add(h::mul(h::add(h::mul(k4_13, n_p7), i_11), r_p5), lane_0), u_p2.at(h::add(h::mul(h::add(h::mul(k4_13, n_p7), most_at_31), r_p5), lane_0)));
                                    u_p2.put(h::add(h::mul(h::add(h::mul(k4_13, n_p7), most_at_31), r_p5), lane_0), value_53);
                                }
                                k4_13 = h::add(k4_13, loop13_step);
                            }
                            let mut k5_14: i32 = 0_i32;
                            let (loop14_end, loop14_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_14: while k5_14 < loop14_end {
                                'round_14: {
                                    let other_54: f64 = v_p4.at(h::add(h::mul(h::add(h::mul(k5_14, n_p7), i_11), r_p5), lane_0));
                                    v_p4.put(h::add(h::mul(h::add(h::mul(k5_14, n_p7), i_11), r_p5), lane_0), v_p4.at(h::add(h::mul(h::add(h::mul(k5_14, n_p7), most_at_31), r_p5), lane_0)));
                                    v_p4.put(h::add(h::mul(h::add(h::mul(k5_14, n_p7), most_at_31), r_p5), lane_0), other_54);
                                }
                                k5_14 = h::add(k5_14, loop14_step);
                            }
                        }
                        i_11 = h::add(i_11, loop11_step);
                    }
                    let longest_56: f64 = s_p3.at(lane_0);
                    let mut e1_15: i32 = 0_i32;
                    let (loop15_end, loop15_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_15: while e1_15 < loop15_end {
                        'round_15: {
                            if (s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0)) != 0.0_f64) {
                                let mut f1_16: i32 = 0_i32;
                                let (loop16_end, loop16_step): (i32, i32) = (m_p6, 1_i32);
                                'loop_16: while f1_16 < loop16_end {
                                    'round_16: {
                                        u_p2.put(h::add(h::mul(h::add(h::mul(f1_16, n_p7), e1_15), r_p5), lane_0), (u_p2.at(h::add(h::mul(h::add(h::mul(f1_16, n_p7), e1_15), r_p5), lane_0)) / s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0))));
                                    }
                                    f1_16 = h::add(f1_16, loop16_step);
                                }
                            }
                            if ((longest_56 + s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0))) == longest_56) {
                                let mut again_33: i32 = 0_i32;
                                let (loop17_end, loop17_step): (i32, i32) = (3_i32, 1_i32);
                                'loop_17: while again_33 < loop17_end {
                                    'round_17: {
                                        let mut g3_20: i32 = 0_i32;
                                        let (loop18_end, loop18_step): (i32, i32) = (e1_15, 1_i32);
                                        'loop_18: while g3_20 < loop18_end {
                                            'round_18: {
                                                let mut dot_59: f64 = 0.0_f64;
                                                let mut g4_21: i32 = 0_i32;
                                                let (loop19_end, loop19_step): (i32, i32) = (m_p6, 1_i32);
                                                'loop_19: while g4_21 < loop19_end {
                                                    'round_19: {
                                                        dot_59 = (dot_59 + (u_p2.at(h::add(h::mul(h::add(h::mul(g4_21, n_p7), g3_20), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(g4_21, n_p7), e1_15), r_p5), lane_0))));
                                                    }
                                                    g4_21 = h::add(g4_21, loop19_step);
                                                }
                                                let mut g5_22: i32 = 0_i32;
                                                let (loop20_end, loop20_step): (i32, i32) = (m_p6, 1_i32);
                                                'loop_20: while g5_22 < loop20_end {
                                                    'round_20: {
                                                        u_p2.put(h::add(h::mul(h::add(h::mul(g5_22, n_p7), e1_15), r_p5), lane_0), (u_p2.at(h::add(h::mul(h::add(h::mul(g5_22, n_p7), e1_15), r_p5), lane_0)) - (dot_59 * u_p2.at(h::add(h::mul(h::add(h::mul(g5_22, n_p7), g3_20), r_p5), lane_0)))));
                                                    }
                                                    g5_22 = h::add(g5_22, loop20_step);
                                                }
                                            }
                                            g3_20 = h::add(g3_20, loop18_step);
                                        }
                                        let mut long_58: f64 = 0.0_f64;
                                        let mut g6_23: i32 = 0_i32;
                                        let (loop21_end, loop21_step): (i32, i32) = (m_p6, 1_i32);
                                        'loop_21: while g6_23 < loop21_end {
                                            'round_21: {
                                                long_58 = (long_58 + (u_p2.at(h::add(h::mul(h::add(h::mul(g6_23, n_p7), e1_15), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(g6_23, n_p7), e1_15), r_p5), lane_0))));
                                            }
                                            g6_23 = h::add(g6_23, loop21_step);
                                        }
                                        if h::and((again_33 == 0_i32), (long_58 < 0.25_f64)) {
                                            let mut best_30: i32 = 0_i32;
                                            let mut left_55: f64 = 0.0_f64;
                                            let mut f2_17: i32 = 0_i32;
                                            let (loop22_end, loop22_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_22: while f2_17 < loop22_end {
                                                'round_22: {
                                                    let mut part_57: f64 = 1.0_f64;
                                                    let mut g1_18: i32 = 0_i32;
                                                    let (loop23_end, loop23_step): (i32, i32) = (e1_15, 1_i32);
                                                    'loop_23: while g1_18 < loop23_end {
                                                        'round_23: {
                                                            part_57 = (part_57 - (u_p2.at(h::add(h::mul(h::add(h::mul(f2_17, n_p7), g1_18), r_p5), lane_0)) * u_p2.at(h::add(h::mul(h::add(h::mul(f2_17, n_p7), g1_18), r_p5), lane_0))));
                                                        }
                                                        g1_18 = h::add(g1_18, loop23_step);
                                                    }
                                                    if (part_57 > left_55) {
                                                        left_55 = part_57;
                                                        best_30 = f2_17;
                                                    }
                                                }
                                                f2_17 = h::add(f2_17, loop22_step);
                                            }
                                            let mut g2_19: i32 = 0_i32;
                                            let (loop24_end, loop24_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_24: while g2_19 < loop24_end {
                                                'round_24: {
                                                    u_p2.put(h::add(h::mul(h::add(h::mul(g2_19, n_p7), e1_15), r_p5), lane_0), (if (g2_19 == best_30) { 1.0_f64 } else { 0.0_f64 }));
                                                }
                                                g2_19 = h::add(g2_19, loop24_step);
                                            }
                                        } else {
                                            let mut g7_24: i32 = 0_i32;
                                            let (loop25_end, loop25_step): (i32, i32) = (m_p6, 1_i32);
                                            'loop_25: while g7_24 < loop25_end {
                                                'round_25: {
                                                    u_p2.put(h::add(h::mul(h::add(h::mul(g7_24, n_p7), e1_15), r_p5), lane_0), (u_p2.at(h::add(h::mul(h::add(h::mul(g7_24, n_p7), e1_15), r_p5), lane_0)) / h::sqrt::<I, _>(long_58)));
                                                }
                                                g7_24 = h::add(g7_24, loop25_step);
                                            }
                                        }
                                    }
                                    again_33 = h::add(again_33, loop17_step);
                                }
                            }
                            s_p3.put(h::add(h::mul(e1_15, r_p5), lane_0), (s_p3.at(h::add(h::mul(e1_15, r_p5), lane_0)) * size_35));
                        }
                        e1_15 = h::add(e1_15, loop15_step);
                    }
                    let mut h1_25: i32 = 0_i32;
                    let (loop26_end, loop26_step): (i32, i32) = (n_p7, 1_i32);
                    'loop_26: while h1_25 < loop26_end {
                        'round_26: {
                            let mut most_60: f64 = 0.0_f64;
                            let mut factor_61: f64 = 1.0_f64;
                            if (of_right_p1 != 0_i32) {
                                let mut h2_26: i32 = 0_i32;
                                let (loop27_end, loop27_step): (i32, i32) = (n_p7, 1_i32);
                                'loop_27: while h2_26 < loop27_end {
                                    'round_27: {
                                        if (h::abs(v_p4.at(h::add(h::mul(h::add(h::mul(h2_26, n_p7), h1_25), r_p5), lane_0))) > most_60) {
                                            most_60 = h::abs(v_p4.at(h::add(h::mul(h::add(h::mul(h2_26, n_p7), h1_25), r_p5), lane_0)));
                                            factor_61 = (if (v_p4.at(h::add(h::mul(h::add(h::mul(h2_26, n_p7), h1_25), r_p5), lane_0)) < 0.0_f64) { (-1.0_f64) } else { 1.0_f64 });
                                        }
                                    }
                                    h2_26 = h::add(h2_26, loop27_step);
                                }
                            } else {
                                let mut h3_27: i32 = 0_i32;
                                let (loop28_end, loop28_step): (i32, i32) = (m_p6, 1_i32);
                                'loop_28: while h3_27 < loop28_end {
                                    'round_28: {
                                        if (h::abs(u_p2.at(h::add(h::mul(h::add(h::mul(h3_27, n_p7), h1_25), r_p5), lane_0))) > most_60) {
                                            most_60 = h::abs(u_p2.at(h::add(h::mul(h::add(h::mul(h3_27, n_p7), h1_25), r_p5), lane_0)));
                                            factor_61 = (if (u_p2.at(h::add(h::mul(h::add(h::mul(h3_27, n_p7), h1_25), r_p5), lane_0)) < 0.0_f64) { (-1.0_f64) } else { 1.0_f64 });
                                        }
                                    }
                                    h3_27 = h::add(h3_27, loop28_step);
                                }
                            }
                            let mut h4_28: i32 = 0_i32;
                            let (loop29_end, loop29_step): (i32, i32) = (n_p7, 1_i32);
                            'loop_29: while h4_28 < loop29_end {
                                'round_29: {
                                    v_p4.put(h::add(h::mul(h::add(h::mul(h4_28, n_p7), h1_25), r_p5), lane_0), (factor_61 * v_p4.at(h::add(h::mul(h::add(h::mul(h4_28, n_p7), h1_25), r_p5), lane_0))));
                                }
                                h4_28 = h::add(h4_28, loop29_step);
                            }
                            let mut h5_29: i32 = 0_i32;
                            let (loop30_end, loop30_step): (i32, i32) = (m_p6, 1_i32);
                            'loop_30: while h5_29 < loop30_end {
                                'round_30: {
                                    u_p2.put(h::add(h::mul(h::add(h::mul(h5_29, n_p7), h1_25), r_p5), lane_0), (factor_61 * u_p2.at(h::add(h::mul(h::add(h::mul(h5_29, n_p7), h1_25), r_p5), lane_0))));
                                }
                                h5_29 = h::add(h5_29, loop30_step);
                            }
                        }
                        h1_25 = h::add(h1_25, loop26_step);
                    }
                }
            }
        }
        h::entry::<Kernel9>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f64\nparam q: read_write f64\nparam r: write f64\nparam work: read_write f64\nparam R: size\nparam M: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar i: i32\nvar a1: i32\nvar a2: i32\nvar a3: i32\nvar a4: i32\nvar a5: i32\nvar a6: i32\nvar j: i32\nvar b1: i32\nvar b2: i32\nvar c1: i32\nvar c2: i32\nvar d1: i32\nvar s: i32\nvar e: i32\nvar f1: i32\nvar f2: i32\nvar f3: i32\nvar alpha: f64\nvar most: f64\nvar tail: f64\nvar part: f64\nvar beta: f64\nvar tau: f64\nvar sum: f64\nvar rest: f64\nvar back: f64\nvar total: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 0i32\n%3 = @M\n%4 = @N\n%5 = mul(%3, %4)\n%6 = 1i32\nfor $start in %2 .. %5 step %6 {\n    %7 = $start\n    %8 = @R\n    %9 = mul(%7, %8)\n    %10 = $lane\n    %11 = add(%9, %10)\n    %12 = $start\n    %13 = @R\n    %14 = mul(%12, %13)\n    %15 = $lane\n    %16 = add(%14, %15)\n    %17 = load @a[%16]\n    store @work[%11] = %17\n    %18 = $start\n    %19 = @R\n    %20 = mul(%18, %19)\n    %21 = $lane\n    %22 = add(%20, %21)\n    %23 = $start\n    %24 = @N\n    %25 = div(%23, %24)\n    %26 = $start\n    %27 = @N\n    %28 = rem(%26, %27)\n    %29 = eq(%25, %28)\n    %30 = 1.0f64\n    %31 = 0.0f64\n    %32 = select(%29, %30, %31)\n    store @q[%22] = %32\n}\n%33 = 0i32\n%34 = @N\n%35 = 1i32\nfor $i in %33 .. %34 step %35 {\n    %36 = $i\n    %37 = @N\n    %38 = mul(%36, %37)\n    %39 = $i\n    %40 = add(%38, %39)\n    %41 = @R\n    %42 = mul(%40, %41)\n    %43 = $lane\n    %44 = add(%42, %43)\n    %45 = load @work[%44]\n    let $alpha = %45\n    %46 = $alpha\n    %47 = abs(%46)\n    let $most = %47\n    %48 = $i\n    %49 = 1i32\n    %50 = add(%48, %49)\n    %51 = @M\n    %52 = 1i32\n    for $a1 in %50 .. %51 step %52 {\n        %53 = $most\n        %54 = $a1\n        %55 = @N\n        %56 = mul(%54, %55)\n        %57 = $i\n        %58 = add(%56, %57)\n        %59 = @R\n        %60 = mul(%58, %59)\n        %61 = $lane\n        %62 = add(%60, %61)\n        %63 = load @work[%62]\n        %64 = abs(%63)\n        %65 = max(%53, %64)\n        set $most = %65\n    }\n    %66 = 0.0f64\n    let $tail = %66\n    %67 = $i\n    %68 = 1i32\n    %69 = add(%67, %68)\n    %70 = @M\n    %71 = 1i32\n    for $a2 in %69 .. %70 step %71 {\n        %72 = $a2\n        %73 = @N\n        %74 = mul(%72, %73)\n        %75 = $i\n        %76 = add(%74, %75)\n        %77 = @R\n        %78 = mul(%76, %77)\n        %79 = $lane\n        %80 = add(%78, %79)\n        %81 = load @work[%80]\n        %82 = $most\n        %83 = div(%81, %82)\n        let $part = %83\n        %84 = $tail\n        %85 = $part\n        %86 = $part\n        %87 = mul(%85, %86)\n        %88 = add(%84, %87)\n        set $tail = %88\n    }\n    %89 = $tail\n    %90 = 0.0f64\n    %91 = gt(%89, %90)\n    if %91 {\n        %92 = $most\n        %93 = $alpha\n        %94 = $most\n        %95 = div(%93, %94)\n        %96 = $alpha\n        %97 = $most\n        %98 = div(%96, %97)\n        %99 = mul(%95, %98)\n        %100 = $tail\n        %101 = add(%99, %100)\n        %102 = sqrt(%101)\n        %103 = mul(%92, %102)\n        let $beta = %103\n        %104 = $alpha\n        %105 = 0.0f64\n        %106 = lt(%104, %105)\n        %107 = $beta\n        %108 = $beta\n        %109 = neg(%108)\n        %110 = select(%106, %107, %109)\n        set $beta = %110\n        %111 = $i\n        %112 = 1i32\n        %113 = add(%111, %112)\n        %114 = @M\n        %115 = 1i32\n        for $a3 in %113 .. %114 step %115 {\n            %116 = $a3\n            %117 = @N\n            %118 = mul(%116, %117)\n            %119 = $i\n            %120 = add(%118, %119)\n            %121 = @R\n            %122 = mul(%120, %121)\n            %123 = $lane\n            %124 = add(%122, %123)\n            %125 = $a3\n            %126 = @N\n            %127 = mul(%125, %126)\n            %128 = $i\n            %129 = add(%127, %128)\n            %130 = @R\n            %131 = mul(%129, %130)\n            %132 = $lane\n            %133 = add(%131, %132)\n            %134 = load @work[%133]\n            %135 = $alpha\n            %136 = $beta\n            %137 = sub(%135, %136)\n            %138 = div(%134, %137)\n            store @work[%124] = %138\n        }\n        %139 = $beta\n        %140 = $alpha\n        %141 = sub(%139, %140)\n        %142 = $beta\n        %143 = div(%141, %142)\n        let $tau = %143\n        %144 = $i\n        %145 = @N\n        %146 = mul(%144, %145)\n        %147 = $i\n        %148 = add(%146, %147)\n        %149 = @R\n        %150 = mul(%148, %149)\n        %151 = $lane\n        %152 = add(%150, %151)\n        %153 = $beta\n        store @work[%152] = %153\n        %154 = $i\n        %155 = 1i32\n        %156 = add(%154, %155)\n        %157 = @N\n        %158 = 1i32\n        for $j in %156 .. %157 step %158 {\n            %159 = $i\n            %160 = @N\n            %161 = mul(%159, %160)\n            %162 = $j\n            %163 = add(%161, %162)\n            %164 = @R\n            %165 = mul(%163, %164)\n            %166 = $lane\n            %167 = add(%165, %166)\n            %168 = load @work[%167]\n            let $sum = %168\n            %169 = $i\n            %170 = 1i32\n            %171 = add(%169, %170)\n            %172 = @M\n            %173 = 1i32\n            for $a4 in %171 .. %172 step %173 {\n                %174 = $sum\n                %175 = $a4\n                %176 = @N\n                %177 = mul(%175, %176)\n                %178 = $i\n                %179 = add(%177, %178)\n                %180 = @R\n                %181 = mul(%179, %180)\n                %182 = $lane\n                %183 = add(%181, %182)\n                %184 = load @work[%183]\n                %185 = $a4\n                %186 = @N\n                %187 = mul(%185, %186)\n                %188 = $j\n                %189 = add(%187, %188)\n                %190 = @R\n                %191 = mul(%189, %190)\n                %192 = $lane\n                %193 = add(%191, %192)\n                %194 = load @work[%193]\n                %195 = mul(%184, %194)\n                %196 = add(%174, %195)\n                set $sum = %196\n            }\n            %197 = $sum\n            %198 = $tau\n            %199 = mul(%197, %198)\n            set $sum = %199\n            %200 = $i\n            %201 = @N\n            %202 = mul(%200, %201)\n            %203 = $j\n            %204 = add(%202, %203)\n            %205 = @R\n            %206 = mul(%204, %205)\n            %207 = $lane\n            %208 = add(%206, %207)\n            %209 = $i\n            %210 = @N\n            %211 = mul(%209, %210)\n            %212 = $j\n            %213 = add(%211, %212)\n            %214 = @R\n            %215 = mul(%213, %214)\n            %216 = $lane\n            %217 = add(%215, %216)\n            %218 = load @work[%217]\n            %219 = $sum\n            %220 = sub(%218, %219)\n            store @work[%208] = %220\n            %221 = $i\n            %222 = 1i32\n            %223 = add(%221, %222)\n            %224 = @M\n            %225 = 1i32\n            for $a5 in %223 .. %224 step %225 {\n                %226 = $a5\n                %227 = @N\n                %228 = mul(%226, %227)\n                %229 = $j\n                %230 = add(%228, %229)\n                %231 = @R\n                %232 = mul(%230, %231)\n                %233 = $lane\n                %234 = add(%232, %233)\n                %235 = $a5\n                %236 = @N\n                %237 = mul(%235, %236)\n                %238 = $j\n                %239 = add(%237, %238)\n                %240 = @R\n                %241 = mul(%239, %240)\n                %242 = $lane\n                %243 = add(%241, %242)\n                %244 = load @work[%243]\n                %245 = $a5\n                %246 = @N\n                %247 = mul(%245, %246)\n                %248 = $i\n                %249 = add(%247, %248)\n                %250 = @R\n                %251 = mul(%249, %250)\n                %252 = $lane\n                %253 = add(%251, %252)\n                %254 = load @work[%253]\n                %255 = $sum\n                %256 = mul(%254, %255)\n                %257 = sub(%244, %256)\n                store @work[%234] = %257\n            }\n        }\n    } else {\n        %258 = $i\n        %259 = 1i32\n        %260 = add(%258, %259)\n        %261 = @M\n        %262 = 1i32\n        for $a6 in %260 .. %261 step %262 {\n            %263 = $a6\n            %264 = @N\n            %265 = mul(%263, %264)\n            %266 = $i\n            %267 = add(%265, %266)\n            %268 = @R\n            %269 = mul(%267, %268)\n            %270 = $lane\n            %271 = add(%269, %270)\n            %272 = 0.0f64\n            store @work[%271] = %272\n        }\n    }\n}\n%273 = 0i32\n%274 = @N\n%275 = 1i32\nfor $b1 in %273 .. %274 step %275 {\n    %276 = 0i32\n    %277 = @N\n    %278 = 1i32\n    for $b2 in %276 .. %277 step %278 {\n        %279 = $b1\n        %280 = @N\n        %281 = mul(%279, %280)\n        %282 = $b2\n        %283 = add(%281, %282)\n        %284 = @R\n        %285 = mul(%283, %284)\n        %286 = $lane\n        %287 = add(%285, %286)\n        %288 = $b2\n        %289 = $b1\n        %290 = ge(%288, %289)\n        %291 = $b1\n        %292 = @N\n        %293 = mul(%291, %292)\n        %294 = $b2\n        %295 = add(%293, %294)\n        %296 = @R\n        %297 = mul(%295, %296)\n        %298 = $lane\n        %299 = add(%297, %298)\n        %300 = load @work[%299]\n        %301 = 0.0f64\n        %302 = select(%290, %300, %301)\n        store @r[%287] = %302\n    }\n}\n%303 = 0i32\n%304 = @N\n%305 = 1i32\nfor $c1 in %303 .. %304 step %305 {\n    %306 = @N\n    %307 = 1i32\n    %308 = sub(%306, %307)\n    %309 = $c1\n    %310 = sub(%308, %309)\n    let $s = %310\n    %311 = 0.0f64\n    let $rest = %311\n    %312 = $s\n    %313 = 1i32\n    %314 = add(%312, %313)\n    %315 = @M\n    %316 = 1i32\n    for $c2 in %314 .. %315 step %316 {\n        %317 = $rest\n        %318 = $c2\n        %319 = @N\n        %320 = mul(%318, %319)\n        %321 = $s\n        %322 = add(%320, %321)\n        %323 = @R\n        %324 = mul(%322, %323)\n        %325 = $lane\n        %326 = add(%324, %325)\n        %327 = load @work[%326]\n        %328 = $c2\n        %329 = @N\n        %330 = mul(%328, %329)\n        %331 = $s\n        %332 = add(%330, %331)\n        %333 = @R\n        %334 = mul(%332, %333)\n        %335 = $lane\n        %336 = add(%334, %335)\n        %337 = load @work[%336]\n        %338 = mul(%327, %337)\n        %339 = add(%317, %338)\n        set $rest = %339\n    }\n    %340 = $rest\n    %341 = 0.0f64\n    %342 = gt(%340, %341)\n    if %342 {\n        %343 = 2.0f64\n        %344 = $rest\n        %345 = 1.0f64\n        %346 = add(%344, %345)\n        %347 = div(%343, %346)\n        let $back = %347\n        %348 = $s\n        %349 = @N\n        %350 = 1i32\n        for $e in %348 .. %349 step %350 {\n            %351 = $s\n            %352 = @N\n            %353 = mul(%351, %352)\n            %354 = $e\n            %355 = add(%353, %354)\n            %356 = @R\n            %357 = mul(%355, %356)\n            %358 = $lane\n            %359 = add(%357, %358)\n            %360 = load @q[%359]\n            let $total = %360\n            %361 = $s\n            %362 = 1i32\n            %363 = add(%361, %362)\n            %364 = @M\n            %365 = 1i32\n            for $f1 in %363 .. %364 step %365 {\n                %366 = $total\n                %367 = $f1\n                %368 = @N\n                %369 = mul(%367, %368)\n                %370 = $s\n                %371 = add(%369, %370)\n                %372 = @R\n                %373 = mul(%371, %372)\n                %374 = $lane\n                %375 = add(%373, %374)\n                %376 = load @work[%375]\n                %377 = $f1\n                %378 = @N\n                %379 = mul(%377, %378)\n                %380 = $e\n                %381 = add(%379, %380)\n                %382 = @R\n                %383 = mul(%381, %382)\n                %384 = $lane\n                %385 = add(%383, %384)\n                %386 = load @q[%385]\n                %387 = mul(%376, %386)\n                %388 = add(%366, %387)\n                set $total = %388\n            }\n            %389 = $total\n            %390 = $back\n            %391 = mul(%389, %390)\n            set $total = %391\n            %392 = $s\n            %393 = @N\n            %394 = mul(%392, %393)\n            %395 = $e\n            %396 = add(%394, %395)\n            %397 = @R\n            %398 = mul(%396, %397)\n            %399 = $lane\n            %400 = add(%398, %399)\n            %401 = $s\n            %402 = @N\n            %403 = mul(%401, %402)\n            %404 = $e\n            %405 = add(%403, %404)\n            %406 = @R\n            %407 = mul(%405, %406)\n            %408 = $lane\n            %409 = add(%407, %408)\n            %410 = load @q[%409]\n            %411 = $total\n            %412 = sub(%410, %411)\n            store @q[%400] = %412\n            %413 = $s\n            %414 = 1i32\n            %415 = add(%413, %414)\n            %416 = @M\n            %417 = 1i32\n            for $f2 in %415 .. %416 step %417 {\n                %418 = $f2\n                %419 = @N\n                %420 = mul(%418, %419)\n                %421 = $e\n                %422 = add(%420, %421)\n                %423 = @R\n                %424 = mul(%422, %423)\n                %425 = $lane\n                %426 = add(%424, %425)\n                %427 = $f2\n                %428 = @N\n                %429 = mul(%427, %428)\n                %430 = $e\n                %431 = add(%429, %430)\n                %432 = @R\n                %433 = mul(%431, %432)\n                %434 = $lane\n                %435 = add(%433, %434)\n                %436 = load @q[%435]\n                %437 = $f2\n                %438 = @N\n                %439 = mul(%437, %438)\n                %440 = $s\n                %441 = add(%439, %440)\n                %442 = @R\n                %443 = mul(%441, %442)\n                %444 = $lane\n                %445 = add(%443, %444)\n                %446 = load @work[%445]\n                %447 = $total\n                %448 = mul(%446, %447)\n                %449 = sub(%436, %448)\n                store @q[%426] = %449\n            }\n        }\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel10;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel10 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f64>(0);
                let q_p1 = args.view::<f64>(1);
                let r_p2 = args.view::<f64>(2);
                let work_p3 = args.view::<f64>(3);
                let r_p4 = args.number::<i32>(4);
                let m_p5 = args.number::<i32>(5);
                let n_p6 = args.number::<i32>(6);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(m_p5, n_p6), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            work_p3.put(h::add(h::mul(start_1, r_p4), lane_0), a_p0.at(h::add(h::mul(start_1, r_p4), lane_0)));
                            q_p1.put(h::add(h::mul(start_1, r_p4), lane_0), (if (h::div(start_1, n_p6) == h::rem(start_1, n_p6)) { 1.0_f64 } else { 0.0_f64 }));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let mut i_2: i32 = 0_i32;
                    let (loop1_end, loop1_step): (i32, i32) = (n_p6, 1_i32);
                    'loop_1: while i_2 < loop1_end {
                        'round_1: {
                            let alpha_20: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(i_2, n_p6), i_2), r_p4), lane_0));
                            let mut most_21: f64 = h::abs(alpha_20);
                            let mut a1_3: i32 = h::add(i_2, 1_i32);
                            let (loop2_end, loop2_step): (i32, i32) = (m_p5, 1_i32);
                            'loop_2: while a1_3 < loop2_end {
                                'round_2: {
                                    most_21 = h::max(most_21, h::abs(work_p3.at(h::add(h::mul(h::add(h::mul(a1_3, n_p6), i_2), r_p4), lane_0))));
                                }
                                a1_3 = h::add(a1_3, loop2_step);
                            }
                            let mut tail_22: f64 = 0.0_f64;
                            let mut a2_4: i32 = h::add(i_2, 1_i32);
                            let (loop3_end, loop3_step): (i32, i32) = (m_p5, 1_i32);
                            'loop_3: while a2_4 < loop3_end {
                                'round_3: {
                                    let part_23: f64 = (work_p3.at(h::add(h::mul(h::add(h::mul(a2_4, n_p6), i_2), r_p4), lane_0)) / most_21);
                                    tail_22 = (tail_22 + (part_23 * part_23));
                                }
                                a2_4 = h::add(a2_4, loop3_step);
                            }
                            if (tail_22 > 0.0_f64) {
                                let mut beta_24: f64 = (most_21 * h::sqrt::<I, _>((((alpha_20 / most_21) * (alpha_20 / most_21)) + tail_22)));
                                beta_24 = (if (alpha_20 < 0.0_f64) { beta_24 } else { h::neg(beta_24) });
                                let mut a3_5: i32 = h::add(i_2, 1_i32);
                                let (loop4_end, loop4_step): (i32, i32) = (m_p5, 1_i32);
                                'loop_4: while a3_5 < loop4_end {
                                    'round_4: {
                                        work_p3.put(h::add(h::mul(h::add(h::mul(a3_5, n_p6), i_2), r_p4), lane_0), (work_p3.at(h::add(h::mul(h::add(h::mul(a3_5, n_p6), i_2), r_p4), lane_0)) / (alpha_20 - beta_24)));
                                    }
                                    a3_5 = h::add(a3_5, loop4_step);
                                }
                                let tau_25: f64 = ((beta_24 - alpha_20) / beta_24);
                                work_p3.put(h::add(h::mul(h::add(h::mul(i_2, n_p6), i_2), r_p4), lane_0), beta_24);
                                let mut j_9: i32 = h::add(i_2, 1_i32);
                                let (loop5_end, loop5_step): (i32, i32) = (n_p6, 1_i32);
                                'loop_5: while j_9 < loop5_end {
                                    'round_5: {
                                        let mut sum_26: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(i_2, n_p6), j_9), r_p4), lane_0));
                                        let mut a4_6: i32 = h::add(i_2, 1_i32);
                                        let (loop6_end, loop6_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_6: while a4_6 < loop6_end {
                                            'round_6: {
                                                sum_26 = (sum_26 + (work_p3.at(h::add(h::mul(h::add(h::mul(a4_6, n_p6), i_2), r_p4), lane_0)) * work_p3.at(h::add(h::mul(h::add(h::mul(a4_6, n_p6), j_9), r_p4), lane_0))));
                                            }
                                            a4_6 = h::add(a4_6, loop6_step);
                                        }
                                        sum_26 = (sum_26 * tau_25);
                                        work_p3.put(h::add(h::mul(h::add(h::mul(i_2, n_p6), j_9), r_p4), lane_0), (work_p3.at(h::add(h::mul(h::add(h::mul(i_2, n_p6), j_9), r_p4), lane_0)) - sum_26));
                                        let mut a5_7: i32 = h::add(i_2, 1_i32);
                                        let (loop7_end, loop7_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_7: while a5_7 < loop7_end {
                                            'round_7: {
                                                work_p3.put(h::add(h::mul(h::add(h::mul(a5_7, n_p6), j_9), r_p4), lane_0), (work_p3.at(h::add(h::mul(h::add(h::mul(a5_7, n_p6), j_9), r_p4), lane_0)) - (work_p3.at(h::add(h::mul(h::add(h::mul(a5_7, n_p6), i_2), r_p4), lane_0)) * sum_26)));
                                            }
                                            a5_7 = h::add(a5_7, loop7_step);
                                        }
                                    }
                                    j_9 = h::add(j_9, loop5_step);
                                }
                            } else {
                                let mut a6_8: i32 = h::add(i_2, 1_i32);
                                let (loop8_end, loop8_step): (i32, i32) = (m_p5, 1_i32);
                                'loop_8: while a6_8 < loop8_end {
                                    'round_8: {
                                        work_p3.put(h::add(h::mul(h::add(h::mul(a6_8, n_p6), i_2), r_p4), lane_0), 0.0_f64);
                                    }
                                    a6_8 = h::add(a6_8, loop8_step);
                                }
                            }
                        }
                        i_2 = h::add(i_2, loop1_step);
                    }
                    let mut b1_10: i32 = 0_i32;
                    let (loop9_end, loop9_step): (i32, i32) = (n_p6, 1_i32);
                    'loop_9: while b1_10 < loop9_end {
                        'round_9: {
                            let mut b2_11: i32 = 0_i32;
                            let (loop10_end, loop10_step): (i32, i32) = (n_p6, 1_i32);
                            'loop_10: while b2_11 < loop10_end {
                                'round_10: {
                                    r_p2.put(h::add(h::mul(h::add(h::mul(b1_10, n_p6), b2_11), r_p4), lane_0), (if (b2_11 >= b1_10) {  work_p3.at(h::add(h::mul(h::add(h::mul(b1_10, n_p6), b2_11), r_p4), lane_0)) } else { 0.0_f64 }));
                                }
                                b2_11 = h::add(b2_11, loop10_step);
                            }
                        }
                        b1_10 = h::add(b1_10, loop9_step);
                    }
                    let mut c1_12: i32 = 0_i32;
                    let (loop11_end, loop11_step): (i32, i32) = (n_p6, 1_i32);
                    'loop_11: while c1_12 < loop11_end {
                        'round_11: {
                            let s_15: i32 = h::sub(h::sub(n_p6, 1_i32), c1_12);
                            let mut rest_27: f64 = 0.0_f64;
                            let mut c2_13: i32 = h::add(s_15, 1_i32);
                            let (loop12_end, loop12_step): (i32, i32) = (m_p5, 1_i32);
                            'loop_12: while c2_13 < loop12_end {
                                'round_12: {
                                    rest_27 = (rest_27 + (work_p3.at(h::add(h::mul(h::add(h::mul(c2_13, n_p6), s_15), r_p4), lane_0)) * work_p3.at(h::add(h::mul(h::add(h::mul(c2_13, n_p6), s_15), r_p4), lane_0))));
                                }
                                c2_13 = h::add(c2_13, loop12_step);
                            }
                            if (rest_27 > 0.0_f64) {
                                let back_28: f64 = (2.0_f64 / (rest_27 + 1.0_f64));
                                let mut e_16: i32 = s_15;
                                let (loop13_end, loop13_step): (i32, i32) = (n_p6, 1_i32);
                                'loop_13: while e_16 < loop13_end {
                                    'round_13: {
                                        let mut total_29: f64 = q_p1.at(h::add(h::mul(h::add(h::mul(s_15, n_p6), e_16), r_p4), lane_0));
                                        let mut f1_17: i32 = h::add(s_15, 1_i32);
                                        let (loop14_end, loop14_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_14: while f1_17 < loop14_end {
                                            'round_14: {
                                                total_29 = (total_29 + (work_p3.at(h::add(h::mul(h::add(h::mul(f1_17, n_p6), s_15), r_p4), lane_0)) * q_p1.at(h::add(h::mul(h::add(h::mul(f1_17, n_p6), e_16), r_p4), lane_0))));
                                            }
                                            f1_17 = h::add(f1_17, loop14_step);
                                        }
                                        total_29 = (total_29 * back_28);
                                        q_p1.put(h::add(h::mul(h::add(h::mul(s_15, n_p6), e_16), r_p4), lane_0), (q_p1.at(h::add(h::mul(h::add(h::mul(s_15, n_p6), e_16), r_p4), lane_0)) - total_29));
                                        let mut f2_18: i32 = h::add(s_15, 1_i32);
                                        let (loop15_end, loop15_step): (i32, i32) = (m_p5, 1_i32);
                                        'loop_15: while f2_18 < loop15_end {
                                            'round_15: {
                                                q_p1.put(h::add(h::mul(h::add(h::mul(f2_18, n_p6), e_16), r_p4), lane_0), (q_p1.at(h::add(h::mul(h::add(h::mul(f2_18, n_p6), e_16), r_p4), lane_0)) - (work_p3.at(h::add(h::mul(h::add(h::mul(f2_18, n_p6), s_15), r_p4), lane_0)) * total_29)));
                                            }
                                            f2_18 = h::add(f2_18, loop15_step);
                                        }
                                    }
                                    e_16 = h::add(e_16, loop13_step);
                                }
                            }
                        }
                        c1_12 = h::add(c1_12, loop11_step);
                    }
                }
            }
        }
        h::entry::<Kernel10>()
    }),
    ("kernel \"\"\nlaunch []\nparam a: read f64\nparam w: read_write f64\nparam v: read_write f64\nparam work: read_write f64\nparam R: size\nparam N: size\nvar lane: i32\nvar start: i32\nvar p: i32\nvar q: i32\nvar k1: i32\nvar k2: i32\nvar k3: i32\nvar i: i32\nvar j: i32\nvar k4: i32\nvar d: i32\nvar c1: i32\nvar c2: i32\nvar c3: i32\nvar least: i32\nvar sweep: i32\nvar turned: bool\nvar size: f64\nvar across: f64\nvar theta: f64\nvar t: f64\nvar c: f64\nvar s: f64\nvar x1: f64\nvar y1: f64\nvar x2: f64\nvar y2: f64\nvar x3: f64\nvar y3: f64\nvar held: f64\nvar value: f64\nvar most: f64\nvar factor: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $lane = %1\n%2 = 0.0f64\nlet $size = %2\n%3 = 0i32\n%4 = @N\n%5 = @N\n%6 = mul(%4, %5)\n%7 = 1i32\nfor $start in %3 .. %6 step %7 {\n    %8 = $start\n    %9 = @R\n    %10 = mul(%8, %9)\n    %11 = $lane\n    %12 = add(%10, %11)\n    %13 = $start\n    %14 = @R\n    %15 = mul(%13, %14)\n    %16 = $lane\n    %17 = add(%15, %16)\n    %18 = load @a[%17]\n    store @work[%12] = %18\n    %19 = $start\n    %20 = @R\n    %21 = mul(%19, %20)\n    %22 = $lane\n    %23 = add(%21, %22)\n    %24 = $start\n    %25 = @N\n    %26 = div(%24, %25)\n    %27 = $start\n    %28 = @N\n    %29 = rem(%27, %28)\n    %30 = eq(%26, %29)\n    %31 = 1.0f64\n    %32 = 0.0f64\n    %33 = select(%30, %31, %32)\n    store @v[%23] = %33\n    %34 = $size\n    %35 = $start\n    %36 = @R\n    %37 = mul(%35, %36)\n    %38 = $lane\n    %39 = add(%37, %38)\n    %40 = load @a[%39]\n    %41 = abs(%40)\n    %42 = max(%34, %41)\n    set $size = %42\n}\n%43 = 0i32\nlet $sweep = %43\n%44 = true\nlet $turned = %44\n%45 = $turned\n%46 = $sweep\n%47 = 40i32\n%48 = lt(%46, %47)\n%49 = and(%45, %48)\nwhile %49 {\n    %50 = false\n    set $turned = %50\n    %51 = $sweep\n    %52 = 1i32\n    %53 = add(%51, %52)\n    set $sweep = %53\n    %54 = 0i32\n    %55 = @N\n    %56 = 1i32\n    for $p in %54 .. %55 step %56 {\n        %57 = $p\n        %58 = 1i32\n        %59 = add(%57, %58)\n        %60 = @N\n        %61 = 1i32\n        for $q in %59 .. %60 step %61 {\n            %62 = $p\n            %63 = @N\n            %64 = mul(%62, %63)\n            %65 = $q\n            %66 = add(%64, %65)\n            %67 = @R\n            %68 = mul(%66, %67)\n            %69 = $lane\n            %70 = add(%68, %69)\n            %71 = load @work[%70]\n            let $across = %71\n            %72 = $size\n            %73 = $across\n            %74 = abs(%73)\n            %75 = add(%72, %74)\n            %76 = $size\n            %77 = ne(%75, %76)\n            if %77 {\n                %78 = true\n                set $turned = %78\n                %79 = $q\n                %80 = @N\n                %81 = mul(%79, %80)\n                %82 = $q\n                %83 = add(%81, %82)\n                %84 = @R\n                %85 = mul(%83, %84)\n                %86 = $lane\n                %87 = add(%85, %86)\n                %88 = load @work[%87]\n                %89 = $p\n                %90 = @N\n                %91 = mul(%89, %90)\n                %92 = $p\n                %93 = add(%91, %92)\n                %94 = @R\n                %95 = mul(%93, %94)\n                %96 = $lane\n                %97 = add(%95, %96)\n                %98 = load @work[%97]\n                %99 = sub(%88, %98)\n                %100 = 2.0f64\n                %101 = $across\n                %102 = mul(%100, %101)\n                %103 = div(%99, %102)\n                let $theta = %103\n                %104 = 1.0f64\n                %105 = $theta\n                %106 = abs(%105)\n                %107 = $theta\n                %108 = $theta\n                %109 = mul(%107, %108)\n                %110 = 1.0f64\n                %111 = add(%109, %110)\n                %112 = sqrt(%111)\n                %113 = add(%106, %112)\n                %114 = div(%104, %113)\n                let $t = %114\n                %115 = $theta\n                %116 = 0.0f64\n                %117 = lt(%115, %116)\n                %118 = $t\n                %119 = neg(%118)\n                %120 = $t\n                %121 = select(%117, %119, %120)\n                set $t = %121\n                %122 = 1.0f64\n                %123 = $t\n                %124 = $t\n                %125 = mul(%123, %124)\n                %126 = 1.0f64\n                %127 = add(%125, %126)\n                %128 = sqrt(%127)\n                %129 = div(%122, %128)\n                let $c = %129\n                %130 = $t\n                %131 = $c\n                %132 = mul(%130, %131)\n                let $s = %132\n                %133 = 0i32\n                %134 = @N\n                %135 = 1i32\n                for $k1 in %133 .. %134 step %135 {\n                    %136 = $k1\n                    %137 = @N\n                    %138 = mul(%136, %137)\n                    %139 = $p\n                    %140 = add(%138, %139)\n                    %141 = @R\n                    %142 = mul(%140, %141)\n                    %143 = $lane\n                    %144 = add(%142, %143)\n                    %145 = load @work[%144]\n                    let $x1 = %145\n                    %146 = $k1\n                    %147 = @N\n                    %148 = mul(%146, %147)\n                    %149 = $q\n                    %150 = add(%148, %149)\n                    %151 = @R\n                    %152 = mul(%150, %151)\n                    %153 = $lane\n                    %154 = add(%152, %153)\n                    %155 = load @work[%154]\n                    let $y1 = %155\n                    %156 = $k1\n                    %157 = @N\n                    %158 = mul(%156, %157)\n                    %159 = $p\n                    %160 = add(%158, %159)\n                    %161 = @R\n                    %162 = mul(%160, %161)\n                    %163 = $lane\n                    %164 = add(%162, %163)\n                    %165 = $c\n                    %166 = $x1\n                    %167 = mul(%165, %166)\n                    %168 = $s\n                    %169 = $y1\n                    %170 = mul(%168, %169)\n                    %171 = sub(%167, %170)\n                    store @work[%164] = %171\n                    %172 = $k1\n                    %173 = @N\n                    %174 = mul(%172, %173)\n                    %175 = $q\n                    %176 = add(%174, %175)\n                    %177 = @R\n                    %178 = mul(%176, %177)\n                    %179 = $lane\n                    %180 = add(%178, %179)\n                    %181 = $s\n                    %182 = $x1\n                    %183 = mul(%181, %182)\n                    %184 = $c\n                    %185 = $y1\n                    %186 = mul(%184, %185)\n                    %187 = add(%183, %186)\n                    store @work[%180] = %187\n                }\n                %188 = 0i32\n                %189 = @N\n                %190 = 1i32\n                for $k2 in %188 .. %189 step %190 {\n                    %191 = $p\n                    %192 = @N\n                    %193 = mul(%191, %192)\n                    %194 = $k2\n                    %195 = add(%193, %194)\n                    %196 = @R\n                    %197 = mul(%195, %196)\n                    %198 = $lane\n                    %199 = add(%197, %198)\n                    %200 = load @work[%199]\n                    let $x2 = %200\n                    %201 = $q\n                    %202 = @N\n                    %203 = mul(%201, %202)\n                    %204 = $k2\n                    %205 = add(%203, %204)\n                    %206 = @R\n                    %207 = mul(%205, %206)\n                    %208 = $lane\n                    %209 = add(%207, %208)\n                    %210 = load @work[%209]\n                    let $y2 = %210\n                    %211 = $p\n                    %212 = @N\n                    %213 = mul(%211, %212)\n                    %214 = $k2\n                    %215 = add(%213, %214)\n                    %216 = @R\n                    %217 = mul(%215, %216)\n                    %218 = $lane\n                    %219 = add(%217, %218)\n                    %220 = $c\n                    %221 = $x2\n                    %222 = mul(%220, %221)\n                    %223 = $s\n                    %224 = $y2\n                    %225 = mul(%223, %224)\n                    %226 = sub(%222, %225)\n                    store @work[%219] = %226\n                    %227 = $q\n                    %228 = @N\n                    %229 = mul(%227, %228)\n                    %230 = $k2\n                    %231 = add(%229, %230)\n                    %232 = @R\n                    %233 = mul(%231, %232)\n                    %234 = $lane\n                    %235 = add(%233, %234)\n                    %236 = $s\n                    %237 = $x2\n                    %238 = mul(%236, %237)\n                    %239 = $c\n                    %240 = $y2\n                    %241 = mul(%239, %240)\n                    %242 = add(%238, %241)\n                    store @work[%235] = %242\n                }\n                %243 = $p\n                %244 = @N\n                %245 = mul(%243, %244)\n                %246 = $q\n                %247 = add(%245, %246)\n                %248 = @R\n                %249 = mul(%247, %248)\n                %250 = $lane\n                %251 = add(%249, %250)\n                %252 = 0.0f64\n                store @work[%251] = %252\n                %253 = $q\n                %254 = @N\n                %255 = mul(%253, %254)\n                %256 = $p\n                %257 = add(%255, %256)\n                %258 = @R\n                %259 = mul(%257, %258)\n                %260 = $lane\n                %261 = add(%259, %260)\n                %262 = 0.0f64\n                store @work[%261] = %262\n                %263 = 0i32\n                %264 = @N\n                %265 = 1i32\n                for $k3 in %263 .. %264 step %265 {\n                    %266 = $k3\n                    %267 = @N\n                    %268 = mul(%266, %267)\n                    %269 = $p\n                    %270 = add(%268, %269)\n                    %271 = @R\n                    %272 = mul(%270, %271)\n                    %273 = $lane\n                    %274 = add(%272, %273)\n                    %275 = load @v[%274]\n                    let $x3 = %275\n                    %276 = $k3\n                    %277 = @N\n                    %278 = mul(%276, %277)\n                    %279 = $q\n                    %280 = add(%278, %279)\n                    %281 = @R\n                    %282 = mul(%280, %281)\n                    %283 = $lane\n                    %284 = add(%282, %283)\n                    %285 = load @v[%284]\n                    let $y3 = %285\n                    %286 = $k3\n                    %287 = @N\n                    %288 = mul(%286, %287)\n                    %289 = $p\n                    %290 = add(%288, %289)\n                    %291 = @R\n                    %292 = mul(%290, %291)\n                    %293 = $lane\n                    %294 = add(%292, %293)\n                    %295 = $c\n                    %296 = $x3\n                    %297 = mul(%295, %296)\n                    %298 = $s\n                    %299 = $y3\n                    %300 = mul(%298, %299)\n                    %301 = sub(%297, %300)\n                    store @v[%294] = %301\n                    %302 = $k3\n                    %303 = @N\n                    %304 = mul(%302, %303)\n                    %305 = $q\n                    %306 = add(%304, %305)\n                    %307 = @R\n                    %308 = mul(%306, %307)\n                    %309 = $lane\n                    %310 = add(%308, %309)\n                    %311 = $s\n                    %312 = $x3\n                    %313 = mul(%311, %312)\n                    %314 = $c\n                    %315 = $y3\n                    %316 = mul(%314, %315)\n                    %317 = add(%313, %316)\n                    store @v[%310] = %317\n                }\n            }\n        }\n    }\n}\n%318 = 0i32\n%319 = @N\n%320 = 1i32\nfor $d in %318 .. %319 step %320 {\n    %321 = $d\n    %322 = @R\n    %323 = mul(%321, %322)\n    %324 = $lane\n    %325 = add(%323, %324)\n    %326 = $d\n    %327 = @N\n    %328 = mul(%326, %327)\n    %329 = $d\n    %330 = add(%328, %329)\n    %331 = @R\n    %332 = mul(%330, %331)\n    %333 = $lane\n    %334 = add(%332, %333)\n    %335 = load @work[%334]\n    store @w[%325] = %335\n}\n%336 = 0i32\n%337 = @N\n%338 = 1i32\nfor $i in %336 .. %337 step %338 {\n    %339 = $i\n    let $least = %339\n    %340 = $i\n    %341 = 1i32\n    %342 = add(%340, %341)\n    %343 = @N\n    %344 = 1i32\n    for $j in %342 .. %343 step %344 {\n        %345 = $j\n        %346 = @R\n        %347 = mul(%345, %346)\n        %348 = $lane\n        %349 = add(%347, %348)\n        %350 = load @w[%349]\n        %351 = $least\n        %352 = @R\n        %353 = mul(%351, %352)\n        %354 = $lane\n        %355 = add(%353, %354)\n        %356 = load @w[%355]\n        %357 = lt(%350, %356)\n        if %357 {\n            %358 = $j\n            set $least = %358\n        }\n    }\n    %359 = $i\n    %360 = @R\n    %361 = mul(%359, %360)\n    %362 = $lane\n    %363 = add(%361, %362)\n    %364 = load @w[%363]\n    let $held = %364\n    %365 = $i\n    %366 = @R\n    %367 = mul(%365, %366)\n    %368 = $lane\n    %369 = add(%367, %368)\n    %370 = $least\n    %371 = @R\n    %372 = mul(%370, %371)\n    %373 = $lane\n    %374 = add(%372, %373)\n    %375 = load @w[%374]\n    store @w[%369] = %375\n    %376 = $least\n    %377 = @R\n    %378 = mul(%376, %377)\n    %379 = $lane\n    %380 = add(%378, %379)\n    %381 = $held\n    store @w[%380] = %381\n    %382 = 0i32\n    %383 = @N\n    %384 = 1i32\n    for $k4 in %382 .. %383 step %384 {\n        %385 = $k4\n        %386 = @N\n        %387 = mul(%385, %386)\n        %388 = $i\n        %389 = add(%387, %388)\n        %390 = @R\n        %391 = mul(%389, %390)\n        %392 = $lane\n        %393 = add(%391, %392)\n        %394 = load @v[%393]\n        let $value = %394\n        %395 = $k4\n        %396 = @N\n        %397 = mul(%395, %396)\n        %398 = $i\n        %399 = add(%397, %398)\n        %400 = @R\n        %401 = mul(%399, %400)\n        %402 = $lane\n        %403 = add(%401, %402)\n        %404 = $k4\n        %405 = @N\n        %406 = mul(%404, %405)\n        %407 = $least\n        %408 = add(%406, %407)\n        %409 = @R\n        %410 = mul(%408, %409)\n        %411 = $lane\n        %412 = add(%410, %411)\n        %413 = load @v[%412]\n        store @v[%403] = %413\n        %414 = $k4\n        %415 = @N\n        %416 = mul(%414, %415)\n        %417 = $least\n        %418 = add(%416, %417)\n        %419 = @R\n        %420 = mul(%418, %419)\n        %421 = $lane\n        %422 = add(%420, %421)\n        %423 = $value\n        store @v[%422] = %423\n    }\n}\n%424 = 0i32\n%425 = @N\n%426 = 1i32\nfor $c1 in %424 .. %425 step %426 {\n    %427 = 0.0f64\n    let $most = %427\n    %428 = 1.0f64\n    let $factor = %428\n    %429 = 0i32\n    %430 = @N\n    %431 = 1i32\n    for $c2 in %429 .. %430 step %431 {\n        %432 = $c2\n        %433 = @N\n        %434 = mul(%432, %433)\n        %435 = $c1\n        %436 = add(%434, %435)\n        %437 = @R\n        %438 = mul(%436, %437)\n        %439 = $lane\n        %440 = add(%438, %439)\n        %441 = load @v[%440]\n        %442 = abs(%441)\n        %443 = $most\n        %444 = gt(%442, %443)\n        if %444 {\n            %445 = $c2\n            %446 = @N\n            %447 = mul(%445, %446)\n            %448 = $c1\n            %449 = add(%447, %448)\n            %450 = @R\n            %451 = mul(%449, %450)\n            %452 = $lane\n            %453 = add(%451, %452)\n            %454 = load @v[%453]\n            %455 = abs(%454)\n            set $most = %455\n            %456 = $c2\n            %457 = @N\n            %458 = mul(%456, %457)\n            %459 = $c1\n            %460 = add(%458, %459)\n            %461 = @R\n            %462 = mul(%460, %461)\n            %463 = $lane\n            %464 = add(%462, %463)\n            %465 = load @v[%464]\n            %466 = 0.0f64\n            %467 = lt(%465, %466)\n            %468 = -1.0f64\n            %469 = 1.0f64\n            %470 = select(%467, %468, %469)\n            set $factor = %470\n        }\n    }\n    %471 = 0i32\n    %472 = @N\n    %473 = 1i32\n    for $c3 in %471 .. %472 step %473 {\n        %474 = $c3\n        %475 = @N\n        %476 = mul(%474, %475)\n        %477 = $c1\n        %478 = add(%476, %477)\n        %479 = @R\n        %480 = mul(%478, %479)\n        %481 = $lane\n        %482 = add(%480, %481)\n        %483 = $factor\n        %484 = $c3\n        %485 = @N\n        %486 = mul(%484, %485)\n        %487 = $c1\n        %488 = add(%486, %487)\n        %489 = @R\n        %490 = mul(%488, %489)\n        %491 = $lane\n        %492 = add(%490, %491)\n        %493 = load @v[%492]\n        %494 = mul(%483, %493)\n        store @v[%482] = %494\n    }\n}\n", {
        use crate::host::exports as h;
        struct Kernel11;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel11 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let a_p0 = args.view::<f64>(0);
                let w_p1 = args.view::<f64>(1);
                let v_p2 = args.view::<f64>(2);
                let work_p3 = args.view::<f64>(3);
                let r_p4 = args.number::<i32>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let lane_0: i32 = h::cast::<u32, i32>(id[0]);
                    let mut size_17: f64 = 0.0_f64;
                    let mut start_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (h::mul(n_p5, n_p5), 1_i32);
                    'loop_0: while start_1 < loop0_end {
                        'round_0: {
                            work_p3.put(h::add(h::mul(start_1, r_p4), lane_0), a_p0.at(h::add(h::mul(start_1, r_p4), lane_0)));
                            v_p2.put(h::add(h::mul(start_1, r_p4), lane_0), (if (h::div(start_1, n_p5) == h::rem(start_1, n_p5)) { 1.0_f64 } else { 0.0_f64 }));
                            size_17 = h::max(size_17, h::abs(a_p0.at(h::add(h::mul(start_1, r_p4), lane_0))));
                        }
                        start_1 = h::add(start_1, loop0_step);
                    }
                    let mut sweep_15: i32 = 0_i32;
                    let mut turned_16: bool = true;
                    'loop_1: loop {
                        if !(h::and(turned_16, (sweep_15 < 40_i32))) { break 'loop_1; }
                        'round_1: {
                            turned_16 = false;
                            sweep_15 = h::add(sweep_15, 1_i32);
                            let mut p_2: i32 = 0_i32;
                            let (loop2_end, loop2_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_2: while p_2 < loop2_end {
                                'round_2: {
                                    let mut q_3: i32 = h::add(p_2, 1_i32);
                                    let (loop3_end, loop3_step): (i32, i32) = (n_p5, 1_i32);
                                    'loop_3: while q_3 < loop3_end {
                                        'round_3: {
                                            let across_18: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(p_2, n_p5), q_3), r_p4), lane_0));
                                            if ((size_17 + h::abs(across_18)) != size_17) {
                                                turned_16 = true;
                                                let theta_19: f64 = ((work_p3.at(h::add(h::mul(h::add(h::mul(q_3, n_p5), q_3), r_p4), lane_0)) - work_p3.at(h::add(h::mul(h::add(h::mul(p_2, n_p5), p_2), r_p4), lane_0))) / (2.0_f64 * across_18));
                                                let mut t_20: f64 = (1.0_f64 / (h::abs(theta_19) + h::sqrt::<I, _>(((theta_19 * theta_19) + 1.0_f64))));
                                                t_20 = (if (theta_19 < 0.0_f64) { h::neg(t_20) } else { t_20 });
                                                let c_21: f64 = (1.0_f64 / h::sqrt::<I, _>(((t_20 * t_20) + 1.0_f64)));
                                                let s_22: f64 = (t_20 * c_21);
                                                let mut k1_4: i32 = 0_i32;
                                                let (loop4_end, loop4_step): (i32, i32) = (n_p5, 1_i32);
                                                'loop_4: while k1_4 < loop4_end {
                                                    'round_4: {
                                                        let x1_23: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(k1_4, n_p5), p_2), r_p4), lane_0));
                                                        let y1_24: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(k1_4, n_p5), q_3), r_p4), lane_0));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(k1_4, n_p5), p_2), r_p4), lane_0), ((c_21 * x1_23) - (s_22 * y1_24)));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(k1_4, n_p5), q_3), r_p4), lane_0), ((s_22 * x1_23) + (c_21 * y1_24)));
                                                    }
                                                    k1_4 = h::add(k1_4, loop4_step);
                                                }
                                                let mut k2_5: i32 = 0_i32;
                                                let (loop5_end, loop5_step): (i32, i32) = (n_p5, 1_i32);
                                                'loop_5: while k2_5 < loop5_end {
                                                    'round_5: {
                                                        let x2_25: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(p_2, n_p5), k2_5), r_p4), lane_0));
                                                        let y2_26: f64 = work_p3.at(h::add(h::mul(h::add(h::mul(q_3, n_p5), k2_5), r_p4), lane_0));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(p_2, n_p5), k2_5), r_p4), lane_0), ((c_21 * x2_25) - (s_22 * y2_26)));
                                                        work_p3.put(h::add(h::mul(h::add(h::mul(q_3, n_p5), k2_5), r_p4), lane_0), ((s_22 * x2_25) + (c_21 * y2_26)));
                                                    }
                                                    k2_5 = h::add(k2_5, loop5_step);
                                                }
                                                work_p3.put(h::add(h::mul(h::add(h::mul(p_2, n_p5), q_3), r_p4), lane_0), 0.0_f64);
                                                work_p3.put(h::add(h::mul(h::add(h::mul(q_3, n_p5), p_2), r_p4), lane_0), 0.0_f64);
                                                let mut k3_6: i32 = 0_i32;
                                                let (loop6_end, loop6_step): (i32, i32) = (n_p5, 1_i32);
                                                'loop_6: while k3_6 < loop6_end {
                                                    'round_6: {
                                                        let x3_27: f64 = v_p2.at(h::add(h::mul(h::add(h::mul(k3_6, n_p5), p_2), r_p4), lane_0));
                                                        let y3_28: f64 = v_p2.at(h::add(h::mul(h::add(h::mul(k3_6, n_p5), q_3), r_p4), lane_0));
                                                        v_p2.put(h::add(h::mul(h::add(h::mul(k3_6, n_p5), p_2), r_p4), lane_0), ((c_21 * x3_27) - (s_22 * y3_28)));
                                                        v_p2.put(h::add(h::mul(h::add(h::mul(k3_6, n_p5), q_3), r_p4), lane_0), ((s_22 * x3_27) + (c_21 * y3_28)));
                                                    }
                                                    k3_6 = h::add(k3_6, loop6_step);
                                                }
                                            }
                                        }
                                        q_3 = h::add(q_3, loop3_step);
                                    }
                                }
                                p_2 = h::add(p_2, loop2_step);
                            }
                        }
                    }
                    let mut d_10: i32 = 0_i32;
                    let (loop7_end, loop7_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_7: while d_10 < loop7_end {
                        'round_7: {
                            w_p1.put(h::add(h::mul(d_10, r_p4), lane_0), work_p3.at(h::add(h::mul(h::add(h::mul(d_10, n_p5), d_10), r_p4), lane_0)));
                        }
                        d_10 = h::add(d_10, loop7_step);
                    }
                    let mut i_7: i32 = 0_i32;
                    let (loop8_end, loop8_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_8: while i_7 < loop8_end {
                        'round_8: {
                            let mut least_14: i32 = i_7;
                            let mut j_8: i32 = h::add(i_7, 1_i32);
                            let (loop9_end, loop9_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_9: while j_8 < loop9_end {
                                'round_9: {
                                    if (w_p1.at(h::add(h::mul(j_8, r_p4), lane_0)) < w_p1.at(h::add(h::mul(least_14, r_p4), lane_0))) {
                                        least_14 = j_8;
                                    }
                                }
                                j_8 = h::add(j_8, loop9_step);
                            }
                            let held_29: f64 = w_p1.at(h::add(h::mul(i_7, r_p4), lane_0));
                            w_p1.put(h::add(h::mul(i_7, r_p4), lane_0), w_p1.at(h::add(h::mul(least_14, r_p4), lane_0)));
                            w_p1.put(h::add(h::mul(least_14, r_p4), lane_0), held_29);
                            let mut k4_9: i32 = 0_i32;
                            let (loop10_end, loop10_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_10: while k4_9 < loop10_end {
                                'round_10: {
                                    let value_30: f64 = v_p2.at(h::add(h::mul(h::add(h::mul(k4_9, n_p5), i_7), r_p4), lane_0));
                                    v_p2.put(h::add(h::mul(h::add(h::mul(k4_9, n_p5), i_7), r_p4), lane_0), v_p2.at(h::add(h::mul(h::add(h::mul(k4_9, n_p5), least_14), r_p4), lane_0)));
                                    v_p2.put(h::add(h::mul(h::add(h::mul(k4_9, n_p5), least_14), r_p4), lane_0), value_30);
                                }
                                k4_9 = h::add(k4_9, loop10_step);
                            }
                        }
                        i_7 = h::add(i_7, loop8_step);
                    }
                    let mut c1_11: i32 = 0_i32;
                    let (loop11_end, loop11_step): (i32, i32) = (n_p5, 1_i32);
                    'loop_11: while c1_11 < loop11_end {
                        'round_11: {
                            let mut most_31: f64 = 0.0_f64;
                            let mut factor_32: f64 = 1.0_f64;
                            let mut c2_12: i32 = 0_i32;
                            let (loop12_end, loop12_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_12: while c2_12 < loop12_end {
                                'round_12: {
                                    if (h::abs(v_p2.at(h::add(h::mul(h::add(h::mul(c2_12, n_p5), c1_11), r_p4), lane_0))) > most_31) {
                                        most_31 = h::abs(v_p2.at(h::add(h::mul(h::add(h::mul(c2_12, n_p5), c1_11), r_p4), lane_0)));
                                        factor_32 = (if (v_p2.at(h::add(h::mul(h::add(h::mul(c2_12, n_p5), c1_11), r_p4), lane_0)) < 0.0_f64) { (-1.0_f64) } else { 1.0_f64 });
                                    }
                                }
                                c2_12 = h::add(c2_12, loop12_step);
                            }
                            let mut c3_13: i32 = 0_i32;
                            let (loop13_end, loop13_step): (i32, i32) = (n_p5, 1_i32);
                            'loop_13: while c3_13 < loop13_end {
                                'round_13: {
                                    v_p2.put(h::add(h::mul(h::add(h::mul(c3_13, n_p5), c1_11), r_p4), lane_0), (factor_32 * v_p2.at(h::add(h::mul(h::add(h::mul(c3_13, n_p5), c1_11), r_p4), lane_0))));
                                }
                                c3_13 = h::add(c3_13, loop13_step);
                            }
                        }
                        c1_11 = h::add(c1_11, loop11_step);
                    }
                }
            }
        }
        h::entry::<Kernel11>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read f32\nparam order: read i32\nparam run: scalar i32\nparam span: scalar i32\nparam sorted: write f32\nparam places: write i32\nparam N: size\nfn before(a: f32, b: f32) {\n    %0 = $a\n    %1 = $b\n    %2 = gt(%0, %1)\n    %3 = $a\n    %4 = $a\n    %5 = ne(%3, %4)\n    %6 = $b\n    %7 = $b\n    %8 = eq(%6, %7)\n    %9 = and(%5, %8)\n    %10 = or(%2, %9)\n    return %10\n}\nvar i: i32\nvar column: i32\nvar row: i32\nvar start: i32\nvar end: i32\nvar own: i32\nvar key: f32\nvar place: i32\nvar other: i32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: f32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $column = %4\n%5 = $i\n%6 = $column\n%7 = sub(%5, %6)\nlet $row = %7\n%8 = $column\n%9 = $column\n%10 = @span\n%11 = rem(%9, %10)\n%12 = sub(%8, %11)\nlet $start = %12\n%13 = $start\n%14 = @span\n%15 = @N\n%16 = $start\n%17 = sub(%15, %16)\n%18 = min(%14, %17)\n%19 = add(%13, %18)\nlet $end = %19\n%20 = $column\n%21 = $column\n%22 = @run\n%23 = rem(%21, %22)\n%24 = sub(%20, %23)\nlet $own = %24\n%25 = $i\n%26 = load @keys[%25]\nlet $key = %26\n%27 = $start\n%28 = $column\n%29 = $own\n%30 = sub(%28, %29)\n%31 = add(%27, %30)\nlet $place = %31\n%32 = $start\n%33 = $end\n%34 = @run\nfor $other in %32 .. %33 step %34 {\n    %35 = $other\n    %36 = $own\n    %37 = ne(%35, %36)\n    if %37 {\n        %38 = $other\n        let $low = %38\n        %39 = $other\n        %40 = @run\n        %41 = $end\n        %42 = $other\n        %43 = sub(%41, %42)\n        %44 = min(%40, %43)\n        %45 = add(%39, %44)\n        let $high = %45\n        %46 = $low\n        %47 = $high\n        %48 = lt(%46, %47)\n        while %48 {\n            %49 = $low\n            %50 = $high\n            %51 = $low\n            %52 = sub(%50, %51)\n            %53 = 2i32\n            %54 = div(%52, %53)\n            %55 = add(%49, %54)\n            let $middle = %55\n            %56 = $row\n            %57 = $middle\n            %58 = add(%56, %57)\n            %59 = load @keys[%58]\n            let $found = %59\n            %60 = $other\n            %61 = $own\n            %62 = lt(%60, %61)\n            %63 = $key\n            %64 = $found\n            %65 = call before(%63, %64)\n            %66 = not(%65)\n            %67 = $found\n            %68 = $key\n            %69 = call before(%67, %68)\n            %70 = select(%62, %66, %69)\n            let $passed = %70\n            %71 = $passed\n            %72 = $middle\n            %73 = 1i32\n            %74 = add(%72, %73)\n            %75 = $low\n            %76 = select(%71, %74, %75)\n            set $low = %76\n            %77 = $passed\n            %78 = $high\n            %79 = $middle\n            %80 = select(%77, %78, %79)\n            set $high = %80\n        }\n        %81 = $place\n        %82 = $low\n        %83 = $other\n        %84 = sub(%82, %83)\n        %85 = add(%81, %84)\n        set $place = %85\n    }\n}\n%86 = $row\n%87 = $place\n%88 = add(%86, %87)\n%89 = $key\nstore @sorted[%88] = %89\n%90 = $row\n%91 = $place\n%92 = add(%90, %91)\n%93 = $i\n%94 = load @order[%93]\nstore @places[%92] = %94\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: f32, b_1: f32) -> bool {
            h::or((a_0 > b_1), h::and((a_0 != a_0), (b_1 == b_1)))
        }
        struct Kernel12;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel12 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<f32>(0);
                let order_p1 = args.view::<i32>(1);
                let run_p2 = args.number::<i32>(2);
                let span_p3 = args.number::<i32>(3);
                let sorted_p4 = args.view::<f32>(4);
                let places_p5 = args.view::<i32>(5);
                let n_p6 = args.number::<i32>(6);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let column_1: i32 = h::rem(i_0, n_p6);
                    let row_2: i32 = h::sub(i_0, column_1);
                    let start_3: i32 = h::sub(column_1, h::rem(column_1, span_p3));
                    let end_4: i32 = h::add(start_3, h::min(span_p3, h::sub(n_p6, start_3)));
                    let own_5: i32 = h::sub(column_1, h::rem(column_1, run_p2));
                    let key_6: f32 = keys_p0.at(i_0);
                    let mut place_7: i32 = h::add(start_3, h::sub(column_1, own_5));
                    let mut other_8: i32 = start_3;
                    let (loop0_end, loop0_step): (i32, i32) = (end_4, run_p2);
                    'loop_0: while other_8 < loop0_end {
                        'round_0: {
                            if (other_8 != own_5) {
                                let mut low_9: i32 = other_8;
                                let mut high_10: i32 = h::add(other_8, h::min(run_p2, h::sub(end_4, other_8)));
                                'loop_1: loop {
                                    if !((low_9 < high_10)) { break 'loop_1; }
                                    'round_1: {
                                        let middle_11: i32 = h::add(low_9, h::div(h::sub(high_10, low_9), 2_i32));
                                        let found_12: f32 = keys_p0.at(h::add(row_2, middle_11));
                                        let passed_13: bool = (if (other_8 < own_5) {  h::not(before_f0::<I>(key_6, found_12)) } else {  before_f0::<I>(found_12, key_6) });
                                        low_9 = (if passed_13 { h::add(middle_11, 1_i32) } else { low_9 });
                                        high_10 = (if passed_13 { high_10 } else { middle_11 });
                                    }
                                }
                                place_7 = h::add(place_7, h::sub(low_9, other_8));
                            }
                        }
                        other_8 = h::add(other_8, loop0_step);
                    }
                    sorted_p4.put(h::add(row_2, place_7), key_6);
                    places_p5.put(h::add(row_2, place_7), order_p1.at(i_0));
                }
            }
        }
        h::entry::<Kernel12>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read f32\nparam order: read i32\nparam run: scalar i32\nparam span: scalar i32\nparam sorted: write f32\nparam places: write i32\nparam N: size\nfn before(a: f32, b: f32) {\n    %0 = $a\n    %1 = $b\n    %2 = lt(%0, %1)\n    %3 = $a\n    %4 = $a\n    %5 = eq(%3, %4)\n    %6 = $b\n    %7 = $b\n    %8 = ne(%6, %7)\n    %9 = and(%5, %8)\n    %10 = or(%2, %9)\n    return %10\n}\nvar i: i32\nvar column: i32\nvar row: i32\nvar start: i32\nvar end: i32\nvar own: i32\nvar key: f32\nvar place: i32\nvar other: i32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: f32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $column = %4\n%5 = $i\n%6 = $column\n%7 = sub(%5, %6)\nlet $row = %7\n%8 = $column\n%9 = $column\n%10 = @span\n%11 = rem(%9, %10)\n%12 = sub(%8, %11)\nlet $start = %12\n%13 = $start\n%14 = @span\n%15 = @N\n%16 = $start\n%17 = sub(%15, %16)\n%18 = min(%14, %17)\n%19 = add(%13, %18)\nlet $end = %19\n%20 = $column\n%21 = $column\n%22 = @run\n%23 = rem(%21, %22)\n%24 = sub(%20, %23)\nlet $own = %24\n%25 = $i\n%26 = load @keys[%25]\nlet $key = %26\n%27 = $start\n%28 = $column\n%29 = $own\n%30 = sub(%28, %29)\n%31 = add(%27, %30)\nlet $place = %31\n%32 = $start\n%33 = $end\n%34 = @run\nfor $other in %32 .. %33 step %34 {\n    %35 = $other\n    %36 = $own\n    %37 = ne(%35, %36)\n    if %37 {\n        %38 = $other\n        let $low = %38\n        %39 = $other\n        %40 = @run\n        %41 = $end\n        %42 = $other\n        %43 = sub(%41, %42)\n        %44 = min(%40, %43)\n        %45 = add(%39, %44)\n        let $high = %45\n        %46 = $low\n        %47 = $high\n        %48 = lt(%46, %47)\n        while %48 {\n            %49 = $low\n            %50 = $high\n            %51 = $low\n            %52 = sub(%50, %51)\n            %53 = 2i32\n            %54 = div(%52, %53)\n            %55 = add(%49, %54)\n            let $middle = %55\n            %56 = $row\n            %57 = $middle\n            %58 = add(%56, %57)\n            %59 = load @keys[%58]\n            let $found = %59\n            %60 = $other\n            %61 = $own\n            %62 = lt(%60, %61)\n            %63 = $key\n            %64 = $found\n            %65 = call before(%63, %64)\n            %66 = not(%65)\n            %67 = $found\n            %68 = $key\n            %69 = call before(%67, %68)\n            %70 = select(%62, %66, %69)\n            let $passed = %70\n            %71 = $passed\n            %72 = $middle\n            %73 = 1i32\n            %74 = add(%72, %73)\n            %75 = $low\n            %76 = select(%71, %74, %75)\n            set $low = %76\n            %77 = $passed\n            %78 = $high\n            %79 = $middle\n            %80 = select(%77, %78, %79)\n            set $high = %80\n        }\n        %81 = $place\n        %82 = $low\n        %83 = $other\n        %84 = sub(%82, %83)\n        %85 = add(%81, %84)\n        set $place = %85\n    }\n}\n%86 = $row\n%87 = $place\n%88 = add(%86, %87)\n%89 = $key\nstore @sorted[%88] = %89\n%90 = $row\n%91 = $place\n%92 = add(%90, %91)\n%93 = $i\n%94 = load @order[%93]\nstore @places[%92] = %94\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: f32, b_1: f32) -> bool {
            h::or((a_0 < b_1), h::and((a_0 == a_0), (b_1 != b_1)))
        }
        struct Kernel13;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel13 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<f32>(0);
                let order_p1 = args.view::<i32>(1);
                let run_p2 = args.number::<i32>(2);
                let span_p3 = args.number::<i32>(3);
                let sorted_p4 = args.view::<f32>(4);
                let places_p5 = args.view::<i32>(5);
                let n_p6 = args.number::<i32>(6);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let column_1: i32 = h::rem(i_0, n_p6);
                    let row_2: i32 = h::sub(i_0, column_1);
                    let start_3: i32 = h::sub(column_1, h::rem(column_1, span_p3));
                    let end_4: i32 = h::add(start_3, h::min(span_p3, h::sub(n_p6, start_3)));
                    let own_5: i32 = h::sub(column_1, h::rem(column_1, run_p2));
                    let key_6: f32 = keys_p0.at(i_0);
                    let mut place_7: i32 = h::add(start_3, h::sub(column_1, own_5));
                    let mut other_8: i32 = start_3;
                    let (loop0_end, loop0_step): (i32, i32) = (end_4, run_p2);
                    'loop_0: while other_8 < loop0_end {
                        'round_0: {
                            if (other_8 != own_5) {
                                let mut low_9: i32 = other_8;
                                let mut high_10: i32 = h::add(other_8, h::min(run_p2, h::sub(end_4, other_8)));
                                'loop_1: loop {
                                    if !((low_9 < high_10)) { break 'loop_1; }
                                    'round_1: {
                                        let middle_11: i32 = h::add(low_9, h::div(h::sub(high_10, low_9), 2_i32));
                                        let found_12: f32 = keys_p0.at(h::add(row_2, middle_11));
                                        let passed_13: bool = (if (other_8 < own_5) {  h::not(before_f0::<I>(key_6, found_12)) } else {  before_f0::<I>(found_12, key_6) });
                                        low_9 = (if passed_13 { h::add(middle_11, 1_i32) } else { low_9 });
                                        high_10 = (if passed_13 { high_10 } else { middle_11 });
                                    }
                                }
                                place_7 = h::add(place_7, h::sub(low_9, other_8));
                            }
                        }
                        other_8 = h::add(other_8, loop0_step);
                    }
                    sorted_p4.put(h::add(row_2, place_7), key_6);
                    places_p5.put(h::add(row_2, place_7), order_p1.at(i_0));
                }
            }
        }
        h::entry::<Kernel13>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read f32\nparam values: read f32\nparam places: write i32\nparam N: size\nparam M: size\nfn before(a: f32, b: f32) {\n    %0 = $a\n    %1 = $b\n    %2 = lt(%0, %1)\n    %3 = $a\n    %4 = $a\n    %5 = eq(%3, %4)\n    %6 = $b\n    %7 = $b\n    %8 = ne(%6, %7)\n    %9 = and(%5, %8)\n    %10 = or(%2, %9)\n    return %10\n}\nvar i: i32\nvar row: i32\nvar value: f32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: f32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @M\n%4 = div(%2, %3)\n%5 = @N\n%6 = mul(%4, %5)\nlet $row = %6\n%7 = $i\n%8 = load @values[%7]\nlet $value = %8\n%9 = 0i32\nlet $low = %9\n%10 = @N\nlet $high = %10\n%11 = $low\n%12 = $high\n%13 = lt(%11, %12)\nwhile %13 {\n    %14 = $low\n    %15 = $high\n    %16 = $low\n    %17 = sub(%15, %16)\n    %18 = 2i32\n    %19 = div(%17, %18)\n    %20 = add(%14, %19)\n    let $middle = %20\n    %21 = $row\n    %22 = $middle\n    %23 = add(%21, %22)\n    %24 = load @keys[%23]\n    let $found = %24\n    %25 = $found\n    %26 = $value\n    %27 = call before(%25, %26)\n    let $passed = %27\n    %28 = $passed\n    %29 = $middle\n    %30 = 1i32\n    %31 = add(%29, %30)\n    %32 = $low\n    %33 = select(%28, %31, %32)\n    set $low = %33\n    %34 = $passed\n    %35 = $high\n    %36 = $middle\n    %37 = select(%34, %35, %36)\n    set $high = %37\n}\n%38 = $i\n%39 = $low\nstore @places[%38] = %39\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: f32, b_1: f32) -> bool {
            h::or((a_0 < b_1), h::and((a_0 == a_0), (b_1 != b_1)))
        }
        struct Kernel14;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel14 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<f32>(0);
                let values_p1 = args.view::<f32>(1);
                let places_p2 = args.view::<i32>(2);
                let n_p3 = args.number::<i32>(3);
                let m_p4 = args.number::<i32>(4);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let row_1: i32 = h::mul(h::div(i_0, m_p4), n_p3);
                    let value_2: f32 = values_p1.at(i_0);
                    let mut low_3: i32 = 0_i32;
                    let mut high_4: i32 = n_p3;
                    'loop_0: loop {
                        if !((low_3 < high_4)) { break 'loop_0; }
                        'round_0: {
                            let middle_5: i32 = h::add(low_3, h::div(h::sub(high_4, low_3), 2_i32));
                            let found_6: f32 = keys_p0.at(h::add(row_1, middle_5));
                            let passed_7: bool = before_f0::<I>(found_6, value_2);
                            low_3 = (if passed_7 { h::add(middle_5, 1_i32) } else { low_3 });
                            high_4 = (if passed_7 { high_4 } else { middle_5 });
                        }
                    }
                    places_p2.put(i_0, low_3);
                }
            }
        }
        h::entry::<Kernel14>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read f32\nparam values: read f32\nparam places: write i32\nparam N: size\nparam M: size\nfn before(a: f32, b: f32) {\n    %0 = $a\n    %1 = $b\n    %2 = lt(%0, %1)\n    %3 = $a\n    %4 = $a\n    %5 = eq(%3, %4)\n    %6 = $b\n    %7 = $b\n    %8 = ne(%6, %7)\n    %9 = and(%5, %8)\n    %10 = or(%2, %9)\n    return %10\n}\nvar i: i32\nvar row: i32\nvar value: f32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: f32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @M\n%4 = div(%2, %3)\n%5 = @N\n%6 = mul(%4, %5)\nlet $row = %6\n%7 = $i\n%8 = load @values[%7]\nlet $value = %8\n%9 = 0i32\nlet $low = %9\n%10 = @N\nlet $high = %10\n%11 = $low\n%12 = $high\n%13 = lt(%11, %12)\nwhile %13 {\n    %14 = $low\n    %15 = $high\n    %16 = $low\n    %17 = sub(%15, %16)\n    %18 = 2i32\n    %19 = div(%17, %18)\n    %20 = add(%14, %19)\n    let $middle = %20\n    %21 = $row\n    %22 = $middle\n    %23 = add(%21, %22)\n    %24 = load @keys[%23]\n    let $found = %24\n    %25 = $value\n    %26 = $found\n    %27 = call before(%25, %26)\n    %28 = not(%27)\n    let $passed = %28\n    %29 = $passed\n    %30 = $middle\n    %31 = 1i32\n    %32 = add(%30, %31)\n    %33 = $low\n    %34 = select(%29, %32, %33)\n    set $low = %34\n    %35 = $passed\n    %36 = $high\n    %37 = $middle\n    %38 = select(%35, %36, %37)\n    set $high = %38\n}\n%39 = $i\n%40 = $low\nstore @places[%39] = %40\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: f32, b_1: f32) -> bool {
            h::or((a_0 < b_1), h::and((a_0 == a_0), (b_1 != b_1)))
        }
        struct Kernel15;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel15 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<f32>(0);
                let values_p1 = args.view::<f32>(1);
                let places_p2 = args.view::<i32>(2);
                let n_p3 = args.number::<i32>(3);
                let m_p4 = args.number::<i32>(4);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let row_1: i32 = h::mul(h::div(i_0, m_p4), n_p3);
                    let value_2: f32 = values_p1.at(i_0);
                    let mut low_3: i32 = 0_i32;
                    let mut high_4: i32 = n_p3;
                    'loop_0: loop {
                        if !((low_3 < high_4)) { break 'loop_0; }
                        'round_0: {
                            let middle_5: i32 = h::add(low_3, h::div(h::sub(high_4, low_3), 2_i32));
                            let found_6: f32 = keys_p0.at(h::add(row_1, middle_5));
                            let passed_7: bool = h::not(before_f0::<I>(value_2, found_6));
                            low_3 = (if passed_7 { h::add(middle_5, 1_i32) } else { low_3 });
                            high_4 = (if passed_7 { high_4 } else { middle_5 });
                        }
                    }
                    places_p2.put(i_0, low_3);
                }
            }
        }
        h::entry::<Kernel15>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read i32\nparam order: read i32\nparam run: scalar i32\nparam span: scalar i32\nparam sorted: write i32\nparam places: write i32\nparam N: size\nfn before(a: i32, b: i32) {\n    %0 = $a\n    %1 = $b\n    %2 = gt(%0, %1)\n    return %2\n}\nvar i: i32\nvar column: i32\nvar row: i32\nvar start: i32\nvar end: i32\nvar own: i32\nvar key: i32\nvar place: i32\nvar other: i32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: i32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $column = %4\n%5 = $i\n%6 = $column\n%7 = sub(%5, %6)\nlet $row = %7\n%8 = $column\n%9 = $column\n%10 = @span\n%11 = rem(%9, %10)\n%12 = sub(%8, %11)\nlet $start = %12\n%13 = $start\n%14 = @span\n%15 = @N\n%16 = $start\n%17 = sub(%15, %16)\n%18 = min(%14, %17)\n%19 = add(%13, %18)\nlet $end = %19\n%20 = $column\n%21 = $column\n%22 = @run\n%23 = rem(%21, %22)\n%24 = sub(%20, %23)\nlet $own = %24\n%25 = $i\n%26 = load @keys[%25]\nlet $key = %26\n%27 = $start\n%28 = $column\n%29 = $own\n%30 = sub(%28, %29)\n%31 = add(%27, %30)\nlet $place = %31\n%32 = $start\n%33 = $end\n%34 = @run\nfor $other in %32 .. %33 step %34 {\n    %35 = $other\n    %36 = $own\n    %37 = ne(%35, %36)\n    if %37 {\n        %38 = $other\n        let $low = %38\n        %39 = $other\n        %40 = @run\n        %41 = $end\n        %42 = $other\n        %43 = sub(%41, %42)\n        %44 = min(%40, %43)\n        %45 = add(%39, %44)\n        let $high = %45\n        %46 = $low\n        %47 = $high\n        %48 = lt(%46, %47)\n        while %48 {\n            %49 = $low\n            %50 = $high\n            %51 = $low\n            %52 = sub(%50, %51)\n            %53 = 2i32\n            %54 = div(%52, %53)\n            %55 = add(%49, %54)\n            let $middle = %55\n            %56 = $row\n            %57 = $middle\n            %58 = add(%56, %57)\n            %59 = load @keys[%58]\n            let $found = %59\n            %60 = $other\n            %61 = $own\n            %62 = lt(%60, %61)\n            %63 = $key\n            %64 = $found\n            %65 = call before(%63, %64)\n            %66 = not(%65)\n            %67 = $found\n            %68 = $key\n            %69 = call before(%67, %68)\n            %70 = select(%62, %66, %69)\n            let $passed = %70\n            %71 = $passed\n            %72 = $middle\n            %73 = 1i32\n            %74 = add(%72, %73)\n            %75 = $low\n            %76 = select(%71, %74, %75)\n            set $low = %76\n            %77 = $passed\n            %78 = $high\n            %79 = $middle\n            %80 = select(%77, %78, %79)\n            set $high = %80\n        }\n        %81 = $place\n        %82 = $low\n        %83 = $other\n        %84 = sub(%82, %83)\n        %85 = add(%81, %84)\n        set $place = %85\n    }\n}\n%86 = $row\n%87 = $place\n%88 = add(%86, %87)\n%89 = $key\nstore @sorted[%88] = %89\n%90 = $row\n%91 = $place\n%92 = add(%90, %91)\n%93 = $i\n%94 = load @order[%93]\nstore @places[%92] = %94\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: i32, b_1: i32) -> bool {
            (a_0 > b_1)
        }
        struct Kernel16;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel16 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<i32>(0);
                let order_p1 = args.view::<i32>(1);
                let run_p2 = args.number::<i32>(2);
                let span_p3 = args.number::<i32>(3);
                let sorted_p4 = args.view::<i32>(4);
                let places_p5 = args.view::<i32>(5);
                let n_p6 = args.number::<i32>(6);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let column_1: i32 = h::rem(i_0, n_p6);
                    let row_2: i32 = h::sub(i_0, column_1);
                    let start_3: i32 = h::sub(column_1, h::rem(column_1, span_p3));
                    let end_4: i32 = h::add(start_3, h::min(span_p3, h::sub(n_p6, start_3)));
                    let own_5: i32 = h::sub(column_1, h::rem(column_1, run_p2));
                    let key_6: i32 = keys_p0.at(i_0);
                    let mut place_7: i32 = h::add(start_3, h::sub(column_1, own_5));
                    let mut other_8: i32 = start_3;
                    let (loop0_end, loop0_step): (i32, i32) = (end_4, run_p2);
                    'loop_0: while other_8 < loop0_end {
                        'round_0: {
                            if (other_8 != own_5) {
                                let mut low_9: i32 = other_8;
                                let mut high_10: i32 = h::add(other_8, h::min(run_p2, h::sub(end_4, other_8)));
                                'loop_1: loop {
                                    if !((low_9 < high_10)) { break 'loop_1; }
                                    'round_1: {
                                        let middle_11: i32 = h::add(low_9, h::div(h::sub(high_10, low_9), 2_i32));
                                        let found_12: i32 = keys_p0.at(h::add(row_2, middle_11));
                                        let passed_13: bool = (if (other_8 < own_5) {  h::not(before_f0::<I>(key_6, found_12)) } else {  before_f0::<I>(found_12, key_6) });
                                        low_9 = (if passed_13 { h::add(middle_11, 1_i32) } else { low_9 });
                                        high_10 = (if passed_13 { high_10 } else { middle_11 });
                                    }
                                }
                                place_7 = h::add(place_7, h::sub(low_9, other_8));
                            }
                        }
                        other_8 = h::add(other_8, loop0_step);
                    }
                    sorted_p4.put(h::add(row_2, place_7), key_6);
                    places_p5.put(h::add(row_2, place_7), order_p1.at(i_0));
                }
            }
        }
        h::entry::<Kernel16>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read i32\nparam order: read i32\nparam run: scalar i32\nparam span: scalar i32\nparam sorted: write i32\nparam places: write i32\nparam N: size\nfn before(a: i32, b: i32) {\n    %0 = $a\n    %1 = $b\n    %2 = lt(%0, %1)\n    return %2\n}\nvar i: i32\nvar column: i32\nvar row: i32\nvar start: i32\nvar end: i32\nvar own: i32\nvar key: i32\nvar place: i32\nvar other: i32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: i32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $column = %4\n%5 = $i\n%6 = $column\n%7 = sub(%5, %6)\nlet $row = %7\n%8 = $column\n%9 = $column\n%10 = @span\n%11 = rem(%9, %10)\n%12 = sub(%8, %11)\nlet $start = %12\n%13 = $start\n%14 = @span\n%15 = @N\n%16 = $start\n%17 = sub(%15, %16)\n%18 = min(%14, %17)\n%19 = add(%13, %18)\nlet $end = %19\n%20 = $column\n%21 = $column\n%22 = @run\n%23 = rem(%21, %22)\n%24 = sub(%20, %23)\nlet $own = %24\n%25 = $i\n%26 = load @keys[%25]\nlet $key = %26\n%27 = $start\n%28 = $column\n%29 = $own\n%30 = sub(%28, %29)\n%31 = add(%27, %30)\nlet $place = %31\n%32 = $start\n%33 = $end\n%34 = @run\nfor $other in %32 .. %33 step %34 {\n    %35 = $other\n    %36 = $own\n    %37 = ne(%35, %36)\n    if %37 {\n        %38 = $other\n        let $low = %38\n        %39 = $other\n        %40 = @run\n        %41 = $end\n        %42 = $other\n        %43 = sub(%41, %42)\n        %44 = min(%40, %43)\n        %45 = add(%39, %44)\n        let $high = %45\n        %46 = $low\n        %47 = $high\n        %48 = lt(%46, %47)\n        while %48 {\n            %49 = $low\n            %50 = $high\n            %51 = $low\n            %52 = sub(%50, %51)\n            %53 = 2i32\n            %54 = div(%52, %53)\n            %55 = add(%49, %54)\n            let $middle = %55\n            %56 = $row\n            %57 = $middle\n            %58 = add(%56, %57)\n            %59 = load @keys[%58]\n            let $found = %59\n            %60 = $other\n            %61 = $own\n            %62 = lt(%60, %61)\n            %63 = $key\n            %64 = $found\n            %65 = call before(%63, %64)\n            %66 = not(%65)\n            %67 = $found\n            %68 = $key\n            %69 = call before(%67, %68)\n            %70 = select(%62, %66, %69)\n            let $passed = %70\n            %71 = $passed\n            %72 = $middle\n            %73 = 1i32\n            %74 = add(%72, %73)\n            %75 = $low\n            %76 = select(%71, %74, %75)\n            set $low = %76\n            %77 = $passed\n            %78 = $high\n            %79 = $middle\n            %80 = select(%77, %78, %79)\n            set $high = %80\n        }\n        %81 = $place\n        %82 = $low\n        %83 = $other\n        %84 = sub(%82, %83)\n        %85 = add(%81, %84)\n        set $place = %85\n    }\n}\n%86 = $row\n%87 = $place\n%88 = add(%86, %87)\n%89 = $key\nstore @sorted[%88] = %89\n%90 = $row\n%91 = $place\n%92 = add(%90, %91)\n%93 = $i\n%94 = load @order[%93]\nstore @places[%92] = %94\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: i32, b_1: i32) -> bool {
            (a_0 < b_1)
        }
        struct Kernel17;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel17 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<i32>(0);
                let order_p1 = args.view::<i32>(1);
                let run_p2 = args.number::<i32>(2);
                let span_p3 = args.number::<i32>(3);
                let sorted_p4 = args.view::<i32>(4);
                let places_p5 = args.view::<i32>(5);
                let n_p6 = args.number::<i32>(6);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let column_1: i32 = h::rem(i_0, n_p6);
                    let row_2: i32 = h::sub(i_0, column_1);
                    let start_3: i32 = h::sub(column_1, h::rem(column_1, span_p3));
                    let end_4: i32 = h::add(start_3, h::min(span_p3, h::sub(n_p6, start_3)));
                    let own_5: i32 = h::sub(column_1, h::rem(column_1, run_p2));
                    let key_6: i32 = keys_p0.at(i_0);
                    let mut place_7: i32 = h::add(start_3, h::sub(column_1, own_5));
                    let mut other_8: i32 = start_3;
                    let (loop0_end, loop0_step): (i32, i32) = (end_4, run_p2);
                    'loop_0: while other_8 < loop0_end {
                        'round_0: {
                            if (other_8 != own_5) {
                                let mut low_9: i32 = other_8;
                                let mut high_10: i32 = h::add(other_8, h::min(run_p2, h::sub(end_4, other_8)));
                                'loop_1: loop {
                                    if !((low_9 < high_10)) { break 'loop_1; }
                                    'round_1: {
                                        let middle_11: i32 = h::add(low_9, h::div(h::sub(high_10, low_9), 2_i32));
                                        let found_12: i32 = keys_p0.at(h::add(row_2, middle_11));
                                        let passed_13: bool = (if (other_8 < own_5) {  h::not(before_f0::<I>(key_6, found_12)) } else {  before_f0::<I>(found_12, key_6) });
                                        low_9 = (if passed_13 { h::add(middle_11, 1_i32) } else { low_9 });
                                        high_10 = (if passed_13 { high_10 } else { middle_11 });
                                    }
                                }
                                place_7 = h::add(place_7, h::sub(low_9, other_8));
                            }
                        }
                        other_8 = h::add(other_8, loop0_step);
                    }
                    sorted_p4.put(h::add(row_2, place_7), key_6);
                    places_p5.put(h::add(row_2, place_7), order_p1.at(i_0));
                }
            }
        }
        h::entry::<Kernel17>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read i32\nparam values: read i32\nparam places: write i32\nparam N: size\nparam M: size\nfn before(a: i32, b: i32) {\n    %0 = $a\n    %1 = $b\n    %2 = lt(%0, %1)\n    return %2\n}\nvar i: i32\nvar row: i32\nvar value: i32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: i32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @M\n%4 = div(%2, %3)\n%5 = @N\n%6 = mul(%4, %5)\nlet $row = %6\n%7 = $i\n%8 = load @values[%7]\nlet $value = %8\n%9 = 0i32\nlet $low = %9\n%10 = @N\nlet $high = %10\n%11 = $low\n%12 = $high\n%13 = lt(%11, %12)\nwhile %13 {\n    %14 = $low\n    %15 = $high\n    %16 = $low\n    %17 = sub(%15, %16)\n    %18 = 2i32\n    %19 = div(%17, %18)\n    %20 = add(%14, %19)\n    let $middle = %20\n    %21 = $row\n    %22 = $middle\n    %23 = add(%21, %22)\n    %24 = load @keys[%23]\n    let $found = %24\n    %25 = $found\n    %26 = $value\n    %27 = call before(%25, %26)\n    let $passed = %27\n    %28 = $passed\n    %29 = $middle\n    %30 = 1i32\n    %31 = add(%29, %30)\n    %32 = $low\n    %33 = select(%28, %31, %32)\n    set $low = %33\n    %34 = $passed\n    %35 = $high\n    %36 = $middle\n    %37 = select(%34, %35, %36)\n    set $high = %37\n}\n%38 = $i\n%39 = $low\nstore @places[%38] = %39\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: i32, b_1: i32) -> bool {
            (a_0 < b_1)
        }
        struct Kernel18;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel18 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<i32>(0);
                let values_p1 = args.view::<i32>(1);
                let places_p2 = args.view::<i32>(2);
                let n_p3 = args.number::<i32>(3);
                let m_p4 = args.number::<i32>(4);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let row_1: i32 = h::mul(h::div(i_0, m_p4), n_p3);
                    let value_2: i32 = values_p1.at(i_0);
                    let mut low_3: i32 = 0_i32;
                    let mut high_4: i32 = n_p3;
                    'loop_0: loop {
                        if !((low_3 < high_4)) { break 'loop_0; }
                        'round_0: {
                            let middle_5: i32 = h::add(low_3, h::div(h::sub(high_4, low_3), 2_i32));
                            let found_6: i32 = keys_p0.at(h::add(row_1, middle_5));
                            let passed_7: bool = before_f0::<I>(found_6, value_2);
                            low_3 = (if passed_7 { h::add(middle_5, 1_i32) } else { low_3 });
                            high_4 = (if passed_7 { high_4 } else { middle_5 });
                        }
                    }
                    places_p2.put(i_0, low_3);
                }
            }
        }
        h::entry::<Kernel18>()
    }),
    ("kernel \"\"\nlaunch []\nparam keys: read i32\nparam values: read i32\nparam places: write i32\nparam N: size\nparam M: size\nfn before(a: i32, b: i32) {\n    %0 = $a\n    %1 = $b\n    %2 = lt(%0, %1)\n    return %2\n}\nvar i: i32\nvar row: i32\nvar value: i32\nvar low: i32\nvar high: i32\nvar middle: i32\nvar found: i32\nvar passed: bool\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @M\n%4 = div(%2, %3)\n%5 = @N\n%6 = mul(%4, %5)\nlet $row = %6\n%7 = $i\n%8 = load @values[%7]\nlet $value = %8\n%9 = 0i32\nlet $low = %9\n%10 = @N\nlet $high = %10\n%11 = $low\n%12 = $high\n%13 = lt(%11, %12)\nwhile %13 {\n    %14 = $low\n    %15 = $high\n    %16 = $low\n    %17 = sub(%15, %16)\n    %18 = 2i32\n    %19 = div(%17, %18)\n    %20 = add(%14, %19)\n    let $middle = %20\n    %21 = $row\n    %22 = $middle\n    %23 = add(%21, %22)\n    %24 = load @keys[%23]\n    let $found = %24\n    %25 = $value\n    %26 = $found\n    %27 = call before(%25, %26)\n    %28 = not(%27)\n    let $passed = %28\n    %29 = $passed\n    %30 = $middle\n    %31 = 1i32\n    %32 = add(%30, %31)\n    %33 = $low\n    %34 = select(%29, %32, %33)\n    set $low = %34\n    %35 = $passed\n    %36 = $high\n    %37 = $middle\n    %38 = select(%35, %36, %37)\n    set $high = %38\n}\n%39 = $i\n%40 = $low\nstore @places[%39] = %40\n", {
        use crate::host::exports as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn before_f0<I: h::Isa>(a_0: i32, b_1: i32) -> bool {
            (a_0 < b_1)
        }
        struct Kernel19;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel19 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let keys_p0 = args.view::<i32>(0);
                let values_p1 = args.view::<i32>(1);
                let places_p2 = args.view::<i32>(2);
                let n_p3 = args.number::<i32>(3);
                let m_p4 = args.number::<i32>(4);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let row_1: i32 = h::mul(h::div(i_0, m_p4), n_p3);
                    let value_2: i32 = values_p1.at(i_0);
                    let mut low_3: i32 = 0_i32;
                    let mut high_4: i32 = n_p3;
                    'loop_0: loop {
                        if !((low_3 < high_4)) { break 'loop_0; }
                        'round_0: {
                            let middle_5: i32 = h::add(low_3, h::div(h::sub(high_4, low_3), 2_i32));
                            let found_6: i32 = keys_p0.at(h::add(row_1, middle_5));
                            let passed_7: bool = h::not(before_f0::<I>(value_2, found_6));
                            low_3 = (if passed_7 { h::add(middle_5, 1_i32) } else { low_3 });
                            high_4 = (if passed_7 { high_4 } else { middle_5 });
                        }
                    }
                    places_p2.put(i_0, low_3);
                }
            }
        }
        h::entry::<Kernel19>()
    }),
    ("kernel \"\"\nlaunch []\nparam x: read f32\nparam radix: scalar i32\nparam done: scalar i32\nparam sign: scalar i32\nparam y: write f32\nparam N: size\nvar i: i32\nvar place: i32\nvar long: i32\nvar rest: i32\nvar k: i32\nvar q: i32\nvar j: i32\nvar t: i32\nvar at: i32\nvar turn: i32\nvar next_at: i32\nvar next_turn: i32\nvar quarter: i32\nvar part: i32\nvar far: bool\nvar angle: f32\nvar near: f32\nvar side: f32\nvar c: f32\nvar s: f32\nvar a: f32\nvar b: f32\nvar real: f32\nvar imaginary: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $place = %4\n%5 = @done\n%6 = @radix\n%7 = mul(%5, %6)\nlet $long = %7\n%8 = @N\n%9 = $long\n%10 = div(%8, %9)\nlet $rest = %10\n%11 = $place\n%12 = $rest\n%13 = div(%11, %12)\nlet $k = %13\n%14 = $place\n%15 = $rest\n%16 = rem(%14, %15)\nlet $q = %16\n%17 = $i\n%18 = $place\n%19 = sub(%17, %18)\n%20 = $k\n%21 = @done\n%22 = rem(%20, %21)\n%23 = @radix\n%24 = $rest\n%25 = mul(%23, %24)\n%26 = mul(%22, %25)\n%27 = add(%19, %26)\n%28 = $q\n%29 = add(%27, %28)\nlet $at = %29\n%30 = 0i32\nlet $turn = %30\n%31 = $rest\nlet $next_at = %31\n%32 = $k\nlet $next_turn = %32\n%33 = 0.0f32\nlet $real = %33\n%34 = 0.0f32\nlet $imaginary = %34\n%35 = 0i32\n%36 = @radix\n%37 = 1i32\nfor $t in %35 .. %36 step %37 {\n    %38 = $turn\n    %39 = 4i32\n    %40 = mul(%38, %39)\n    %41 = $long\n    %42 = div(%40, %41)\n    let $quarter = %42\n    %43 = $turn\n    %44 = 4i32\n    %45 = mul(%43, %44)\n    %46 = $quarter\n    %47 = $long\n    %48 = mul(%46, %47)\n    %49 = sub(%45, %48)\n    let $part = %49\n    %50 = $part\n    %51 = 2i32\n    %52 = mul(%50, %51)\n    %53 = $long\n    %54 = gt(%52, %53)\n    let $far = %54\n    %55 = $far\n    %56 = $long\n    %57 = $part\n    %58 = sub(%56, %57)\n    %59 = $part\n    %60 = select(%55, %58, %59)\n    set $part = %60\n    %61 = $part\n    %62 = cast.f32(%61)\n    %63 = $long\n    %64 = cast.f32(%63)\n    %65 = div(%62, %64)\n    %66 = 1.5707963267948966f32\n    %67 = mul(%65, %66)\n    let $angle = %67\n    %68 = $angle\n    %69 = cos(%68)\n    let $near = %69\n    %70 = $angle\n    %71 = sin(%70)\n    let $side = %71\n    %72 = $far\n    %73 = $side\n    %74 = $near\n    %75 = select(%72, %73, %74)\n    let $c = %75\n    %76 = $far\n    %77 = $near\n    %78 = $side\n    %79 = select(%76, %77, %78)\n    let $s = %79\n    %80 = $quarter\n    %81 = 2i32\n    %82 = rem(%80, %81)\n    %83 = 0i32\n    %84 = eq(%82, %83)\n    %85 = $c\n    %86 = $s\n    %87 = neg(%86)\n    %88 = select(%84, %85, %87)\n    set $near = %88\n    %89 = $quarter\n    %90 = 2i32\n    %91 = rem(%89, %90)\n    %92 = 0i32\n    %93 = eq(%91, %92)\n    %94 = $s\n    %95 = $c\n    %96 = select(%93, %94, %95)\n    set $side = %96\n    %97 = $quarter\n    %98 = 2i32\n    %99 = lt(%97, %98)\n    %100 = $near\n    %101 = $near\n    %102 = neg(%101)\n    %103 = select(%99, %100, %102)\n    set $c = %103\n    %104 = $quarter\n    %105 = 2i32\n    %106 = lt(%104, %105)\n    %107 = $side\n    %108 = $side\n    %109 = neg(%108)\n    %110 = select(%106, %107, %109)\n    set $s = %110\n    %111 = @sign\n    %112 = 0i32\n    %113 = lt(%111, %112)\n    %114 = $s\n    %115 = neg(%114)\n    %116 = $s\n    %117 = select(%113, %115, %116)\n    set $s = %117\n    %118 = $at\n    %119 = 2i32\n    %120 = mul(%118, %119)\n    %121 = load @x[%120]\n    let $a = %121\n    %122 = $at\n    %123 = 2i32\n    %124 = mul(%122, %123)\n    %125 = 1i32\n    %126 = add(%124, %125)\n    %127 = load @x[%126]\n    let $b = %127\n    %128 = $real\n    %129 = $a\n    %130 = $c\n    %131 = mul(%129, %130)\n    %132 = $b\n    %133 = $s\n    %134 = mul(%132, %133)\n    %135 = sub(%131, %134)\n    %136 = add(%128, %135)\n    set $real = %136\n    %137 = $imaginary\n    %138 = $a\n    %139 = $s\n    %140 = mul(%138, %139)\n    %141 = $b\n    %142 = $c\n    %143 = mul(%141, %142)\n    %144 = add(%140, %143)\n    %145 = add(%137, %144)\n    set $imaginary = %145\n    %146 = $at\n    %147 = $next_at\n    %148 = add(%146, %147)\n    set $at = %148\n    %149 = $turn\n    %150 = $next_turn\n    %151 = add(%149, %150)\n    set $turn = %151\n    %152 = $turn\n    %153 = $long\n    %154 = ge(%152, %153)\n    %155 = $turn\n    %156 = $long\n    %157 = sub(%155, %156)\n    %158 = $turn\n    %159 = select(%154, %157, %158)\n    set $turn = %159\n}\n%160 = $i\n%161 = 2i32\n%162 = mul(%160, %161)\n%163 = $real\nstore @y[%162] = %163\n%164 = $i\n%165 = 2i32\n%166 = mul(%164, %165)\n%167 = 1i32\n%168 = add(%166, %167)\n%169 = $imaginary\nstore @y[%168] = %169\n", {
        use crate::host::exports as h;
        struct Kernel20;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel20 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let x_p0 = args.view::<f32>(0);
                let radix_p1 = args.number::<i32>(1);
                let done_p2 = args.number::<i32>(2);
                let sign_p3 = args.number::<i32>(3);
                let y_p4 = args.view::<f32>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let place_1: i32 = h::rem(i_0, n_p5);
                    let long_2: i32 = h::mul(done_p2, radix_p1);
                    let rest_3: i32 = h::div(n_p5, long_2);
                    let k_4: i32 = h::div(place_1, rest_3);
                    let q_5: i32 = h::rem(place_1, rest_3);
                    let mut at_8: i32 = h::add(h::add(h::sub(i_0, place_1), h::mul(h::rem(k_4, done_p2), h::mul(radix_p1, rest_3))), q_5);
                    let mut turn_9: i32 = 0_i32;
                    let next_at_10: i32 = rest_3;
                    let next_turn_11: i32 = k_4;
                    let mut real_22: f32 = 0.0_f32;
                    let mut imaginary_23: f32 = 0.0_f32;
                    let mut t_7: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (radix_p1, 1_i32);
                    'loop_0: while t_7 < loop0_end {
                        'round_0: {
                            let quarter_12: i32 = h::div(h::mul(turn_9, 4_i32), long_2);
                            let mut part_13: i32 = h::sub(h::mul(turn_9, 4_i32), h::mul(quarter_12, long_2));
                            let far_14: bool = (h::mul(part_13, 2_i32) > long_2);
                            part_13 = (if far_14 { h::sub(long_2, part_13) } else { part_13 });
                            let angle_15: f32 = ((h::cast::<i32, f32>(part_13) / h::cast::<i32, f32>(long_2)) * 1.5707964_f32);
                            let mut near_16: f32 = h::cos::<I, _>(angle_15);
                            let mut side_17: f32 = h::sin::<I, _>(angle_15);
                            let mut c_18: f32 = (if far_14 { side_17 } else { near_16 });
                            let mut s_19: f32 = (if far_14 { near_16 } else { side_17 });
                            near_16 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { c_18 } else { h::neg(s_19) });
                            side_17 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { s_19 } else { c_18 });
                            c_18 = (if (quarter_12 < 2_i32) { near_16 } else { h::neg(near_16) });
                            s_19 = (if (quarter_12 < 2_i32) { side_17 } else { h::neg(side_17) });
                            s_19 = (if (sign_p3 < 0_i32) { h::neg(s_19) } else { s_19 });
                            let a_20: f32 = x_p0.at(h::mul(at_8, 2_i32));
                            let b_21: f32 = x_p0.at(h::add(h::mul(at_8, 2_i32), 1_i32));
                            real_22 = (real_22 + ((a_20 * c_18) - (b_21 * s_19)));
                            imaginary_23 = (imaginary_23 + ((a_20 * s_19) + (b_21 * c_18)));
                            at_8 = h::add(at_8, next_at_10);
                            turn_9 = h::add(turn_9, next_turn_11);
                            turn_9 = (if (turn_9 >= long_2) { h::sub(turn_9, long_2) } else { turn_9 });
                        }
                        t_7 = h::add(t_7, loop0_step);
                    }
                    y_p4.put(h::mul(i_0, 2_i32), real_22);
                    y_p4.put(h::add(h::mul(i_0, 2_i32), 1_i32), imaginary_23);
                }
            }
        }
        h::entry::<Kernel20>()
    }),
    ("kernel \"\"\nlaunch []\nparam x: read f32\nparam radix: scalar i32\nparam done: scalar i32\nparam sign: scalar i32\nparam y: write f32\nparam N: size\nvar i: i32\nvar place: i32\nvar long: i32\nvar rest: i32\nvar k: i32\nvar q: i32\nvar j: i32\nvar t: i32\nvar at: i32\nvar turn: i32\nvar next_at: i32\nvar next_turn: i32\nvar quarter: i32\nvar part: i32\nvar far: bool\nvar angle: f32\nvar near: f32\nvar side: f32\nvar c: f32\nvar s: f32\nvar a: f32\nvar b: f32\nvar real: f32\nvar imaginary: f32\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $place = %4\n%5 = @done\n%6 = @radix\n%7 = mul(%5, %6)\nlet $long = %7\n%8 = @N\n%9 = $long\n%10 = div(%8, %9)\nlet $rest = %10\n%11 = $place\n%12 = @radix\n%13 = $rest\n%14 = mul(%12, %13)\n%15 = div(%11, %14)\nlet $k = %15\n%16 = $place\n%17 = @radix\n%18 = $rest\n%19 = mul(%17, %18)\n%20 = rem(%16, %19)\nlet $j = %20\n%21 = $j\n%22 = $rest\n%23 = rem(%21, %22)\nlet $q = %23\n%24 = $j\n%25 = $rest\n%26 = div(%24, %25)\nset $j = %26\n%27 = $i\n%28 = $place\n%29 = sub(%27, %28)\n%30 = $k\n%31 = $rest\n%32 = mul(%30, %31)\n%33 = add(%29, %32)\n%34 = $q\n%35 = add(%33, %34)\nlet $at = %35\n%36 = $j\n%37 = $k\n%38 = mul(%36, %37)\nlet $turn = %38\n%39 = @done\n%40 = $rest\n%41 = mul(%39, %40)\nlet $next_at = %41\n%42 = $j\n%43 = @done\n%44 = mul(%42, %43)\nlet $next_turn = %44\n%45 = 0.0f32\nlet $real = %45\n%46 = 0.0f32\nlet $imaginary = %46\n%47 = 0i32\n%48 = @radix\n%49 = 1i32\nfor $t in %47 .. %48 step %49 {\n    %50 = $turn\n    %51 = 4i32\n    %52 = mul(%50, %51)\n    %53 = $long\n    %54 = div(%52, %53)\n    let $quarter = %54\n    %55 = $turn\n    %56 = 4i32\n    %57 = mul(%55, %56)\n    %58 = $quarter\n    %59 = $long\n    %60 = mul(%58, %59)\n    %61 = sub(%57, %60)\n    let $part = %61\n    %62 = $part\n    %63 = 2i32\n    %64 = mul(%62, %63)\n    %65 = $long\n    %66 = gt(%64, %65)\n    let $far = %66\n    %67 = $far\n    %68 = $long\n    %69 = $part\n    %70 = sub(%68, %69)\n    %71 = $part\n    %72 = select(%67, %70, %71)\n    set $part = %72\n    %73 = $part\n    %74 = cast.f32(%73)\n    %75 = $long\n    %76 = cast.f32(%75)\n    %77 = div(%74, %76)\n    %78 = 1.5707963267948966f32\n    %79 = mul(%77, %78)\n    let $angle = %79\n    %80 = $angle\n    %81 = cos(%80)\n    let $near = %81\n    %82 = $angle\n    %83 = sin(%82)\n    let $side = %83\n    %84 = $far\n    %85 = $side\n    %86 = $near\n    %87 = select(%84, %85, %86)\n    let $c = %87\n    %88 = $far\n    %89 = $near\n    %90 = $side\n    %91 = select(%88, %89, %90)\n    let $s = %91\n    %92 = $quarter\n    %93 = 2i32\n    %94 = rem(%92, %93)\n    %95 = 0i32\n    %96 = eq(%94, %95)\n    %97 = $c\n    %98 = $s\n    %99 = neg(%98)\n    %100 = select(%96, %97, %99)\n    set $near = %100\n    %101 = $quarter\n    %102 = 2i32\n    %103 = rem(%101, %102)\n    %104 = 0i32\n    %105 = eq(%103, %104)\n    %106 = $s\n    %107 = $c\n    %108 = select(%105, %106, %107)\n    set $side = %108\n    %109 = $quarter\n    %110 = 2i32\n    %111 = lt(%109, %110)\n    %112 = $near\n    %113 = $near\n    %114 = neg(%113)\n    %115 = select(%111, %112, %114)\n    set $c = %115\n    %116 = $quarter\n    %117 = 2i32\n    %118 = lt(%116, %117)\n    %119 = $side\n    %120 = $side\n    %121 = neg(%120)\n    %122 = select(%118, %119, %121)\n    set $s = %122\n    %123 = @sign\n    %124 = 0i32\n    %125 = lt(%123, %124)\n    %126 = $s\n    %127 = neg(%126)\n    %128 = $s\n    %129 = select(%125, %127, %128)\n    set $s = %129\n    %130 = $at\n    %131 = 2i32\n    %132 = mul(%130, %131)\n    %133 = load @x[%132]\n    let $a = %133\n    %134 = $at\n    %135 = 2i32\n    %136 = mul(%134, %135)\n    %137 = 1i32\n    %138 = add(%136, %137)\n    %139 = load @x[%138]\n    let $b = %139\n    %140 = $real\n    %141 = $a\n    %142 = $c\n    %143 = mul(%141, %142)\n    %144 = $b\n    %145 = $s\n    %146 = mul(%144, %145)\n    %147 = sub(%143, %146)\n    %148 = add(%140, %147)\n    set $real = %148\n    %149 = $imaginary\n    %150 = $a\n    %151 = $s\n    %152 = mul(%150, %151)\n    %153 = $b\n    %154 = $c\n    %155 = mul(%153, %154)\n    %156 = add(%152, %155)\n    %157 = add(%149, %156)\n    set $imaginary = %157\n    %158 = $at\n    %159 = $next_at\n    %160 = add(%158, %159)\n    set $at = %160\n    %161 = $turn\n    %162 = $next_turn\n    %163 = add(%161, %162)\n    set $turn = %163\n    %164 = $turn\n    %165 = $long\n    %166 = ge(%164, %165)\n    %167 = $turn\n    %168 = $long\n    %169 = sub(%167, %168)\n    %170 = $turn\n    %171 = select(%166, %169, %170)\n    set $turn = %171\n}\n%172 = $i\n%173 = 2i32\n%174 = mul(%172, %173)\n%175 = $real\nstore @y[%174] = %175\n%176 = $i\n%177 = 2i32\n%178 = mul(%176, %177)\n%179 = 1i32\n%180 = add(%178, %179)\n%181 = $imaginary\nstore @y[%180] = %181\n", {
        use crate::host::exports as h;
        struct Kernel21;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel21 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let x_p0 = args.view::<f32>(0);
                let radix_p1 = args.number::<i32>(1);
                let done_p2 = args.number::<i32>(2);
                let sign_p3 = args.number::<i32>(3);
                let y_p4 = args.view::<f32>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let place_1: i32 = h::rem(i_0, n_p5);
                    let long_2: i32 = h::mul(done_p2, radix_p1);
                    let rest_3: i32 = h::div(n_p5, long_2);
                    let k_4: i32 = h::div(place_1, h::mul(radix_p1, rest_3));
                    let mut j_6: i32 = h::rem(place_1, h::mul(radix_p1, rest_3));
                    let q_5: i32 = h::rem(j_6, rest_3);
                    j_6 = h::div(j_6, rest_3);
                    let mut at_8: i32 = h::add(h::add(h::sub(i_0, place_1), h::mul(k_4, rest_3)), q_5);
                    let mut turn_9: i32 = h::mul(j_6, k_4);
                    let next_at_10: i32 = h::mul(done_p2, rest_3);
                    let next_turn_11: i32 = h::mul(j_6, done_p2);
                    let mut real_22: f32 = 0.0_f32;
                    let mut imaginary_23: f32 = 0.0_f32;
                    let mut t_7: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (radix_p1, 1_i32);
                    'loop_0: while t_7 < loop0_end {
                        'round_0: {
                            let quarter_12: i32 = h::div(h::mul(turn_9, 4_i32), long_2);
                            let mut part_13: i32 = h::sub(h::mul(turn_9, 4_i32), h::mul(quarter_12, long_2));
                            let far_14: bool = (h::mul(part_13, 2_i32) > long_2);
                            part_13 = (if far_14 { h::sub(long_2, part_13) } else { part_13 });
                            let angle_15: f32 = ((h::cast::<i32, f32>(part_13) / h::cast::<i32, f32>(long_2)) * 1.5707964_f32);
                            let mut near_16: f32 = h::cos::<I, _>(angle_15);
                            let mut side_17: f32 = h::sin::<I, _>(angle_15);
                            let mut c_18: f32 = (if far_14 { side_17 } else { near_16 });
                            let mut s_19: f32 = (if far_14 { near_16 } else { side_17 });
                            near_16 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { c_18 } else { h::neg(s_19) });
                            side_17 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { s_19 } else { c_18 });
                            c_18 = (if (quarter_12 < 2_i32) { near_16 } else { h::neg(near_16) });
                            s_19 = (if (quarter_12 < 2_i32) { side_17 } else { h::neg(side_17) });
                            s_19 = (if (sign_p3 < 0_i32) { h::neg(s_19) } else { s_19 });
                            let a_20: f32 = x_p0.at(h::mul(at_8, 2_i32));
                            let b_21: f32 = x_p0.at(h::add(h::mul(at_8, 2_i32), 1_i32));
                            real_22 = (real_22 + ((a_20 * c_18) - (b_21 * s_19)));
                            imaginary_23 = (imaginary_23 + ((a_20 * s_19) + (b_21 * c_18)));
                            at_8 = h::add(at_8, next_at_10);
                            turn_9 = h::add(turn_9, next_turn_11);
                            turn_9 = (if (turn_9 >= long_2) { h::sub(turn_9, long_2) } else { turn_9 });
                        }
                        t_7 = h::add(t_7, loop0_step);
                    }
                    y_p4.put(h::mul(i_0, 2_i32), real_22);
                    y_p4.put(h::add(h::mul(i_0, 2_i32), 1_i32), imaginary_23);
                }
            }
        }
        h::entry::<Kernel21>()
    }),
    ("kernel \"\"\nlaunch []\nparam x: read f64\nparam radix: scalar i32\nparam done: scalar i32\nparam sign: scalar i32\nparam y: write f64\nparam N: size\nvar i: i32\nvar place: i32\nvar long: i32\nvar rest: i32\nvar k: i32\nvar q: i32\nvar j: i32\nvar t: i32\nvar at: i32\nvar turn: i32\nvar next_at: i32\nvar next_turn: i32\nvar quarter: i32\nvar part: i32\nvar far: bool\nvar angle: f64\nvar near: f64\nvar side: f64\nvar c: f64\nvar s: f64\nvar a: f64\nvar b: f64\nvar real: f64\nvar imaginary: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $place = %4\n%5 = @done\n%6 = @radix\n%7 = mul(%5, %6)\nlet $long = %7\n%8 = @N\n%9 = $long\n%10 = div(%8, %9)\nlet $rest = %10\n%11 = $place\n%12 = $rest\n%13 = div(%11, %12)\nlet $k = %13\n%14 = $place\n%15 = $rest\n%16 = rem(%14, %15)\nlet $q = %16\n%17 = $i\n%18 = $place\n%19 = sub(%17, %18)\n%20 = $k\n%21 = @done\n%22 = rem(%20, %21)\n%23 = @radix\n%24 = $rest\n%25 = mul(%23, %24)\n%26 = mul(%22, %25)\n%27 = add(%19, %26)\n%28 = $q\n%29 = add(%27, %28)\nlet $at = %29\n%30 = 0i32\nlet $turn = %30\n%31 = $rest\nlet $next_at = %31\n%32 = $k\nlet $next_turn = %32\n%33 = 0.0f64\nlet $real = %33\n%34 = 0.0f64\nlet $imaginary = %34\n%35 = 0i32\n%36 = @radix\n%37 = 1i32\nfor $t in %35 .. %36 step %37 {\n    %38 = $turn\n    %39 = 4i32\n    %40 = mul(%38, %39)\n    %41 = $long\n    %42 = div(%40, %41)\n    let $quarter = %42\n    %43 = $turn\n    %44 = 4i32\n    %45 = mul(%43, %44)\n    %46 = $quarter\n    %47 = $long\n    %48 = mul(%46, %47)\n    %49 = sub(%45, %48)\n    let $part = %49\n    %50 = $part\n    %51 = 2i32\n    %52 = mul(%50, %51)\n    %53 = $long\n    %54 = gt(%52, %53)\n    let $far = %54\n    %55 = $far\n    %56 = $long\n    %57 = $part\n    %58 = sub(%56, %57)\n    %59 = $part\n    %60 = select(%55, %58, %59)\n    set $part = %60\n    %61 = $part\n    %62 = cast.f64(%61)\n    %63 = $long\n    %64 = cast.f64(%63)\n    %65 = div(%62, %64)\n    %66 = 1.5707963267948966f64\n    %67 = mul(%65, %66)\n    let $angle = %67\n    %68 = $angle\n    %69 = cos(%68)\n    let $near = %69\n    %70 = $angle\n    %71 = sin(%70)\n    let $side = %71\n    %72 = $far\n    %73 = $side\n    %74 = $near\n    %75 = select(%72, %73, %74)\n    let $c = %75\n    %76 = $far\n    %77 = $near\n    %78 = $side\n    %79 = select(%76, %77, %78)\n    let $s = %79\n    %80 = $quarter\n    %81 = 2i32\n    %82 = rem(%80, %81)\n    %83 = 0i32\n    %84 = eq(%82, %83)\n    %85 = $c\n    %86 = $s\n    %87 = neg(%86)\n    %88 = select(%84, %85, %87)\n    set $near = %88\n    %89 = $quarter\n    %90 = 2i32\n    %91 = rem(%89, %90)\n    %92 = 0i32\n    %93 = eq(%91, %92)\n    %94 = $s\n    %95 = $c\n    %96 = select(%93, %94, %95)\n    set $side = %96\n    %97 = $quarter\n    %98 = 2i32\n    %99 = lt(%97, %98)\n    %100 = $near\n    %101 = $near\n    %102 = neg(%101)\n    %103 = select(%99, %100, %102)\n    set $c = %103\n    %104 = $quarter\n    %105 = 2i32\n    %106 = lt(%104, %105)\n    %107 = $side\n    %108 = $side\n    %109 = neg(%108)\n    %110 = select(%106, %107, %109)\n    set $s = %110\n    %111 = @sign\n    %112 = 0i32\n    %113 = lt(%111, %112)\n    %114 = $s\n    %115 = neg(%114)\n    %116 = $s\n    %117 = select(%113, %115, %116)\n    set $s = %117\n    %118 = $at\n    %119 = 2i32\n    %120 = mul(%118, %119)\n    %121 = load @x[%120]\n    let $a = %121\n    %122 = $at\n    %123 = 2i32\n    %124 = mul(%122, %123)\n    %125 = 1i32\n    %126 = add(%124, %125)\n    %127 = load @x[%126]\n    let $b = %127\n    %128 = $real\n    %129 = $a\n    %130 = $c\n    %131 = mul(%129, %130)\n    %132 = $b\n    %133 = $s\n    %134 = mul(%132, %133)\n    %135 = sub(%131, %134)\n    %136 = add(%128, %135)\n    set $real = %136\n    %137 = $imaginary\n    %138 = $a\n    %139 = $s\n    %140 = mul(%138, %139)\n    %141 = $b\n    %142 = $c\n    %143 = mul(%141, %142)\n    %144 = add(%140, %143)\n    %145 = add(%137, %144)\n    set $imaginary = %145\n    %146 = $at\n    %147 = $next_at\n    %148 = add(%146, %147)\n    set $at = %148\n    %149 = $turn\n    %150 = $next_turn\n    %151 = add(%149, %150)\n    set $turn = %151\n    %152 = $turn\n    %153 = $long\n    %154 = ge(%152, %153)\n    %155 = $turn\n    %156 = $long\n    %157 = sub(%155, %156)\n    %158 = $turn\n    %159 = select(%154, %157, %158)\n    set $turn = %159\n}\n%160 = $i\n%161 = 2i32\n%162 = mul(%160, %161)\n%163 = $real\nstore @y[%162] = %163\n%164 = $i\n%165 = 2i32\n%166 = mul(%164, %165)\n%167 = 1i32\n%168 = add(%166, %167)\n%169 = $imaginary\nstore @y[%168] = %169\n", {
        use crate::host::exports as h;
        struct Kernel22;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel22 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let x_p0 = args.view::<f64>(0);
                let radix_p1 = args.number::<i32>(1);
                let done_p2 = args.number::<i32>(2);
                let sign_p3 = args.number::<i32>(3);
                let y_p4 = args.view::<f64>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let place_1: i32 = h::rem(i_0, n_p5);
                    let long_2: i32 = h::mul(done_p2, radix_p1);
                    let rest_3: i32 = h::div(n_p5, long_2);
                    let k_4: i32 = h::div(place_1, rest_3);
                    let q_5: i32 = h::rem(place_1, rest_3);
                    let mut at_8: i32 = h::add(h::add(h::sub(i_0, place_1), h::mul(h::rem(k_4, done_p2), h::mul(radix_p1, rest_3))), q_5);
                    let mut turn_9: i32 = 0_i32;
                    let next_at_10: i32 = rest_3;
                    let next_turn_11: i32 = k_4;
                    let mut real_22: f64 = 0.0_f64;
                    let mut imaginary_23: f64 = 0.0_f64;
                    let mut t_7: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (radix_p1, 1_i32);
                    'loop_0: while t_7 < loop0_end {
                        'round_0: {
                            let quarter_12: i32 = h::div(h::mul(turn_9, 4_i32), long_2);
                            let mut part_13: i32 = h::sub(h::mul(turn_9, 4_i32), h::mul(quarter_12, long_2));
                            let far_14: bool = (h::mul(part_13, 2_i32) > long_2);
                            part_13 = (if far_14 { h::sub(long_2, part_13) } else { part_13 });
                            let angle_15: f64 = ((h::cast::<i32, f64>(part_13) / h::cast::<i32, f64>(long_2)) * 1.5707963267948966_f64);
                            let mut near_16: f64 = h::cos::<I, _>(angle_15);
                            let mut side_17: f64 = h::sin::<I, _>(angle_15);
                            let mut c_18: f64 = (if far_14 { side_17 } else { near_16 });
                            let mut s_19: f64 = (if far_14 { near_16 } else { side_17 });
                            near_16 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { c_18 } else { h::neg(s_19) });
                            side_17 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { s_19 } else { c_18 });
                            c_18 = (if (quarter_12 < 2_i32) { near_16 } else { h::neg(near_16) });
                            s_19 = (if (quarter_12 < 2_i32) { side_17 } else { h::neg(side_17) });
                            s_19 = (if (sign_p3 < 0_i32) { h::neg(s_19) } else { s_19 });
                            let a_20: f64 = x_p0.at(h::mul(at_8, 2_i32));
                            let b_21: f64 = x_p0.at(h::add(h::mul(at_8, 2_i32), 1_i32));
                            real_22 = (real_22 + ((a_20 * c_18) - (b_21 * s_19)));
                            imaginary_23 = (imaginary_23 + ((a_20 * s_19) + (b_21 * c_18)));
                            at_8 = h::add(at_8, next_at_10);
                            turn_9 = h::add(turn_9, next_turn_11);
                            turn_9 = (if (turn_9 >= long_2) { h::sub(turn_9, long_2) } else { turn_9 });
                        }
                        t_7 = h::add(t_7, loop0_step);
                    }
                    y_p4.put(h::mul(i_0, 2_i32), real_22);
                    y_p4.put(h::add(h::mul(i_0, 2_i32), 1_i32), imaginary_23);
                }
            }
        }
        h::entry::<Kernel22>()
    }),
    ("kernel \"\"\nlaunch []\nparam x: read f64\nparam radix: scalar i32\nparam done: scalar i32\nparam sign: scalar i32\nparam y: write f64\nparam N: size\nvar i: i32\nvar place: i32\nvar long: i32\nvar rest: i32\nvar k: i32\nvar q: i32\nvar j: i32\nvar t: i32\nvar at: i32\nvar turn: i32\nvar next_at: i32\nvar next_turn: i32\nvar quarter: i32\nvar part: i32\nvar far: bool\nvar angle: f64\nvar near: f64\nvar side: f64\nvar c: f64\nvar s: f64\nvar a: f64\nvar b: f64\nvar real: f64\nvar imaginary: f64\n%0 = global_id.0\n%1 = cast.i32(%0)\nlet $i = %1\n%2 = $i\n%3 = @N\n%4 = rem(%2, %3)\nlet $place = %4\n%5 = @done\n%6 = @radix\n%7 = mul(%5, %6)\nlet $long = %7\n%8 = @N\n%9 = $long\n%10 = div(%8, %9)\nlet $rest = %10\n%11 = $place\n%12 = @radix\n%13 = $rest\n%14 = mul(%12, %13)\n%15 = div(%11, %14)\nlet $k = %15\n%16 = $place\n%17 = @radix\n%18 = $rest\n%19 = mul(%17, %18)\n%20 = rem(%16, %19)\nlet $j = %20\n%21 = $j\n%22 = $rest\n%23 = rem(%21, %22)\nlet $q = %23\n%24 = $j\n%25 = $rest\n%26 = div(%24, %25)\nset $j = %26\n%27 = $i\n%28 = $place\n%29 = sub(%27, %28)\n%30 = $k\n%31 = $rest\n%32 = mul(%30, %31)\n%33 = add(%29, %32)\n%34 = $q\n%35 = add(%33, %34)\nlet $at = %35\n%36 = $j\n%37 = $k\n%38 = mul(%36, %37)\nlet $turn = %38\n%39 = @done\n%40 = $rest\n%41 = mul(%39, %40)\nlet $next_at = %41\n%42 = $j\n%43 = @done\n%44 = mul(%42, %43)\nlet $next_turn = %44\n%45 = 0.0f64\nlet $real = %45\n%46 = 0.0f64\nlet $imaginary = %46\n%47 = 0i32\n%48 = @radix\n%49 = 1i32\nfor $t in %47 .. %48 step %49 {\n    %50 = $turn\n    %51 = 4i32\n    %52 = mul(%50, %51)\n    %53 = $long\n    %54 = div(%52, %53)\n    let $quarter = %54\n    %55 = $turn\n    %56 = 4i32\n    %57 = mul(%55, %56)\n    %58 = $quarter\n    %59 = $long\n    %60 = mul(%58, %59)\n    %61 = sub(%57, %60)\n    let $part = %61\n    %62 = $part\n    %63 = 2i32\n    %64 = mul(%62, %63)\n    %65 = $long\n    %66 = gt(%64, %65)\n    let $far = %66\n    %67 = $far\n    %68 = $long\n    %69 = $part\n    %70 = sub(%68, %69)\n    %71 = $part\n    %72 = select(%67, %70, %71)\n    set $part = %72\n    %73 = $part\n    %74 = cast.f64(%73)\n    %75 = $long\n    %76 = cast.f64(%75)\n    %77 = div(%74, %76)\n    %78 = 1.5707963267948966f64\n    %79 = mul(%77, %78)\n    let $angle = %79\n    %80 = $angle\n    %81 = cos(%80)\n    let $near = %81\n    %82 = $angle\n    %83 = sin(%82)\n    let $side = %83\n    %84 = $far\n    %85 = $side\n    %86 = $near\n    %87 = select(%84, %85, %86)\n    let $c = %87\n    %88 = $far\n    %89 = $near\n    %90 = $side\n    %91 = select(%88, %89, %90)\n    let $s = %91\n    %92 = $quarter\n    %93 = 2i32\n    %94 = rem(%92, %93)\n    %95 = 0i32\n    %96 = eq(%94, %95)\n    %97 = $c\n    %98 = $s\n    %99 = neg(%98)\n    %100 = select(%96, %97, %99)\n    set $near = %100\n    %101 = $quarter\n    %102 = 2i32\n    %103 = rem(%101, %102)\n    %104 = 0i32\n    %105 = eq(%103, %104)\n    %106 = $s\n    %107 = $c\n    %108 = select(%105, %106, %107)\n    set $side = %108\n    %109 = $quarter\n    %110 = 2i32\n    %111 = lt(%109, %110)\n    %112 = $near\n    %113 = $near\n    %114 = neg(%113)\n    %115 = select(%111, %112, %114)\n    set $c = %115\n    %116 = $quarter\n    %117 = 2i32\n    %118 = lt(%116, %117)\n    %119 = $side\n    %120 = $side\n    %121 = neg(%120)\n    %122 = select(%118, %119, %121)\n    set $s = %122\n    %123 = @sign\n    %124 = 0i32\n    %125 = lt(%123, %124)\n    %126 = $s\n    %127 = neg(%126)\n    %128 = $s\n    %129 = select(%125, %127, %128)\n    set $s = %129\n    %130 = $at\n    %131 = 2i32\n    %132 = mul(%130, %131)\n    %133 = load @x[%132]\n    let $a = %133\n    %134 = $at\n    %135 = 2i32\n    %136 = mul(%134, %135)\n    %137 = 1i32\n    %138 = add(%136, %137)\n    %139 = load @x[%138]\n    let $b = %139\n    %140 = $real\n    %141 = $a\n    %142 = $c\n    %143 = mul(%141, %142)\n    %144 = $b\n    %145 = $s\n    %146 = mul(%144, %145)\n    %147 = sub(%143, %146)\n    %148 = add(%140, %147)\n    set $real = %148\n    %149 = $imaginary\n    %150 = $a\n    %151 = $s\n    %152 = mul(%150, %151)\n    %153 = $b\n    %154 = $c\n    %155 = mul(%153, %154)\n    %156 = add(%152, %155)\n    %157 = add(%149, %156)\n    set $imaginary = %157\n    %158 = $at\n    %159 = $next_at\n    %160 = add(%158, %159)\n    set $at = %160\n    %161 = $turn\n    %162 = $next_turn\n    %163 = add(%161, %162)\n    set $turn = %163\n    %164 = $turn\n    %165 = $long\n    %166 = ge(%164, %165)\n    %167 = $turn\n    %168 = $long\n    %169 = sub(%167, %168)\n    %170 = $turn\n    %171 = select(%166, %169, %170)\n    set $turn = %171\n}\n%172 = $i\n%173 = 2i32\n%174 = mul(%172, %173)\n%175 = $real\nstore @y[%174] = %175\n%176 = $i\n%177 = 2i32\n%178 = mul(%176, %177)\n%179 = 1i32\n%180 = add(%178, %179)\n%181 = $imaginary\nstore @y[%180] = %181\n", {
        use crate::host::exports as h;
        struct Kernel23;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel23 {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let x_p0 = args.view::<f64>(0);
                let radix_p1 = args.number::<i32>(1);
                let done_p2 = args.number::<i32>(2);
                let sign_p3 = args.number::<i32>(3);
                let y_p4 = args.view::<f64>(4);
                let n_p5 = args.number::<i32>(5);
                for item in items {
                    let id = args.id(item);
                    let i_0: i32 = h::cast::<u32, i32>(id[0]);
                    let place_1: i32 = h::rem(i_0, n_p5);
                    let long_2: i32 = h::mul(done_p2, radix_p1);
                    let rest_3: i32 = h::div(n_p5, long_2);
                    let k_4: i32 = h::div(place_1, h::mul(radix_p1, rest_3));
                    let mut j_6: i32 = h::rem(place_1, h::mul(radix_p1, rest_3));
                    let q_5: i32 = h::rem(j_6, rest_3);
                    j_6 = h::div(j_6, rest_3);
                    let mut at_8: i32 = h::add(h::add(h::sub(i_0, place_1), h::mul(k_4, rest_3)), q_5);
                    let mut turn_9: i32 = h::mul(j_6, k_4);
                    let next_at_10: i32 = h::mul(done_p2, rest_3);
                    let next_turn_11: i32 = h::mul(j_6, done_p2);
                    let mut real_22: f64 = 0.0_f64;
                    let mut imaginary_23: f64 = 0.0_f64;
                    let mut t_7: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (radix_p1, 1_i32);
                    'loop_0: while t_7 < loop0_end {
                        'round_0: {
                            let quarter_12: i32 = h::div(h::mul(turn_9, 4_i32), long_2);
                            let mut part_13: i32 = h::sub(h::mul(turn_9, 4_i32), h::mul(quarter_12, long_2));
                            let far_14: bool = (h::mul(part_13, 2_i32) > long_2);
                            part_13 = (if far_14 { h::sub(long_2, part_13) } else { part_13 });
                            let angle_15: f64 = ((h::cast::<i32, f64>(part_13) / h::cast::<i32, f64>(long_2)) * 1.5707963267948966_f64);
                            let mut near_16: f64 = h::cos::<I, _>(angle_15);
                            let mut side_17: f64 = h::sin::<I, _>(angle_15);
                            let mut c_18: f64 = (if far_14 { side_17 } else { near_16 });
                            let mut s_19: f64 = (if far_14 { near_16 } else { side_17 });
                            near_16 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { c_18 } else { h::neg(s_19) });
                            side_17 = (if (h::rem(quarter_12, 2_i32) == 0_i32) { s_19 } else { c_18 });
                            c_18 = (if (quarter_12 < 2_i32) { near_16 } else { h::neg(near_16) });
                            s_19 = (if (quarter_12 < 2_i32) { side_17 } else { h::neg(side_17) });
                            s_19 = (if (sign_p3 < 0_i32) { h::neg(s_19) } else { s_19 });
                            let a_20: f64 = x_p0.at(h::mul(at_8, 2_i32));
                            let b_21: f64 = x_p0.at(h::add(h::mul(at_8, 2_i32), 1_i32));
                            real_22 = (real_22 + ((a_20 * c_18) - (b_21 * s_19)));
                            imaginary_23 = (imaginary_23 + ((a_20 * s_19) + (b_21 * c_18)));
                            at_8 = h::add(at_8, next_at_10);
                            turn_9 = h::add(turn_9, next_turn_11);
                            turn_9 = (if (turn_9 >= long_2) { h::sub(turn_9, long_2) } else { turn_9 });
                        }
                        t_7 = h::add(t_7, loop0_step);
                    }
                    y_p4.put(h::mul(i_0, 2_i32), real_22);
                    y_p4.put(h::add(h::mul(i_0, 2_i32), 1_i32), imaginary_23);
                }
            }
        }
        h::entry::<Kernel23>()
    }),
];
