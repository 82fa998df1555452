// Matrix product, one work-item for each result.
//
//     C(batch, m, n) = sum over k of A(batch, m, k) * B(batch, k, n)
//
// The definition, written down. Every operand is read from global memory each time it is needed, so the kernel moves
// 2 * K elements for every result. It needs nothing of the device, which makes it the one to compare the others with,
// and it is the right one when a product is too small to fill a tile.
//
// Neighbouring work-items have neighbouring n: their reads of B and writes of C fall together, and all read the same
// element of A.
//
// Launch: global size (N rounded up to LOCAL_N, M rounded up to LOCAL_M, BATCH), local size (LOCAL_N, LOCAL_M, 1).
//
// Tunables:
//   LOCAL_M, LOCAL_N  the shape of a work-group
//
// Hooks: see README.md in this folder.

#ifndef KERNEL_NAME
#define KERNEL_NAME matmul_naive
#endif
#ifndef LOCAL_M
#define LOCAL_M 4
#endif
#ifndef LOCAL_N
#define LOCAL_N 16
#endif

#ifndef REAL
#define REAL float
#endif
#ifndef ACC
#define ACC float
#endif
#ifndef KERNEL_PARAMS
#define KERNEL_PARAMS                                                                                                  \
    __global const REAL *restrict a, __global const REAL *restrict b, __global REAL *restrict c, const uint M,         \
        const uint N, const uint K
#endif

// Storage: how one element is read into ACC and written back.
#ifndef READ
#define READ(pointer, offset) ((ACC)(pointer)[offset])
#endif
#ifndef WRITE
#define WRITE(pointer, offset, value) (pointer)[offset] = (REAL)(value)
#endif

// Operands: an offset for each batch and two strides.
#ifndef A_OFFSET
#define A_OFFSET(batch) ((size_t)(batch) * M * K)
#endif
#ifndef A_STRIDE_M
#define A_STRIDE_M K
#endif
#ifndef A_STRIDE_K
#define A_STRIDE_K 1
#endif
#ifndef B_OFFSET
#define B_OFFSET(batch) ((size_t)(batch) * K * N)
#endif
#ifndef B_STRIDE_K
#define B_STRIDE_K N
#endif
#ifndef B_STRIDE_N
#define B_STRIDE_N 1
#endif
#ifndef LOAD_A
#define LOAD_A(batch, m, k) READ(a, A_OFFSET(batch) + (size_t)(m) * A_STRIDE_M + (size_t)(k) * A_STRIDE_K)
#endif
#ifndef LOAD_B
#define LOAD_B(batch, k, n) READ(b, B_OFFSET(batch) + (size_t)(k) * B_STRIDE_K + (size_t)(n) * B_STRIDE_N)
#endif

#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) (((size_t)(batch) * M + (m)) * N + (n))
#endif
#ifndef STORE
#define STORE(batch, m, n, value) WRITE(c, C_OFFSET(batch, m, n), value)
#endif

#ifndef MULTIPLY_ADD
#define MULTIPLY_ADD(x, y, sum) mad(x, y, sum)
#endif

// Whether a sum has so many terms that a running one would lose digits: what is added to it loses what is below its last. Then
// at most BLOCK_K terms are added up at a time, and these sums to a total, together with what that addition rounds off
// (two-sum: Knuth, "The Art of Computer Programming" 2, section 4.2.2).
#ifndef LONG_SUMS
#define LONG_SUMS 0
#endif
#define ADD_BLOCK(TYPE, total, lost, block)                                                                            \
    {                                                                                                                  \
        const TYPE before = total;                                                                                     \
        const TYPE own = block;                                                                                        \
        const TYPE after = before + own;                                                                               \
        const TYPE added = after - before;                                                                             \
        lost += (before - (after - added)) + (own - added);                                                            \
        total = after;                                                                                                 \
    }
// Of a total that is not finite, what it has lost is not known.
#define WHOLE_SUM(total, lost) select(total, (total) + (lost), isfinite(lost))
#define BLOCK_K 256

__kernel __attribute__((reqd_work_group_size(LOCAL_N, LOCAL_M, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    const uint n = (uint)get_global_id(0);
    const uint m = (uint)get_global_id(1);
    const uint batch = (uint)get_global_id(2);
    if (m < M && n < N) {
#if LONG_SUMS
        ACC total = (ACC)0;
        ACC lost = (ACC)0;
        for (uint k0 = 0; k0 < K; k0 += BLOCK_K) {
            const uint depth = min((uint)BLOCK_K, (uint)(K) - k0);
            ACC block = (ACC)0;
            for (uint k = k0; k < k0 + depth; ++k)
                block = MULTIPLY_ADD(LOAD_A(batch, m, k), LOAD_B(batch, k, n), block);
            ADD_BLOCK(ACC, total, lost, block)
        }
        const ACC sum = WHOLE_SUM(total, lost);
#else
        ACC sum = (ACC)0;
        for (uint k = 0; k < K; ++k)
            sum = MULTIPLY_ADD(LOAD_A(batch, m, k), LOAD_B(batch, k, n), sum);
#endif
        STORE(batch, m, n, sum);
    }
}
