// cnn on cpu, sizes N
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
//   23  grad_conv2_weight: f32 [16, 8, 3, 3] (gradient of conv2.weight)
//   24  argmax_88: i32 [N, 8, 4, 4] (scratch)
//   25  select_101: f32 [N, 8, 8, 8] (scratch)
//   26  grad_conv1_bias: f32 [8] (gradient of conv1.bias)
//   27  grad_conv1_weight: f32 [8, 1, 3, 3] (gradient of conv1.weight)
//
// steps
//    0  conv2d_4 = conv2d(x, conv1.weight)
//       cnn_0_conv2d(conv1_weight, x, conv2d_4, N)
//       over [(N + 2) / 3 + N, 1, 1] in groups of [1, 1, 1]
//    1  pool1 = max(max(conv1, 0) over 4, 5); argmax_88 = argmax(max(conv1, 0) over 4, 5)
//       cnn_1_max_argmax(N, conv2d_4, conv1_bias, pool1, argmax_88)
//       over [(N + 7) / 8] in groups of [1]
//    2  conv2d_14 = conv2d(pool1, conv2.weight)
//       cnn_2_conv2d(conv2_weight, pool1, conv2d_14, N)
//       over [(N + 2) / 3, 1, 1] in groups of [1, 1, 1]
//    3  pool2 = max(max(conv2, 0) over 4, 5); argmax_70 = argmax(max(conv2, 0) over 4, 5)
//       cnn_3_max_argmax(N, conv2d_14, conv2_bias, pool2, argmax_70)
//       over [(N + 15) / 16] in groups of [1]
//    4  matmul_25 = matmul(flatten, output.weight)
//       cnn_4_matmul_cpu(pool2, output_weight, matmul_25, N)
//       over [1, (N + 63) / 64, 1] in groups of [1, 1, 1]
//    5  mul_48 = (log(sum(… over 1)) - sum((… ? … : 0) over 1)) * ((labels < 10) ? 1 : NaN); add_62 = (((i1 == labels) ? neg(… * …) : 0) + … * … / sum(… over 1) * exp((output - …)))
//       cnn_5_max_sum_map(N, matmul_25, output_bias, labels, add_62, mul_48)
//       over [(N + 408) / 409] in groups of [1]
//    6  matmul_65 = matmul(add_62, output.weight[i1, i0])
//       cnn_6_matmul_cpu(add_62, output_weight, matmul_65, N)
//       over [2, (N + 15) / 16, 1] in groups of [1, 1, 1]
//    7  grad_output_weight = matmul(flatten[i1, i0], add_62)
//       cnn_7_matmul_cpu(pool2, add_62, grad_output_weight, N)
//       over [1, 1, 1] in groups of [1, 1, 1]
//    8  select_83 = ((max(conv2, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_70) ? matmul_65 : 0)); grad_conv2_bias = sum(select_83 over 0, 2, 3)
//       cnn_8_map_sum(N, conv2d_14, conv2_bias, argmax_70, matmul_65, select_83, grad_conv2_bias)
//       over [16] in groups of [1]
//    9  conv2d_input_grad_85 = conv2d_input_grad(select_83, conv2.weight)
//       cnn_9_conv2d_input_grad(conv2_weight, select_83, conv2d_input_grad_85, N)
//       over [(N + 2) / 3, 1, 1] in groups of [1, 1, 1]
//   10  grad_conv2_weight = conv2d_weight_grad(pool1, select_83)
//       cnn_10_conv2d_weight_grad(select_83, pool1, grad_conv2_weight, N)
//       over [2, 4, 1] in groups of [1, 1, 1]
//   11  result = sum(mul_48) / N; grad_output_bias = sum(add_62 over 0); select_101 = ((max(conv1, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_88) ? conv2d_input_grad_85 : 0)); grad_conv1_bias = sum(select_101 over 0, 2, 3)
//       cnn_11_bundle(N, mul_48, result, add_62, grad_output_bias, conv2d_4, conv1_bias, argmax_88, conv2d_input_grad_85, select_101, grad_conv1_bias)
//       over [12] in groups of [1]
//   12  grad_conv1_weight = conv2d_weight_grad(x, select_101)
//       cnn_12_conv2d_weight_grad(select_101, x, grad_conv1_weight, N)
//       over [1, 1, 1] in groups of [1, 1, 1]

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
// argmax_88 = argmax(max(conv1, 0) over 4, 5)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void cnn_1_max_argmax(
    const int N,
    __global const float* restrict conv2d_4,
    __global const float* restrict conv1_bias,
    __global float* restrict pool1,
    __global int* restrict argmax_88
) {
    const int first_row = (int)get_global_id(0) * 1024;
    const int end = min(first_row + 1024, N * 128);
    for (int row = first_row; row < end; ++row) {
        float pool1_1 = -INFINITY;
        float argmax = -INFINITY;
        int argmax_at = 0;
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < 2; ++i) {
                const int t = row / 4;
                const float t_1 = netcl_max(conv2d_4[k * 8 + i + t * 16 + row % 4 * 2]
                    + conv1_bias[t / 4 % 8], 0.0f);
                pool1_1 = netcl_max(pool1_1, t_1);
                const bool wins = t_1 > argmax || (t_1 != t_1 && argmax == argmax);
                argmax = wins ? t_1 : argmax;
                argmax_at = wins ? k * 2 + i : argmax_at;
            }
        }
        pool1[row] = pool1_1;
        argmax_88[row] = argmax_at;
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
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void cnn_3_max_argmax(
    const int N,
    __global const float* restrict conv2d_14,
    __global const float* restrict conv2_bias,
    __global float* restrict pool2,
    __global int* restrict argmax_70
) {
    const int first_row = (int)get_global_id(0) * 1024;
    const int end = min(first_row + 1024, N * 64);
    for (int row = first_row; row < end; ++row) {
        float pool2_1 = -INFINITY;
        float argmax = -INFINITY;
        int argmax_at = 0;
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < 2; ++i) {
                const int t = row / 2;
                const float t_1 = netcl_max(conv2d_14[k * 4 + i + t * 8 + row % 2 * 2]
                    + conv2_bias[t / 2 % 16], 0.0f);
                pool2_1 = netcl_max(pool2_1, t_1);
                const bool wins = t_1 > argmax || (t_1 != t_1 && argmax == argmax);
                argmax = wins ? t_1 : argmax;
                argmax_at = wins ? k * 2 + i : argmax_at;
            }
        }
        pool2[row] = pool2_1;
        argmax_70[row] = argmax_at;
    }
}

