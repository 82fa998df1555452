// mlp on cpu, sizes N
//
// buffers
//    0  x: f32 [N, 64] (argument 0)
//    1  hidden_weight: f32 [64, 32] (parameter hidden.weight)
//    2  hidden_bias: f32 [32] (parameter hidden.bias)
//    3  max_8: f32 [N, 32] (scratch)
//    4  output_weight: f32 [32, 10] (parameter output.weight)
//    5  output_bias: f32 [10] (parameter output.bias)
//    6  matmul_11: f32 [N, 10] (scratch)
//    7  labels: u32 [N] (argument 1)
//    8  mul_34: f32 [N] (scratch)
//    9  result: f32 [] (result 0)
//   10  add_48: f32 [N, 10] (scratch)
//   11  grad_output_bias: f32 [10] (gradient of output.bias)
//   12  grad_output_weight: f32 [32, 10] (gradient of output.weight)
//   13  select_55: f32 [N, 32] (scratch)
//   14  grad_hidden_bias: f32 [32] (gradient of hidden.bias)
//   15  grad_hidden_weight: f32 [64, 32] (gradient of hidden.weight)
//
// steps
//    0  max_8 = max(hidden, 0)
//       mlp_0_matmul_cpu(x, hidden_weight, hidden_bias, max_8, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    1  matmul_11 = matmul(max_8, output.weight)
//       mlp_1_matmul_cpu(max_8, output_weight, matmul_11, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    2  mul_34 = (log(sum(… over 1)) - sum((… ? … : 0) over 1)) * ((labels < 10) ? 1 : NaN); add_48 = (((i1 == labels) ? neg(… * …) : 0) + … * … / sum(… over 1) * exp((output - …)))
//       mlp_2_max_sum_map(N, matmul_11, output_bias, labels, add_48, mul_34)
//       over [(N + 408) / 409] in groups of [1]
//    3  select_55 = ((max_8 <= 0) ? 0 : matmul(add_48, output.weight[i1, i0]))
//       mlp_3_matmul_cpu(add_48, output_weight, max_8, select_55, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    4  grad_output_weight = matmul(max_8[i1, i0], add_48)
//       mlp_4_matmul_cpu(max_8, add_48, grad_output_weight, N)
//       over [1, 1, 1] in groups of [1, 1, 1]
//    5  result = sum(mul_34) / N; grad_output_bias = sum(add_48 over 0); grad_hidden_bias = sum(select_55 over 0)
//       mlp_5_bundle(N, mul_34, result, add_48, grad_output_bias, select_55, grad_hidden_bias)
//       over [5] in groups of [1]
//    6  grad_hidden_weight = matmul(x[i1, i0], select_55)
//       mlp_6_matmul_cpu(x, select_55, grad_hidden_weight, N)
//       over [1, 1, 1] in groups of [1, 1, 1]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// The larger value; NaN if either is NaN.
static inline float16 netcl_max16(float16 a, float16 b) {
    return select(a, b, (a < b) | (b != b));
}

// The sum over the lanes, by halves.
static inline float netcl_sum16(float16 v) {
    const float8 v8 = v.lo + v.hi;
    const float4 v4 = v8.lo + v8.hi;
    const float2 v2 = v4.lo + v4.hi;
    return v2.lo + v2.hi;
}

static inline void mlp_0_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* hidden_bias,
    __global float* max_8
) {
    max_8[m * 32 + n] = netcl_max(value + hidden_bias[n], 0.0f);
}

static inline void mlp_0_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* hidden_bias,
    __global float* max_8
) {
    vstore16(netcl_max16(value + vload16(0, &hidden_bias[n]), (float16)(0.0f)), 0, &max_8[m * 32 + n]);
}

static inline void mlp_1_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_11
) {
    matmul_11[m * 10 + n] = value;
}

static inline void mlp_1_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* matmul_11
) {
    vstore16(value, 0, &matmul_11[m * 10 + n]);
}

