//! Written by the test `native`; do not edit.

use netcl::__private::host::NativeEntry;

pub(crate) const ENTRIES: &[(&str, NativeEntry)] = &[
    ("chain_0", {
        // result = (tanh((a * c + d)) * (((a < 0) ? exp(((a < 0) ? a : neg(a))) : 1) / (exp(((a < 0) ? a : neg(a))) +
        //     1)) + max(c, 0))
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let a_p1 = args.view::<f32>(1);
                let c_p2 = args.view::<f32>(2);
                let d_p3 = args.view::<f32>(3);
                let result_p4 = args.view::<f32>(4);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 4096_i32);
                    let end_1: i32 = h::min(h::add(start_0, 4096_i32), h::mul(n_p0, 37_i32));
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 16_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 16_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let t_4: h::V<f32, 16> = a_p1.load::<16, _>(i_3);
                            let t_5: h::V<f32, 16> = c_p2.load::<16, _>(i_3);
                            let t_6: h::V<bool, 16> = t_4.lt::<I>(&h::V::<_, 16>::splat::<I>(0.0_f32));
                            let t_7: h::V<f32, 16> = { let test = t_6; h::select::<I, _, 16>(&test, &t_4, &t_4.neg::<I>()) }.map(h::exp::<I, _>);
                            let e32 = h::V::<_, 16>::splat::<I>(1.0_f32);
                            result_p4.store(i_3, &t_4.mul::<I>(&t_5).add::<I>(&d_p3.load::<16, _>(i_3)).map(h::tanh::<I, _>).mul::<I>(&{ let test = t_6; h::select::<I, _, 16>(&test, &t_7, &e32) }.div::<I>(&t_7.add::<I>(&e32))).add::<I>(&t_5.max::<I>(&h::V::<_, 16>::splat::<I>(0.0_f32))));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_8: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (end_1, 1_i32);
                    'loop_1: while i_8 < loop1_end {
                        'round_1: {
                            let t_9: f32 = a_p1.at(i_8);
                            let t_10: f32 = c_p2.at(i_8);
                            let t_11: bool = (t_9 < 0.0_f32);
                            let t_12: f32 = h::exp::<I, _>((if t_11 { t_9 } else { h::neg(t_9) }));
                            result_p4.put(i_8, ((h::tanh::<I, _>(((t_9 * t_10) + d_p3.at(i_8))) * ((if t_11 { t_12 } else { 1.0_f32 }) / (t_12 + 1.0_f32))) + h::max(t_10, 0.0_f32)));
                        }
                        i_8 = h::add(i_8, loop1_step);
                    }
                }
            }
        }
        h::wide_entry::<Kernel>()
    }),
    ("softmax_0", {
        // result = exp((x - max(x over 1))) * recip(sum(exp((x - max(x over 1))) over 1))
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let result_p2 = args.view::<f32>(2);
                for item in items {
                    let id = args.id(item);
                    let first_row_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 77_i32);
                    let end_1: i32 = h::min(h::add(first_row_0, 77_i32), n_p0);
                    let mut row_2: i32 = first_row_0;
                    let (loop0_end, loop0_step): (i32, i32) = (end_1, 1_i32);
                    'loop_0: while row_2 < loop0_end {
                        'round_0: {
                            let mut max_3: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(f32::from_bits(4286578688_u32));
                            let mut max_4: f32 = f32::from_bits(4286578688_u32);
                            let whole_5: i32 = 48_i32;
                            let mut i_6: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (whole_5, 16_i32);
                            'loop_1: while i_6 < loop1_end {
                                'round_1: {
                                    max_3 = max_3.max::<I>(&x_p1.load::<16, _>(h::add(h::mul(row_2, 53_i32), i_6)));
                                }
                                i_6 = h::add(i_6, loop1_step);
                            }
                            let mut i_7: i32 = whole_5;
                            let (loop2_end, loop2_step): (i32, i32) = (53_i32, 1_i32);
                            'loop_2: while i_7 < loop2_end {
                                'round_2: {
                                    max_4 = h::max(max_4, x_p1.at(h::add(h::mul(row_2, 53_i32), i_7)));
                                }
                                i_7 = h::add(i_7, loop2_step);
                            }
                            let result_8: f32 = h::max(max_3.fold(h::max), max_4);
                            let mut sum_9: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut sum_10: f32 = 0.0_f32;
                            let whole_11: i32 = 48_i32;
                            let mut i_12: i32 = 0_i32;
                            let (loop3_end, loop3_step): (i32, i32) = (whole_11, 16_i32);
                            'loop_3: while i_12 < loop3_end {
                                'round_3: {
                                    sum_9 = sum_9.add::<I>(&x_p1.load::<16, _>(h::add(h::mul(row_2, 53_i32), i_12)).sub::<I>(&h::V::<_, 16>::splat::<I>(result_8)).map(h::exp::<I, _>));
                                }
                                i_12 = h::add(i_12, loop3_step);
                            }
                            let mut i_13: i32 = whole_11;
                            let (loop4_end, loop4_step): (i32, i32) = (53_i32, 1_i32);
                            'loop_4: while i_13 < loop4_end {
                                'round_4: {
                                    sum_10 = (sum_10 + h::exp::<I, _>((x_p1.at(h::add(h::mul(row_2, 53_i32), i_13)) - result_8)));
                                }
                                i_13 = h::add(i_13, loop4_step);
                            }
                            let result_14: f32 = (sum_9.sum::<I>() + sum_10);
                            let whole_15: i32 = 48_i32;
                            let mut i_16: i32 = 0_i32;
                            let (loop5_end, loop5_step): (i32, i32) = (whole_15, 16_i32);
                            'loop_5: while i_16 < loop5_end {
                                'round_5: {
                                    let e56 = h::add(h::mul(row_2, 53_i32), i_16);
                                    result_p2.store(e56, &x_p1.load::<16, _>(e56).sub::<I>(&h::V::<_, 16>::splat::<I>(result_8)).map(h::exp::<I, _>).mul::<I>(&h::V::<_, 16>::splat::<I>(h::recip::<I, _>(result_14))));
                                }
                                i_16 = h::add(i_16, loop5_step);
                            }
                            let mut i_17: i32 = whole_15;
                            let (loop6_end, loop6_step): (i32, i32) = (53_i32, 1_i32);
                            'loop_6: while i_17 < loop6_end {
                                'round_6: {
                                    let e64 = h::add(h::mul(row_2, 53_i32), i_17);
                                    result_p2.put(e64, (h::exp::<I, _>((x_p1.at(e64) - result_8)) * h::recip::<I, _>(result_14)));
                                }
                                i_17 = h::add(i_17, loop6_step);
                            }
                        }
                        row_2 = h::add(row_2, loop0_step);
                    }
                }
            }
        }
        h::wide_entry::<Kernel>()
    }),
    ("column_softmax_0", {
        // result = exp((x - max(x over 0))) * recip(sum(exp((x - max(x over 0))) over 0))
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f64>(1);
                let result_p2 = args.view::<f64>(2);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 32_i32);
                    let end_1: i32 = h::min(h::add(start_0, 32_i32), 24_i32);
                    let mut i_2: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (end_1, 8_i32);
                    'loop_0: while i_2 < loop0_end {
                        'round_0: {
                            let mut max_3: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(f64::from_bits(18442240474082181120_u64));
                            let mut k_4: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (n_p0, 1_i32);
                            'loop_1: while k_4 < loop1_end {
                                'round_1: {
                                    max_3 = max_3.max::<I>(&x_p1.load::<8, _>(h::add(h::mul(k_4, 24_i32), i_2)));
                                }
                                k_4 = h::add(k_4, loop1_step);
                            }
                            let mut sum_5: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(0.0_f64);
                            let mut sum_total_6: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(0.0_f64);
                            let mut sum_lost_7: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(0.0_f64);
                            let mut first_8: i32 = 0_i32;
                            let (loop2_end, loop2_step): (i32, i32) = (n_p0, 32_i32);
                            'loop_2: while first_8 < loop2_end {
                                'round_2: {
                                    let block_end_9: i32 = h::min(h::add(first_8, 32_i32), n_p0);
                                    let mut k_10: i32 = first_8;
                                    let (loop3_end, loop3_step): (i32, i32) = (block_end_9, 1_i32);
                                    'loop_3: while k_10 < loop3_end {
                                        'round_3: {
                                            sum_5 = sum_5.add::<I>(&x_p1.load::<8, _>(h::add(h::mul(k_10, 24_i32), i_2)).sub::<I>(&max_3).map(h::exp::<I, _>));
                                        }
                                        k_10 = h::add(k_10, loop3_step);
                                    }
                                    let after_11: h::V<f64, 8> = sum_total_6.add::<I>(&sum_5);
                                    let added_12: h::V<f64, 8> = after_11.sub::<I>(&sum_total_6);
                                    sum_lost_7 = sum_lost_7.add::<I>(&sum_total_6.sub::<I>(&after_11.sub::<I>(&added_12)).add::<I>(&sum_5.sub::<I>(&added_12)));
                                    sum_total_6 = after_11;
                                    sum_5 = h::V::<_, 8>::splat::<I>(0.0_f64);
                                }
                                first_8 = h::add(first_8, loop2_step);
                            }
                            sum_5 = { let test = sum_lost_7.sub::<I>(&sum_lost_7).eq::<I>(&h::V::<_, 8>::splat::<I>(0.0_f64)); h::select::<I, _, 8>(&test, &sum_total_6.add::<I>(&sum_lost_7), &sum_total_6) };
                            let mut k_13: i32 = 0_i32;
                            let (loop4_end, loop4_step): (i32, i32) = (n_p0, 1_i32);
                            'loop_4: while k_13 < loop4_end {
                                'round_4: {
                                    let e56 = h::add(h::mul(k_13, 24_i32), i_2);
                                    result_p2.store(e56, &x_p1.load::<8, _>(e56).sub::<I>(&max_3).map(h::exp::<I, _>).mul::<I>(&sum_5.map(h::recip::<I, _>)));
                                }
                                k_13 = h::add(k_13, loop4_step);
                            }
                        }
                        i_2 = h::add(i_2, loop0_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("long_rows_0", {
        // result = (x - sum(x over 1) / 1301) * rsqrt(sum((x - sum(x over 1) / 1301) * (x - sum(x over 1) / 1301) over
        //     1) / 1301) * scale
        // result_1 = exp((x - max(x over 1))) * recip(sum(exp((x - max(x over 1))) over 1))
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let scale_p2 = args.view::<f32>(2);
                let result_p3 = args.view::<f32>(3);
                let result_1_p4 = args.view::<f32>(4);
                for item in items {
                    let id = args.id(item);
                    let first_row_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 3_i32);
                    let end_1: i32 = h::min(h::add(first_row_0, 3_i32), n_p0);
                    let mut row_2: i32 = first_row_0;
                    let (loop0_end, loop0_step): (i32, i32) = (end_1, 1_i32);
                    'loop_0: while row_2 < loop0_end {
                        'round_0: {
                            let mut sum_3: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut max_4: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(f32::from_bits(4286578688_u32));
                            let mut sum_5: f32 = 0.0_f32;
                            let mut max_6: f32 = f32::from_bits(4286578688_u32);
                            let whole_7: i32 = 1296_i32;
                            let mut i_8: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (whole_7, 16_i32);
                            'loop_1: while i_8 < loop1_end {
                                'round_1: {
                                    let t_9: h::V<f32, 16> = x_p1.load::<16, _>(h::add(h::mul(row_2, 1301_i32), i_8));
                                    sum_3 = sum_3.add::<I>(&t_9);
                                    max_4 = max_4.max::<I>(&t_9);
                                }
                                i_8 = h::add(i_8, loop1_step);
                            }
                            let mut i_10: i32 = whole_7;
                            let (loop2_end, loop2_step): (i32, i32) = (1301_i32, 1_i32);
                            'loop_2: while i_10 < loop2_end {
                                'round_2: {
                                    let t_11: f32 = x_p1.at(h::add(h::mul(row_2, 1301_i32), i_10));
                                    sum_5 = (sum_5 + t_11);
                                    max_6 = h::max(max_6, t_11);
                                }
                                i_10 = h::add(i_10, loop2_step);
                            }
                            let result_12: f32 = (sum_3.sum::<I>() + sum_5);
                            let result_13: f32 = h::max(max_4.fold(h::max), max_6);
                            let mut sum_14: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut sum_15: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut sum_16: f32 = 0.0_f32;
                            let mut sum_17: f32 = 0.0_f32;
                            let whole_18: i32 = 1296_i32;
                            let mut i_19: i32 = 0_i32;
                            let (loop3_end, loop3_step): (i32, i32) = (whole_18, 16_i32);
                            'loop_3: while i_19 < loop3_end {
                                'round_3: {
                                    let t_20: h::V<f32, 16> = x_p1.load::<16, _>(h::add(h::mul(row_2, 1301_i32), i_19));
                                    let t_21: h::V<f32, 16> = t_20.sub::<I>(&h::V::<_, 16>::splat::<I>((result_12 / 1301.0_f32)));
                                    sum_14 = sum_14.add::<I>(&t_21.mul::<I>(&t_21));
                                    sum_15 = sum_15.add::<I>(&t_20.sub::<I>(&h::V::<_, 16>::splat::<I>(result_13)).map(h::exp::<I, _>));
                                }
                                i_19 = h::add(i_19, loop3_step);
                            }
                            let mut i_22: i32 = whole_18;
                            let (loop4_end, loop4_step): (i32, i32) = (1301_i32, 1_i32);
                            'loop_4: while i_22 < loop4_end {
                                'round_4: {
                                    let t_23: f32 = x_p1.at(h::add(h::mul(row_2, 1301_i32), i_22));
                                    let t_24: f32 = (t_23 - (result_12 / 1301.0_f32));
                                    sum_16 = (sum_16 + (t_24 * t_24));
                                    sum_17 = (sum_17 + h::exp::<I, _>((t_23 - result_13)));
                                }
                                i_22 = h::add(i_22, loop4_step);
                            }
                            let result_25: f32 = (sum_14.sum::<I>() + sum_16);
                            let result_26: f32 = (sum_15.sum::<I>() + sum_17);
                            let whole_27: i32 = 1296_i32;
                            let mut i_28: i32 = 0_i32;
                            let (loop5_end, loop5_step): (i32, i32) = (whole_27, 16_i32);
                            'loop_5: while i_28 < loop5_end {
                                'round_5: {
                                    let t_29: h::V<f32, 16> = x_p1.load::<16, _>(h::add(h::mul(row_2, 1301_i32), i_28));
                                    result_p3.store(h::add(h::mul(row_2, 1301_i32), i_28), &t_29.sub::<I>(&h::V::<_, 16>::splat::<I>((result_12 / 1301.0_f32))).mul::<I>(&h::V::<_, 16>::splat::<I>(h::rsqrt::<I, _>((result_25 / 1301.0_f32)))).mul::<I>(&scale_p2.load::<16, _>(i_28)));
                                    result_1_p4.store(h::add(h::mul(row_2, 1301_i32), i_28), &t_29.sub::<I>(&h::V::<_, 16>::splat::<I>(result_13)).map(h::exp::<I, _>).mul::<I>(&h::V::<_, 16>::splat::<I>(h::recip::<I, _>(result_26))));
                                }
                                i_28 = h::add(i_28, loop5_step);
                            }
                            let mut i_30: i32 = whole_27;
                            let (loop6_end, loop6_step): (i32, i32) = (1301_i32, 1_i32);
                            'loop_6: while i_30 < loop6_end {
                                'round_6: {
                                    let t_31: f32 = x_p1.at(h::add(h::mul(row_2, 1301_i32), i_30));
                                    result_p3.put(h::add(h::mul(row_2, 1301_i32), i_30), (((t_31 - (result_12 / 1301.0_f32)) * h::rsqrt::<I, _>((result_25 / 1301.0_f32))) * scale_p2.at(i_30)));
                                    result_1_p4.put(h::add(h::mul(row_2, 1301_i32), i_30), (h::exp::<I, _>((t_31 - result_13)) * h::recip::<I, _>(result_26)));
                                }
                                i_30 = h::add(i_30, loop6_step);
                            }
                        }
                        row_2 = h::add(row_2, loop0_step);
                    }
                }
            }
        }
        h::wide_entry::<Kernel>()
    }),
    ("long_reductions_0", {
        // result = sum(x over 0)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f64>(1);
                let result_p2 = args.view::<f64>(2);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 32_i32);
                    let end_1: i32 = h::min(h::add(start_0, 32_i32), 340_i32);
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 8_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 8_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let mut sum_4: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(0.0_f64);
                            let mut sum_total_5: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(0.0_f64);
                            let mut sum_lost_6: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(0.0_f64);
                            let mut first_7: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (n_p0, 32_i32);
                            'loop_1: while first_7 < loop1_end {
                                'round_1: {
                                    let block_end_8: i32 = h::min(h::add(first_7, 32_i32), n_p0);
                                    let mut k_9: i32 = first_7;
                                    let (loop2_end, loop2_step): (i32, i32) = (block_end_8, 1_i32);
                                    'loop_2: while k_9 < loop2_end {
                                        'round_2: {
                                            sum_4 = sum_4.add::<I>(&x_p1.load::<8, _>(h::add(h::mul(k_9, 340_i32), i_3)));
                                        }
                                        k_9 = h::add(k_9, loop2_step);
                                    }
                                    let after_10: h::V<f64, 8> = sum_total_5.add::<I>(&sum_4);
                                    let added_11: h::V<f64, 8> = after_10.sub::<I>(&sum_total_5);
                                    sum_lost_6 = sum_lost_6.add::<I>(&sum_total_5.sub::<I>(&after_10.sub::<I>(&added_11)).add::<I>(&sum_4.sub::<I>(&added_11)));
                                    sum_total_5 = after_10;
                                    sum_4 = h::V::<_, 8>::splat::<I>(0.0_f64);
                                }
                                first_7 = h::add(first_7, loop1_step);
                            }
                            sum_4 = { let test = sum_lost_6.sub::<I>(&sum_lost_6).eq::<I>(&h::V::<_, 8>::splat::<I>(0.0_f64)); h::select::<I, _, 8>(&test, &sum_total_5.add::<I>(&sum_lost_6), &sum_total_5) };
                            result_p2.store(i_3, &sum_4);
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_12: i32 = whole_2;
                    let (loop3_end, loop3_step): (i32, i32) = (end_1, 1_i32);
                    'loop_3: while i_12 < loop3_end {
                        'round_3: {
                            let mut sum_13: f64 = 0.0_f64;
                            let mut sum_total_14: f64 = 0.0_f64;
                            let mut sum_lost_15: f64 = 0.0_f64;
                            let mut first_16: i32 = 0_i32;
                            let (loop4_end, loop4_step): (i32, i32) = (n_p0, 32_i32);
                            'loop_4: while first_16 < loop4_end {
                                'round_4: {
                                    let block_end_17: i32 = h::min(h::add(first_16, 32_i32), n_p0);
                                    let mut k_18: i32 = first_16;
                                    let (loop5_end, loop5_step): (i32, i32) = (block_end_17, 1_i32);
                                    'loop_5: while k_18 < loop5_end {
                                        'round_5: {
                                            sum_13 = (sum_13 + x_p1.at(h::add(h::mul(k_18, 340_i32), i_12)));
                                        }
                                        k_18 = h::add(k_18, loop5_step);
                                    }
                                    let after_19: f64 = (sum_total_14 + sum_13);
                                    let added_20: f64 = (after_19 - sum_total_14);
                                    sum_lost_15 = (sum_lost_15 + ((sum_total_14 - (after_19 - added_20)) + (sum_13 - added_20)));
                                    sum_total_14 = after_19;
                                    sum_13 = 0.0_f64;
                                }
                                first_16 = h::add(first_16, loop4_step);
                            }
                            sum_13 = (if ((sum_lost_15 - sum_lost_15) == 0.0_f64) { (sum_total_14 + sum_lost_15) } else { sum_total_14 });
                            result_p2.put(i_12, sum_13);
                        }
                        i_12 = h::add(i_12, loop3_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("long_reductions_1", {
        // result_1 = min(x over 1)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f64>(1);
                let result_1_p2 = args.view::<f64>(2);
                for item in items {
                    let id = args.id(item);
                    let first_row_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 12_i32);
                    let end_1: i32 = h::min(h::add(first_row_0, 12_i32), n_p0);
                    let mut row_2: i32 = first_row_0;
                    let (loop0_end, loop0_step): (i32, i32) = (end_1, 1_i32);
                    'loop_0: while row_2 < loop0_end {
                        'round_0: {
                            let mut min_3: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(f64::from_bits(9218868437227405312_u64));
                            let mut min_4: f64 = f64::from_bits(9218868437227405312_u64);
                            let whole_5: i32 = 336_i32;
                            let mut i_6: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (whole_5, 8_i32);
                            'loop_1: while i_6 < loop1_end {
                                'round_1: {
                                    min_3 = min_3.min::<I>(&x_p1.load::<8, _>(h::add(h::mul(row_2, 340_i32), i_6)));
                                }
                                i_6 = h::add(i_6, loop1_step);
                            }
                            let mut i_7: i32 = whole_5;
                            let (loop2_end, loop2_step): (i32, i32) = (340_i32, 1_i32);
                            'loop_2: while i_7 < loop2_end {
                                'round_2: {
                                    min_4 = h::min(min_4, x_p1.at(h::add(h::mul(row_2, 340_i32), i_7)));
                                }
                                i_7 = h::add(i_7, loop2_step);
                            }
                            let result_8: f64 = h::min(min_3.fold(h::min), min_4);
                            result_1_p2.put(row_2, result_8);
                        }
                        row_2 = h::add(row_2, loop0_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("long_reductions_2", {
        // result_2 = prod(x)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f64>(1);
                let result_2_p2 = args.view::<f64>(2);
                for item in items {
                    let id = args.id(item);
                    let mut prod_0: h::V<f64, 8> = h::V::<_, 8>::splat::<I>(1.0_f64);
                    let mut prod_1: f64 = 1.0_f64;
                    let e6 = h::mul(n_p0, 340_i32);
                    let whole_2: i32 = h::sub(e6, h::rem(e6, 8_i32));
                    let mut i_3: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 8_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            prod_0 = prod_0.mul::<I>(&x_p1.load::<8, _>(i_3));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_4: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (h::mul(n_p0, 340_i32), 1_i32);
                    'loop_1: while i_4 < loop1_end {
                        'round_1: {
                            prod_1 = (prod_1 * x_p1.at(i_4));
                        }
                        i_4 = h::add(i_4, loop1_step);
                    }
                    let result_5: f64 = (prod_0.fold(h::mul) * prod_1);
                    result_2_p2.put(0_i32, result_5);
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("reductions_0", {
        // result = sum(x over 0)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let result_p2 = args.view::<f32>(2);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 64_i32);
                    let end_1: i32 = h::min(h::add(start_0, 64_i32), 40_i32);
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 16_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 16_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let mut sum_4: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut sum_total_5: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut sum_lost_6: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                            let mut first_7: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (n_p0, 32_i32);
                            'loop_1: while first_7 < loop1_end {
                                'round_1: {
                                    let block_end_8: i32 = h::min(h::add(first_7, 32_i32), n_p0);
                                    let mut k_9: i32 = first_7;
                                    let (loop2_end, loop2_step): (i32, i32) = (block_end_8, 1_i32);
                                    'loop_2: while k_9 < loop2_end {
                                        'round_2: {
                                            sum_4 = sum_4.add::<I>(&x_p1.load::<16, _>(h::add(h::mul(k_9, 40_i32), i_3)));
                                        }
                                        k_9 = h::add(k_9, loop2_step);
                                    }
                                    let after_10: h::V<f32, 16> = sum_total_5.add::<I>(&sum_4);
                                    let added_11: h::V<f32, 16> = after_10.sub::<I>(&sum_total_5);
                                    sum_lost_6 = sum_lost_6.add::<I>(&sum_total_5.sub::<I>(&after_10.sub::<I>(&added_11)).add::<I>(&sum_4.sub::<I>(&added_11)));
                                    sum_total_5 = after_10;
                                    sum_4 = h::V::<_, 16>::splat::<I>(0.0_f32);
                                }
                                first_7 = h::add(first_7, loop1_step);
                            }
                            sum_4 = { let test = sum_lost_6.sub::<I>(&sum_lost_6).eq::<I>(&h::V::<_, 16>::splat::<I>(0.0_f32)); h::select::<I, _, 16>(&test, &sum_total_5.add::<I>(&sum_lost_6), &sum_total_5) };
                            result_p2.store(i_3, &sum_4);
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_12: i32 = whole_2;
                    let (loop3_end, loop3_step): (i32, i32) = (end_1, 1_i32);
                    'loop_3: while i_12 < loop3_end {
                        'round_3: {
                            let mut sum_13: f32 = 0.0_f32;
                            let mut sum_total_14: f32 = 0.0_f32;
                            let mut sum_lost_15: f32 = 0.0_f32;
                            let mut first_16: i32 = 0_i32;
                            let (loop4_end, loop4_step): (i32, i32) = (n_p0, 32_i32);
                            'loop_4: while first_16 < loop4_end {
                                'round_4: {
                                    let block_end_17: i32 = h::min(h::add(first_16, 32_i32), n_p0);
                                    let mut k_18: i32 = first_16;
                                    let (loop5_end, loop5_step): (i32, i32) = (block_end_17, 1_i32);
                                    'loop_5: while k_18 < loop5_end {
                                        'round_5: {
                                            sum_13 = (sum_13 + x_p1.at(h::add(h::mul(k_18, 40_i32), i_12)));
                                        }
                                        k_18 = h::add(k_18, loop5_step);
                                    }
                                    let after_19: f32 = (sum_total_14 + sum_13);
                                    let added_20: f32 = (after_19 - sum_total_14);
                                    sum_lost_15 = (sum_lost_15 + ((sum_total_14 - (after_19 - added_20)) + (sum_13 - added_20)));
                                    sum_total_14 = after_19;
                                    sum_13 = 0.0_f32;
                                }
                                first_16 = h::add(first_16, loop4_step);
                            }
                            sum_13 = (if ((sum_lost_15 - sum_lost_15) == 0.0_f32) { (sum_total_14 + sum_lost_15) } else { sum_total_14 });
                            result_p2.put(i_12, sum_13);
                        }
                        i_12 = h::add(i_12, loop3_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("reductions_1", {
        // result_1 = max(x over 1)
        // result_2 = prod(x over 1)
        // result_3 = argmin(x over 1)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let result_1_p2 = args.view::<f32>(2);
                let result_2_p3 = args.view::<f32>(3);
                let result_3_p4 = args.view::<i32>(4);
                for item in items {
                    let id = args.id(item);
                    let first_row_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 102_i32);
                    let end_1: i32 = h::min(h::add(first_row_0, 102_i32), n_p0);
                    let mut row_2: i32 = first_row_0;
                    let (loop0_end, loop0_step): (i32, i32) = (end_1, 1_i32);
                    'loop_0: while row_2 < loop0_end {
                        'round_0: {
                            let mut max_3: f32 = f32::from_bits(4286578688_u32);
                            let mut prod_4: f32 = 1.0_f32;
                            let mut argmin_5: f32 = f32::from_bits(2139095040_u32);
                            let mut argmin_at_6: i32 = 0_i32;
                            let mut i_7: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (40_i32, 1_i32);
                            'loop_1: while i_7 < loop1_end {
                                'round_1: {
                                    let t_8: f32 = x_p1.at(h::add(h::mul(row_2, 40_i32), i_7));
                                    max_3 = h::max(max_3, t_8);
                                    prod_4 = (prod_4 * t_8);
                                    let wins_9: bool = h::or((t_8 < argmin_5), h::and((t_8 != t_8), (argmin_5 == argmin_5)));
                                    argmin_5 = (if wins_9 { t_8 } else { argmin_5 });
                                    argmin_at_6 = (if wins_9 { i_7 } else { argmin_at_6 });
                                }
                                i_7 = h::add(i_7, loop1_step);
                            }
                            result_1_p2.put(row_2, max_3);
                            result_2_p3.put(row_2, prod_4);
                            result_3_p4.put(row_2, argmin_at_6);
                        }
                        row_2 = h::add(row_2, loop0_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("reductions_2", {
        // result_4 = sum(x)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let result_4_p2 = args.view::<f32>(2);
                for item in items {
                    let id = args.id(item);
                    let mut sum_0: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                    let mut sum_total_1: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                    let mut sum_lost_2: h::V<f32, 16> = h::V::<_, 16>::splat::<I>(0.0_f32);
                    let mut sum_3: f32 = 0.0_f32;
                    let e6 = h::mul(n_p0, 40_i32);
                    let whole_4: i32 = h::sub(e6, h::rem(e6, 16_i32));
                    let mut first_5: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_4, 512_i32);
                    'loop_0: while first_5 < loop0_end {
                        'round_0: {
                            let block_end_6: i32 = h::min(h::add(first_5, 512_i32), whole_4);
                            let mut i_7: i32 = first_5;
                            let (loop1_end, loop1_step): (i32, i32) = (block_end_6, 16_i32);
                            'loop_1: while i_7 < loop1_end {
                                'round_1: {
                                    sum_0 = sum_0.add::<I>(&x_p1.load::<16, _>(i_7));
                                }
                                i_7 = h::add(i_7, loop1_step);
                            }
                            let after_8: h::V<f32, 16> = sum_total_1.add::<I>(&sum_0);
                            let added_9: h::V<f32, 16> = after_8.sub::<I>(&sum_total_1);
                            sum_lost_2 = sum_lost_2.add::<I>(&sum_total_1.sub::<I>(&after_8.sub::<I>(&added_9)).add::<I>(&sum_0.sub::<I>(&added_9)));
                            sum_total_1 = after_8;
                            sum_0 = h::V::<_, 16>::splat::<I>(0.0_f32);
                        }
                        first_5 = h::add(first_5, loop0_step);
                    }
                    let mut i_10: i32 = whole_4;
                    let (loop2_end, loop2_step): (i32, i32) = (h::mul(n_p0, 40_i32), 1_i32);
                    'loop_2: while i_10 < loop2_end {
                        'round_2: {
                            sum_3 = (sum_3 + x_p1.at(i_10));
                        }
                        i_10 = h::add(i_10, loop2_step);
                    }
                    sum_0 = { let test = sum_lost_2.sub::<I>(&sum_lost_2).eq::<I>(&h::V::<_, 16>::splat::<I>(0.0_f32)); h::select::<I, _, 16>(&test, &sum_total_1.add::<I>(&sum_lost_2), &sum_total_1) };
                    let result_11: f32 = (sum_0.sum::<I>() + sum_3);
                    result_4_p2.put(0_i32, result_11);
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("noise_0", {
        // result = random(seed) * x
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let seed_p1 = args.number::<u32>(1);
                let x_p2 = args.view::<f32>(2);
                let result_p3 = args.view::<f32>(3);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 4096_i32);
                    let end_1: i32 = h::min(h::add(start_0, 4096_i32), h::mul(n_p0, 19_i32));
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 16_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 16_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            result_p3.store(i_3, &{ let seed = seed_p1; h::V::<_, 16>::splat::<I>(i_3).add::<I>(&h::lane_ids::<i32, 16>()).map(h::cast::<i32, u32>).map(|counter| h::philox(counter, seed, 0)) }.mul::<I>(&x_p2.load::<16, _>(i_3)));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_4: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (end_1, 1_i32);
                    'loop_1: while i_4 < loop1_end {
                        'round_1: {
                            result_p3.put(i_4, (h::philox(h::cast::<i32, u32>(i_4), seed_p1, 0) * x_p2.at(i_4)));
                        }
                        i_4 = h::add(i_4, loop1_step);
                    }
                }
            }
        }
        h::wide_entry::<Kernel>()
    }),
    ("lookup_0", {
        // result = gather(table, indices)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let indices_p1 = args.view::<i32>(1);
                let table_p2 = args.view::<f32>(2);
                let result_p3 = args.view::<f32>(3);
                for item in items {
                    let id = args.id(item);
                    let first_row_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 204_i32);
                    let end_1: i32 = h::min(h::add(first_row_0, 204_i32), n_p0);
                    let mut row_2: i32 = first_row_0;
                    let (loop0_end, loop0_step): (i32, i32) = (end_1, 1_i32);
                    'loop_0: while row_2 < loop0_end {
                        'round_0: {
                            let whole_3: i32 = 16_i32;
                            let mut i_4: i32 = 0_i32;
                            let (loop1_end, loop1_step): (i32, i32) = (whole_3, 16_i32);
                            'loop_1: while i_4 < loop1_end {
                                'round_1: {
                                    let t_5: i32 = indices_p1.at(row_2);
                                    let t_6: bool = h::and((t_5 >= 0_i32), (t_5 < 90_i32));
                                    result_p3.store(h::add(h::mul(row_2, 20_i32), i_4), &(if t_6 {  table_p2.load::<16, _>((if t_6 { h::add(h::mul(t_5, 20_i32), i_4) } else { 0_i32 })) } else { h::V::<_, 16>::splat::<I>(0.0_f32) }));
                                }
                                i_4 = h::add(i_4, loop1_step);
                            }
                            let mut i_7: i32 = whole_3;
                            let (loop2_end, loop2_step): (i32, i32) = (20_i32, 1_i32);
                            'loop_2: while i_7 < loop2_end {
                                'round_2: {
                                    let t_8: i32 = indices_p1.at(row_2);
                                    let t_9: bool = h::and((t_8 >= 0_i32), (t_8 < 90_i32));
                                    result_p3.put(h::add(h::mul(row_2, 20_i32), i_7), (if t_9 {  table_p2.at((if t_9 { h::add(h::mul(t_8, 20_i32), i_7) } else { 0_i32 })) } else { 0.0_f32 }));
                                }
                                i_7 = h::add(i_7, loop2_step);
                            }
                        }
                        row_2 = h::add(row_2, loop0_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("functions_f32_0", {
        // result = neg(x)
        // result_1 = abs(x)
        // result_2 = sign(x)
        // result_3 = exp(x)
        // result_4 = exp2(x)
        // result_5 = log(x)
        // result_6 = log2(x)
        // result_7 = log1p(x)
        // result_8 = expm1(x)
        // result_9 = sqrt(x)
        // result_10 = rsqrt(x)
        // result_11 = sin(x)
        // result_12 = cos(x)
        // result_13 = tan(x)
        // result_14 = tanh(x)
        // result_15 = erf(x)
        // result_16 = floor(x)
        // result_17 = ceil(x)
        // result_18 = round(x)
        // result_19 = recip(x)
        // result_20 = (x + y)
        // result_21 = (x - y)
        // result_22 = x * y
        // result_23 = x / y
        // result_24 = rem(x, y)
        // result_25 = pow(x, y)
        // result_26 = max(x, y)
        // result_27 = min(x, y)
        // result_28 = atan2(x, y)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let y_p2 = args.view::<f32>(2);
                let result_p3 = args.view::<f32>(3);
                let result_1_p4 = args.view::<f32>(4);
                let result_2_p5 = args.view::<f32>(5);
                let result_3_p6 = args.view::<f32>(6);
                let result_4_p7 = args.view::<f32>(7);
                let result_5_p8 = args.view::<f32>(8);
                let result_6_p9 = args.view::<f32>(9);
                let result_7_p10 = args.view::<f32>(10);
                let result_8_p11 = args.view::<f32>(11);
                let result_9_p12 = args.view::<f32>(12);
                let result_10_p13 = args.view::<f32>(13);
                let result_11_p14 = args.view::<f32>(14);
                let result_12_p15 = args.view::<f32>(15);
                let result_13_p16 = args.view::<f32>(16);
                let result_14_p17 = args.view::<f32>(17);
                let result_15_p18 = args.view::<f32>(18);
                let result_16_p19 = args.view::<f32>(19);
                let result_17_p20 = args.view::<f32>(20);
                let result_18_p21 = args.view::<f32>(21);
                let result_19_p22 = args.view::<f32>(22);
                let result_20_p23 = args.view::<f32>(23);
                let result_21_p24 = args.view::<f32>(24);
                let result_22_p25 = args.view::<f32>(25);
                let result_23_p26 = args.view::<f32>(26);
                let result_24_p27 = args.view::<f32>(27);
                let result_25_p28 = args.view::<f32>(28);
                let result_26_p29 = args.view::<f32>(29);
                let result_27_p30 = args.view::<f32>(30);
                let result_28_p31 = args.view::<f32>(31);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 4096_i32);
                    let end_1: i32 = h::min(h::add(start_0, 4096_i32), h::mul(n_p0, 17_i32));
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 16_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 16_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let t_4: h::V<f32, 16> = x_p1.load::<16, _>(i_3);
                            let t_5: h::V<f32, 16> = y_p2.load::<16, _>(i_3);
                            result_p3.store(i_3, &t_4.neg::<I>());
                            result_1_p4.store(i_3, &t_4.map(h::abs));
                            result_2_p5.store(i_3, &t_4.map(h::sign));
                            result_3_p6.store(i_3, &t_4.map(h::exp::<I, _>));
                            result_4_p7.store(i_3, &t_4.map(h::exp2::<I, _>));
                            result_5_p8.store(i_3, &t_4.map(h::log::<I, _>));
                            result_6_p9.store(i_3, &t_4.map(h::log2::<I, _>));
                            result_7_p10.store(i_3, &t_4.map(h::log1p::<I, _>));
                            result_8_p11.store(i_3, &t_4.map(h::expm1::<I, _>));
                            result_9_p12.store(i_3, &t_4.map(h::sqrt::<I, _>));
                            result_10_p13.store(i_3, &t_4.map(h::rsqrt::<I, _>));
                            result_11_p14.store(i_3, &h::sin_lanes::<I, _, 16>(&t_4));
                            result_12_p15.store(i_3, &h::cos_lanes::<I, _, 16>(&t_4));
                            result_13_p16.store(i_3, &h::tan_lanes::<I, _, 16>(&t_4));
                            result_14_p17.store(i_3, &t_4.map(h::tanh::<I, _>));
                            result_15_p18.store(i_3, &t_4.map(h::erf::<I, _>));
                            result_16_p19.store(i_3, &t_4.map(h::floor::<I, _>));
                            result_17_p20.store(i_3, &t_4.map(h::ceil::<I, _>));
                            result_18_p21.store(i_3, &t_4.map(h::round::<I, _>));
                            result_19_p22.store(i_3, &t_4.map(h::recip::<I, _>));
                            result_20_p23.store(i_3, &t_4.add::<I>(&t_5));
                            result_21_p24.store(i_3, &t_4.sub::<I>(&t_5));
                            result_22_p25.store(i_3, &t_4.mul::<I>(&t_5));
                            result_23_p26.store(i_3, &t_4.div::<I>(&t_5));
                            result_24_p27.store(i_3, &t_4.zip(&t_5, h::rem));
                            result_25_p28.store(i_3, &t_4.zip(&t_5, h::pow::<I, _>));
                            result_26_p29.store(i_3, &t_4.max::<I>(&t_5));
                            result_27_p30.store(i_3, &t_4.min::<I>(&t_5));
                            result_28_p31.store(i_3, &t_4.zip(&t_5, h::atan2));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_6: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (end_1, 1_i32);
                    'loop_1: while i_6 < loop1_end {
                        'round_1: {
                            let t_7: f32 = x_p1.at(i_6);
                            let t_8: f32 = y_p2.at(i_6);
                            result_p3.put(i_6, h::neg(t_7));
                            result_1_p4.put(i_6, h::abs(t_7));
                            result_2_p5.put(i_6, h::sign(t_7));
                            result_3_p6.put(i_6, h::exp::<I, _>(t_7));
                            result_4_p7.put(i_6, h::exp2::<I, _>(t_7));
                            result_5_p8.put(i_6, h::log::<I, _>(t_7));
                            result_6_p9.put(i_6, h::log2::<I, _>(t_7));
                            result_7_p10.put(i_6, h::log1p::<I, _>(t_7));
                            result_8_p11.put(i_6, h::expm1::<I, _>(t_7));
                            result_9_p12.put(i_6, h::sqrt::<I, _>(t_7));
                            result_10_p13.put(i_6, h::rsqrt::<I, _>(t_7));
                            result_11_p14.put(i_6, h::sin::<I, _>(t_7));
                            result_12_p15.put(i_6, h::cos::<I, _>(t_7));
                            result_13_p16.put(i_6, h::tan::<I, _>(t_7));
                            result_14_p17.put(i_6, h::tanh::<I, _>(t_7));
                            result_15_p18.put(i_6, h::erf::<I, _>(t_7));
                            result_16_p19.put(i_6, h::floor::<I, _>(t_7));
                            result_17_p20.put(i_6, h::ceil::<I, _>(t_7));
                            result_18_p21.put(i_6, h::round::<I, _>(t_7));
                            result_19_p22.put(i_6, h::recip::<I, _>(t_7));
                            result_20_p23.put(i_6, (t_7 + t_8));
                            result_21_p24.put(i_6, (t_7 - t_8));
                            result_22_p25.put(i_6, (t_7 * t_8));
                            result_23_p26.put(i_6, (t_7 / t_8));
                            result_24_p27.put(i_6, h::rem(t_7, t_8));
                            result_25_p28.put(i_6, h::pow::<I, _>(t_7, t_8));
                            result_26_p29.put(i_6, h::max(t_7, t_8));
                            result_27_p30.put(i_6, h::min(t_7, t_8));
                            result_28_p31.put(i_6, h::atan2(t_7, t_8));
                        }
                        i_6 = h::add(i_6, loop1_step);
                    }
                }
            }
        }
        h::wide_entry::<Kernel>()
    }),
    ("functions_f64_0", {
        // result = neg(x)
        // result_1 = abs(x)
        // result_2 = sign(x)
        // result_3 = exp(x)
        // result_4 = exp2(x)
        // result_5 = log(x)
        // result_6 = log2(x)
        // result_7 = log1p(x)
        // result_8 = expm1(x)
        // result_9 = sqrt(x)
        // result_10 = rsqrt(x)
        // result_11 = sin(x)
        // result_12 = cos(x)
        // result_13 = tan(x)
        // result_14 = tanh(x)
        // result_15 = erf(x)
        // result_16 = floor(x)
        // result_17 = ceil(x)
        // result_18 = round(x)
        // result_19 = recip(x)
        // result_20 = (x + y)
        // result_21 = (x - y)
        // result_22 = x * y
        // result_23 = x / y
        // result_24 = rem(x, y)
        // result_25 = pow(x, y)
        // result_26 = max(x, y)
        // result_27 = min(x, y)
        // result_28 = atan2(x, y)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f64>(1);
                let y_p2 = args.view::<f64>(2);
                let result_p3 = args.view::<f64>(3);
                let result_1_p4 = args.view::<f64>(4);
                let result_2_p5 = args.view::<f64>(5);
                let result_3_p6 = args.view::<f64>(6);
                let result_4_p7 = args.view::<f64>(7);
                let result_5_p8 = args.view::<f64>(8);
                let result_6_p9 = args.view::<f64>(9);
                let result_7_p10 = args.view::<f64>(10);
                let result_8_p11 = args.view::<f64>(11);
                let result_9_p12 = args.view::<f64>(12);
                let result_10_p13 = args.view::<f64>(13);
                let result_11_p14 = args.view::<f64>(14);
                let result_12_p15 = args.view::<f64>(15);
                let result_13_p16 = args.view::<f64>(16);
                let result_14_p17 = args.view::<f64>(17);
                let result_15_p18 = args.view::<f64>(18);
                let result_16_p19 = args.view::<f64>(19);
                let result_17_p20 = args.view::<f64>(20);
                let result_18_p21 = args.view::<f64>(21);
                let result_19_p22 = args.view::<f64>(22);
                let result_20_p23 = args.view::<f64>(23);
                let result_21_p24 = args.view::<f64>(24);
                let result_22_p25 = args.view::<f64>(25);
                let result_23_p26 = args.view::<f64>(26);
                let result_24_p27 = args.view::<f64>(27);
                let result_25_p28 = args.view::<f64>(28);
                let result_26_p29 = args.view::<f64>(29);
                let result_27_p30 = args.view::<f64>(30);
                let result_28_p31 = args.view::<f64>(31);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 4096_i32);
                    let end_1: i32 = h::min(h::add(start_0, 4096_i32), h::mul(n_p0, 17_i32));
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 8_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 8_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let t_4: h::V<f64, 8> = x_p1.load::<8, _>(i_3);
                            let t_5: h::V<f64, 8> = y_p2.load::<8, _>(i_3);
                            result_p3.store(i_3, &t_4.neg::<I>());
                            result_1_p4.store(i_3, &t_4.map(h::abs));
                            result_2_p5.store(i_3, &t_4.map(h::sign));
                            result_3_p6.store(i_3, &t_4.map(h::exp::<I, _>));
                            result_4_p7.store(i_3, &t_4.map(h::exp2::<I, _>));
                            result_5_p8.store(i_3, &t_4.map(h::log::<I, _>));
                            result_6_p9.store(i_3, &t_4.map(h::log2::<I, _>));
                            result_7_p10.store(i_3, &t_4.map(h::log1p::<I, _>));
                            result_8_p11.store(i_3, &t_4.map(h::expm1::<I, _>));
                            result_9_p12.store(i_3, &t_4.map(h::sqrt::<I, _>));
                            result_10_p13.store(i_3, &t_4.map(h::rsqrt::<I, _>));
                            result_11_p14.store(i_3, &h::sin_lanes::<I, _, 8>(&t_4));
                            result_12_p15.store(i_3, &h::cos_lanes::<I, _, 8>(&t_4));
                            result_13_p16.store(i_3, &h::tan_lanes::<I, _, 8>(&t_4));
                            result_14_p17.store(i_3, &t_4.map(h::tanh::<I, _>));
                            result_15_p18.store(i_3, &t_4.map(h::erf::<I, _>));
                            result_16_p19.store(i_3, &t_4.map(h::floor::<I, _>));
                            result_17_p20.store(i_3, &t_4.map(h::ceil::<I, _>));
                            result_18_p21.store(i_3, &t_4.map(h::round::<I, _>));
                            result_19_p22.store(i_3, &t_4.map(h::recip::<I, _>));
                            result_20_p23.store(i_3, &t_4.add::<I>(&t_5));
                            result_21_p24.store(i_3, &t_4.sub::<I>(&t_5));
                            result_22_p25.store(i_3, &t_4.mul::<I>(&t_5));
                            result_23_p26.store(i_3, &t_4.div::<I>(&t_5));
                            result_24_p27.store(i_3, &t_4.zip(&t_5, h::rem));
                            result_25_p28.store(i_3, &t_4.zip(&t_5, h::pow::<I, _>));
                            result_26_p29.store(i_3, &t_4.max::<I>(&t_5));
                            result_27_p30.store(i_3, &t_4.min::<I>(&t_5));
                            result_28_p31.store(i_3, &t_4.zip(&t_5, h::atan2));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_6: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (end_1, 1_i32);
                    'loop_1: while i_6 < loop1_end {
                        'round_1: {
                            let t_7: f64 = x_p1.at(i_6);
                            let t_8: f64 = y_p2.at(i_6);
                            result_p3.put(i_6, h::neg(t_7));
                            result_1_p4.put(i_6, h::abs(t_7));
                            result_2_p5.put(i_6, h::sign(t_7));
                            result_3_p6.put(i_6, h::exp::<I, _>(t_7));
                            result_4_p7.put(i_6, h::exp2::<I, _>(t_7));
                            result_5_p8.put(i_6, h::log::<I, _>(t_7));
                            result_6_p9.put(i_6, h::log2::<I, _>(t_7));
                            result_7_p10.put(i_6, h::log1p::<I, _>(t_7));
                            result_8_p11.put(i_6, h::expm1::<I, _>(t_7));
                            result_9_p12.put(i_6, h::sqrt::<I, _>(t_7));
                            result_10_p13.put(i_6, h::rsqrt::<I, _>(t_7));
                            result_11_p14.put(i_6, h::sin::<I, _>(t_7));
                            result_12_p15.put(i_6, h::cos::<I, _>(t_7));
                            result_13_p16.put(i_6, h::tan::<I, _>(t_7));
                            result_14_p17.put(i_6, h::tanh::<I, _>(t_7));
                            result_15_p18.put(i_6, h::erf::<I, _>(t_7));
                            result_16_p19.put(i_6, h::floor::<I, _>(t_7));
                            result_17_p20.put(i_6, h::ceil::<I, _>(t_7));
                            result_18_p21.put(i_6, h::round::<I, _>(t_7));
                            result_19_p22.put(i_6, h::recip::<I, _>(t_7));
                            result_20_p23.put(i_6, (t_7 + t_8));
                            result_21_p24.put(i_6, (t_7 - t_8));
                            result_22_p25.put(i_6, (t_7 * t_8));
                            result_23_p26.put(i_6, (t_7 / t_8));
                            result_24_p27.put(i_6, h::rem(t_7, t_8));
                            result_25_p28.put(i_6, h::pow::<I, _>(t_7, t_8));
                            result_26_p29.put(i_6, h::max(t_7, t_8));
                            result_27_p30.put(i_6, h::min(t_7, t_8));
                            result_28_p31.put(i_6, h::atan2(t_7, t_8));
                        }
                        i_6 = h::add(i_6, loop1_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("conversions_0", {
        // result_14 = x * 1000000000
        // result = result_14
        // result_1 = result
        // result_2 = result_14
        // result_3 = result_2
        // result_4 = result_14
        // result_5 = result_4
        // result_6 = result_14
        // result_7 = result_6
        // result_8 = result_14
        // result_9 = result_8
        // result_10 = result_14
        // result_11 = result_10
        // result_12 = result_14
        // result_13 = result_12
        // result_15 = result_14
        // result_16 = result_15
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<f32>(1);
                let result_14_p2 = args.view::<f32>(2);
                let result_p3 = args.view::<bool>(3);
                let result_1_p4 = args.view::<f32>(4);
                let result_2_p5 = args.view::<u8>(5);
                let result_3_p6 = args.view::<f32>(6);
                let result_4_p7 = args.view::<i32>(7);
                let result_5_p8 = args.view::<f32>(8);
                let result_6_p9 = args.view::<u32>(9);
                let result_7_p10 = args.view::<f32>(10);
                let result_8_p11 = args.view::<i64>(11);
                let result_9_p12 = args.view::<f32>(12);
                let result_10_p13 = args.view::<h::F16>(13);
                let result_11_p14 = args.view::<f32>(14);
                let result_12_p15 = args.view::<h::Bf16>(15);
                let result_13_p16 = args.view::<f32>(16);
                let result_15_p17 = args.view::<f64>(17);
                let result_16_p18 = args.view::<f32>(18);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 4096_i32);
                    let end_1: i32 = h::min(h::add(start_0, 4096_i32), h::mul(n_p0, 18_i32));
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 8_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 8_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let t_4: h::V<f32, 8> = x_p1.load::<8, _>(i_3).mul::<I>(&h::V::<_, 8>::splat::<I>(1000000000.0_f32));
                            result_14_p2.store(i_3, &t_4);
                            result_p3.store(i_3, &t_4.map(h::cast::<f32, bool>));
                            result_1_p4.store(i_3, &t_4.map(h::cast::<f32, bool>).map(h::cast::<bool, f32>));
                            result_2_p5.store(i_3, &t_4.map(h::cast::<f32, u8>));
                            result_3_p6.store(i_3, &t_4.map(h::cast::<f32, u8>).map(h::cast::<u8, f32>));
                            result_4_p7.store(i_3, &t_4.map(h::cast::<f32, i32>));
                            result_5_p8.store(i_3, &t_4.map(h::cast::<f32, i32>).map(h::cast::<i32, f32>));
                            result_6_p9.store(i_3, &t_4.map(h::cast::<f32, u32>));
                            result_7_p10.store(i_3, &t_4.map(h::cast::<f32, u32>).map(h::cast::<u32, f32>));
                            result_8_p11.store(i_3, &t_4.map(h::cast::<f32, i64>));
                            result_9_p12.store(i_3, &t_4.map(h::cast::<f32, i64>).map(h::cast::<i64, f32>));
                            result_10_p13.store(i_3, &t_4);
                            result_11_p14.store(i_3, &t_4.map(h::rounded::<h::F16>));
                            result_12_p15.store(i_3, &t_4);
                            result_13_p16.store(i_3, &t_4.map(h::rounded::<h::Bf16>));
                            result_15_p17.store(i_3, &t_4.map(h::cast::<f32, f64>));
                            result_16_p18.store(i_3, &t_4.map(h::cast::<f32, f64>).map(h::cast::<f64, f32>));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_5: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (end_1, 1_i32);
                    'loop_1: while i_5 < loop1_end {
                        'round_1: {
                            let t_6: f32 = (x_p1.at(i_5) * 1000000000.0_f32);
                            result_14_p2.put(i_5, t_6);
                            result_p3.put(i_5, h::cast::<f32, bool>(t_6));
                            result_1_p4.put(i_5, h::cast::<bool, f32>(h::cast::<f32, bool>(t_6)));
                            result_2_p5.put(i_5, h::cast::<f32, u8>(t_6));
                            result_3_p6.put(i_5, h::cast::<u8, f32>(h::cast::<f32, u8>(t_6)));
                            result_4_p7.put(i_5, h::cast::<f32, i32>(t_6));
                            result_5_p8.put(i_5, h::cast::<i32, f32>(h::cast::<f32, i32>(t_6)));
                            result_6_p9.put(i_5, h::cast::<f32, u32>(t_6));
                            result_7_p10.put(i_5, h::cast::<u32, f32>(h::cast::<f32, u32>(t_6)));
                            result_8_p11.put(i_5, h::cast::<f32, i64>(t_6));
                            result_9_p12.put(i_5, h::cast::<i64, f32>(h::cast::<f32, i64>(t_6)));
                            result_10_p13.put(i_5, t_6);
                            result_11_p14.put(i_5, h::rounded::<h::F16>(t_6));
                            result_12_p15.put(i_5, t_6);
                            result_13_p16.put(i_5, h::rounded::<h::Bf16>(t_6));
                            result_15_p17.put(i_5, h::cast::<f32, f64>(t_6));
                            result_16_p18.put(i_5, h::cast::<f64, f32>(h::cast::<f32, f64>(t_6)));
                        }
                        i_5 = h::add(i_5, loop1_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("integers_0", {
        // result = ((x > 0) ? x : y)
        // result_1 = abs(x)
        // result_2 = (x + y)
        // result_3 = (x - y)
        // result_4 = x * y
        // result_5 = x / y
        // result_6 = rem(x, y)
        // result_7 = max(x, y)
        // result_8 = min(x, y)
        // result_9 = and(x, y)
        // result_10 = or(x, y)
        // result_11 = xor(x, y)
        // result_12 = shl(x, y)
        // result_13 = shr(x, y)
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let n_p0 = args.number::<i32>(0);
                let x_p1 = args.view::<i32>(1);
                let y_p2 = args.view::<i32>(2);
                let result_p3 = args.view::<i32>(3);
                let result_1_p4 = args.view::<i32>(4);
                let result_2_p5 = args.view::<i32>(5);
                let result_3_p6 = args.view::<i32>(6);
                let result_4_p7 = args.view::<i32>(7);
                let result_5_p8 = args.view::<i32>(8);
                let result_6_p9 = args.view::<i32>(9);
                let result_7_p10 = args.view::<i32>(10);
                let result_8_p11 = args.view::<i32>(11);
                let result_9_p12 = args.view::<i32>(12);
                let result_10_p13 = args.view::<i32>(13);
                let result_11_p14 = args.view::<i32>(14);
                let result_12_p15 = args.view::<i32>(15);
                let result_13_p16 = args.view::<i32>(16);
                for item in items {
                    let id = args.id(item);
                    let start_0: i32 = h::mul(h::cast::<u32, i32>(id[0]), 4096_i32);
                    let end_1: i32 = h::min(h::add(start_0, 4096_i32), h::mul(n_p0, 21_i32));
                    let whole_2: i32 = h::sub(end_1, h::rem(h::sub(end_1, start_0), 16_i32));
                    let mut i_3: i32 = start_0;
                    let (loop0_end, loop0_step): (i32, i32) = (whole_2, 16_i32);
                    'loop_0: while i_3 < loop0_end {
                        'round_0: {
                            let t_4: h::V<i32, 16> = x_p1.load::<16, _>(i_3);
                            let t_5: h::V<i32, 16> = y_p2.load::<16, _>(i_3);
                            let t_6: h::V<bool, 16> = t_5.eq::<I>(&h::V::<_, 16>::splat::<I>(0_i32));
                            let t_7: h::V<i32, 16> = { let test = t_6; h::select::<I, _, 16>(&test, &h::V::<_, 16>::splat::<I>(1_i32), &t_5) };
                            result_p3.store(i_3, &{ let test = t_4.gt::<I>(&h::V::<_, 16>::splat::<I>(0_i32)); h::select::<I, _, 16>(&test, &t_4, &t_5) });
                            result_1_p4.store(i_3, &t_4.map(h::abs));
                            result_2_p5.store(i_3, &t_4.add::<I>(&t_5));
                            result_3_p6.store(i_3, &t_4.sub::<I>(&t_5));
                            result_4_p7.store(i_3, &t_4.mul::<I>(&t_5));
                            result_5_p8.store(i_3, &{ let test = t_6; h::select::<I, _, 16>(&test, &h::V::<_, 16>::splat::<I>(0_i32), &t_4.div::<I>(&t_7)) });
                            result_6_p9.store(i_3, &{ let test = t_6; h::select::<I, _, 16>(&test, &h::V::<_, 16>::splat::<I>(0_i32), &t_4.zip(&t_7, h::rem)) });
                            result_7_p10.store(i_3, &t_4.max::<I>(&t_5));
                            result_8_p11.store(i_3, &t_4.min::<I>(&t_5));
                            result_9_p12.store(i_3, &t_4.zip(&t_5, h::and));
                            result_10_p13.store(i_3, &t_4.zip(&t_5, h::or));
                            result_11_p14.store(i_3, &t_4.zip(&t_5, h::xor));
                            result_12_p15.store(i_3, &t_4.zip(&t_5, h::shl));
                            result_13_p16.store(i_3, &t_4.zip(&t_5, h::shr));
                        }
                        i_3 = h::add(i_3, loop0_step);
                    }
                    let mut i_8: i32 = whole_2;
                    let (loop1_end, loop1_step): (i32, i32) = (end_1, 1_i32);
                    'loop_1: while i_8 < loop1_end {
                        'round_1: {
                            let t_9: i32 = x_p1.at(i_8);
                            let t_10: i32 = y_p2.at(i_8);
                            let t_11: bool = (t_10 == 0_i32);
                            let t_12: i32 = (if t_11 { 1_i32 } else { t_10 });
                            result_p3.put(i_8, (if (t_9 > 0_i32) { t_9 } else { t_10 }));
                            result_1_p4.put(i_8, h::abs(t_9));
                            result_2_p5.put(i_8, h::add(t_9, t_10));
                            result_3_p6.put(i_8, h::sub(t_9, t_10));
                            result_4_p7.put(i_8, h::mul(t_9, t_10));
                            result_5_p8.put(i_8, (if t_11 { 0_i32 } else { h::div(t_9, t_12) }));
                            result_6_p9.put(i_8, (if t_11 { 0_i32 } else { h::rem(t_9, t_12) }));
                            result_7_p10.put(i_8, h::max(t_9, t_10));
                            result_8_p11.put(i_8, h::min(t_9, t_10));
                            result_9_p12.put(i_8, h::and(t_9, t_10));
                            result_10_p13.put(i_8, h::or(t_9, t_10));
                            result_11_p14.put(i_8, h::xor(t_9, t_10));
                            result_12_p15.put(i_8, h::shl(t_9, t_10));
                            result_13_p16.put(i_8, h::shr(t_9, t_10));
                        }
                        i_8 = h::add(i_8, loop1_step);
                    }
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("collatz", {
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let out_p0 = args.view::<i32>(0);
                for item in items {
                    let id = args.id(item);
                    let mut n_0: i32 = h::add(h::cast::<u32, i32>(id[0]), 1_i32);
                    let mut steps_1: i32 = 0_i32;
                    let mut round_2: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (1000_i32, 1_i32);
                    'loop_0: while round_2 < loop0_end {
                        'round_0: {
                            if (n_0 <= 1_i32) {
                                break 'loop_0;
                            }
                            steps_1 = h::add(steps_1, 1_i32);
                            if (h::rem(n_0, 2_i32) == 0_i32) {
                                n_0 = h::div(n_0, 2_i32);
                                break 'round_0;
                            }
                            n_0 = h::add(h::mul(n_0, 3_i32), 1_i32);
                        }
                        round_2 = h::add(round_2, loop0_step);
                    }
                    out_p0.put(h::cast::<u32, i32>(id[0]), steps_1);
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("neighbours", {
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let x_p0 = args.view::<f32>(0);
                let out_p1 = args.view::<f32>(1);
                let n_p2 = args.number::<u32>(2);
                for item in items {
                    let id = args.id(item);
                    let mut own_a0 = [0 as f32; 3];
                    let e8 = h::sub(h::cast::<u32, i32>(id[0]), 1_i32);
                    let (index, value) = (0_i32, (if h::and((e8 >= 0_i32), (e8 < h::cast::<u32, i32>(n_p2))) {  x_p0.at(e8) } else { (-1.0_f32) }));
                    h::array_put(&mut own_a0, index, value, 3, args.faults());
                    let e3 = h::cast::<u32, i32>(id[0]);
                    let (index, value) = (1_i32, (if h::and((e3 >= 0_i32), (e3 < h::cast::<u32, i32>(n_p2))) {  x_p0.at(e3) } else { (-1.0_f32) }));
                    h::array_put(&mut own_a0, index, value, 3, args.faults());
                    let e9 = h::add(h::cast::<u32, i32>(id[0]), 1_i32);
                    let (index, value) = (2_i32, (if h::and((e9 >= 0_i32), (e9 < h::cast::<u32, i32>(n_p2))) {  x_p0.at(e9) } else { (-1.0_f32) }));
                    h::array_put(&mut own_a0, index, value, 3, args.faults());
                    let mut sum_0: f32 = 0.0_f32;
                    let mut slot_1: i32 = 0_i32;
                    let (loop0_end, loop0_step): (i32, i32) = (3_i32, 1_i32);
                    'loop_0: while slot_1 < loop0_end {
                        'round_0: {
                            sum_0 = (sum_0 + h::array_at(&own_a0, slot_1, 3, args.faults()));
                        }
                        slot_1 = h::add(slot_1, loop0_step);
                    }
                    out_p1.put(h::cast::<u32, i32>(id[0]), sum_0);
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("polynomial", {
        use ::netcl::__private::host as h;
        #[allow(unused, clippy::all)]
        #[inline(always)]
        fn power_f0<I: h::Isa>(x_0: f32, n_1: i32) -> f32 {
            let mut type_2: f32 = 1.0_f32;
            let mut k_3: i32 = 0_i32;
            let (loop0_end, loop0_step): (i32, i32) = (n_1, 1_i32);
            'loop_0: while k_3 < loop0_end {
                'round_0: {
                    type_2 = (type_2 * x_0);
                }
                k_3 = h::add(k_3, loop0_step);
            }
            type_2
        }
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let x_p0 = args.view::<h::Bf16>(0);
                let out_p1 = args.view::<h::F16>(1);
                for item in items {
                    let id = args.id(item);
                    let e1 = h::cast::<u32, i32>(id[0]);
                    out_p1.put(e1, power_f0::<I>(x_p0.at(e1), h::rem(e1, 5_i32)));
                }
            }
        }
        h::entry::<Kernel>()
    }),
    ("histogram", {
        use ::netcl::__private::host as h;
        struct Kernel;
        #[allow(unused, clippy::all)]
        impl h::NativeKernel for Kernel {
            #[inline(always)]
            fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
                let bins_p0 = args.view::<i32>(0);
                for item in items {
                    let id = args.id(item);
                    bins_p0.atomic(h::AtomicOp::Add, h::rem(h::cast::<u32, i32>(id[0]), 7_i32), 1_i32);
                }
            }
        }
        h::entry::<Kernel>()
    }),
];
