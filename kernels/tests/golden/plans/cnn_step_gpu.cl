// cnn on gpu, sizes N
//
// buffers
//    0  x: f32 [N, 1, 8, 8] (argument 0)
//    1  conv1_weight: f32 [8, 1, 3, 3] (parameter conv1.weight)
//    2  conv1_bias: f32 [8] (parameter conv1.bias)
//    3  conv2d_4: f32 [N, 8, 8, 8] (scratch)
//    4  pool1: f32 [N, 8, 4, 4] (scratch)
//    5  conv2_weight: f32 [16, 8, 3, 3] (parameter conv2.weight)
//    6  conv2_bias: f32 [16] (parameter conv2.bias)
//    7  conv2d_14: f32 [N, 16, 4, 4] (scratch)
//    8  pool2: f32 [N, 16, 2, 2] (scratch)
//    9  output_weight: f32 [64, 10] (parameter output.weight)
//   10  output_bias: f32 [10] (parameter output.bias)
//   11  matmul_25: f32 [N, 10] (scratch)
//   12  labels: u32 [N] (argument 1)
//   13  mul_48: f32 [N] (scratch)
//   14  result: f32 [] (result 0)
//   15  add_62: f32 [N, 10] (scratch)
//   16  grad_output_bias: f32 [10] (gradient of output.bias)
//   17  matmul_65: f32 [N, 64] (scratch)
//   18  grad_output_weight: f32 [64, 10] (gradient of output.weight)
//   19  argmax_70: i32 [N, 16, 2, 2] (scratch)
//   20  select_83: f32 [N, 16, 4, 4] (scratch)
//   21  grad_conv2_bias: f32 [16] (gradient of conv2.bias)
//   22  conv2d_input_grad_85: f32 [N, 8, 4, 4] (scratch)
//   23  conv2d_weight_grad_90: f32 [64, 8, 3, 3] (scratch)
//   24  grad_conv2_weight: f32 [16, 8, 3, 3] (gradient of conv2.weight)
//   25  argmax_94: i32 [N, 8, 4, 4] (scratch)
//   26  grad_conv1_bias: f32 [8] (gradient of conv1.bias)
//   27  conv2d_weight_grad_113: f32 [128, 1, 3, 3] (scratch)
//   28  grad_conv1_weight: f32 [8, 1, 3, 3] (gradient of conv1.weight)
//
// steps
//    0  conv2d_4 = conv2d(x, conv1.weight)
//       cnn_0_conv2d(conv1_weight, x, conv2d_4, N)
//       over [N*64, 1, 1] in groups of [64, 1, 1]
//    1  pool1 = max(max(conv1, 0) over 4, 5); argmax_94 = argmax(max(conv1, 0) over 4, 5)
//       cnn_1_max_argmax(N, conv2d_4, conv1_bias, pool1, argmax_94)
//       over [N*128] in groups of [256]
//    2  conv2d_14 = conv2d(pool1, conv2.weight)
//       cnn_2_conv2d(conv2_weight, pool1, conv2d_14, N)
//       over [((N + 1) / 2)*32, 1, 1] in groups of [32, 1, 1]
//    3  pool2 = max(max(conv2, 0) over 4, 5); argmax_70 = argmax(max(conv2, 0) over 4, 5)
//       cnn_3_max_argmax(N, conv2d_14, conv2_bias, pool2, argmax_70)
//       over [N*64] in groups of [256]
//    4  matmul_25 = matmul(flatten, output.weight)
//       cnn_4_matmul_naive(pool2, output_weight, matmul_25, N)
//       over [16, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    5  mul_48 = (log(sum(… over 1)) - sum((… ? … : 0) over 1)) * ((labels < 10) ? 1 : NaN); add_62 = (((i1 == labels) ? neg(… * …) : 0) + … * … / sum(… over 1) * exp((output - …)))
//       cnn_5_max_sum_map(N, matmul_25, output_bias, labels, add_62, mul_48)
//       over [N] in groups of [256]
//    6  matmul_65 = matmul(add_62, output.weight[i1, i0])
//       cnn_6_matmul_naive(add_62, output_weight, matmul_65, N)
//       over [64, ((N + 3) / 4)*4, 1] in groups of [16, 4, 1]
//    7  grad_output_weight = matmul(flatten[i1, i0], add_62)
//       cnn_7_matmul_naive(pool2, add_62, grad_output_weight, N)
//       over [16, 64, 1] in groups of [16, 4, 1]
//    8  select_83 = ((max(conv2, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_70) ? matmul_65 : 0)); grad_conv2_bias = sum(select_83 over 0, 2, 3)
//       cnn_8_map_sum(N, conv2d_14, conv2_bias, argmax_70, matmul_65, select_83, grad_conv2_bias)
//       over [4096] in groups of [256]
//    9  conv2d_input_grad_85 = conv2d_input_grad(select_83, conv2.weight)
//       cnn_9_conv2d_input_grad(conv2_weight, select_83, conv2d_input_grad_85, N)
//       over [((N + 1) / 2)*32, 1, 1] in groups of [32, 1, 1]
//   10  conv2d_weight_grad_90 = conv2d_weight_grad(pool1, select_83)
//       cnn_10_conv2d_weight_grad(select_83, N, pool1, conv2d_weight_grad_90)
//       over [96, 1, 4] in groups of [32, 1, 1]
//   11  conv2d_weight_grad_113 = conv2d_weight_grad(x, ((… <= 0) ? 0 : (… ? conv2d_input_grad_85 : 0)))
//       cnn_11_conv2d_weight_grad(conv2d_4, conv1_bias, argmax_94, conv2d_input_grad_85, N, x, conv2d_weight_grad_113)
//       over [32, 1, 16] in groups of [32, 1, 1]
//   12  result = sum(mul_48) / N; grad_output_bias = sum(add_62 over 0); grad_conv2_weight = sum(conv2d_weight_grad_90 over 0); grad_conv1_bias = sum(((max(conv1, 0) <= 0) ? 0 : ((… == argmax_94) ? conv2d_input_grad_85 : 0)) over 0, 2, 3); grad_conv1_weight = sum(conv2d_weight_grad_113 over 0)
//       cnn_12_bundle(N, mul_48, result, add_62, grad_output_bias, conv2d_weight_grad_90, grad_conv2_weight, conv2d_4, conv1_bias, argmax_94, conv2d_input_grad_85, grad_conv1_bias, conv2d_weight_grad_113, grad_conv1_weight)
//       over [4096] in groups of [256]

