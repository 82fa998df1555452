// words on gpu, sizes N
//
// buffers
//    0  x: u32 [N, 12] (argument 0)
//    1  words_weight: f32 [300, 16] (parameter words.weight)
//    2  div_6: f32 [N, 16] (scratch)
//    3  output_weight: f32 [16, 5] (parameter output.weight)
//    4  output_bias: f32 [5] (parameter output.bias)
//    5  matmul_9: f32 [N, 5] (scratch)
//    6  labels: u32 [N] (argument 1)
//    7  mul_32: f32 [N] (scratch)
//    8  result: f32 [] (result 0)
//    9  add_46: f32 [N, 5] (scratch)
//   10  grad_output_bias: f32 [5] (gradient of output.bias)
//   11  matmul_49: f32 [N, 16] (scratch)
//   12  grad_output_weight: f32 [16, 5] (gradient of output.weight)
//   13  view_53: f32 [N, 12, 16] (scratch)
//   14  grad_words_weight: f32 [300, 16] (gradient of words.weight)
//   15  grad_words_weight_counts: i32 [128, 256] (scratch)
//   16  grad_words_weight_order: i32 [N*12] (scratch)
//   17  grad_words_weight_order_2: i32 [N*12] (scratch)
//   18  grad_words_weight_rows: i32 [N*12] (scratch)
//   19  grad_words_weight_rows_2: i32 [N*12] (scratch)
//   20  grad_words_weight_rows_3: i32 [N*12] (scratch)
//   21  grad_words_weight_heads: f32 [(N*3 + 127) / 128, 16] (scratch)
//   22  grad_words_weight_tails: f32 [(N*3 + 127) / 128, 16] (scratch)
//
// steps
//    0  div_6 = sum(words over 1) / 12
//       words_0_sum_map(N, x, words_weight, div_6)
//       over [N*16] in groups of [256]
//    1  matmul_9 = matmul(div_6, output.weight)
//       words_1_matmul_naive(div_6, output_weight, matmul_9, N)
//       over [16, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    2  mul_32 = (log(sum(… over 1)) - sum((… ? … : 0) over 1)) * ((labels < 5) ? 1 : NaN); add_46 = (((i1 == labels) ? neg(… * …) : 0) + … * … / sum(… over 1) * exp((output - …)))
//       words_2_max_sum_map(N, matmul_9, output_bias, labels, add_46, mul_32)
//       over [N] in groups of [256]
//    3  matmul_49 = matmul(add_46, output.weight[i1, i0])
//       words_3_matmul_naive(add_46, output_weight, matmul_49, N)
//       over [16, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    4  grad_output_weight = matmul(div_6[i1, i0], add_46)
//       words_4_matmul_naive(div_6, add_46, grad_output_weight, N)
//       over [16, 16, 1] in groups of [16, 4, 1]
//    5  result = sum(mul_32) / N; grad_output_bias = sum(add_46 over 0); view_53 = matmul_49 / 12
//       words_5_bundle(N, mul_32, result, add_46, grad_output_bias, matmul_49, view_53)
//       over [((N*3 + 3) / 4)*256 + 512] in groups of [256]
//    6  grad_words_weight = scatter_add(x, view_53): digits of the rows are counted
//       words_6_scatter_add_count(grad_words_weight_counts, N, grad_words_weight_rows, x, grad_words_weight)
//       over [32768] in groups of [256]
//    7  grad_words_weight = scatter_add(x, view_53): updates are put in the order of these
//       words_7_scatter_add_place(grad_words_weight_order, grad_words_weight_rows_2, grad_words_weight_counts, N, grad_words_weight_rows)
//       over [32768] in groups of [256]
//    8  grad_words_weight = scatter_add(x, view_53): digits of the rows are counted
//       words_8_scatter_add_count(grad_words_weight_counts, N, grad_words_weight_rows_2)
//       over [32768] in groups of [256]
//    9  grad_words_weight = scatter_add(x, view_53): updates are put in the order of these
//       words_9_scatter_add_place(grad_words_weight_order_2, grad_words_weight_rows_3, grad_words_weight_counts, N, grad_words_weight_rows_2, grad_words_weight_order)
//       over [32768] in groups of [256]
//   10  grad_words_weight = scatter_add(x, view_53): rows are summed, block by block
//       words_10_scatter_add_sum(N, grad_words_weight_rows_3, grad_words_weight_order_2, view_53, grad_words_weight, grad_words_weight_heads, grad_words_weight_tails)
//       over [((N*3 + 127) / 128)*512] in groups of [256]
//   11  grad_words_weight = scatter_add(x, view_53): rows of several blocks are joined
//       words_11_scatter_add_join(N, grad_words_weight_heads, grad_words_weight_tails, grad_words_weight_rows_3, grad_words_weight)
//       over [((N*3 + 127) / 128)*16] in groups of [256]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// div_6 = sum(words over 1) / 12
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_0_sum_map(
    const int N,
    __global const uint* restrict x,
    __global const float* restrict words_weight,
    __global float* restrict div_6
) {
    const int row = get_global_id(0);
    if (row < N * 16) {
        float sum = 0.0f;
        for (int k = 0; k < 12; ++k) {
            const int t = (int)x[k + row / 16 * 12];
            const bool t_1 = t >= 0 && t < 300;
            const float words = t_1 ? words_weight[t_1 ? (int)(t * 16u + row % 16) : 0] : 0.0f;
            sum += words;
        }
        div_6[row] = sum / 12.0f;
    }
}

