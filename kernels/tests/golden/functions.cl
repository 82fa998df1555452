#pragma OPENCL FP_CONTRACT OFF

// tanh, which some drivers do not round to 1 for large x.
static inline float netcl_tanh(float x) {
    return fabs(x) >= 9.1f ? copysign(1.0f, x) : tanh(x);
}

static inline float cube(float x) {
    return x * x * x;
}

static inline float gelu(float x) {
    const float inner = 0.7978846f * (x + 0.044715f * cube(x));
    return 0.5f * x * (1.0f + netcl_tanh(inner));
}

static inline int cube_1(int x) {
    return (int)((uint)x * x * x);
}

// y = gelu(x), the tanh form
__kernel void gelu_map(__global const float* restrict x, __global float* restrict y, const uint N) {
    const uint i = get_global_id(0);
    if (i < N) {
        const float gelu_1 = gelu(x[i]);
        y[i] = gelu_1;
    }
}

// The same function in a second kernel of the program, and another of the same name
__kernel void gelu_twice(__global float* restrict x, const uint N) {
    x[get_global_id(0)] = gelu(gelu(x[get_global_id(0)]));
}

// Another function called `cube`
__kernel void cubes(__global int* restrict x) {
    x[get_global_id(0)] = cube_1(x[get_global_id(0)]);
}
