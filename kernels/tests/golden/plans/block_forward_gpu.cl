// block on gpu, sizes N, T
//
// buffers
//    0  x: f32 [N, T, 32] (argument 0)
//    1  norm1_weight: f32 [32] (parameter norm1.weight)
//    2  norm1_bias: f32 [32] (parameter norm1.bias)
//    3  norm1: f32 [N, T, 32] (scratch)
//    4  attention_qkv_weight: f32 [32, 96] (parameter attention.qkv_weight)
//    5  attention_output_weight: f32 [32, 32] (parameter attention.output_weight)
//    6  attention_qkv_bias: f32 [96] (parameter attention.qkv_bias)
//    7  attention_output_bias: f32 [32] (parameter attention.output_bias)
//    8  add_38: f32 [N*T, 96] (scratch)
//    9  matmul_43: f32 [N, 4, T, T] (scratch)
//   10  mul_59: f32 [N, 4, T, T] (scratch)
//   11  view_61: f32 [N, T, 4, 8] (scratch)
//   12  matmul_63: f32 [N*T, 32] (scratch)
//   13  norm2_weight: f32 [32] (parameter norm2.weight)
//   14  norm2_bias: f32 [32] (parameter norm2.bias)
//   15  norm2: f32 [N, T, 32] (scratch)
//   16  up_weight: f32 [32, 128] (parameter up.weight)
//   17  up_bias: f32 [128] (parameter up.bias)
//   18  mul_113: f32 [N, T, 128] (scratch)
//   19  down_weight: f32 [128, 32] (parameter down.weight)
//   20  down_bias: f32 [32] (parameter down.bias)
//   21  result: f32 [N, T, 32] (result 0)
//
// steps
//    0  norm1 = (((x - … / 32) - sum(… over 2) / 32) * rsqrt(((… ? 0 : …) + 0.00001)) * norm1.weight + norm1.bias)
//       block_0_sum_map(N, T, x, norm1_weight, norm1_bias, norm1)
//       over [N*T] in groups of [256]
//    1  add_38 = (matmul(norm1, attention.qkv_weight) + attention.qkv_bias)
//       block_1_matmul_register(norm1, attention_qkv_weight, attention_qkv_bias, add_38, N, T)
//       over [256, (N*T + 63) / 64, 1] in groups of [128, 1, 1]
//    2  matmul_43 = matmul(add_38[i0, i2, 0, i1, i3], add_38[i0, i3, 1, i1, i2])
//       block_2_matmul_register(add_38, T, matmul_43, N, 32i32)
//       over [((T + 127) / 128)*256, (T + 127) / 128, N*4] in groups of [256, 1, 1]
//    3  mul_59 = exp(((… ? … : -inf) - max(… over 3))) * recip(sum(exp(…) over 3))
//       block_3_max_sum_map(N, T, matmul_43, mul_59)
//       over [N*T*1024] in groups of [256]
//    4  view_61 = matmul(mul_59, add_38[i0, i2, 2, i1, i3])
//       block_4_matmul_tiled(mul_59, add_38, T, view_61, N, 64i32)
//       over [16, ((T + 15) / 16)*16, N*4] in groups of [16, 16, 1]
//    5  matmul_63 = matmul(view_61, attention.output_weight)
//       block_5_matmul_register(view_61, attention_output_weight, matmul_63, N, T)
//       over [128, (N*T + 63) / 64, 1] in groups of [128, 1, 1]
//    6  norm2 = (((… - …) - … / 32) * rsqrt((… + 0.00001)) * norm2.weight + norm2.bias)
//       block_6_sum_map(N, T, x, matmul_63, attention_output_bias, norm2_weight, norm2_bias, norm2)
//       over [N*T] in groups of [256]
//    7  mul_113 = up * 0.5 * (erf(neg(max(neg(max(up, -1024)), -1024)) * 0.7071067811865476) + 1)
//       block_7_matmul_register(norm2, up_weight, up_bias, mul_113, N, T)
//       over [256, (N*T + 63) / 64, 1] in groups of [128, 1, 1]
//    8  result = ((x + attention) + down)
//       block_8_matmul_register(mul_113, down_weight, x, matmul_63, attention_output_bias, down_bias, result, N, T)
//       over [128, (N*T + 63) / 64, 1] in groups of [128, 1, 1]

#pragma OPENCL FP_CONTRACT OFF