#pragma OPENCL FP_CONTRACT OFF

// The larger value; NaN if either is NaN.
static inline float netcl_max(float a, float b) {
    return a < b || b != b ? b : a;
}

static inline void cnn_0_conv2d_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* conv2d_4
) {
    conv2d_4[batch * 512 + m * 64 + n / 8 / 8 * 512 + n % 8 + n / 8 % 8 * 8] = value;
}

// pool1 = max(max(conv1, 0) over 4, 5)
// argmax_94 = argmax(max(conv1, 0) over 4, 5)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void cnn_1_max_argmax(
    const int N,
    __global const float* restrict conv2d_4,
    __global const float* restrict conv1_bias,
    __global float* restrict pool1,
    __global int* restrict argmax_94
) {
    const int row = get_global_id(0);
    if (row < N * 128) {
        float pool1_1 = -INFINITY;
        float argmax = -INFINITY;
        int argmax_at = 0;
        for (int k = 0; k < 4; ++k) {
            const int t = row / 4;
            const float t_1 = netcl_max(conv2d_4[t * 16 + k / 2 * 8 + row % 4 * 2 + k % 2]
                + conv1_bias[t / 4 % 8], 0.0f);
            pool1_1 = netcl_max(pool1_1, t_1);
            const bool wins = t_1 > argmax || (t_1 != t_1 && argmax == argmax);
            argmax = wins ? t_1 : argmax;
            argmax_at = wins ? k : argmax_at;
        }
        pool1[row] = pool1_1;
        argmax_94[row] = argmax_at;
    }
}

