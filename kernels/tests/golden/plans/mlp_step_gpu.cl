// mlp on gpu, sizes N
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
//       mlp_0_matmul_naive(x, hidden_weight, hidden_bias, max_8, N)
//       over [32, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    1  matmul_11 = matmul(max_8, output.weight)
//       mlp_1_matmul_naive(max_8, output_weight, matmul_11, N)
//       over [16, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    2  mul_34 = (log(sum(… over 1)) - sum((… ? … : 0) over 1)) * ((labels < 10) ? 1 : NaN); add_48 = (((i1 == labels) ? neg(… * …) : 0) + … * … / sum(… over 1) * exp((output - …)))
//       mlp_2_max_sum_map(N, matmul_11, output_bias, labels, add_48, mul_34)
//       over [N] in groups of [256]
//    3  select_55 = ((max_8 <= 0) ? 0 : matmul(add_48, output.weight[i1, i0]))
//       mlp_3_matmul_naive(add_48, output_weight, max_8, select_55, N)
//       over [32, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    4  grad_output_weight = matmul(max_8[i1, i0], add_48)
//       mlp_4_matmul_naive(max_8, add_48, grad_output_weight, N)
//       over [16, 32, 1] in groups of [16, 4, 1]
//    5  result = sum(mul_34) / N; grad_output_bias = sum(add_48 over 0); grad_hidden_bias = sum(select_55 over 0)
//       mlp_5_bundle(N, mul_34, result, add_48, grad_output_bias, select_55, grad_hidden_bias)
//       over [768] in groups of [256]
//    6  grad_hidden_weight = matmul(x[i1, i0], select_55)
//       mlp_6_matmul_naive(x, select_55, grad_hidden_weight, N)
//       over [32, 64, 1] in groups of [16, 4, 1]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

static inline void mlp_0_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* hidden_bias,
    __global float* max_8
) {
    max_8[m * 32 + n] = netcl_max(value + hidden_bias[n], 0.0f);
}

static inline void mlp_1_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_11
) {
    matmul_11[m * 10 + n] = value;
}

// mul_34 = (log(sum(exp((output - max(output over 1))) over 1)) - sum(((i1 == labels) ? (output - max(output
//     over 1)) : 0) over 1)) * ((labels < 10) ? 1 : NaN)
// add_48 = (((i1 == labels) ? neg(1 / N * ((labels < 10) ? 1 : NaN)) : 0) + 1 / N * ((labels < 10) ? 1 : NaN) /
//     sum(exp((output - max(output over 1))) over 1) * exp((output - max(output over 1))))
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void mlp_2_max_sum_map(
    const int N,
    __global const float* restrict matmul_11,
    __global const float* restrict output_bias,
    __global const uint* restrict labels,
    __global float* restrict add_48,
    __global float* restrict mul_34
) {
    const int row = get_global_id(0);
    if (row < N) {
        float max_1 = -INFINITY;
        for (int k = 0; k < 10; ++k) {
            const float output = matmul_11[row * 10 + k] + output_bias[k];
            max_1 = netcl_max(max_1, output);
        }
        float sum = 0.0f;
        float sum_1 = 0.0f;
        for (int k = 0; k < 10; ++k) {
            const float t = matmul_11[row * 10 + k] + output_bias[k] - max_1;
            sum += exp(t);
            sum_1 += (uint)k == labels[row] ? t : 0.0f;
        }
        for (int k = 0; k < 10; ++k) {
            const uint t = labels[row];
            const float t_1 = 1.0f / (float)N * (t < 10 ? 1.0f : NAN);
            add_48[row * 10 + k] = ((uint)k == t ? -t_1 : 0.0f) + t_1 / sum
                * exp(matmul_11[row * 10 + k] + output_bias[k] - max_1);
        }
        mul_34[row] = (log(sum) - sum_1) * (labels[row] < 10 ? 1.0f : NAN);
    }
}

static inline void mlp_3_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* max_8,
    __global float* select_55
) {
    select_55[m * 32 + n] = max_8[m * 32 + n] <= 0.0f ? 0.0f : value;
}

static inline void mlp_4_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_output_weight
) {
    grad_output_weight[m * 10 + n] = value;
}