// The sum over the lanes, by halves.
static inline float netcl_sum4(float4 v) {
    const float2 v2 = v.lo + v.hi;
    return v2.lo + v2.hi;
}

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// The larger value; NaN if either is NaN.
static inline float4 netcl_max4(float4 a, float4 b) {
    return select(a, b, (a < b) | (b != b));
}

// norm1 = (((x - sum(x over 2) / 32) - sum((x - sum(x over 2) / 32) over 2) / 32) * rsqrt(((((sum((x - … / 32) *
//     (x - … / 32) over 2) / 32 - sum((x - … / 32) over 2) / 32 * (sum((x - … / 32) over 2) / 32)) < 0) ? 0 :
//     (sum((x - sum(x over 2) / 32) * (x - sum(x over 2) / 32) over 2) / 32 - sum((x - sum(x over 2) / 32) over
//     2) / 32 * (sum((x - sum(x over 2) / 32) over 2) / 32))) + 0.00001)) * norm1.weight + norm1.bias)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void block_0_sum_map(
    const int N,
    const int T,
    __global const float* x,
    __global const float* restrict norm1_weight,
    __global const float* restrict norm1_bias,
    __global float* restrict norm1
) {
    const int row = get_global_id(0);
    if (row < N * T) {
        float4 sum = (float4)(0.0f);
        for (int k = 0; k < 32; k += 4) {
            sum += *(__global const float4*)&x[row * 32 + k];
        }
        const float sum_own = netcl_sum4(sum);
        float4 sum_1 = (float4)(0.0f);
        float4 sum_2 = (float4)(0.0f);
        for (int k = 0; k < 32; k += 4) {
            const float4 t = *(__global const float4*)&x[row * 32 + k] - sum_own / 32.0f;
            sum_1 += t;
            sum_2 += t * t;
        }
        const float sum_own_1 = netcl_sum4(sum_1);
        const float sum_own_2 = netcl_sum4(sum_2);
        for (int k = 0; k < 32; k += 4) {
            const float t = sum_own_1 / 32.0f;
            const float t_1 = sum_own_2 / 32.0f - t * t;
            const float4 norm1_1 = (*(__global const float4*)&x[row * 32 + k] - sum_own / 32.0f - t)
                * rsqrt((t_1 < 0.0f ? 0.0f : t_1) + 1e-5f) * *(__global const float4*)&norm1_weight[k]
                + *(__global const float4*)&norm1_bias[k];
            *(__global float4*)&norm1[row * 32 + k] = norm1_1;
        }
    }
}

static inline void block_1_matmul_register_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* attention_qkv_bias,
    __global float* add_38
) {
    add_38[m * 96 + n] = value + attention_qkv_bias[n];
}

static inline void block_1_matmul_register_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    __global const float* attention_qkv_bias,
    __global float* add_38
) {
    *(__global float4*)&add_38[m * 96 + n] = value + *(__global const float4*)&attention_qkv_bias[n];
}

static inline void block_2_matmul_register_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    const int T,
    __global float* matmul_43
) {
    matmul_43[batch * (T * T) + m * T + n] = value;
}

static inline void block_2_matmul_register_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    const int T,
    __global float* matmul_43
) {
    vstore4(value, 0, &matmul_43[batch * (T * T) + m * T + n]);
}