static inline void cnn_2_conv2d_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* conv2d_14
) {
    conv2d_14[batch * 256 + m * 16 + n / 4 / 4 * 256 + n % 4 + n / 4 % 4 * 4] = value;
}

// pool2 = max(max(conv2, 0) over 4, 5)
// argmax_70 = argmax(max(conv2, 0) over 4, 5)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void cnn_3_max_argmax(
    const int N,
    __global const float* restrict conv2d_14,
    __global const float* restrict conv2_bias,
    __global float* restrict pool2,
    __global int* restrict argmax_70
) {
    const int row = get_global_id(0);
    if (row < N * 64) {
        float pool2_1 = -INFINITY;
        float argmax = -INFINITY;
        int argmax_at = 0;
        for (int k = 0; k < 4; ++k) {
            const int t = row / 2;
            const float t_1 = netcl_max(conv2d_14[t * 8 + k / 2 * 4 + row % 2 * 2 + k % 2]
                + conv2_bias[t / 2 % 16], 0.0f);
            pool2_1 = netcl_max(pool2_1, t_1);
            const bool wins = t_1 > argmax || (t_1 != t_1 && argmax == argmax);
            argmax = wins ? t_1 : argmax;
            argmax_at = wins ? k : argmax_at;
        }
        pool2[row] = pool2_1;
        argmax_70[row] = argmax_at;
    }
}

static inline void cnn_4_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_25
) {
    matmul_25[m * 10 + n] = value;
}

// mul_48 = (log(sum(exp((output - max(output over 1))) over 1)) - sum(((i1 == labels) ? (output - max(output
//     over 1)) : 0) over 1)) * ((labels < 10) ? 1 : NaN)
// add_62 = (((i1 == labels) ? neg(1 / N * ((labels < 10) ? 1 : NaN)) : 0) + 1 / N * ((labels < 10) ? 1 : NaN) /
//     sum(exp((output - max(output over 1))) over 1) * exp((output - max(output over 1))))
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void cnn_5_max_sum_map(
    const int N,
    __global const float* restrict matmul_25,
    __global const float* restrict output_bias,
    __global const uint* restrict labels,
    __global float* restrict add_62,
    __global float* restrict mul_48
) {
    const int row = get_global_id(0);
    if (row < N) {
        float max_1 = -INFINITY;
        for (int k = 0; k < 10; ++k) {
            const float output = matmul_25[row * 10 + k] + output_bias[k];
            max_1 = netcl_max(max_1, output);
        }
        float sum = 0.0f;
        float sum_1 = 0.0f;
        for (int k = 0; k < 10; ++k) {
            const float t = matmul_25[row * 10 + k] + output_bias[k] - max_1;
            sum += exp(t);
            sum_1 += (uint)k == labels[row] ? t : 0.0f;
        }
        for (int k = 0; k < 10; ++k) {
            const uint t = labels[row];
            const float t_1 = 1.0f / (float)N * (t < 10 ? 1.0f : NAN);
            add_62[row * 10 + k] = ((uint)k == t ? -t_1 : 0.0f) + t_1 / sum
                * exp(matmul_25[row * 10 + k] + output_bias[k] - max_1);
        }
        mul_48[row] = (log(sum) - sum_1) * (labels[row] < 10 ? 1.0f : NAN);
    }
}

static inline void cnn_6_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_65
) {
    matmul_65[m * 64 + n] = value;
}

static inline void cnn_7_matmul_naive_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_output_weight
) {
    grad_output_weight[m * 10 + n] = value;
}

