// Whether tensor cores multiply, by inline PTX: all elements of both matrices are 1, so each of the product is the
// length of the sum.
__kernel void probe(__global float* values) {
    float d0, d1, d2, d3;
    const float zero = 0.0f;
#if defined(TF32)
    const uint one = 0x3f800000u;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
                 "{%5,%5,%5,%5};"
                 : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
                 : "r"(one), "f"(zero));
#elif defined(BF16)
    const uint ones = 0x3f803f80u;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
                 "{%5,%5,%5,%5};"
                 : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
                 : "r"(ones), "f"(zero));
#else
    const uint ones = 0x3c003c00u;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
                 "{%5,%5,%5,%5};"
                 : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
                 : "r"(ones), "f"(zero));
#endif
    const size_t item = get_global_id(0);
    values[4 * item] = d0;
    values[4 * item + 1] = d1;
    values[4 * item + 2] = d2;
    values[4 * item + 3] = d3;
}