// mul_59 = exp((((i3 <= i2) ? matmul_43 * 0.35355339059327373 : -inf) - max(((i3 <= i2) ? matmul_43 *
//     0.35355339059327373 : -inf) over 3))) * recip(sum(exp((((i3 <= i2) ? matmul_43 * 0.35355339059327373 :
//     -inf) - max(((i3 <= i2) ? matmul_43 * 0.35355339059327373 : -inf) over 3))) over 3))
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void block_3_max_sum_map(
    const int N,
    const int T,
    __global const float* restrict matmul_43,
    __global float* restrict mul_59
) {
    __local float scratch0[256];
    __local float scratch1[256];
    const int lid = get_local_id(0);
    const int row = get_group_id(0);
    float max_1 = -INFINITY;
    for (int k = lid; k < T; k += 256) {
        max_1 = netcl_max(max_1, k <= row % T ? matmul_43[row * T + k] * 0.35355338f : -INFINITY);
    }
    scratch0[lid] = max_1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round_1 = 0; round_1 < 4; ++round_1) {
        const int left = 64 >> (round_1 * 2);
        if (lid < left) {
            scratch0[lid] = netcl_max(scratch0[lid], scratch0[lid + left]);
            scratch0[lid] = netcl_max(scratch0[lid], scratch0[lid + left * 2]);
            scratch0[lid] = netcl_max(scratch0[lid], scratch0[lid + left * 3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float max_all = scratch0[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    float sum_total = 0.0f;
    float sum_lost = 0.0f;
    for (int first = lid; first < T; first += 8192) {
        const int block_end = min(first + 8192, T);
        for (int k = first; k < block_end; k += 256) {
            sum += exp((k <= row % T ? matmul_43[row * T + k] * 0.35355338f : -INFINITY) - max_all);
        }
        const float after = sum_total + sum;
        const float added = after - sum_total;
        sum_lost += sum_total - (after - added) + (sum - added);
        sum_total = after;
        sum = 0.0f;
    }
    sum = sum_lost - sum_lost == 0.0f ? sum_total + sum_lost : sum_total;
    scratch1[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round_1 = 0; round_1 < 4; ++round_1) {
        const int left = 64 >> (round_1 * 2);
        if (lid < left) {
            scratch1[lid] += scratch1[lid + left];
            scratch1[lid] += scratch1[lid + left * 2];
            scratch1[lid] += scratch1[lid + left * 3];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float sum_all = scratch1[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lid; k < T; k += 256) {
        mul_59[row * T + k] = exp((k <= row % T ? matmul_43[row * T + k] * 0.35355338f : -INFINITY)
            - max_all) * (1.0f / sum_all);
    }
}

static inline void block_4_matmul_tiled_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    const int T,
    __global float* view_61
) {
    view_61[m * 32 + n + batch / 4 * (T * 32) + batch % 4 * 8] = value;
}

static inline void block_5_matmul_register_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_63
) {
    matmul_63[m * 32 + n] = value;
}

static inline void block_5_matmul_register_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    __global float* matmul_63
) {
    *(__global float4*)&matmul_63[m * 32 + n] = value;
}

// norm2 = ((((x + attention) - sum((x + attention) over 2) / 32) - sum(((x + attention) - sum((x + attention)
//     over 2) / 32) over 2) / 32) * rsqrt(((((sum(… * … over 2) / 32 - sum(… over 2) / 32 * (sum(… over 2) /
//     32)) < 0) ? 0 : (sum((… - …) * (… - …) over 2) / 32 - sum((… - …) over 2) / 32 * (sum((… - …) over 2) /
//     32))) + 0.00001)) * norm2.weight + norm2.bias)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void block_6_sum_map(
    const int N,
    const int T,
    __global const float* x,
    __global const float* restrict matmul_63,
    __global const float* restrict attention_output_bias,
    __global const float* restrict norm2_weight,
    __global const float* restrict norm2_bias,
    __global float* restrict norm2
) {
    const int row = get_global_id(0);
    if (row < N * T) {
        float4 sum = (float4)(0.0f);
        for (int k = 0; k < 32; k += 4) {
            const int t = row * 32 + k;
            sum += *(__global const float4*)&x[t]
                + (*(__global const float4*)&matmul_63[t]
                + *(__global const float4*)&attention_output_bias[k]);
        }
        const float sum_own = netcl_sum4(sum);
        float4 sum_1 = (float4)(0.0f);
        float4 sum_2 = (float4)(0.0f);
        for (int k = 0; k < 32; k += 4) {
            const int t = row * 32 + k;
            const float4 t_1 = *(__global const float4*)&x[t]
                + (*(__global const float4*)&matmul_63[t]
                + *(__global const float4*)&attention_output_bias[k]) - sum_own / 32.0f;
            sum_1 += t_1;
            sum_2 += t_1 * t_1;
        }
        const float sum_own_1 = netcl_sum4(sum_1);
        const float sum_own_2 = netcl_sum4(sum_2);
        for (int k = 0; k < 32; k += 4) {
            const int t = row * 32 + k;
            const float t_1 = sum_own_1 / 32.0f;
            const float t_2 = sum_own_2 / 32.0f - t_1 * t_1;
            const float4 norm2_1 = (*(__global const float4*)&x[t]
                + (*(__global const float4*)&matmul_63[t]
                + *(__global const float4*)&attention_output_bias[k]) - sum_own / 32.0f - t_1)
                * rsqrt((t_2 < 0.0f ? 0.0f : t_2) + 1e-5f) * *(__global const float4*)&norm2_weight[k]
                + *(__global const float4*)&norm2_bias[k];
            *(__global float4*)&norm2[row * 32 + k] = norm2_1;
        }
    }
}

static inline void block_7_matmul_register_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* up_bias,
    __global float* mul_113
) {
    const float t = value + up_bias[n];
    mul_113[m * 128 + n] = t * 0.5f * (erf(-netcl_max(-netcl_max(t, -1024.0f), -1024.0f) * 0.70710677f)
        + 1.0f);
}

static inline void block_7_matmul_register_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    __global const float* up_bias,
    __global float* mul_113
) {
    const float4 t = value + *(__global const float4*)&up_bias[n];
    *(__global float4*)&mul_113[m * 128 + n] = t * 0.5f
        * (erf(-netcl_max4(-netcl_max4(t, (float4)(-1024.0f)), (float4)(-1024.0f)) * 0.70710677f) + 1.0f);
}