// mul_34 = (log(sum(exp((output - max(output over 1))) over 1)) - sum(((i1 == labels) ? (output - max(output
//     over 1)) : 0) over 1)) * ((labels < 10) ? 1 : NaN)
// add_48 = (((i1 == labels) ? neg(1 / N * ((labels < 10) ? 1 : NaN)) : 0) + 1 / N * ((labels < 10) ? 1 : NaN) /
//     sum(exp((output - max(output over 1))) over 1) * exp((output - max(output over 1))))
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void mlp_2_max_sum_map(
    const int N,
    __global const float* restrict matmul_11,
    __global const float* restrict output_bias,
    __global const uint* restrict labels,
    __global float* restrict add_48,
    __global float* restrict mul_34
) {
    const int first_row = (int)get_global_id(0) * 409;
    const int end = min(first_row + 409, N);
    for (int row = first_row; row < end; ++row) {
        float max_1 = -INFINITY;
        for (int i = 0; i < 10; ++i) {
            const float output = matmul_11[row * 10 + i] + output_bias[i];
            max_1 = netcl_max(max_1, output);
        }
        float sum = 0.0f;
        float sum_1 = 0.0f;
        for (int i = 0; i < 10; ++i) {
            const float t = matmul_11[row * 10 + i] + output_bias[i] - max_1;
            sum += exp(t);
            sum_1 += (uint)i == labels[row] ? t : 0.0f;
        }
        for (int i = 0; i < 10; ++i) {
            const uint t = labels[row];
            const float t_1 = 1.0f / (float)N * (t < 10 ? 1.0f : NAN);
            add_48[row * 10 + i] = ((uint)i == t ? -t_1 : 0.0f) + t_1 / sum
                * exp(matmul_11[row * 10 + i] + output_bias[i] - max_1);
        }
        mul_34[row] = (log(sum) - sum_1) * (labels[row] < 10 ? 1.0f : NAN);
    }
}

static inline void mlp_3_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* max_8,
    __global float* select_55
) {
    select_55[m * 32 + n] = max_8[m * 32 + n] <= 0.0f ? 0.0f : value;
}

static inline void mlp_3_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* max_8,
    __global float* select_55
) {
    vstore16(select(value, (float16)(0.0f), vload16(0, &max_8[m * 32 + n]) <= 0.0f), 0,
        &select_55[m * 32 + n]);
}

static inline void mlp_4_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_output_weight
) {
    grad_output_weight[m * 10 + n] = value;
}

static inline void mlp_4_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* grad_output_weight
) {
    vstore16(value, 0, &grad_output_weight[m * 10 + n]);
}

// result = sum(mul_34) / N
// grad_output_bias = sum(add_48 over 0)
// grad_hidden_bias = sum(select_55 over 0)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void mlp_5_bundle(
    const int N,
    __global const float* restrict mul_34,
    __global float* restrict result,
    __global const float* restrict add_48,
    __global float* restrict grad_output_bias,
    __global const float* restrict select_55,
    __global float* restrict grad_hidden_bias
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
                sum += vload16(0, &mul_34[i]);
            }
            const float16 after = sum_total + sum;
            const float16 added = after - sum_total;
            sum_lost += sum_total - (after - added) + (sum - added);
            sum_total = after;
            sum = (float16)(0.0f);
        }
        for (int i = whole; i < N; ++i) {
            sum_1 += mul_34[i];
        }
        sum = select(sum_total, sum_total + sum_lost, sum_lost - sum_lost == 0.0f);
        const float result_1 = netcl_sum16(sum) + sum_1;
        result[0] = result_1 / (float)N;
    } else if (item < 4) {
        const int own = item - 1;
        const int start = own * 4;
        const int end = min(start + 4, 10);
        for (int i = start; i < end; ++i) {
            float d_output_bias = 0.0f;
            float d_output_bias_total = 0.0f;
            float d_output_bias_lost = 0.0f;
            for (int first = 0; first < N; first += 32) {
                const int block_end = min(first + 32, N);
                for (int k = first; k < block_end; ++k) {
                    d_output_bias += add_48[k * 10 + i];
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
        const int own = item - 4;
        const int start = own * 64;
        const int end = min(start + 64, 32);
        for (int i = start; i < end; i += 16) {
            float16 d_hidden_bias = (float16)(0.0f);
            float16 d_hidden_bias_total = (float16)(0.0f);
            float16 d_hidden_bias_lost = (float16)(0.0f);
            for (int first = 0; first < N; first += 32) {
                const int block_end = min(first + 32, N);
                for (int k = first; k < block_end; ++k) {
                    d_hidden_bias += vload16(0, &select_55[k * 32 + i]);
                }
                const float16 after = d_hidden_bias_total + d_hidden_bias;
                const float16 added = after - d_hidden_bias_total;
                d_hidden_bias_lost += d_hidden_bias_total - (after - added) + (d_hidden_bias - added);
                d_hidden_bias_total = after;
                d_hidden_bias = (float16)(0.0f);
            }
            d_hidden_bias = select(d_hidden_bias_total, d_hidden_bias_total + d_hidden_bias_lost,
                d_hidden_bias_lost - d_hidden_bias_lost == 0.0f);
            vstore16(d_hidden_bias, 0, &grad_hidden_bias[i]);
        }
    }
}

static inline void mlp_6_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_hidden_weight
) {
    grad_hidden_weight[m * 32 + n] = value;
}

static inline void mlp_6_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* grad_hidden_weight
) {
    vstore16(value, 0, &grad_hidden_weight[m * 32 + n]);
}

