// image on gpu, sizes N, H, W
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
//       over [N*((H + 1) / 2)*((W + 1) / 2)*4] in groups of [256]
//    1  div_14 = sum(pool over 1) / (((H + 1) / 2)*((W + 1) / 2))
//       image_1_sum_map(N, H, W, pool, div_14)
//       over [N*1024] in groups of [256]
//    2  output = (matmul(div_14, output.weight) + output.bias)
//       image_2_matmul_naive(div_14, output_weight, output_bias, output, N)
//       over [16, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// pool = max((inside(i0, i1, i2*2 + i4 - 1, i3*2 + i5 - 1) ? (x + x[i0, i1, i2, W - 1 - i3])[i0, i1, i2*2 + i4 -
//     1, i3*2 + i5 - 1] : -inf) over 4, 5)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void image_0_max(
    const int N,
    const int H,
    const int W,
    __global const float* restrict x,
    __global float* restrict pool
) {
    const int row = get_global_id(0);
    if (row < N * ((H + 1) / 2) * ((W + 1) / 2) * 4) {
        float pool_1 = -INFINITY;
        for (int k = 0; k < 9; ++k) {
            const int t = (H + 1) / 2;
            const int t_1 = (W + 1) / 2;
            const int t_2 = k / 3;
            const int t_3 = row / t_1;
            const int t_4 = t_3 % t;
            const int t_5 = t_2 + t_4 * 2 - 1;
            const bool t_6 = t_5 >= 0 && t_5 < H;
            const int t_7 = row % t_1 * 2;
            const int t_8 = k % 3;
            const int t_9 = t_7 + t_8 - 1;
            const bool t_10 = t_6 && t_9 >= 0 && t_9 < W;
            const int t_11 = t_2 * W + t_3 / t * (H * W);
            const int t_12 = t_4 * (W * 2);
            const int t_13 = W - t_7 - t_8;
            const bool t_14 = t_6 && t_13 >= 0 && t_13 < W;
            pool_1 = netcl_max(pool_1, t_10 ? x[t_10 ? t_11 + t_7 + t_8 + t_12 - W - 1 : 0]
                + (t_14 ? x[t_10 && t_14 ? t_11 + t_12 - t_7 - t_8 : 0] : 0.0f) : -INFINITY);
        }
        pool[row] = pool_1;
    }
}

// div_14 = sum(pool over 1) / (((H + 1) / 2)*((W + 1) / 2))
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void image_1_sum_map(
    const int N,
    const int H,
    const int W,
    __global const float* restrict pool,
    __global float* restrict div_14
) {
    __local float scratch0[256];
    const int lid = get_local_id(0);
    const int row = get_group_id(0);
    float sum = 0.0f;
    float sum_total = 0.0f;
    float sum_lost = 0.0f;
    for (int first = lid; first < (H + 1) / 2 * ((W + 1) / 2); first += 8192) {
        const int block_end = min(first + 8192, (H + 1) / 2 * ((W + 1) / 2));
        for (int k = first; k < block_end; k += 256) {
            sum += pool[row * ((H + 1) / 2 * ((W + 1) / 2)) + k];
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
        div_14[row] = sum_all / (float)((H + 1) / 2 * ((W + 1) / 2));
    }
}

static inline void image_2_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global const float* output_bias,
    __global float* output
) {
    output[m * 8 + n] = value + output_bias[n];
}

// output = (matmul(div_14, output.weight) + output.bias)
#define KERNEL_NAME image_2_matmul_naive
#define STORE(batch_, m_, n_, value_) image_2_matmul_naive_store(batch_, m_, n_, value_, arg_output_bias, arg_output)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
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
