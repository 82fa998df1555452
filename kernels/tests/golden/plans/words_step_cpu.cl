// words on cpu, sizes N
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
//
// steps
//    0  div_6 = sum(words over 1) / 12
//       words_0_sum_map(N, x, words_weight, div_6)
//       over [(N + 20) / 21] in groups of [1]
//    1  matmul_9 = matmul(div_6, output.weight)
//       words_1_matmul_cpu(div_6, output_weight, matmul_9, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    2  mul_32 = (log(sum(… over 1)) - sum((… ? … : 0) over 1)) * ((labels < 5) ? 1 : NaN); add_46 = (((i1 == labels) ? neg(… * …) : 0) + … * … / sum(… over 1) * exp((output - …)))
//       words_2_max_sum_map(N, matmul_9, output_bias, labels, add_46, mul_32)
//       over [(N + 818) / 819] in groups of [1]
//    3  matmul_49 = matmul(add_46, output.weight[i1, i0])
//       words_3_matmul_cpu(add_46, output_weight, matmul_49, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    4  grad_output_weight = matmul(div_6[i1, i0], add_46)
//       words_4_matmul_cpu(div_6, add_46, grad_output_weight, N)
//       over [1, 1, 1] in groups of [1, 1, 1]
//    5  result = sum(mul_32) / N; grad_output_bias = sum(add_46 over 0); view_53 = matmul_49 / 12
//       words_5_bundle(N, mul_32, result, add_46, grad_output_bias, matmul_49, view_53)
//       over [(N*3 + 63) / 64 + 3] in groups of [1]
//    6  grad_words_weight = scatter_add(x, view_53)
//       words_6_scatter_add(grad_words_weight, N, x, view_53)
//       over [32] in groups of [1]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// The sum over the lanes, by halves.
static inline float netcl_sum16(float16 v) {
    const float8 v8 = v.lo + v.hi;
    const float4 v4 = v8.lo + v8.hi;
    const float2 v2 = v4.lo + v4.hi;
    return v2.lo + v2.hi;
}

// div_6 = sum(words over 1) / 12
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void words_0_sum_map(
    const int N,
    __global const uint* restrict x,
    __global const float* restrict words_weight,
    __global float* restrict div_6
) {
    const int first_row = (int)get_global_id(0) * 21;
    const int end = min(first_row + 21, N);
    for (int row = first_row; row < end; ++row) {
        for (int i = 0; i < 16; i += 16) {
            float16 sum = (float16)(0.0f);
            for (int k = 0; k < 12; ++k) {
                const int t = (int)x[row * 12 + k];
                const bool t_1 = t >= 0 && t < 300;
                const float16 words = t_1 ? vload16(0, &words_weight[t_1 ? (int)(t * 16u + i) : 0])
                    : (float16)(0.0f);
                sum += words;
            }
            vstore16(sum / 12.0f, 0, &div_6[row * 16 + i]);
        }
    }
}

static inline void words_1_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_9
) {
    matmul_9[m * 5 + n] = value;
}

static inline void words_1_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* matmul_9
) {
    vstore16(value, 0, &matmul_9[m * 5 + n]);
}

// mul_32 = (log(sum(exp((output - max(output over 1))) over 1)) - sum(((i1 == labels) ? (output - max(output
//     over 1)) : 0) over 1)) * ((labels < 5) ? 1 : NaN)
// add_46 = (((i1 == labels) ? neg(1 / N * ((labels < 5) ? 1 : NaN)) : 0) + 1 / N * ((labels < 5) ? 1 : NaN) /
//     sum(exp((output - max(output over 1))) over 1) * exp((output - max(output over 1))))
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void words_2_max_sum_map(
    const int N,
    __global const float* restrict matmul_9,
    __global const float* restrict output_bias,
    __global const uint* restrict labels,
    __global float* restrict add_46,
    __global float* restrict mul_32
) {
    const int first_row = (int)get_global_id(0) * 819;
    const int end = min(first_row + 819, N);
    for (int row = first_row; row < end; ++row) {
        float max_1 = -INFINITY;
        for (int i = 0; i < 5; ++i) {
            const float output = matmul_9[row * 5 + i] + output_bias[i];
            max_1 = netcl_max(max_1, output);
        }
        float sum = 0.0f;
        float sum_1 = 0.0f;
        for (int i = 0; i < 5; ++i) {
            const float t = matmul_9[row * 5 + i] + output_bias[i] - max_1;
            sum += exp(t);
            sum_1 += (uint)i == labels[row] ? t : 0.0f;
        }
        for (int i = 0; i < 5; ++i) {
            const uint t = labels[row];
            const float t_1 = 1.0f / (float)N * (t < 5 ? 1.0f : NAN);
            add_46[row * 5 + i] = ((uint)i == t ? -t_1 : 0.0f) + t_1 / sum
                * exp(matmul_9[row * 5 + i] + output_bias[i] - max_1);
        }
        mul_32[row] = (log(sum) - sum_1) * (labels[row] < 5 ? 1.0f : NAN);
    }
}

static inline void words_3_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_49
) {
    matmul_49[m * 16 + n] = value;
}

static inline void words_3_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* matmul_49
) {
    vstore16(value, 0, &matmul_49[m * 16 + n]);
}

static inline void words_4_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_output_weight
) {
    grad_output_weight[m * 5 + n] = value;
}

static inline void words_4_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* grad_output_weight
) {
    vstore16(value, 0, &grad_output_weight[m * 5 + n]);
}

