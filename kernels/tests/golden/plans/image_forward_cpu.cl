// image on cpu, sizes N, H, W
//
// buffers
//    0  x: f32 [N, 4, H, W] (argument 0)
//    1  pool: f32 [N, 4, (H + 1) / 2, (W + 1) / 2] (scratch)
//    2  div_14: f32 [N*4] (scratch)
//    3  output_weight: f32 [4, 8] (parameter output.weight)
//    4  output_bias: f32 [8] (parameter output.bias)
//    5  output: f32 [N, 8] (result 0)
//
// steps
//    0  pool = max(… over 4, 5)
//       image_0_max(N, H, W, x, pool)
//       over [(N*((H + 1) / 2)*((W + 1) / 2)*4 + 454) / 455] in groups of [1]
//    1  div_14 = sum(pool over 1) / (((H + 1) / 2)*((W + 1) / 2))
//       image_1_sum_map(N, H, W, pool, div_14)
//       over [N*4] in groups of [1]
//    2  output = (matmul(div_14, output.weight) + output.bias)
//       image_2_matmul_cpu(div_14, output_weight, output_bias, output, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]

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

// pool = max((inside(i0, i1, i2*2 + i4 - 1, i3*2 + i5 - 1) ? (x + x[i0, i1, i2, W - 1 - i3])[i0, i1, i2*2 + i4 -
//     1, i3*2 + i5 - 1] : -inf) over 4, 5)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void image_0_max(
    const int N,
    const int H,
    const int W,
    __global const float* restrict x,
    __global float* restrict pool
) {
    const int first_row = (int)get_global_id(0) * 455;
    const int end = min(first_row + 455, N * ((H + 1) / 2) * ((W + 1) / 2) * 4);
    for (int row = first_row; row < end; ++row) {
        float pool_1 = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) {
                const int t = (H + 1) / 2;
                const int t_1 = (W + 1) / 2;
                const int t_2 = row / t_1;
                const int t_3 = t_2 % t;
                const int t_4 = k + t_3 * 2 - 1;
                const bool t_5 = t_4 >= 0 && t_4 < H;
                const int t_6 = row % t_1 * 2;
                const int t_7 = i + t_6 - 1;
                const bool t_8 = t_5 && t_7 >= 0 && t_7 < W;
                const int t_9 = k * W;
                const int t_10 = t_2 / t * (H * W);
                const int t_11 = t_3 * (W * 2);
                const int t_12 = W - i - t_6;
                const bool t_13 = t_5 && t_12 >= 0 && t_12 < W;
                pool_1 = netcl_max(pool_1, t_8 ? x[t_8 ? t_9 + i + t_10 + t_6 + t_11 - W - 1 : 0]
                    + (t_13 ? x[t_8 && t_13 ? t_9 + t_10 + t_11 - i - t_6 : 0] : 0.0f) : -INFINITY);
            }
        }
        pool[row] = pool_1;
    }
}

// div_14 = sum(pool over 1) / (((H + 1) / 2)*((W + 1) / 2))
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void image_1_sum_map(
    const int N,
    const int H,
    const int W,
    __global const float* restrict pool,
    __global float* restrict div_14
) {
    const int row = get_global_id(0);
    float16 sum = (float16)(0.0f);
    float16 sum_total = (float16)(0.0f);
    float16 sum_lost = (float16)(0.0f);
    float sum_1 = 0.0f;
    const int whole = (H + 1) / 2 * ((W + 1) / 2) - (H + 1) / 2 * ((W + 1) / 2) % 16;
    for (int first = 0; first < whole; first += 512) {
        const int block_end = min(first + 512, whole);
        for (int i = first; i < block_end; i += 16) {
            sum += vload16(0, &pool[row * ((H + 1) / 2 * ((W + 1) / 2)) + i]);
        }
        const float16 after = sum_total + sum;
        const float16 added = after - sum_total;
        sum_lost += sum_total - (after - added) + (sum - added);
        sum_total = after;
        sum = (float16)(0.0f);
    }
    for (int i = whole; i < (H + 1) / 2 * ((W + 1) / 2); ++i) {
        sum_1 += pool[row * ((H + 1) / 2 * ((W + 1) / 2)) + i];
    }
    sum = select(sum_total, sum_total + sum_lost, sum_lost - sum_lost == 0.0f);
    const float result = netcl_sum16(sum) + sum_1;
    div_14[row] = result / (float)((H + 1) / 2 * ((W + 1) / 2));
}

static inline void image_2_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* output_bias,
    __global float* output
) {
    output[m * 8 + n] = value + output_bias[n];
}

static inline void image_2_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* output_bias,
    __global float* output
) {
    vstore16(value + vload16(0, &output_bias[n]), 0, &output[m * 8 + n]);
}

// output = (matmul(div_14, output.weight) + output.bias)
#define KERNEL_NAME image_2_matmul_cpu
#define STORE(batch_, m_, n_, value_) image_2_matmul_cpu_store(batch_, m_, n_, value_, arg_output_bias, arg_output)
#define STORE_VECTOR(batch_, m_, n_, value_) image_2_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_output_bias, arg_output)
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
#define N 8
#define K 4
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 4
#define A_STRIDE_K 1
#define a arg_div_14
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 8
#define B_STRIDE_N 1
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_div_14, __global const float* restrict arg_output_weight, __global const float* restrict arg_output_bias, __global float* restrict arg_output, const int arg_N
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