static inline void cnn_4_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_25
) {
    matmul_25[m * 10 + n] = value;
}

static inline void cnn_4_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* matmul_25
) {
    vstore16(value, 0, &matmul_25[m * 10 + n]);
}

// mul_48 = (log(sum(exp((output - max(output over 1))) over 1)) - sum(((i1 == labels) ? (output - max(output
//     over 1)) : 0) over 1)) * ((labels < 10) ? 1 : NaN)
// add_62 = (((i1 == labels) ? neg(1 / N * ((labels < 10) ? 1 : NaN)) : 0) + 1 / N * ((labels < 10) ? 1 : NaN) /
//     sum(exp((output - max(output over 1))) over 1) * exp((output - max(output over 1))))
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void cnn_5_max_sum_map(
    const int N,
    __global const float* restrict matmul_25,
    __global const float* restrict output_bias,
    __global const uint* restrict labels,
    __global float* restrict add_62,
    __global float* restrict mul_48
) {
    const int first_row = (int)get_global_id(0) * 409;
    const int end = min(first_row + 409, N);
    for (int row = first_row; row < end; ++row) {
        float max_1 = -INFINITY;
        for (int i = 0; i < 10; ++i) {
            const float output = matmul_25[row * 10 + i] + output_bias[i];
            max_1 = netcl_max(max_1, output);
        }
        float sum = 0.0f;
        float sum_1 = 0.0f;
        for (int i = 0; i < 10; ++i) {
            const float t = matmul_25[row * 10 + i] + output_bias[i] - max_1;
            sum += exp(t);
            sum_1 += (uint)i == labels[row] ? t : 0.0f;
        }
        for (int i = 0; i < 10; ++i) {
            const uint t = labels[row];
            const float t_1 = 1.0f / (float)N * (t < 10 ? 1.0f : NAN);
            add_62[row * 10 + i] = ((uint)i == t ? -t_1 : 0.0f) + t_1 / sum
                * exp(matmul_25[row * 10 + i] + output_bias[i] - max_1);
        }
        mul_48[row] = (log(sum) - sum_1) * (labels[row] < 10 ? 1.0f : NAN);
    }
}

