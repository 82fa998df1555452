// Whether a warpgroup multiplies operands in local memory (wgmma), by inline PTX for sm_90a: all elements of both matrices are
// 1, so each of the product is the length of the sum, wherever in the tiles and the fragments it lies.
#if defined(BF16)
#define ONE 0x3f80
#define NAME "bf16"
#else
#define ONE 0x3c00
#define NAME "f16"
#endif
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void probe(__global float* values) {
    __local ushort ones[64 * 64] __attribute__((aligned(1024)));
    const size_t item = get_local_id(0);
    for (size_t i = item; i < 64 * 64; i += 128)
        ones[i] = ONE;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    barrier(CLK_LOCAL_MEM_FENCE);
    // Start and stride of eight rows in units of 16 bytes, and the 128-byte swizzle (PTX ISA, "Matrix Descriptor Format").
    const ulong tile = ((ulong)(uint)(ulong)ones >> 4 & 0x3fff) | 1ul << 16 | 64ul << 32 | 1ul << 62;
    float d0 = 0.0f, d1 = 0.0f, d2 = 0.0f, d3 = 0.0f;
    asm volatile("//netcl:sm_90a wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("//netcl:sm_90a { .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32." NAME "." NAME
                 " {%0,%1,%2,%3}, %4, %4, p, 1, 1, 0, 0; }"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                 : "l"(tile)
                 : "memory");
    asm volatile("//netcl:sm_90a wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("//netcl:sm_90a wgmma.wait_group.sync.aligned 0;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)::"memory");
    values[4 * item] = d0;
    values[4 * item + 1] = d1;
    values[4 * item + 2] = d2;
    values[4 * item + 3] = d3;
}
