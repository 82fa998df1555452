// block on cpu, sizes N, T
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
//       over [(N*T + 127) / 128] in groups of [1]
//    1  add_38 = (matmul(norm1, attention.qkv_weight) + attention.qkv_bias)
//       block_1_matmul_cpu(norm1, attention_qkv_weight, attention_qkv_bias, add_38, N, T)
//       over [3, (N*T + 127) / 128, 1] in groups of [1, 1, 1]
//    2  matmul_43 = matmul(add_38[i0, i2, 0, i1, i3], add_38[i0, i3, 1, i1, i2])
//       block_2_matmul_cpu(add_38, T, matmul_43, N, 32i32)
//       over [(T + 31) / 32, (T + 63) / 64, N*4] in groups of [1, 1, 1]
//    3  mul_59 = exp(((… ? … : -inf) - max(… over 3))) * recip(sum(exp(…) over 3))
//       block_3_max_sum_map(N, T, matmul_43, mul_59)
//       over [N*T*4] in groups of [1]
//    4  view_61 = matmul(mul_59, add_38[i0, i2, 2, i1, i3])
//       block_4_matmul_cpu(mul_59, add_38, T, view_61, N, 64i32)
//       over [1, (T + 63) / 64, N*4] in groups of [1, 1, 1]
//    5  matmul_63 = matmul(view_61, attention.output_weight)
//       block_5_matmul_cpu(view_61, attention_output_weight, matmul_63, N, T)
//       over [1, (N*T + 127) / 128, 1] in groups of [1, 1, 1]
//    6  norm2 = (((… - …) - … / 32) * rsqrt((… + 0.00001)) * norm2.weight + norm2.bias)
//       block_6_sum_map(N, T, x, matmul_63, attention_output_bias, norm2_weight, norm2_bias, norm2)
//       over [(N*T + 127) / 128] in groups of [1]
//    7  mul_113 = up * 0.5 * (erf(neg(max(neg(max(up, -1024)), -1024)) * 0.7071067811865476) + 1)
//       block_7_matmul_cpu(norm2, up_weight, up_bias, mul_113, N, T)
//       over [4, (N*T + 127) / 128, 1] in groups of [1, 1, 1]
//    8  result = ((x + attention) + down)
//       block_8_matmul_cpu(mul_113, down_weight, x, matmul_63, attention_output_bias, down_bias, result, N, T)
//       over [1, (N*T + 127) / 128, 1] in groups of [1, 1, 1]

#pragma OPENCL FP_CONTRACT OFF

// The sum over the lanes, by halves.
static inline float netcl_sum16(float16 v) {
    const float8 v8 = v.lo + v.hi;
    const float4 v4 = v8.lo + v8.hi;
    const float2 v2 = v4.lo + v4.hi;
    return v2.lo + v2.hi;
}