static inline void cnn_6_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* matmul_65
) {
    matmul_65[m * 64 + n] = value;
}

static inline void cnn_6_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* matmul_65
) {
    vstore16(value, 0, &matmul_65[m * 64 + n]);
}

static inline void cnn_7_matmul_cpu_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_output_weight
) {
    grad_output_weight[m * 10 + n] = value;
}

static inline void cnn_7_matmul_cpu_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* grad_output_weight
) {
    vstore16(value, 0, &grad_output_weight[m * 10 + n]);
}

// select_83 = ((max(conv2, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_70) ? matmul_65 : 0))
// grad_conv2_bias = sum(select_83 over 0, 2, 3)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void cnn_8_map_sum(
    const int N,
    __global const float* restrict conv2d_14,
    __global const float* restrict conv2_bias,
    __global const int* restrict argmax_70,
    __global const float* restrict matmul_65,
    __global float* restrict select_83,
    __global float* restrict grad_conv2_bias
) {
    const int row = get_global_id(0);
    float d_conv2_bias = 0.0f;
    float d_conv2_bias_total = 0.0f;
    float d_conv2_bias_lost = 0.0f;
    for (int first_k = 0; first_k < N * 4; first_k += 8) {
        const int last_k = min(first_k + 8, N * 4);
        for (int k = first_k; k < last_k; ++k) {
            for (int i = 0; i < 4; ++i) {
                const int t = k / 4;
                const int t_1 = k % 4;
                const int t_2 = row * 4 + t * 64 + i / 2 + t_1 / 2 * 2;
                const float t_3 = netcl_max(conv2d_14[row * 16 + i + t * 256 + t_1 * 4] + conv2_bias[row],
                    0.0f) <= 0.0f ? 0.0f : i % 2 + t_1 % 2 * 2 == argmax_70[t_2] ? matmul_65[t_2] : 0.0f;
                d_conv2_bias += t_3;
                select_83[row * 16 + i + k / 4 * 256 + k % 4 * 4] = t_3;
            }
        }
        const float after = d_conv2_bias_total + d_conv2_bias;
        const float added = after - d_conv2_bias_total;
        d_conv2_bias_lost += d_conv2_bias_total - (after - added) + (d_conv2_bias - added);
        d_conv2_bias_total = after;
        d_conv2_bias = 0.0f;
    }
    d_conv2_bias = d_conv2_bias_lost - d_conv2_bias_lost == 0.0f ? d_conv2_bias_total + d_conv2_bias_lost
        : d_conv2_bias_total;
    grad_conv2_bias[row] = d_conv2_bias;
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
    __global float* grad_conv2_weight
) {
    grad_conv2_weight[batch * 1152 + m * 72 + n] = value;
}

static inline void cnn_10_conv2d_weight_grad_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* grad_conv2_weight
) {
    vstore16(value, 0, &grad_conv2_weight[batch * 1152 + m * 72 + n]);
}