// result = sum(mul_32) / N
// grad_output_bias = sum(add_46 over 0)
// view_53 = matmul_49 / 12
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void words_5_bundle(
    const int N,
    __global const float* restrict mul_32,
    __global float* restrict result,
    __global const float* restrict add_46,
    __global float* restrict grad_output_bias,
    __global const float* restrict matmul_49,
    __global float* restrict view_53
) {
    const int item = get_global_id(0);
    if (item < 1) {
        float16 sum = (float16)(0.0f);
        float16 sum_total = (float16)(0.0f);
        float16 sum_lost = (float16)(0.0f);
        float sum_1 = 0.0f;
        const int whole = N - N % 16;
        for (int first = 0; first < whole; first += 512) {
            const int block_end = min(first + 512, whole);
            for (int i = first; i < block_end; i += 16) {
                sum += vload16(0, &mul_32[i]);
            }
            const float16 after = sum_total + sum;
            const float16 added = after - sum_total;
            sum_lost += sum_total - (after - added) + (sum - added);
            sum_total = after;
            sum = (float16)(0.0f);
        }
        for (int i = whole; i < N; ++i) {
            sum_1 += mul_32[i];
        }
        sum = select(sum_total, sum_total + sum_lost, sum_lost - sum_lost == 0.0f);
        const float result_1 = netcl_sum16(sum) + sum_1;
        result[0] = result_1 / (float)N;
    } else if (item < 3) {
        const int own = item - 1;
        const int start = own * 4;
        const int end = min(start + 4, 5);
        for (int i = start; i < end; ++i) {
            float d_output_bias = 0.0f;
            float d_output_bias_total = 0.0f;
            float d_output_bias_lost = 0.0f;
            for (int first = 0; first < N; first += 32) {
                const int block_end = min(first + 32, N);
                for (int k = first; k < block_end; ++k) {
                    d_output_bias += add_46[k * 5 + i];
                }
                const float after = d_output_bias_total + d_output_bias;
                const float added = after - d_output_bias_total;
                d_output_bias_lost += d_output_bias_total - (after - added) + (d_output_bias - added);
                d_output_bias_total = after;
                d_output_bias = 0.0f;
            }
            d_output_bias = d_output_bias_lost - d_output_bias_lost == 0.0f ? d_output_bias_total
                + d_output_bias_lost : d_output_bias_total;
            grad_output_bias[i] = d_output_bias;
        }
    } else {
        const int own = item - 3;
        const int first_row = own * 256;
        const int end = min(first_row + 256, N * 12);
        for (int row = first_row; row < end; ++row) {
            for (int i = 0; i < 16; i += 16) {
                vstore16(vload16(0, &matmul_49[i + row / 12 * 16]) / 12.0f, 0, &view_53[row * 16 + i]);
            }
        }
    }
}

// grad_words_weight = scatter_add(x, view_53)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void words_6_scatter_add(
    __global float* restrict grad_words_weight,
    const int N,
    __global const uint* restrict x,
    __global const float* restrict view_53
) {
    const int owner = get_global_id(0);
    // rows belong to work-items by turns
    for (int block = owner; block < 300; block += 32) {
        const int first = block * 16;
        const int end = min(block + 1, 300) * 16;
        const int rest = first + (end - first) / 16 * 16;
        for (int e = first; e < rest; e += 16) {
            vstore16((float16)(0.0f), 0, &grad_words_weight[e]);
        }
        for (int e = rest; e < end; ++e) {
            grad_words_weight[e] = 0.0f;
        }
    }
    // and take their updates in order
    for (int i = 0; i < N * 12; ++i) {
        const int row = (int)min(x[i], 300u);
        if ((row & 31) == owner && row < 300) {
            const int to = (int)(row * 16u);
            const int from = i * 16;
            for (int e = 0; e < 16; e += 16) {
                vstore16(vload16(0, &grad_words_weight[(int)((uint)to + e)])
                    + vload16(0, &view_53[from + e]), 0, &grad_words_weight[(int)((uint)to + e)]);
            }
        }
    }
}

// matmul_9 = matmul(div_6, output.weight)
#define KERNEL_NAME words_1_matmul_cpu
#define STORE(batch_, m_, n_, value_) words_1_matmul_cpu_store(batch_, m_, n_, value_, arg_matmul_9)
#define STORE_VECTOR(batch_, m_, n_, value_) words_1_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_matmul_9)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 1
#define TILE_M 64
#define TILE_N 16
#define TILE_K 256
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
#include "matmul_cpu.cl"

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
#undef FORM
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef a
#undef b
#include "undef_matmul_cpu.h"

// matmul_49 = matmul(add_46, output.weight[i1, i0])
#define KERNEL_NAME words_3_matmul_cpu
#define STORE(batch_, m_, n_, value_) words_3_matmul_cpu_store(batch_, m_, n_, value_, arg_matmul_49)
#define STORE_VECTOR(batch_, m_, n_, value_) words_3_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_matmul_49)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 1
#define TILE_M 64
#define TILE_N 16
#define TILE_K 256
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
#include "matmul_cpu.cl"

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
#undef FORM
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef a
#undef b
#include "undef_matmul_cpu.h"

// grad_output_weight = matmul(div_6[i1, i0], add_46)
#define KERNEL_NAME words_4_matmul_cpu
#define STORE(batch_, m_, n_, value_) words_4_matmul_cpu_store(batch_, m_, n_, value_, arg_grad_output_weight)
#define STORE_VECTOR(batch_, m_, n_, value_) words_4_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_grad_output_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 1
#define TILE_M 16
#define TILE_N 16
#define TILE_K 256
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
#include "matmul_cpu.cl"

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
#undef FORM
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef LONG_SUMS
#undef M
#undef N
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef a
#undef b
#include "undef_matmul_cpu.h"