// The larger value; NaN if either is NaN.
static inline float16 netcl_max16(float16 a, float16 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// The larger value; NaN if either is NaN.
static inline float8 netcl_max8(float8 a, float8 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline float4 netcl_max4(float4 a, float4 b) {
    return select(a, b, (a < b) | (b != b));
}

// The larger value; NaN if either is NaN.
static inline float2 netcl_max2(float2 a, float2 b) {
    return select(a, b, (a < b) | (b != b));
}

// The maximum over the lanes, by halves.
static inline float netcl_maximum16(float16 v) {
    const float8 v8 = netcl_max8(v.lo, v.hi);
    const float4 v4 = netcl_max4(v8.lo, v8.hi);
    const float2 v2 = netcl_max2(v4.lo, v4.hi);
    return netcl_max(v2.lo, v2.hi);
}

// norm1 = (((x - sum(x over 2) / 32) - sum((x - sum(x over 2) / 32) over 2) / 32) * rsqrt(((((sum((x - … / 32) *
//     (x - … / 32) over 2) / 32 - sum((x - … / 32) over 2) / 32 * (sum((x - … / 32) over 2) / 32)) < 0) ? 0 :
//     (sum((x - sum(x over 2) / 32) * (x - sum(x over 2) / 32) over 2) / 32 - sum((x - sum(x over 2) / 32) over
//     2) / 32 * (sum((x - sum(x over 2) / 32) over 2) / 32))) + 0.00001)) * norm1.weight + norm1.bias)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void block_0_sum_map(
    const int N,
    const int T,
    __global const float* x,
    __global const float* restrict norm1_weight,
    __global const float* restrict norm1_bias,
    __global float* restrict norm1
) {
    const int first_row = (int)get_global_id(0) * 128;
    const int end = min(first_row + 128, N * T);
    for (int row = first_row; row < end; ++row) {
        float16 sum = (float16)(0.0f);
        for (int i = 0; i < 32; i += 16) {
            sum += vload16(0, &x[row * 32 + i]);
        }
        const float result = netcl_sum16(sum);
        float16 sum_1 = (float16)(0.0f);
        float16 sum_2 = (float16)(0.0f);
        for (int i = 0; i < 32; i += 16) {
            const float16 t = vload16(0, &x[row * 32 + i]) - result / 32.0f;
            sum_1 += t;
            sum_2 += t * t;
        }
        const float result_1 = netcl_sum16(sum_1);
        const float result_2 = netcl_sum16(sum_2);
        for (int i = 0; i < 32; i += 16) {
            const float t = result_1 / 32.0f;
            const float t_1 = result_2 / 32.0f - t * t;
            const float16 norm1_1 = (vload16(0, &x[row * 32 + i]) - result / 32.0f - t)
                * rsqrt((t_1 < 0.0f ? 0.0f : t_1) + 1e-5f) * vload16(0, &norm1_weight[i])
                + vload16(0, &norm1_bias[i]);
            vstore16(norm1_1, 0, &norm1[row * 32 + i]);
        }
    }
}

static inline void block_1_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* attention_qkv_bias,
    __global float* add_38
) {
    add_38[m * 96 + n] = value + attention_qkv_bias[n];
}

static inline void block_1_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* attention_qkv_bias,
    __global float* add_38
) {
    vstore16(value + vload16(0, &attention_qkv_bias[n]), 0, &add_38[m * 96 + n]);
}

static inline void block_2_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    const int T,
    __global float* matmul_43
) {
    matmul_43[batch * (T * T) + m * T + n] = value;
}

static inline void block_2_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    const int T,
    __global float* matmul_43
) {
    vstore16(value, 0, &matmul_43[batch * (T * T) + m * T + n]);
}

// mul_59 = exp((((i3 <= i2) ? matmul_43 * 0.35355339059327373 : -inf) - max(((i3 <= i2) ? matmul_43 *
//     0.35355339059327373 : -inf) over 3))) * recip(sum(exp((((i3 <= i2) ? matmul_43 * 0.35355339059327373 :
//     -inf) - max(((i3 <= i2) ? matmul_43 * 0.35355339059327373 : -inf) over 3))) over 3))
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void block_3_max_sum_map(
    const int N,
    const int T,
    __global const float* restrict matmul_43,
    __global float* restrict mul_59
) {
    const int row = get_global_id(0);
    float16 max_1 = (float16)(-INFINITY);
    float max_2 = -INFINITY;
    const int whole = T - T % 16;
    for (int i = 0; i < whole; i += 16) {
        max_1 = netcl_max16(max_1, select((float16)(-INFINITY), vload16(0, &matmul_43[row * T + i])
            * 0.35355338f, i + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) <= row % T));
    }
    for (int i = whole; i < T; ++i) {
        max_2 = netcl_max(max_2, i <= row % T ? matmul_43[row * T + i] * 0.35355338f : -INFINITY);
    }
    const float result = netcl_max(netcl_maximum16(max_1), max_2);
    float16 sum = (float16)(0.0f);
    float16 sum_total = (float16)(0.0f);
    float16 sum_lost = (float16)(0.0f);
    float sum_1 = 0.0f;
    const int whole_1 = T - T % 16;
    for (int first = 0; first < whole_1; first += 512) {
        const int block_end = min(first + 512, whole_1);
        for (int i = first; i < block_end; i += 16) {
            sum += exp(select((float16)(-INFINITY), vload16(0, &matmul_43[row * T + i]) * 0.35355338f, i
                + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) <= row % T) - result);
        }
        const float16 after = sum_total + sum;
        const float16 added = after - sum_total;
        sum_lost += sum_total - (after - added) + (sum - added);
        sum_total = after;
        sum = (float16)(0.0f);
    }
    for (int i = whole_1; i < T; ++i) {
        sum_1 += exp((i <= row % T ? matmul_43[row * T + i] * 0.35355338f : -INFINITY) - result);
    }
    sum = select(sum_total, sum_total + sum_lost, sum_lost - sum_lost == 0.0f);
    const float result_1 = netcl_sum16(sum) + sum_1;
    const int whole_2 = T - T % 16;
    for (int i = 0; i < whole_2; i += 16) {
        vstore16(exp(select((float16)(-INFINITY), vload16(0, &matmul_43[row * T + i]) * 0.35355338f, i
            + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) <= row % T) - result)
            * (1.0f / result_1), 0, &mul_59[row * T + i]);
    }
    for (int i = whole_2; i < T; ++i) {
        mul_59[row * T + i] = exp((i <= row % T ? matmul_43[row * T + i] * 0.35355338f : -INFINITY) - result)
            * (1.0f / result_1);
    }
}

