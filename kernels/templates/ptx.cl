// What NVIDIA's matrix unit is and how tiles come to it, by inline PTX. Stands before what multiplies with it.

// What multiplies: 2 the matrix unit for warpgroups (compute capability 9.0), 1 for sub-groups (8.0 and later), 0 multiply-adds of
// work-items.
#ifndef UNIT
#define UNIT 0
#endif

// Whether tiles are copied by tensor maps (tensor_maps.cl).
#ifndef BULK
#define BULK 0
#endif

#if defined(__clang__) && !defined(NETCL_LOOPS_IN_ORDER) // which says of every loop that it makes no vectors
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ROLLED _Pragma("unroll 1")
#endif

// The axis on which elements of an operand are neighbours: the one that is summed over, or the rows or columns of results.
#define ALONG_K 0
#define ALONG_M 1
#define ALONG_N 1

// To how many elements all rows of operands in memory are aligned: 8, 4, or fewer.
#ifndef ALIGNED
#define ALIGNED 1
#endif

// Elements: bf16, or else f16.
#ifndef BF16
#define BF16 1
#endif
#if BF16
#define TYPE_NAME "bf16"
#else
#define TYPE_NAME "f16"
#endif

// Copies to local memory that go on while others are multiplied: so many bytes, of which those behind `bytes` are zeros.
#if UNIT
#define ADDRESS(place) ((uint)(ulong)(place))
#define COPY_16(to, from, bytes)                                                                                       \
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"((ulong)(from)), "r"(bytes)    \
                 : "memory")
#define COPY_8(to, from, bytes)                                                                                        \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"((ulong)(from)), "r"(bytes) : "memory")
#define COPY_4(to, from, bytes)                                                                                        \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"((ulong)(from)), "r"(bytes) : "memory")
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_ALL asm volatile("cp.async.wait_group 0;" ::: "memory")
#else
#define COMMIT
#define WAIT_ALL
#endif