// result = sum(mul_48) / N
// grad_output_bias = sum(add_62 over 0)
// select_101 = ((max(conv1, 0) <= 0) ? 0 : (((i5 + i4 * 2) == argmax_88) ? conv2d_input_grad_85 : 0))
// grad_conv1_bias = sum(select_101 over 0, 2, 3)
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void cnn_11_bundle(
    const int N,
    __global const float* restrict mul_48,
    __global float* restrict result,
    __global const float* restrict add_62,
    __global float* restrict grad_output_bias,
    __global const float* restrict conv2d_4,
    __global const float* restrict conv1_bias,
    __global const int* restrict argmax_88,
    __global const float* restrict conv2d_input_grad_85,
    __global float* restrict select_101,
    __global float* restrict grad_conv1_bias
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
                sum += vload16(0, &mul_48[i]);
            }
            const float16 after = sum_total + sum;
            const float16 added = after - sum_total;
            sum_lost += sum_total - (after - added) + (sum - added);
            sum_total = after;
            sum = (float16)(0.0f);
        }
        for (int i = whole; i < N; ++i) {
            sum_1 += mul_48[i];
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
                    d_output_bias += add_62[k * 10 + i];
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
        const int row = own;
        float d_conv1_bias = 0.0f;
        float d_conv1_bias_total = 0.0f;
        float d_conv1_bias_lost = 0.0f;
        for (int first_k = 0; first_k < N * 8; first_k += 4) {
            const int last_k = min(first_k + 4, N * 8);
            for (int k = first_k; k < last_k; ++k) {
                for (int i = 0; i < 8; ++i) {
                    const int t = k / 8;
                    const int t_1 = k % 8;
                    const int t_2 = row * 16 + t * 128 + i / 2 + t_1 / 2 * 4;
                    const float t_3 = netcl_max(conv2d_4[row * 64 + i + t * 512 + t_1 * 8] + conv1_bias[row],
                        0.0f) <= 0.0f ? 0.0f : i % 2 + t_1 % 2 * 2 == argmax_88[t_2]
                        ? conv2d_input_grad_85[t_2] : 0.0f;
                    d_conv1_bias += t_3;
                    select_101[row * 64 + i + k / 8 * 512 + k % 8 * 8] = t_3;
                }
            }
            const float after = d_conv1_bias_total + d_conv1_bias;
            const float added = after - d_conv1_bias_total;
            d_conv1_bias_lost += d_conv1_bias_total - (after - added) + (d_conv1_bias - added);
            d_conv1_bias_total = after;
            d_conv1_bias = 0.0f;
        }
        d_conv1_bias = d_conv1_bias_lost - d_conv1_bias_lost == 0.0f ? d_conv1_bias_total + d_conv1_bias_lost
            : d_conv1_bias_total;
        grad_conv1_bias[row] = d_conv1_bias;
    }
}

static inline void cnn_12_conv2d_weight_grad_store(
    const int batch,
    const int m,
    const int n,
    const float value,
    __global float* grad_conv1_weight
) {
    grad_conv1_weight[batch * 72 + m * 9 + n] = value;
}

static inline void cnn_12_conv2d_weight_grad_store_vector(
    const int batch,
    const int m,
    const int n,
    const float16 value,
    __global float* grad_conv1_weight
) {
    vstore16(value, 0, &grad_conv1_weight[batch * 72 + m * 9 + n]);
}

// conv2d_4 = conv2d(x, conv1.weight)
#define KERNEL_NAME cnn_0_conv2d
#define a arg_conv1_weight
#define b arg_x
#define STORE(batch_, m_, n_, value_) cnn_0_conv2d_store(batch_, m_, n_, value_, arg_conv2d_4)
#define STORE_VECTOR(batch_, m_, n_, value_) { STORE(batch_, m_, n_, (value_).s0); STORE(batch_, m_, (n_) + 1, (value_).s1); STORE(batch_, m_, (n_) + 2, (value_).s2); STORE(batch_, m_, (n_) + 3, (value_).s3); STORE(batch_, m_, (n_) + 4, (value_).s4); STORE(batch_, m_, (n_) + 5, (value_).s5); STORE(batch_, m_, (n_) + 6, (value_).s6); STORE(batch_, m_, (n_) + 7, (value_).s7); STORE(batch_, m_, (n_) + 8, (value_).s8); STORE(batch_, m_, (n_) + 9, (value_).s9); STORE(batch_, m_, (n_) + 10, (value_).sa); STORE(batch_, m_, (n_) + 11, (value_).sb); STORE(batch_, m_, (n_) + 12, (value_).sc); STORE(batch_, m_, (n_) + 13, (value_).sd); STORE(batch_, m_, (n_) + 14, (value_).se); STORE(batch_, m_, (n_) + 15, (value_).sf); }
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
#define FORM 0
#define VECTOR 16
#define REG_M 4
#define REG_N 3
#define TILE_M 8
#define TILE_N 48
#define TILE_K 256
#define M 8
#define N (arg_N * 64)
#define K 9
#define BATCH 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv1_weight, __global const float* restrict arg_x, __global float* restrict arg_conv2d_4, const int arg_N
#include "conv2d_cpu.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef FORM
#undef GROUPS
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_cpu.h"