static inline void block_8_matmul_register_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* x,
    __global const float* matmul_63,
    __global const float* attention_output_bias,
    __global const float* down_bias,
    __global float* result
) {
    const int t = m * 32 + n;
    result[m * 32 + n] = x[t] + (matmul_63[t] + attention_output_bias[n]) + (value + down_bias[n]);
}

static inline void block_8_matmul_register_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    __global const float* x,
    __global const float* matmul_63,
    __global const float* attention_output_bias,
    __global const float* down_bias,
    __global float* result
) {
    const int t = m * 32 + n;
    *(__global float4*)&result[m * 32 + n] = *(__global const float4*)&x[t]
        + (*(__global const float4*)&matmul_63[t] + *(__global const float4*)&attention_output_bias[n])
        + (value + *(__global const float4*)&down_bias[n]);
}

// add_38 = (matmul(norm1, attention.qkv_weight) + attention.qkv_bias)
#define KERNEL_NAME block_1_matmul_register
#define STORE(batch_, m_, n_, value_) block_1_matmul_register_store(batch_, m_, n_, value_, arg_attention_qkv_bias, arg_add_38)
#define STORE_VECTOR(batch_, m_, n_, value_) block_1_matmul_register_store_vector(batch_, m_, n_, value_, arg_attention_qkv_bias, arg_add_38)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define REG_M 8
#define REG_N 4
#define WARP_M 8
#define WARP_N 4
#define PAD 4
#define GROUP_M 8
#define STAGE 4
#define UNROLL 2
#define M (arg_N * arg_T)
#define N 96
#define K 32
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 32
#define A_STRIDE_K 1
#define a arg_norm1
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 96
#define B_STRIDE_N 1
#define b arg_attention_qkv_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_norm1, __global const float* restrict arg_attention_qkv_weight, __global const float* restrict arg_attention_qkv_bias, __global float* restrict arg_add_38, const int arg_N, const int arg_T
#include "matmul_register.cl"

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
#undef GROUP_M
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef PAD
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef a
#undef b
#include "undef_matmul_register.h"

// matmul_43 = matmul(add_38[i0, i2, 0, i1, i3], add_38[i0, i3, 1, i1, i2])
#define KERNEL_NAME block_2_matmul_register
#define STORE(batch_, m_, n_, value_) block_2_matmul_register_store(batch_, m_, n_, value_, arg_T, arg_matmul_43)
#define STORE_VECTOR(batch_, m_, n_, value_) block_2_matmul_register_store_vector(batch_, m_, n_, value_, arg_T, arg_matmul_43)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define TILE_M 128
#define TILE_N 128
#define TILE_K 8
#define REG_M 8
#define REG_N 8
#define WARP_M 8
#define WARP_N 4
#define PAD 4
#define GROUP_M 8
#define STAGE 4
#define UNROLL 2
#define M arg_T
#define N arg_T
#define K 8
#define BATCH (arg_N * 4)
#define A_OFFSET(batch) ((batch) / 4 * (arg_T * 96) + (batch) % 4 * 8)
#define A_STRIDE_M 96
#define A_STRIDE_K 1
#define a arg_add_38
#define B_OFFSET(batch) (b_first + ((batch) / 4 * (arg_T * 96) + (batch) % 4 * 8))
#define B_STRIDE_K 1
#define B_STRIDE_N 96
#define b arg_add_38
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_add_38, const int arg_T, __global float* restrict arg_matmul_43, const int arg_N, const int b_first
#include "matmul_register.cl"

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
#undef GROUP_M
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef PAD
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef a
#undef b
#include "undef_matmul_register.h"

