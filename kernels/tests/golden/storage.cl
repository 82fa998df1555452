#pragma OPENCL FP_CONTRACT OFF

// bfloat16 is the upper half of a float.
static inline float netcl_bf16_to_float(ushort x) {
    return as_float((uint)x << 16);
}

// The nearest bfloat16, ties to even; NaN stays NaN.
static inline ushort netcl_bf16_from_float(float x) {
#ifdef NETCL_PTX_BF16
    ushort bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    const uint bits = as_uint(x);
    const uint rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return (ushort)(x != x ? (bits >> 16) | 0x40 : rounded);
#endif
}

// The nearest value of type half, as float.
static inline float netcl_round_half_float(float x) {
    ushort bits;
    vstore_half_rte(x, 0, (half*)&bits);
    return vload_half(0, (const half*)&bits);
}

// Elements of type half, which lie anywhere.
static inline float8 netcl_load_half8(__global const half* place) {
    const ushort8 bits = vload8(0, (__global const ushort*)place);
    return vload_half8(0, (const half*)&bits);
}

// bfloat16 is the upper half of a float.
static inline float8 netcl_bf16_to_float8(ushort8 x) {
    return as_float8(convert_uint8(x) << 16);
}

// Elements of type half, which lie anywhere.
static inline void netcl_store_half8(float8 x, __global half* place) {
    ushort8 bits;
    vstore_half8_rte(x, 0, (half*)&bits);
    vstore8(bits, 0, (__global ushort*)place);
}

// The nearest bfloat16, ties to even; NaN stays NaN.
static inline ushort8 netcl_bf16_from_float8(float8 x) {
    const uint8 bits = as_uint8(x);
    const uint8 rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return convert_ushort8(select(rounded, (bits >> 16) | 0x40, x != x));
}

// Half precision and bfloat16 are for storing: y = round(x * scale), z = x > 0
__kernel void storage(
    __global const half* restrict x,
    __global const ushort* restrict w,
    __global half* restrict y,
    __global ushort* restrict v,
    __global uchar* restrict z,
    const float scale,
    const uchar flip,
    const uint N
) {
    ushort cache[2];
    const int i = get_global_id(0);
    const float value = vload_half(i, x) * netcl_bf16_to_float(w[i]);
    vstore_half_rte(value, 0, (__private half*)cache);
    vstore_half_rte(netcl_bf16_to_float(netcl_bf16_from_float(value)), 1, (__private half*)cache);
    vstore_half_rte(vload_half(0, (const __private half*)cache) * scale, i, y);
    v[i] = netcl_bf16_from_float(netcl_round_half_float(vload_half(1, (const __private half*)cache)));
    z[i] = value > 0.0f && flip == 0;
    const int j = i * 8 + (int)N;
    netcl_store_half8(netcl_load_half8(x + j) * netcl_bf16_to_float8(vload8(0, &w[j])), y + j);
    vstore8(netcl_bf16_from_float8(select((float8)(1.5f), netcl_bf16_to_float8(vload8(0, &w[j])),
        netcl_bf16_to_float8(vload8(0, &w[j])) > scale)), 0, &v[j]);
    vstore8(convert_uchar8(((netcl_load_half8(x + j) < netcl_bf16_to_float8(vload8(0, &w[j])))
        | (int8)(flip != 0 ? -1 : 0)) & 1), 0, &z[j]);
}
