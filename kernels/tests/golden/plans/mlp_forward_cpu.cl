// mlp on cpu, sizes N
//
// buffers
//    0  x: f32 [N, 64] (argument 0)
//    1  hidden_weight: f32 [64, 32] (parameter hidden.weight)
//    2  hidden_bias: f32 [32] (parameter hidden.bias)
//    3  max_8: f32 [N, 32] (scratch)
//    4  output_weight: f32 [32, 10] (parameter output.weight)
//    5  output_bias: f32 [10] (parameter output.bias)
//    6  output: f32 [N, 10] (result 0)
//
// steps
//    0  max_8 = max(hidden, 0)
//       mlp_0_matmul_cpu(x, hidden_weight, hidden_bias, max_8, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    1  output = (matmul(max_8, output.weight) + output.bias)
//       mlp_1_matmul_cpu(max_8, output_weight, output_bias, output, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

// The larger value; NaN if either is NaN.
static inline float16 netcl_max16(float16 a, float16 b) {
    return select(a, b, (a < b) | (b != b));
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
    __global const float* output_bias,
    __global float* output
) {
    output[m * 10 + n] = value + output_bias[n];
}

static inline void mlp_1_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global const float* output_bias,
    __global float* output
) {
    vstore16(value + vload16(0, &output_bias[n]), 0, &output[m * 10 + n]);
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

// output = (matmul(max_8, output.weight) + output.bias)
#define KERNEL_NAME mlp_1_matmul_cpu
#define STORE(batch_, m_, n_, value_) mlp_1_matmul_cpu_store(batch_, m_, n_, value_, arg_output_bias, arg_output)
#define STORE_VECTOR(batch_, m_, n_, value_) mlp_1_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_output_bias, arg_output)
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
#define KERNEL_PARAMS __global const float* restrict arg_max_8, __global const float* restrict arg_output_weight, __global const float* restrict arg_output_bias, __global float* restrict arg_output, const int arg_N
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