// view_61 = matmul(mul_59, add_38[i0, i2, 2, i1, i3])
#define KERNEL_NAME block_4_matmul_tiled
#define STORE(batch_, m_, n_, value_) block_4_matmul_tiled_store(batch_, m_, n_, value_, arg_T, arg_view_61)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define TILE 16
#define M arg_T
#define N 8
#define K arg_T
#define BATCH (arg_N * 4)
#define A_OFFSET(batch) ((batch) * (arg_T * arg_T))
#define A_STRIDE_M arg_T
#define A_STRIDE_K 1
#define a arg_mul_59
#define B_OFFSET(batch) (b_first + ((batch) / 4 * (arg_T * 96) + (batch) % 4 * 8))
#define B_STRIDE_K 96
#define B_STRIDE_N 1
#define b arg_add_38
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_mul_59, __global const float* restrict arg_add_38, const int arg_T, __global float* restrict arg_view_61, const int arg_N, const int b_first
#include "matmul_tiled.cl"

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
#undef LONG_SUMS
#undef M
#undef N
#undef REAL
#undef STORE
#undef TILE
#undef a
#undef b
#include "undef_matmul_tiled.h"

// matmul_63 = matmul(view_61, attention.output_weight)
#define KERNEL_NAME block_5_matmul_register
#define STORE(batch_, m_, n_, value_) block_5_matmul_register_store(batch_, m_, n_, value_, arg_matmul_63)
#define STORE_VECTOR(batch_, m_, n_, value_) block_5_matmul_register_store_vector(batch_, m_, n_, value_, arg_matmul_63)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define REG_M 8
#define REG_N 4
#define WARP_M 8
#define WARP_N 4
#define PAD 4
#define GROUP_M 8
#define STAGE 4
#define UNROLL 2
#define M (arg_N * arg_T)
#define N 32
#define K 32
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 32
#define A_STRIDE_K 1
#define a arg_view_61
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 32
#define B_STRIDE_N 1
#define b arg_attention_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_view_61, __global const float* restrict arg_attention_output_weight, __global float* restrict arg_matmul_63, const int arg_N, const int arg_T
#include "matmul_register.cl"

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
#undef GROUP_M
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef PAD
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef a
#undef b
#include "undef_matmul_register.h"

// mul_113 = up * 0.5 * (erf(neg(max(neg(max(up, -1024)), -1024)) * 0.7071067811865476) + 1)
#define KERNEL_NAME block_7_matmul_register
#define STORE(batch_, m_, n_, value_) block_7_matmul_register_store(batch_, m_, n_, value_, arg_up_bias, arg_mul_113)
#define STORE_VECTOR(batch_, m_, n_, value_) block_7_matmul_register_store_vector(batch_, m_, n_, value_, arg_up_bias, arg_mul_113)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define REG_M 8
#define REG_N 4
#define WARP_M 8
#define WARP_N 4
#define PAD 4
#define GROUP_M 8
#define STAGE 4
#define UNROLL 2
#define M (arg_N * arg_T)
#define N 128
#define K 32
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 32
#define A_STRIDE_K 1
#define a arg_norm2
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 128
#define B_STRIDE_N 1
#define b arg_up_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_norm2, __global const float* restrict arg_up_weight, __global const float* restrict arg_up_bias, __global float* restrict arg_mul_113, const int arg_N, const int arg_T
#include "matmul_register.cl"

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
#undef GROUP_M
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef PAD
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef a
#undef b
#include "undef_matmul_register.h"

// result = ((x + attention) + down)
#define KERNEL_NAME block_8_matmul_register
#define STORE(batch_, m_, n_, value_) block_8_matmul_register_store(batch_, m_, n_, value_, arg_x, arg_matmul_63, arg_attention_output_bias, arg_down_bias, arg_result)
#define STORE_VECTOR(batch_, m_, n_, value_) block_8_matmul_register_store_vector(batch_, m_, n_, value_, arg_x, arg_matmul_63, arg_attention_output_bias, arg_down_bias, arg_result)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define TILE_M 64
#define TILE_N 64
#define TILE_K 16
#define REG_M 8
#define REG_N 4
#define WARP_M 8
#define WARP_N 4
#define PAD 4
#define GROUP_M 8
#define STAGE 4
#define UNROLL 2
#define M (arg_N * arg_T)
#define N 32
#define K 128
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 128
#define A_STRIDE_K 1
#define a arg_mul_113
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 32
#define B_STRIDE_N 1
#define b arg_down_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_mul_113, __global const float* restrict arg_down_weight, __global const float* arg_x, __global const float* restrict arg_matmul_63, __global const float* restrict arg_attention_output_bias, __global const float* restrict arg_down_bias, __global float* arg_result, const int arg_N, const int arg_T
#include "matmul_register.cl"

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
#undef GROUP_M
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef PAD
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef a
#undef b
#include "undef_matmul_register.h"