// select_83 = ((max(conv2, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_70) ? matmul_65 : 0))
// grad_conv2_bias = sum(select_83 over 0, 2, 3)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void cnn_8_map_sum(
    const int N,
    __global const float* restrict conv2d_14,
    __global const float* restrict conv2_bias,
    __global const int* restrict argmax_70,
    __global const float* restrict matmul_65,
    __global float* restrict select_83,
    __global float* restrict grad_conv2_bias
) {
    __local float scratch0[256];
    const int lid = get_local_id(0);
    const int row = get_group_id(0);
    float d_conv2_bias = 0.0f;
    float d_conv2_bias_total = 0.0f;
    float d_conv2_bias_lost = 0.0f;
    for (int first = lid; first < N * 16; first += 8192) {
        const int block_end = min(first + 8192, N * 16);
        for (int k = first; k < block_end; k += 256) {
            const int t = k / 4;
            const int t_1 = t / 4;
            const int t_2 = k % 4;
            const int t_3 = t % 4;
            const int t_4 = row * 4 + t_1 * 64 + t_2 / 2 + t_3 / 2 * 2;
            const float t_5 = netcl_max(conv2d_14[row * 16 + t_1 * 256 + t_2 + t_3 * 4] + conv2_bias[row],
                0.0f) <= 0.0f ? 0.0f : t_2 % 2 + t_3 % 2 * 2 == argmax_70[t_4] ? matmul_65[t_4] : 0.0f;
            d_conv2_bias += t_5;
            select_83[row * 16 + k / 4 / 4 * 256 + k % 4 + k / 4 % 4 * 4] = t_5;
        }
        const float after = d_conv2_bias_total + d_conv2_bias;
        const float added = after - d_conv2_bias_total;
        d_conv2_bias_lost += d_conv2_bias_total - (after - added) + (d_conv2_bias - added);
        d_conv2_bias_total = after;
        d_conv2_bias = 0.0f;
    }
    d_conv2_bias = d_conv2_bias_lost - d_conv2_bias_lost == 0.0f ? d_conv2_bias_total + d_conv2_bias_lost
        : d_conv2_bias_total;
    scratch0[lid] = d_conv2_bias;
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
        grad_conv2_bias[row] = sum_all;
    }
}

static inline void cnn_9_conv2d_input_grad_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* conv2d_input_grad_85
) {
    conv2d_input_grad_85[batch * 128 + m * 16 + n / 4 / 4 * 128 + n % 4 + n / 4 % 4 * 4] = value;
}

static inline void cnn_10_conv2d_weight_grad_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* conv2d_weight_grad_90
) {
    conv2d_weight_grad_90[batch * 1152 + m * 72 + n] = value;
}

static inline void cnn_10_conv2d_weight_grad_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    __global float* conv2d_weight_grad_90
) {
    *(__global float4*)&conv2d_weight_grad_90[batch * 1152 + m * 72 + n] = value;
}

// ((max(conv2, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_70) ? matmul_65 : 0))
static inline float cnn_10_conv2d_weight_grad_load_a(
    const int offset,
    const int N,
    __global const float* select_83
) {
    const bool t = offset / 4 / 4 / 16 < N;
    return t ? select_83[t ? offset : 0] : 0.0f;
}

// pool1 = max(max(conv1, 0) over 4, 5)
static inline float cnn_10_conv2d_weight_grad_load_b(
    const int offset,
    const int N,
    __global const float* pool1
) {
    const bool t = offset / 4 / 4 / 8 < N;
    return t ? pool1[t ? offset : 0] : 0.0f;
}

static inline void cnn_11_conv2d_weight_grad_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* conv2d_weight_grad_113
) {
    conv2d_weight_grad_113[batch * 72 + m * 9 + n] = value;
}

static inline void cnn_11_conv2d_weight_grad_store_vector(
    const int batch,
    const int m,
    const int n,
    const float4 value,
    __global float* conv2d_weight_grad_113
) {
    vstore4(value, 0, &conv2d_weight_grad_113[batch * 72 + m * 9 + n]);
}

// ((max(conv1, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_94) ? conv2d_input_grad_85 : 0))
static inline float cnn_11_conv2d_weight_grad_load_a(
    const int offset,
    const int N,
    __global const float* conv2d_4,
    __global const float* conv1_bias,
    __global const int* argmax_94,
    __global const float* conv2d_input_grad_85
) {
    const int t = offset / 8;
    const int t_1 = t / 8;
    const bool t_2 = t_1 / 8 < N;
    const int t_3 = offset % 8;
    const int t_4 = t % 8;
    const int t_5 = t_2 && t_2 && t_2 ? t_1 * 16 + t_3 / 2 + t_4 / 2 * 4 : 0;
    return t_2 ? (netcl_max(conv2d_4[t_2 ? offset : 0] + conv1_bias[t_2 ? t_1 % 8 : 0], 0.0f) <= 0.0f ? 0.0f
        : t_2 ? (t_3 % 2 + t_4 % 2 * 2 == (t_2 ? argmax_94[t_5] : 0)
        ? (t_2 ? conv2d_input_grad_85[t_5] : 0.0f) : 0.0f) : 0.0f) : 0.0f;
}

