// Whether inline PTX is taken, by an atomic addition of f32 values.
__kernel void probe(__global float* values) {
    const float term = (float)get_global_id(0) * 0.5f;
    float before;
    asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(before) : "l"(values), "f"(term) : "memory");
}