static inline void words_1_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_9
) {
    matmul_9[m * 5 + n] = value;
}

// mul_32 = (log(sum(exp((output - max(output over 1))) over 1)) - sum(((i1 == labels) ? (output - max(output
//     over 1)) : 0) over 1)) * ((labels < 5) ? 1 : NaN)
// add_46 = (((i1 == labels) ? neg(1 / N * ((labels < 5) ? 1 : NaN)) : 0) + 1 / N * ((labels < 5) ? 1 : NaN) /
//     sum(exp((output - max(output over 1))) over 1) * exp((output - max(output over 1))))
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_2_max_sum_map(
    const int N,
    __global const float* restrict matmul_9,
    __global const float* restrict output_bias,
    __global const uint* restrict labels,
    __global float* restrict add_46,
    __global float* restrict mul_32
) {
    const int row = get_global_id(0);
    if (row < N) {
        float max_1 = -INFINITY;
        for (int k = 0; k < 5; ++k) {
            const float output = matmul_9[row * 5 + k] + output_bias[k];
            max_1 = netcl_max(max_1, output);
        }
        float sum = 0.0f;
        float sum_1 = 0.0f;
        for (int k = 0; k < 5; ++k) {
            const float t = matmul_9[row * 5 + k] + output_bias[k] - max_1;
            sum += exp(t);
            sum_1 += (uint)k == labels[row] ? t : 0.0f;
        }
        for (int k = 0; k < 5; ++k) {
            const uint t = labels[row];
            const float t_1 = 1.0f / (float)N * (t < 5 ? 1.0f : NAN);
            add_46[row * 5 + k] = ((uint)k == t ? -t_1 : 0.0f) + t_1 / sum
                * exp(matmul_9[row * 5 + k] + output_bias[k] - max_1);
        }
        mul_32[row] = (log(sum) - sum_1) * (labels[row] < 5 ? 1.0f : NAN);
    }
}

static inline void words_3_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_49
) {
    matmul_49[m * 16 + n] = value;
}

static inline void words_4_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_output_weight
) {
    grad_output_weight[m * 5 + n] = value;
}