// x = x
static inline float cnn_11_conv2d_weight_grad_load_b(
    const int offset,
    const int N,
    __global const float* x
) {
    const bool t = offset / 8 / 8 < N;
    return t ? x[t ? offset : 0] : 0.0f;
}

// result = sum(mul_48) / N
// grad_output_bias = sum(add_62 over 0)
// grad_conv2_weight = sum(conv2d_weight_grad_90 over 0)
// grad_conv1_bias = sum(((max(conv1, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_94) ? conv2d_input_grad_85 : 0))
//     over 0, 2, 3)
// grad_conv1_weight = sum(conv2d_weight_grad_113 over 0)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void cnn_12_bundle(
    const int N,
    __global const float* restrict mul_48,
    __global float* restrict result,
    __global const float* restrict add_62,
    __global float* restrict grad_output_bias,
    __global const float* restrict conv2d_weight_grad_90,
    __global float* restrict grad_conv2_weight,
    __global const float* restrict conv2d_4,
    __global const float* restrict conv1_bias,
    __global const int* restrict argmax_94,
    __global const float* restrict conv2d_input_grad_85,
    __global float* restrict grad_conv1_bias,
    __global const float* restrict conv2d_weight_grad_113,
    __global float* restrict grad_conv1_weight
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
                sum += mul_48[k];
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
                d_output_bias += add_62[row + k * 10];
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
    } else if (group < 7) {
        const int own = group - 2;
        const int row = own * 256 + (int)get_local_id(0);
        if (row < 1152) {
            float d_conv2_weight = 0.0f;
            for (int k = 0; k < 4; ++k) {
                d_conv2_weight += conv2d_weight_grad_90[row + k * 1152];
            }
            grad_conv2_weight[row] = d_conv2_weight;
        }
    } else if (group < 15) {
        const int own = group - 7;
        const int lid = get_local_id(0);
        const int row = own;
        float d_conv1_bias = 0.0f;
        float d_conv1_bias_total = 0.0f;
        float d_conv1_bias_lost = 0.0f;
        for (int first = lid; first < N * 64; first += 8192) {
            const int block_end = min(first + 8192, N * 64);
            for (int k = first; k < block_end; k += 256) {
                const int t = k / 8;
                const int t_1 = t / 8;
                const int t_2 = k % 8;
                const int t_3 = t % 8;
                const int t_4 = row * 16 + t_1 * 128 + t_2 / 2 + t_3 / 2 * 4;
                d_conv1_bias += netcl_max(conv2d_4[row * 64 + t_1 * 512 + t_2 + t_3 * 8] + conv1_bias[row],
                    0.0f) <= 0.0f ? 0.0f : t_2 % 2 + t_3 % 2 * 2 == argmax_94[t_4]
                    ? conv2d_input_grad_85[t_4] : 0.0f;
            }
            const float after = d_conv1_bias_total + d_conv1_bias;
            const float added = after - d_conv1_bias_total;
            d_conv1_bias_lost += d_conv1_bias_total - (after - added) + (d_conv1_bias - added);
            d_conv1_bias_total = after;
            d_conv1_bias = 0.0f;
        }
        d_conv1_bias = d_conv1_bias_lost - d_conv1_bias_lost == 0.0f ? d_conv1_bias_total + d_conv1_bias_lost
            : d_conv1_bias_total;
        scratch2[lid] = d_conv1_bias;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int round_1 = 0; round_1 < 4; ++round_1) {
            const int left = 64 >> (round_1 * 2);
            if (lid < left) {
                scratch2[lid] += scratch2[lid + left];
                scratch2[lid] += scratch2[lid + left * 2];
                scratch2[lid] += scratch2[lid + left * 3];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const float sum_all = scratch2[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0) {
            grad_conv1_bias[row] = sum_all;
        }
    } else {
        const int own = group - 15;
        const int row = own * 256 + (int)get_local_id(0);
        if (row < 72) {
            float d_conv1_weight = 0.0f;
            for (int k = 0; k < 16; ++k) {
                d_conv1_weight += conv2d_weight_grad_113[row + k * 72];
            }
            grad_conv1_weight[row] = d_conv1_weight;
        }
    }
}