// conv2d_14 = conv2d(pool1, conv2.weight)
#define KERNEL_NAME cnn_2_conv2d
#define a arg_conv2_weight
#define b arg_pool1
#define STORE(batch_, m_, n_, value_) cnn_2_conv2d_store(batch_, m_, n_, value_, arg_conv2d_14)
#define STORE_VECTOR(batch_, m_, n_, value_) { STORE(batch_, m_, n_, (value_).s0); STORE(batch_, m_, (n_) + 1, (value_).s1); STORE(batch_, m_, (n_) + 2, (value_).s2); STORE(batch_, m_, (n_) + 3, (value_).s3); STORE(batch_, m_, (n_) + 4, (value_).s4); STORE(batch_, m_, (n_) + 5, (value_).s5); STORE(batch_, m_, (n_) + 6, (value_).s6); STORE(batch_, m_, (n_) + 7, (value_).s7); STORE(batch_, m_, (n_) + 8, (value_).s8); STORE(batch_, m_, (n_) + 9, (value_).s9); STORE(batch_, m_, (n_) + 10, (value_).sa); STORE(batch_, m_, (n_) + 11, (value_).sb); STORE(batch_, m_, (n_) + 12, (value_).sc); STORE(batch_, m_, (n_) + 13, (value_).sd); STORE(batch_, m_, (n_) + 14, (value_).se); STORE(batch_, m_, (n_) + 15, (value_).sf); }
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
#define FORM 0
#define VECTOR 16
#define REG_M 4
#define REG_N 3
#define TILE_M 16
#define TILE_N 48
#define TILE_K 256
#define M 16
#define N (arg_N * 16)
#define K 72
#define BATCH 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv2_weight, __global const float* restrict arg_pool1, __global float* restrict arg_conv2d_14, const int arg_N
#include "conv2d_cpu.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef FORM
#undef GROUPS
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_cpu.h"

// matmul_25 = matmul(flatten, output.weight)
#define KERNEL_NAME cnn_4_matmul_cpu
#define STORE(batch_, m_, n_, value_) cnn_4_matmul_cpu_store(batch_, m_, n_, value_, arg_matmul_25)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_4_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_matmul_25)
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

// matmul_65 = matmul(add_62, output.weight[i1, i0])
#define KERNEL_NAME cnn_6_matmul_cpu
#define STORE(batch_, m_, n_, value_) cnn_6_matmul_cpu_store(batch_, m_, n_, value_, arg_matmul_65)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_6_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_matmul_65)
#define A_ALONG 0
#define B_ALONG 0
#define B_CONTIGUOUS 0
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 2
#define TILE_M 16
#define TILE_N 32
#define TILE_K 256
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

// grad_output_weight = matmul(flatten[i1, i0], add_62)
#define KERNEL_NAME cnn_7_matmul_cpu
#define STORE(batch_, m_, n_, value_) cnn_7_matmul_cpu_store(batch_, m_, n_, value_, arg_grad_output_weight)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_7_matmul_cpu_store_vector(batch_, m_, n_, value_, arg_grad_output_weight)
#define A_ALONG 1
#define B_ALONG 1
#define B_CONTIGUOUS 1
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 1
#define TILE_M 64
#define TILE_N 16
#define TILE_K 256
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