static inline void block_4_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    const int T,
    __global float* view_61
) {
    view_61[m * 32 + n + batch / 4 * (T * 32) + batch % 4 * 8] = value;
}

static inline void block_4_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    const int T,
    __global float* view_61
) {
    vstore16(value, 0, &view_61[m * 32 + n + batch / 4 * (T * 32) + batch % 4 * 8]);
}

static inline void block_5_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_63
) {
    matmul_63[m * 32 + n] = value;
}

static inline void block_5_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* matmul_63
) {
    vstore16(value, 0, &matmul_63[m * 32 + n]);
}

// norm2 = ((((x + attention) - sum((x + attention) over 2) / 32) - sum(((x + attention) - sum((x + attention)
//     over 2) / 32) over 2) / 32) * rsqrt(((((sum(… * … over 2) / 32 - sum(… over 2) / 32 * (sum(… over 2) /
//     32)) < 0) ? 0 : (sum((… - …) * (… - …) over 2) / 32 - sum((… - …) over 2) / 32 * (sum((… - …) over 2) /
//     32))) + 0.00001)) * norm2.weight + norm2.bias)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
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
    const int first_row = (int)get_global_id(0) * 128;
    const int end = min(first_row + 128, N * T);
    for (int row = first_row; row < end; ++row) {
        float16 sum = (float16)(0.0f);
        for (int i = 0; i < 32; i += 16) {
            const int t = row * 32 + i;
            sum += vload16(0, &x[t]) + (vload16(0, &matmul_63[t]) + vload16(0, &attention_output_bias[i]));
        }
        const float result = netcl_sum16(sum);
        float16 sum_1 = (float16)(0.0f);
        float16 sum_2 = (float16)(0.0f);
        for (int i = 0; i < 32; i += 16) {
            const int t = row * 32 + i;
            const float16 t_1 = vload16(0, &x[t])
                + (vload16(0, &matmul_63[t]) + vload16(0, &attention_output_bias[i])) - result / 32.0f;
            sum_1 += t_1;
            sum_2 += t_1 * t_1;
        }
        const float result_1 = netcl_sum16(sum_1);
        const float result_2 = netcl_sum16(sum_2);
        for (int i = 0; i < 32; i += 16) {
            const int t = row * 32 + i;
            const float t_1 = result_1 / 32.0f;
            const float t_2 = result_2 / 32.0f - t_1 * t_1;
            const float16 norm2_1 = (vload16(0, &x[t])
                + (vload16(0, &matmul_63[t]) + vload16(0, &attention_output_bias[i])) - result / 32.0f - t_1)
                * rsqrt((t_2 < 0.0f ? 0.0f : t_2) + 1e-5f) * vload16(0, &norm2_weight[i])
                + vload16(0, &norm2_bias[i]);
            vstore16(norm2_1, 0, &norm2[row * 32 + i]);
        }
    }
}