// conv2d_4 = conv2d(x, conv1.weight)
#define KERNEL_NAME cnn_0_conv2d
#define a arg_conv1_weight
#define b arg_x
#define STORE(batch_, m_, n_, value_) cnn_0_conv2d_store(batch_, m_, n_, value_, arg_conv2d_4)
#define STORE_VECTOR(batch_, m_, n_, value_) { STORE(batch_, m_, n_, (value_).s0); STORE(batch_, m_, (n_) + 1, (value_).s1); STORE(batch_, m_, (n_) + 2, (value_).s2); STORE(batch_, m_, (n_) + 3, (value_).s3); }
#define PRODUCT FORWARD
#define CHANNELS 1
#define HEIGHT 8
#define WIDTH 8
#define OUT_CHANNELS 8
#define OUT_HEIGHT 8
#define OUT_WIDTH 8
#define FILTER_HEIGHT 3
#define FILTER_WIDTH 3
#define STRIDE_Y 1
#define STRIDE_X 1
#define PAD_Y 1
#define PAD_X 1
#define DILATION_Y 1
#define DILATION_X 1
#define GROUPS 1
#define TILE_M 16
#define TILE_N 64
#define TILE_K 16
#define REG_M 4
#define REG_N 4
#define WARP_M 4
#define WARP_N 8
#define PAD 4
#define GROUP_M 1
#define STAGE 1
#define UNROLL 1
#define M 8
#define N (arg_N * 64)
#define K 9
#define BATCH 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv1_weight, __global const float* restrict arg_x, __global float* restrict arg_conv2d_4, const int arg_N
#include "conv2d_implicit_gemm.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef GROUPS
#undef GROUP_M
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_implicit_gemm.h"

// conv2d_14 = conv2d(pool1, conv2.weight)
#define KERNEL_NAME cnn_2_conv2d
#define a arg_conv2_weight
#define b arg_pool1
#define STORE(batch_, m_, n_, value_) cnn_2_conv2d_store(batch_, m_, n_, value_, arg_conv2d_14)
#define STORE_VECTOR(batch_, m_, n_, value_) { STORE(batch_, m_, n_, (value_).s0); STORE(batch_, m_, (n_) + 1, (value_).s1); STORE(batch_, m_, (n_) + 2, (value_).s2); STORE(batch_, m_, (n_) + 3, (value_).s3); }
#define PRODUCT FORWARD
#define CHANNELS 8
#define HEIGHT 4
#define WIDTH 4
#define OUT_CHANNELS 16
#define OUT_HEIGHT 4
#define OUT_WIDTH 4
#define FILTER_HEIGHT 3
#define FILTER_WIDTH 3
#define STRIDE_Y 1
#define STRIDE_X 1
#define PAD_Y 1
#define PAD_X 1
#define DILATION_Y 1
#define DILATION_X 1
#define GROUPS 1
#define TILE_M 16
#define TILE_N 32
#define TILE_K 8
#define REG_M 4
#define REG_N 4
#define WARP_M 4
#define WARP_N 8
#define PAD 4
#define GROUP_M 1
#define STAGE 1
#define UNROLL 1
#define M 16
#define N (arg_N * 16)
#define K 72
#define BATCH 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv2_weight, __global const float* restrict arg_pool1, __global float* restrict arg_conv2d_14, const int arg_N
#include "conv2d_implicit_gemm.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef GROUPS
#undef GROUP_M
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_implicit_gemm.h"