// result = sum(mul_34) / N
// grad_output_bias = sum(add_48 over 0)
// grad_hidden_bias = sum(select_55 over 0)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void mlp_5_bundle(
    const int N,
    __global const float* restrict mul_34,
    __global float* restrict result,
    __global const float* restrict add_48,
    __global float* restrict grad_output_bias,
    __global const float* restrict select_55,
    __global float* restrict grad_hidden_bias
) {
    __local float scratch0[256];
    __local float scratch1[256];
    __local float scratch2[256];
    const int group = get_group_id(0);
    if (group < 1) {
        const int lid = get_local_id(0);
        float sum = 0.0f;
        float sum_total = 0.0f;
        float sum_lost = 0.0f;
        for (int first = lid; first < N; first += 8192) {
            const int block_end = min(first + 8192, N);
            for (int k = first; k < block_end; k += 256) {
                sum += mul_34[k];
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
        const int row = min(wanted, 9);
        const int part = lid / 32;
        float d_output_bias = 0.0f;
        float d_output_bias_total = 0.0f;
        float d_output_bias_lost = 0.0f;
        for (int first = part; first < N; first += 256) {
            const int block_end = min(first + 256, N);
            for (int k = first; k < block_end; k += 8) {
                d_output_bias += add_48[row + k * 10];
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
        if (part == 0 && wanted < 10) {
            grad_output_bias[row] = sum_all;
        }
    } else {
        const int own = group - 2;
        const int lid = get_local_id(0);
        const int wanted = own * 32 + lid % 32;
        const int row = min(wanted, 31);
        const int part = lid / 32;
        float d_hidden_bias = 0.0f;
        float d_hidden_bias_total = 0.0f;
        float d_hidden_bias_lost = 0.0f;
        for (int first = part; first < N; first += 256) {
            const int block_end = min(first + 256, N);
            for (int k = first; k < block_end; k += 8) {
                d_hidden_bias += select_55[row + k * 32];
            }
            const float after = d_hidden_bias_total + d_hidden_bias;
            const float added = after - d_hidden_bias_total;
            d_hidden_bias_lost += d_hidden_bias_total - (after - added) + (d_hidden_bias - added);
            d_hidden_bias_total = after;
            d_hidden_bias = 0.0f;
        }
        d_hidden_bias = d_hidden_bias_lost - d_hidden_bias_lost == 0.0f ? d_hidden_bias_total
            + d_hidden_bias_lost : d_hidden_bias_total;
        scratch2[lid] = d_hidden_bias;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round_1 = 0; round_1 < 3; ++round_1) {
            const int left = 4 >> round_1;
            if (part < left) {
                scratch2[lid] += scratch2[lid + left * 32];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float sum_all = scratch2[lid % 32];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (part == 0 && wanted < 32) {
            grad_hidden_bias[row] = sum_all;
        }
    }
}

static inline void mlp_6_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_hidden_weight
) {
    grad_hidden_weight[m * 32 + n] = value;
}

// max_8 = max(hidden, 0)
#define KERNEL_NAME mlp_0_matmul_naive
#define STORE(batch_, m_, n_, value_) mlp_0_matmul_naive_store(batch_, m_, n_, value_, arg_hidden_bias, arg_max_8)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
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

// matmul_11 = matmul(max_8, output.weight)
#define KERNEL_NAME mlp_1_matmul_naive
#define STORE(batch_, m_, n_, value_) mlp_1_matmul_naive_store(batch_, m_, n_, value_, arg_matmul_11)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
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

// select_55 = ((max_8 <= 0) ? 0 : matmul(add_48, output.weight[i1, i0]))
#define KERNEL_NAME mlp_3_matmul_naive
#define STORE(batch_, m_, n_, value_) mlp_3_matmul_naive_store(batch_, m_, n_, value_, arg_max_8, arg_select_55)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define LOCAL_M 4
#define LOCAL_N 16
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

// grad_output_weight = matmul(max_8[i1, i0], add_48)
#define KERNEL_NAME mlp_4_matmul_naive
#define STORE(batch_, m_, n_, value_) mlp_4_matmul_naive_store(batch_, m_, n_, value_, arg_grad_output_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
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

// grad_hidden_weight = matmul(x[i1, i0], select_55)
#define KERNEL_NAME mlp_6_matmul_naive
#define STORE(batch_, m_, n_, value_) mlp_6_matmul_naive_store(batch_, m_, n_, value_, arg_grad_hidden_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
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