// result = sum(mul_32) / N
// grad_output_bias = sum(add_46 over 0)
// view_53 = matmul_49 / 12
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_5_bundle(
    const int N,
    __global const float* restrict mul_32,
    __global float* restrict result,
    __global const float* restrict add_46,
    __global float* restrict grad_output_bias,
    __global const float* restrict matmul_49,
    __global float* restrict view_53
) {
    __local float scratch0[256];
    __local float scratch1[256];
    const int group = get_group_id(0);
    if (group < 1) {
        const int lid = get_local_id(0);
        float sum = 0.0f;
        float sum_total = 0.0f;
        float sum_lost = 0.0f;
        for (int first = lid; first < N; first += 8192) {
            const int block_end = min(first + 8192, N);
            for (int k = first; k < block_end; k += 256) {
                sum += mul_32[k];
            }
            const float after = sum_total + sum;
            const float added = after - sum_total;
            sum_lost += sum_total - (after - added) + (sum - added);
            sum_total = after;
            sum = 0.0f;
        }
        sum = sum_lost - sum_lost == 0.0f ? sum_total + sum_lost : sum_total;
        scratch0[lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round_1 = 0; round_1 < 4; ++round_1) {
            const int left = 64 >> (round_1 * 2);
            if (lid < left) {
                scratch0[lid] += scratch0[lid + left];
                scratch0[lid] += scratch0[lid + left * 2];
                scratch0[lid] += scratch0[lid + left * 3];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float sum_all = scratch0[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0) {
            result[0] = sum_all / (float)N;
        }
    } else if (group < 2) {
        const int own = group - 1;
        const int lid = get_local_id(0);
        const int wanted = own * 32 + lid % 32;
        const int row = min(wanted, 4);
        const int part = lid / 32;
        float d_output_bias = 0.0f;
        float d_output_bias_total = 0.0f;
        float d_output_bias_lost = 0.0f;
        for (int first = part; first < N; first += 256) {
            const int block_end = min(first + 256, N);
            for (int k = first; k < block_end; k += 8) {
                d_output_bias += add_46[row + k * 5];
            }
            const float after = d_output_bias_total + d_output_bias;
            const float added = after - d_output_bias_total;
            d_output_bias_lost += d_output_bias_total - (after - added) + (d_output_bias - added);
            d_output_bias_total = after;
            d_output_bias = 0.0f;
        }
        d_output_bias = d_output_bias_lost - d_output_bias_lost == 0.0f ? d_output_bias_total
            + d_output_bias_lost : d_output_bias_total;
        scratch1[lid] = d_output_bias;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round_1 = 0; round_1 < 3; ++round_1) {
            const int left = 4 >> round_1;
            if (part < left) {
                scratch1[lid] += scratch1[lid + left * 32];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float sum_all = scratch1[lid % 32];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part == 0 && wanted < 5) {
            grad_output_bias[row] = sum_all;
        }
    } else {
        const int own = group - 2;
        const int i = own * 256 + (int)get_local_id(0);
        if (i < N * 192) {
            view_53[i] = matmul_49[i / 16 / 12 * 16 + i % 16] / 12.0f;
        }
    }
}

// grad_words_weight = scatter_add(x, view_53)
// of that: digits of the rows are counted
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_6_scatter_add_count(
    __global int* restrict grad_words_weight_counts,
    const int N,
    __global int* restrict grad_words_weight_rows,
    __global const uint* restrict x,
    __global float* restrict grad_words_weight
) {
    __local int own[256];
    const int item = get_local_id(0);
    const int group = get_group_id(0);
    own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first = group * ((N * 3 + 31) / 32);
    const int end = min(first + (N * 3 + 31) / 32, N * 12);
    for (int i = first + item; i < end; i += 256) {
        const int row = (int)min(x[i], 300u);
        grad_words_weight_rows[i] = row;
        atomic_add(&own[row & 255], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    grad_words_weight_counts[group * 256 + item] = own[item];
    // rows that no update hits are zero
    for (int e = group * 256 + item; e < 4800; e += 32768) {
        grad_words_weight[e] = 0.0f;
    }
}

// grad_words_weight = scatter_add(x, view_53)
// of that: updates are put in the order of these
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_7_scatter_add_place(
    __global int* restrict grad_words_weight_order,
    __global int* restrict grad_words_weight_rows_2,
    __global const int* restrict grad_words_weight_counts,
    const int N,
    __global const int* restrict grad_words_weight_rows
) {
    __local int digits[256];
    __local int places[2048];
    __local int totals[256];
    const int item = get_local_id(0);
    const int group = get_group_id(0);
    // where the group's first update with each digit goes: behind smaller ones, and those of other groups
    int before = 0;
    int total = 0;
    for (int other = 0; other < 128; ++other) {
        const int count = grad_words_weight_counts[other * 256 + item];
        total = (int)((uint)total + count);
        if (other < group) {
            before = (int)((uint)before + count);
        }
    }
    totals[item] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int smaller = 0; smaller < item; ++smaller) {
        before = (int)((uint)before + totals[smaller]);
    }
    int next = before;
    const int begin = item / 32 * 32;
    const int chunk = item / 32 * 256;
    const int first = group * ((N * 3 + 31) / 32);
    const int end = min(first + (N * 3 + 31) / 32, N * 12);
    for (int tile = first; tile < end; tile += 256) {
        const int at = tile + item;
        int row = 0;
        int own = 256;
        if (at < end) {
            row = grad_words_weight_rows[at];
            own = row & 255;
        }
        digits[item] = own;
        for (int each = item; each < 2048; each += 256) {
            places[each] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int rank = 0;
        if (at < end) {
            atomic_add(&places[(int)((uint)chunk + own)], 1);
            for (int other = begin; other < item; ++other) {
                if (digits[other] == own) {
                    rank = (int)(rank + 1u);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int each = item; each < 2048; each += 256) {
            const int count = places[each];
            places[each] = next;
            next = (int)((uint)next + count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < end) {
            const int place = (int)((uint)places[(int)((uint)chunk + own)] + rank);
            grad_words_weight_order[place] = at;
            grad_words_weight_rows_2[place] = row;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// grad_words_weight = scatter_add(x, view_53)
// of that: digits of the rows are counted
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_8_scatter_add_count(
    __global int* restrict grad_words_weight_counts,
    const int N,
    __global const int* restrict grad_words_weight_rows_2
) {
    __local int own[256];
    const int item = get_local_id(0);
    const int group = get_group_id(0);
    own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int first = group * ((N * 3 + 31) / 32);
    const int end = min(first + (N * 3 + 31) / 32, N * 12);
    for (int i = first + item; i < end; i += 256) {
        atomic_add(&own[(grad_words_weight_rows_2[i] >> 8) & 255], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    grad_words_weight_counts[group * 256 + item] = own[item];
}

// grad_words_weight = scatter_add(x, view_53)
// of that: updates are put in the order of these
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_9_scatter_add_place(
    __global int* restrict grad_words_weight_order_2,
    __global int* restrict grad_words_weight_rows_3,
    __global const int* restrict grad_words_weight_counts,
    const int N,
    __global const int* restrict grad_words_weight_rows_2,
    __global const int* restrict grad_words_weight_order
) {
    __local int digits[256];
    __local int places[2048];
    __local int totals[256];
    const int item = get_local_id(0);
    const int group = get_group_id(0);
    // where the group's first update with each digit goes: behind smaller ones, and those of other groups
    int before = 0;
    int total = 0;
    for (int other = 0; other < 128; ++other) {
        const int count = grad_words_weight_counts[other * 256 + item];
        total = (int)((uint)total + count);
        if (other < group) {
            before = (int)((uint)before + count);
        }
    }
    totals[item] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int smaller = 0; smaller < item; ++smaller) {
        before = (int)((uint)before + totals[smaller]);
    }
    int next = before;
    const int begin = item / 32 * 32;
    const int chunk = item / 32 * 256;
    const int first = group * ((N * 3 + 31) / 32);
    const int end = min(first + (N * 3 + 31) / 32, N * 12);
    for (int tile = first; tile < end; tile += 256) {
        const int at = tile + item;
        int row = 0;
        int own = 256;
        if (at < end) {
            row = grad_words_weight_rows_2[at];
            own = (row >> 8) & 255;
        }
        digits[item] = own;
        for (int each = item; each < 2048; each += 256) {
            places[each] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int rank = 0;
        if (at < end) {
            atomic_add(&places[(int)((uint)chunk + own)], 1);
            for (int other = begin; other < item; ++other) {
                if (digits[other] == own) {
                    rank = (int)(rank + 1u);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int each = item; each < 2048; each += 256) {
            const int count = places[each];
            places[each] = next;
            next = (int)((uint)next + count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < end) {
            const int place = (int)((uint)places[(int)((uint)chunk + own)] + rank);
            grad_words_weight_order_2[place] = grad_words_weight_order[at];
            grad_words_weight_rows_3[place] = row;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// grad_words_weight = scatter_add(x, view_53)
// of that: rows are summed, block by block
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_10_scatter_add_sum(
    const int N,
    __global const int* restrict grad_words_weight_rows_3,
    __global const int* restrict grad_words_weight_order_2,
    __global const float* restrict view_53,
    __global float* restrict grad_words_weight,
    __global float* restrict grad_words_weight_heads,
    __global float* restrict grad_words_weight_tails
) {
    __local int head_rows[32];
    __local int tail_rows[32];
    __local float head_sums[256];
    __local float tail_sums[256];
    const int item = get_local_id(0);
    const int group = get_group_id(0);
    const int block = group / 2;
    const int stretch = item / 8;
    const int lane = item % 8;
    const int feature = group % 2 * 8 + lane;
    const int first = block * 512 + stretch * 16;
    const int end = min(first + 16, N * 12);
    if (first < end) {
        const int head_row = grad_words_weight_rows_3[first];
        int row = head_row;
        int at_head = 1;
        float sum = 0.0f;
        float head = 0.0f;
        for (int i = first; i < end; ++i) {
            const int next = grad_words_weight_rows_3[i];
            const float value = feature < 16 ? view_53[(int)(grad_words_weight_order_2[i] * 16u + feature)]
                : 0.0f;
            if (next != row) {
                if (at_head != 0) {
                    head = sum;
                    at_head = 0;
                } else if (feature < 16) {
                    if (row < 300) {
                        grad_words_weight[(int)(row * 16u + feature)] = sum;
                    }
                }
                row = next;
                sum = 0.0f;
            }
            sum += value;
        }
        head_sums[item] = at_head != 0 ? sum : head;
        tail_sums[item] = sum;
        if (lane == 0) {
            head_rows[stretch] = head_row;
            tail_rows[stretch] = row;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 8 && feature < 16) {
        int row = head_rows[0];
        int at_head = 1;
        float sum = 0.0f;
        float head = 0.0f;
        for (int other = 0; other < (min(N * 12 - block * 512, 512) + 15) / 16; ++other) {
            const int place = other * 8 + lane;
            const int head_row = head_rows[other];
            const int tail_row = tail_rows[other];
            const float head_sum = head_sums[place];
            const float tail_sum = tail_sums[place];
            if (head_row != row) {
                if (at_head != 0) {
                    head = sum;
                    at_head = 0;
                } else if (row < 300) {
                    grad_words_weight[(int)(row * 16u + feature)] = sum;
                }
                row = head_row;
                sum = 0.0f;
            }
            sum += head_sum;
            if (tail_row != head_row) {
                if (tail_row != row) {
                    if (at_head != 0) {
                        head = sum;
                        at_head = 0;
                    } else if (row < 300) {
                        grad_words_weight[(int)(row * 16u + feature)] = sum;
                    }
                    row = tail_row;
                    sum = 0.0f;
                }
                sum += tail_sum;
            }
        }
        grad_words_weight_heads[block * 16 + feature] = at_head != 0 ? sum : head;
        grad_words_weight_tails[block * 16 + feature] = sum;
    }
}

// grad_words_weight = scatter_add(x, view_53)
// of that: rows of several blocks are joined
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void words_11_scatter_add_join(
    const int N,
    __global const float* restrict grad_words_weight_heads,
    __global const float* restrict grad_words_weight_tails,
    __global const int* restrict grad_words_weight_rows_3,
    __global float* restrict grad_words_weight
) {
    const int item = get_global_id(0);
    if (item < (N * 3 + 127) / 128 * 16) {
        const int block = item / 16;
        const int feature = item % 16;
        const int first = block * 512;
        const int head_row = grad_words_weight_rows_3[first];
        const int tail_row = grad_words_weight_rows_3[min(first + 512, N * 12) - 1];
        int begins = 1;
        if (block > 0) {
            if (grad_words_weight_rows_3[first - 1] == head_row) {
                begins = 0;
            }
        }
        const float head = grad_words_weight_heads[item];
        if (head_row != tail_row && begins != 0) {
            if (head_row < 300) {
                grad_words_weight[(int)(head_row * 16u + feature)] = head;
            }
        }
        if (head_row != tail_row || begins != 0) {
            float sum = head_row != tail_row ? grad_words_weight_tails[item] : head;
            // the first block behind this one that begins with another row
            int low = block + 1;
            int high = (N * 3 + 127) / 128;
            while (low < high) {
                const int middle = (int)((uint)low + high) / 2;
                if (grad_words_weight_rows_3[(int)(middle * 512u)] == tail_row) {
                    low = (int)(middle + 1u);
                } else {
                    high = middle;
                }
            }
            float sum_lost = 0.0f;
            const int other_end = low;
            for (int other = block + 1; other < other_end; ++other) {
                const float head_sum = grad_words_weight_heads[other * 16 + feature];
                const float after = sum + head_sum;
                const float added = after - sum;
                sum_lost += sum - (after - added) + (head_sum - added);
                sum = after;
            }
            if (tail_row < 300) {
                grad_words_weight[(int)(tail_row * 16u + feature)] = sum_lost - sum_lost == 0.0f ? sum
                    + sum_lost : sum;
            }
        }
    }
}

// matmul_9 = matmul(div_6, output.weight)
#define KERNEL_NAME words_1_matmul_naive
#define STORE(batch_, m_, n_, value_) words_1_matmul_naive_store(batch_, m_, n_, value_, arg_matmul_9)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
#define M arg_N
#define N 5
#define K 16
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 16
#define A_STRIDE_K 1
#define a arg_div_6
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 5
#define B_STRIDE_N 1
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_div_6, __global const float* restrict arg_output_weight, __global float* restrict arg_matmul_9, const int arg_N
#include "matmul_naive.cl"

#undef ACC
#undef A_ALONG
#undef A_OFFSET
#undef A_STRIDE_K
#undef A_STRIDE_M
#undef BATCH
#undef B_ALONG
#undef B_CONTIGUOUS
#undef B_OFFSET
#undef B_STRIDE_K
#undef B_STRIDE_N
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef LOCAL_M
#undef LOCAL_N
#undef M
#undef N
#undef REAL
#undef STORE
#undef a
#undef b
#include "undef_matmul_naive.h"

// matmul_49 = matmul(add_46, output.weight[i1, i0])
#define KERNEL_NAME words_3_matmul_naive
#define STORE(batch_, m_, n_, value_) words_3_matmul_naive_store(batch_, m_, n_, value_, arg_matmul_49)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define LOCAL_M 4
#define LOCAL_N 16
#define M arg_N
#define N 16
#define K 5
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 5
#define A_STRIDE_K 1
#define a arg_add_46
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 1
#define B_STRIDE_N 5
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_add_46, __global const float* restrict arg_output_weight, __global float* restrict arg_matmul_49, const int arg_N
#include "matmul_naive.cl"

#undef ACC
#undef A_ALONG
#undef A_OFFSET
#undef A_STRIDE_K
#undef A_STRIDE_M
#undef BATCH
#undef B_ALONG
#undef B_CONTIGUOUS
#undef B_OFFSET
#undef B_STRIDE_K
#undef B_STRIDE_N
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef LOCAL_M
#undef LOCAL_N
#undef M
#undef N
#undef REAL
#undef STORE
#undef a
#undef b
#include "undef_matmul_naive.h"

// grad_output_weight = matmul(div_6[i1, i0], add_46)
#define KERNEL_NAME words_4_matmul_naive
#define STORE(batch_, m_, n_, value_) words_4_matmul_naive_store(batch_, m_, n_, value_, arg_grad_output_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
#define M 16
#define N 5
#define K arg_N
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 1
#define A_STRIDE_K 16
#define a arg_div_6
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 5
#define B_STRIDE_N 1
#define b arg_add_46
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_div_6, __global const float* restrict arg_add_46, __global float* restrict arg_grad_output_weight, const int arg_N
#include "matmul_naive.cl"

#undef ACC
#undef A_ALONG
#undef A_OFFSET
#undef A_STRIDE_K
#undef A_STRIDE_M
#undef BATCH
#undef B_ALONG
#undef B_CONTIGUOUS
#undef B_OFFSET
#undef B_STRIDE_K
#undef B_STRIDE_N
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef LOCAL_M
#undef LOCAL_N
#undef LONG_SUMS
#undef M
#undef N
#undef REAL
#undef STORE
#undef a
#undef b
#include "undef_matmul_naive.h"