// conv2d_input_grad_85 = conv2d_input_grad(select_83, conv2.weight)
#define KERNEL_NAME cnn_9_conv2d_input_grad
#define a arg_conv2_weight
#define b arg_select_83
#define STORE(batch_, m_, n_, value_) cnn_9_conv2d_input_grad_store(batch_, m_, n_, value_, arg_conv2d_input_grad_85)
#define STORE_VECTOR(batch_, m_, n_, value_) { STORE(batch_, m_, n_, (value_).s0); STORE(batch_, m_, (n_) + 1, (value_).s1); STORE(batch_, m_, (n_) + 2, (value_).s2); STORE(batch_, m_, (n_) + 3, (value_).s3); STORE(batch_, m_, (n_) + 4, (value_).s4); STORE(batch_, m_, (n_) + 5, (value_).s5); STORE(batch_, m_, (n_) + 6, (value_).s6); STORE(batch_, m_, (n_) + 7, (value_).s7); STORE(batch_, m_, (n_) + 8, (value_).s8); STORE(batch_, m_, (n_) + 9, (value_).s9); STORE(batch_, m_, (n_) + 10, (value_).sa); STORE(batch_, m_, (n_) + 11, (value_).sb); STORE(batch_, m_, (n_) + 12, (value_).sc); STORE(batch_, m_, (n_) + 13, (value_).sd); STORE(batch_, m_, (n_) + 14, (value_).se); STORE(batch_, m_, (n_) + 15, (value_).sf); }
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
#define FORM 0
#define VECTOR 16
#define REG_M 4
#define REG_N 3
#define TILE_M 8
#define TILE_N 48
#define TILE_K 256
#define M 8
#define N (arg_N * 16)
#define K 144
#define BATCH 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_conv2_weight, __global const float* restrict arg_select_83, __global float* restrict arg_conv2d_input_grad_85, const int arg_N
#include "conv2d_cpu.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef FORM
#undef GROUPS
#undef HEIGHT
#undef K
#undef KERNEL_NAME
#undef KERNEL_PARAMS
#undef M
#undef N
#undef OUT_CHANNELS
#undef OUT_HEIGHT
#undef OUT_WIDTH
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_cpu.h"

// grad_conv2_weight = conv2d_weight_grad(pool1, select_83)
#define KERNEL_NAME cnn_10_conv2d_weight_grad
#define a arg_select_83
#define b arg_pool1
#define STORE(batch_, m_, n_, value_) cnn_10_conv2d_weight_grad_store(batch_, m_, n_, value_, arg_grad_conv2_weight)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_10_conv2d_weight_grad_store_vector(batch_, m_, n_, value_, arg_grad_conv2_weight)
#define PRODUCT WEIGHT
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
#define FORM 0
#define VECTOR 16
#define REG_M 4
#define REG_N 3
#define TILE_M 4
#define TILE_N 48
#define TILE_K 256
#define M 16
#define N 72
#define K (arg_N * 16)
#define BATCH 1
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_select_83, __global const float* restrict arg_pool1, __global float* restrict arg_grad_conv2_weight, const int arg_N
#include "conv2d_cpu.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef FORM
#undef GROUPS
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
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_cpu.h"

// grad_conv1_weight = conv2d_weight_grad(x, select_101)
#define KERNEL_NAME cnn_12_conv2d_weight_grad
#define a arg_select_101
#define b arg_x
#define STORE(batch_, m_, n_, value_) cnn_12_conv2d_weight_grad_store(batch_, m_, n_, value_, arg_grad_conv1_weight)
#define STORE_VECTOR(batch_, m_, n_, value_) cnn_12_conv2d_weight_grad_store_vector(batch_, m_, n_, value_, arg_grad_conv1_weight)
#define PRODUCT WEIGHT
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
#define FORM 0
#define VECTOR 16
#define REG_M 8
#define REG_N 1
#define TILE_M 8
#define TILE_N 16
#define TILE_K 256
#define M 8
#define N 9
#define K (arg_N * 64)
#define BATCH 1
#define LONG_SUMS 1
#define REAL float
#define ACC float
#define KERNEL_PARAMS __global const float* restrict arg_select_101, __global const float* restrict arg_x, __global float* restrict arg_grad_conv1_weight, const int arg_N
#include "conv2d_cpu.cl"

#undef ACC
#undef BATCH
#undef CHANNELS
#undef DILATION_X
#undef DILATION_Y
#undef FILTER_HEIGHT
#undef FILTER_WIDTH
#undef FORM
#undef GROUPS
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
#undef PAD_X
#undef PAD_Y
#undef PRODUCT
#undef REAL
#undef REG_M
#undef REG_N
#undef STORE
#undef STORE_VECTOR
#undef STRIDE_X
#undef STRIDE_Y
#undef TILE_K
#undef TILE_M
#undef TILE_N
#undef VECTOR
#undef WIDTH
#undef a
#undef b
#include "undef_conv2d_cpu.h"