static inline void block_7_matmul_cpu_store(
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

static inline void block_7_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* up_bias,
    __global float* mul_113
) {
    const float16 t = value + vload16(0, &up_bias[n]);
    vstore16(t * 0.5f * (erf(-netcl_max16(-netcl_max16(t, (float16)(-1024.0f)), (float16)(-1024.0f))
        * 0.70710677f) + 1.0f), 0, &mul_113[m * 128 + n]);
}

static inline void block_8_matmul_cpu_store(
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

static inline void block_8_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* x,
    __global const float* matmul_63,
    __global const float* attention_output_bias,
    __global const float* down_bias,
    __global float* result
) {
    const int t = m * 32 + n;
    vstore16(vload16(0, &x[t]) + (vload16(0, &matmul_63[t]) + vload16(0, &attention_output_bias[n]))
        + (value + vload16(0, &down_bias[n])), 0, &result[m * 32 + n]);
}

// add_38 = (matmul(norm1, attention.qkv_weight) + attention.qkv_bias)
#define KERNEL_NAME block_1_matmul_cpu
#define STORE(batch_, m_, n_, value_) block_1_matmul_cpu_store(batch_, m_, n_, value_, arg_attention_qkv_bias, arg_add_38)
#define STORE_VECTOR(batch_, m_, n_, value_) block_1_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_attention_qkv_bias, arg_add_38)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 128
#define TILE_N 32
#define TILE_K 256
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

// matmul_43 = matmul(add_38[i0, i2, 0, i1, i3], add_38[i0, i3, 1, i1, i2])
#define KERNEL_NAME block_2_matmul_cpu
#define STORE(batch_, m_, n_, value_) block_2_matmul_cpu_store(batch_, m_, n_, value_, arg_T, arg_matmul_43)
#define STORE_VECTOR(batch_, m_, n_, value_) block_2_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_T, arg_matmul_43)
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

// view_61 = matmul(mul_59, add_38[i0, i2, 2, i1, i3])
#define KERNEL_NAME block_4_matmul_cpu
#define STORE(batch_, m_, n_, value_) block_4_matmul_cpu_store(batch_, m_, n_, value_, arg_T, arg_view_61)
#define STORE_VECTOR(batch_, m_, n_, value_) block_4_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_T, arg_view_61)
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

// matmul_63 = matmul(view_61, attention.output_weight)
#define KERNEL_NAME block_5_matmul_cpu
#define STORE(batch_, m_, n_, value_) block_5_matmul_cpu_store(batch_, m_, n_, value_, arg_matmul_63)
#define STORE_VECTOR(batch_, m_, n_, value_) block_5_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_matmul_63)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 128
#define TILE_N 32
#define TILE_K 256
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

// mul_113 = up * 0.5 * (erf(neg(max(neg(max(up, -1024)), -1024)) * 0.7071067811865476) + 1)
#define KERNEL_NAME block_7_matmul_cpu
#define STORE(batch_, m_, n_, value_) block_7_matmul_cpu_store(batch_, m_, n_, value_, arg_up_bias, arg_mul_113)
#define STORE_VECTOR(batch_, m_, n_, value_) block_7_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_up_bias, arg_mul_113)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 128
#define TILE_N 32
#define TILE_K 256
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

// result = ((x + attention) + down)
#define KERNEL_NAME block_8_matmul_cpu
#define STORE(batch_, m_, n_, value_) block_8_matmul_cpu_store(batch_, m_, n_, value_, arg_x, arg_matmul_63, arg_attention_output_bias, arg_down_bias, arg_result)
#define STORE_VECTOR(batch_, m_, n_, value_) block_8_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_x, arg_matmul_63, arg_attention_output_bias, arg_down_bias, arg_result)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 128
#define TILE_N 32
#define TILE_K 256
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