// matmul_25 = matmul(flatten, output.weight)
#define KERNEL_NAME cnn_4_matmul_naive
#define STORE(batch_, m_, n_, value_) cnn_4_matmul_naive_store(batch_, m_, n_, value_, arg_matmul_25)
#define A_ALONG 0
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
#define M arg_N
#define N 10
#define K 64
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 64
#define A_STRIDE_K 1
#define a arg_pool2
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 10
#define B_STRIDE_N 1
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_pool2, __global const float* restrict arg_output_weight, __global float* restrict arg_matmul_25, const int arg_N
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

// matmul_65 = matmul(add_62, output.weight[i1, i0])
#define KERNEL_NAME cnn_6_matmul_naive
#define STORE(batch_, m_, n_, value_) cnn_6_matmul_naive_store(batch_, m_, n_, value_, arg_matmul_65)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define LOCAL_M 4
#define LOCAL_N 16
#define M arg_N
#define N 64
#define K 10
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 10
#define A_STRIDE_K 1
#define a arg_add_62
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 1
#define B_STRIDE_N 10
#define b arg_output_weight
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_add_62, __global const float* restrict arg_output_weight, __global float* restrict arg_matmul_65, const int arg_N
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

// grad_output_weight = matmul(flatten[i1, i0], add_62)
#define KERNEL_NAME cnn_7_matmul_naive
#define STORE(batch_, m_, n_, value_) cnn_7_matmul_naive_store(batch_, m_, n_, value_, arg_grad_output_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define LOCAL_M 4
#define LOCAL_N 16
#define M 64
#define N 10
#define K arg_N
#define BATCH 1
#define A_OFFSET(batch) (0)
#define A_STRIDE_M 1
#define A_STRIDE_K 64
#define a arg_pool2
#define B_OFFSET(batch) (0)
#define B_STRIDE_K 10
#define B_STRIDE_N 1
#define b arg_add_62
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_pool2, __global const float* restrict arg_add_62, __global float* restrict arg_grad_output_weight, const int arg_N
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

// conv2d_input_grad_85 = conv2d_input_grad(select_83, conv2.weight)
#define KERNEL_NAME cnn_9_conv2d_input_grad
#define a arg_conv2_weight
#define b arg_select_83
#define STORE(batch_, m_, n_, value_) cnn_9_conv2d_input_grad_store(batch_, m_, n_, value_, arg_conv2d_input_grad_85)
#define STORE_VECTOR(batch_, m_, n_, value_) { STORE(batch_, m_, n_, (value_).s0); STORE(batch_, m_, (n_) + 1, (value_).s1); STORE(batch_, m_, (n_) + 2, (value_).s2); STORE(batch_, m_, (n_) + 3, (value_).s3); }
#define PRODUCT INPUT
#define CHANNELS 8
#define HEIGHT 4
#define WIDTH 4
#define OUT_CHANNELS 16
#define OUT_HEIGHT 4
#define OUT_WIDTH 4
#define FILTER_HEIGHT 3
#define FILTER_WIDTH 3
#define STRIDE_Y 1
#define STRIDE_X 1
#define PAD_Y 1
#define PAD_X 1
#define DILATION_Y 1
#define DILATION_X 1
#define GROUPS 1
#define TILE_M 16
#define TILE_N 32
#define TILE_K 8
#define REG_M 4
#define REG_N 4
#define WARP_M 4
#define WARP_N 8
#define PAD 4
#define GROUP_M 1
#define STAGE 1
#define UNROLL 1
#define M 8
#define N (arg_N * 16)
#define K 144
#define BATCH 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv2_weight, __global const float* restrict arg_select_83, __global float* restrict arg_conv2d_input_grad_85, const int arg_N
#include "conv2d_implicit_gemm.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef GROUPS
#undef GROUP_M
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_implicit_gemm.h"