// max_8 = max(hidden, 0)
#define KERNEL_NAME mlp_0_matmul_cpu
#define STORE(batch_, m_, n_, value_) mlp_0_matmul_cpu_store(batch_, m_, n_, value_, arg_hidden_bias, arg_max_8)
#define STORE_VECTOR(batch_, m_, n_, value_) mlp_0_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_hidden_bias, arg_max_8)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 64
#define TILE_N 32
#define TILE_K 256
#define M arg_N
#define N 32
#define K 64
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 64
#define A_STRIDE_K 1
#define a arg_x
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 32
#define B_STRIDE_N 1
#define b arg_hidden_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_x, __global const float* restrict arg_hidden_weight, __global const float* restrict arg_hidden_bias, __global float* restrict arg_max_8, const int arg_N
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

// matmul_11 = matmul(max_8, output.weight)
#define KERNEL_NAME mlp_1_matmul_cpu
#define STORE(batch_, m_, n_, value_) mlp_1_matmul_cpu_store(batch_, m_, n_, value_, arg_matmul_11)
#define STORE_VECTOR(batch_, m_, n_, value_) mlp_1_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_matmul_11)
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
#define N 10
#define K 32
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 32
#define A_STRIDE_K 1
#define a arg_max_8
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 10
#define B_STRIDE_N 1
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_max_8, __global const float* restrict arg_output_weight, __global float* restrict arg_matmul_11, const int arg_N
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

// select_55 = ((max_8 <= 0) ? 0 : matmul(add_48, output.weight[i1, i0]))
#define KERNEL_NAME mlp_3_matmul_cpu
#define STORE(batch_, m_, n_, value_) mlp_3_matmul_cpu_store(batch_, m_, n_, value_, arg_max_8, arg_select_55)
#define STORE_VECTOR(batch_, m_, n_, value_) mlp_3_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_max_8, arg_select_55)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 64
#define TILE_N 32
#define TILE_K 256
#define M arg_N
#define N 32
#define K 10
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 10
#define A_STRIDE_K 1
#define a arg_add_48
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 1
#define B_STRIDE_N 10
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_add_48, __global const float* restrict arg_output_weight, __global const float* restrict arg_max_8, __global float* restrict arg_select_55, const int arg_N
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

// grad_output_weight = matmul(max_8[i1, i0], add_48)
#define KERNEL_NAME mlp_4_matmul_cpu
#define STORE(batch_, m_, n_, value_) mlp_4_matmul_cpu_store(batch_, m_, n_, value_, arg_grad_output_weight)
#define STORE_VECTOR(batch_, m_, n_, value_) mlp_4_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_grad_output_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 1
#define TILE_M 32
#define TILE_N 16
#define TILE_K 256
#define M 32
#define N 10
#define K arg_N
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 1
#define A_STRIDE_K 32
#define a arg_max_8
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 10
#define B_STRIDE_N 1
#define b arg_add_48
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_max_8, __global const float* restrict arg_add_48, __global float* restrict arg_grad_output_weight, const int arg_N
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

// grad_hidden_weight = matmul(x[i1, i0], select_55)
#define KERNEL_NAME mlp_6_matmul_cpu
#define STORE(batch_, m_, n_, value_) mlp_6_matmul_cpu_store(batch_, m_, n_, value_, arg_grad_hidden_weight)
#define STORE_VECTOR(batch_, m_, n_, value_) mlp_6_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_grad_hidden_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 64
#define TILE_N 32
#define TILE_K 256
#define M 64
#define N 32
#define K arg_N
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 1
#define A_STRIDE_K 64
#define a arg_x
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 32
#define B_STRIDE_N 1
#define b arg_select_55
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_x, __global const float* restrict arg_select_55, __global float* restrict arg_grad_hidden_weight, const int arg_N
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