// conv2d_weight_grad_90 = conv2d_weight_grad(pool1, select_83)
#define KERNEL_NAME cnn_10_conv2d_weight_grad
#define ELEMENT_A(offset_) cnn_10_conv2d_weight_grad_load_a(offset_, arg_N, arg_select_83)
#define ELEMENT_B(offset_) cnn_10_conv2d_weight_grad_load_b(offset_, arg_N, arg_pool1)
#define STORE(batch_, m_, n_, value_) cnn_10_conv2d_weight_grad_store(batch_, m_, n_, value_, arg_conv2d_weight_grad_90)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_10_conv2d_weight_grad_store_vector(batch_, m_, n_, value_, arg_conv2d_weight_grad_90)
#define PRODUCT WEIGHT
#define CHANNELS 32
#define HEIGHT 4
#define WIDTH 4
#define OUT_CHANNELS 64
#define OUT_HEIGHT 4
#define OUT_WIDTH 4
#define FILTER_HEIGHT 3
#define FILTER_WIDTH 3
#define STRIDE_Y 1
#define STRIDE_X 1
#define PAD_Y 1
#define PAD_X 1
#define DILATION_Y 1
#define DILATION_X 1
#define GROUPS 4
#define TILE_M 16
#define TILE_N 32
#define TILE_K 8
#define REG_M 4
#define REG_N 4
#define WARP_M 4
#define WARP_N 8
#define PAD 4
#define GROUP_M 1
#define STAGE 1
#define UNROLL 1
#define M 16
#define N 72
#define K (((arg_N + 3) / 4) * 16)
#define BATCH 4
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_select_83, const int arg_N, __global const float* restrict arg_pool1, __global float* restrict arg_conv2d_weight_grad_90
#include "conv2d_implicit_gemm.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef ELEMENT_A
#undef ELEMENT_B
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef GROUPS
#undef GROUP_M
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef LONG_SUMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef WIDTH
#include "undef_conv2d_implicit_gemm.h"

// conv2d_weight_grad_113 = conv2d_weight_grad(x, ((max(conv1, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_94) ?
//     conv2d_input_grad_85 : 0)))
#define KERNEL_NAME cnn_11_conv2d_weight_grad
#define ELEMENT_A(offset_) cnn_11_conv2d_weight_grad_load_a(offset_, arg_N, arg_conv2d_4, arg_conv1_bias, arg_argmax_94, arg_conv2d_input_grad_85)
#define ELEMENT_B(offset_) cnn_11_conv2d_weight_grad_load_b(offset_, arg_N, arg_x)
#define STORE(batch_, m_, n_, value_) cnn_11_conv2d_weight_grad_store(batch_, m_, n_, value_, arg_conv2d_weight_grad_113)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_11_conv2d_weight_grad_store_vector(batch_, m_, n_, value_, arg_conv2d_weight_grad_113)
#define PRODUCT WEIGHT
#define CHANNELS 16
#define HEIGHT 8
#define WIDTH 8
#define OUT_CHANNELS 128
#define OUT_HEIGHT 8
#define OUT_WIDTH 8
#define FILTER_HEIGHT 3
#define FILTER_WIDTH 3
#define STRIDE_Y 1
#define STRIDE_X 1
#define PAD_Y 1
#define PAD_X 1
#define DILATION_Y 1
#define DILATION_X 1
#define GROUPS 16
#define TILE_M 16
#define TILE_N 32
#define TILE_K 8
#define REG_M 4
#define REG_N 4
#define WARP_M 4
#define WARP_N 8
#define PAD 4
#define GROUP_M 1
#define STAGE 1
#define UNROLL 1
#define M 8
#define N 9
#define K (((arg_N + 15) / 16) * 64)
#define BATCH 16
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv2d_4, __global const float* restrict arg_conv1_bias, __global const int* restrict arg_argmax_94, __global const float* restrict arg_conv2d_input_grad_85, const int arg_N, __global const float* restrict arg_x, __global float* restrict arg_conv2d_weight_grad_113
#include "conv2d_implicit_gemm.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef ELEMENT_A
#undef ELEMENT_B
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef GROUPS
#undef GROUP_M
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef LONG_SUMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STAGE
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef UNROLL
#undef WARP_M
#undef WARP_N
#undef WIDTH
#include "undef_conv2d_implicit_gemm.h"
