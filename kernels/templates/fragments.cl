// Tiles in local memory and fragments in the registers of sub-groups: their tunables, where elements lie, and how a matrix unit
// loads and multiplies them. Stands behind ptx.cl and before matmul_mma.cl, which says what the tunables are.

#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef TILE_K
#define TILE_K 32
#endif
#ifndef SUB_M
#define SUB_M 32
#endif
#ifndef SUB_N
#define SUB_N 32
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef GROUP_M
#define GROUP_M 8
#endif
#ifndef A_ALONG
#define A_ALONG ALONG_K
#endif
#ifndef B_ALONG
#define B_ALONG ALONG_N
#endif

#define SUBS_N (TILE_N / SUB_N)
#define THREADS (32 * (TILE_M / SUB_M) * SUBS_N)

// Where chunk `chunk` (8 elements) of row `row` lies in a tile of so many rows of so many chunks. Longer rows than 8 chunks are
// in blocks of 8, one block of the tile after the other, as wgmma reads them.
#define SWIZZLED(row, chunk, rows, chunks)                                                                             \
    ((chunks) >= 8 ? ((chunk) / 8 * (rows) + (row)) * 8 + (((chunk) % 8) ^ ((row) & 7))                                \
                   : (row) * (chunks) + ((chunk) ^ (((row) >> 1) & 3)))

// The tile of A: rows along the axis that is not contiguous, chunks along the one that is.
#if A_ALONG == ALONG_K
#define CHUNKS_A (TILE_K / 8)
#define ROWS_A TILE_M
#define OUTER_A(row, chunk) (row)
#define DEPTH_A(row, chunk) ((chunk) * 8)
#define STEP_OUTER_A(e) 0
#define STEP_DEPTH_A(e) (e)
#define ROW_STRIDE_A A_STRIDE_M
#define PLACE_A(m, k) (SWIZZLED(m, (k) / 8, ROWS_A, CHUNKS_A) * 8 + (k) % 8)
#define CONTIGUOUS_A (A_STRIDE_K == 1)
#else
#define CHUNKS_A (TILE_M / 8)
#define ROWS_A TILE_K
#define OUTER_A(row, chunk) ((chunk) * 8)
#define DEPTH_A(row, chunk) (row)
#define STEP_OUTER_A(e) (e)
#define STEP_DEPTH_A(e) 0
#define ROW_STRIDE_A A_STRIDE_K
#define PLACE_A(m, k) (SWIZZLED(k, (m) / 8, ROWS_A, CHUNKS_A) * 8 + (m) % 8)
#define CONTIGUOUS_A (A_STRIDE_M == 1)
#endif
#if B_ALONG == ALONG_K
#define CHUNKS_B (TILE_K / 8)
#define ROWS_B TILE_N
#define OUTER_B(row, chunk) (row)
#define DEPTH_B(row, chunk) ((chunk) * 8)
#define STEP_OUTER_B(e) 0
#define STEP_DEPTH_B(e) (e)
#define ROW_STRIDE_B B_STRIDE_N
#define PLACE_B(n, k) (SWIZZLED(n, (k) / 8, ROWS_B, CHUNKS_B) * 8 + (k) % 8)
#define CONTIGUOUS_B (B_STRIDE_K == 1)
#else
#define CHUNKS_B (TILE_N / 8)
#define ROWS_B TILE_K
#define OUTER_B(row, chunk) ((chunk) * 8)
#define DEPTH_B(row, chunk) (row)
#define STEP_OUTER_B(e) (e)
#define STEP_DEPTH_B(e) 0
#define ROW_STRIDE_B B_STRIDE_K
#define PLACE_B(n, k) (SWIZZLED(k, (n) / 8, ROWS_B, CHUNKS_B) * 8 + (n) % 8)
#define CONTIGUOUS_B (B_STRIDE_N == 1)
#endif

#define SIZE_A (TILE_M * TILE_K / 8) // chunks of a tile
#define SIZE_B (TILE_N * TILE_K / 8)
#define PER_A (SIZE_A / THREADS) // chunks of a work-item
#define PER_B (SIZE_B / THREADS)
#define STEP_A (THREADS / CHUNKS_A) // rows between two chunks of a work-item
#define STEP_B (THREADS / CHUNKS_B)

#define FIRST_A(slot) ((slot)*SIZE_A)
#define FIRST_B(slot) (STAGES * SIZE_A + (slot)*SIZE_B)

#if UNIT
#define WAIT asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory")
#define LOAD_MATRIX(d, place)                                                                                          \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"                                       \
                 : "=r"((d)[0]), "=r"((d)[1]), "=r"((d)[2]), "=r"((d)[3])                                              \
                 : "r"(place)                                                                                          \
                 : "memory")
#define LOAD_TRANSPOSED(d, place)                                                                                      \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"                                 \
                 : "=r"((d)[0]), "=r"((d)[1]), "=r"((d)[2]), "=r"((d)[3])                                              \
                 : "r"(place)                                                                                          \
                 : "memory")
#define MULTIPLY(d, x, y0, y1)                                                                                         \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE_NAME "." TYPE_NAME ".f32 {%0,%1,%2,%3}, "               \
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                                              \
                 : "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])                                              \
                 : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "r"(y0), "r"(y1))
#else
#define WAIT
#endif

// Fragments of step `s` of a tile. Every work-item says where one row of 8 elements lies.
#define A_AT (ADDRESS(tiles) + FIRST_A(now) * 16)
#define B_AT (ADDRESS(tiles) + FIRST_B(now) * 16)
#if A_ALONG == ALONG_K
#define FRAGMENT_A(d, i, s)                                                                                            \
    LOAD_MATRIX(d, A_AT + 16 * SWIZZLED(sub_m + (i)*16 + lane % 16, (s)*2 + lane / 16, ROWS_A, CHUNKS_A))
#else
#define FRAGMENT_A(d, i, s)                                                                                            \
    LOAD_TRANSPOSED(d, A_AT + 16 * SWIZZLED((s)*16 + lane / 16 * 8 + lane % 8, sub_m / 8 + (i)*2 + lane / 8 % 2,       \
                                            ROWS_A, CHUNKS_A))
#endif
#if B_ALONG == ALONG_K
#define FRAGMENT_B(d, j, s)                                                                                            \
    LOAD_MATRIX(d, B_AT + 16 * SWIZZLED(sub_n + (j)*16 + lane / 16 * 8 + lane % 8, (s)*2 + lane / 8 % 2, ROWS_B, CHUNKS_B))
#else
#define FRAGMENT_B(d, j, s)                                                                                            \
    LOAD_TRANSPOSED(d, B_AT + 16 * SWIZZLED((s)*16 + lane % 16, sub_n / 8 + (j)*2 + lane / 16, ROWS_B, CHUNKS_B))
#endif
#define FRAGMENTS(which, s)                                                                                            \
    _Pragma("unroll") for (uint i = 0; i < SUB_M / 16; ++i) FRAGMENT_A(x[which][i], i, s);                             \
    _Pragma("unroll") for (uint j = 0; j < SUB_N / 16; ++j) FRAGMENT_B(y[which][j], j, s);

// Sums of a work-item, in registers: how many there are, their order, and what is done with each, which must have a fixed place.
#define SUM_ROWS (SUB_M / 16)
#define SUM_COLUMNS (SUB_N / 8)
#define SUM_COUNT (SUM_ROWS * SUM_COLUMNS * 4)
#define EACH_SUM(statements)                                                                                           \
    _Pragma("unroll") for (uint i = 0; i < SUM_ROWS; ++i)                                                              \
        _Pragma("unroll") for (uint j = 0; j < SUM_COLUMNS; ++j) _Pragma("unroll") for (uint e = 0; e < 4; ++e)        \
    {                                                                                                                  \
        statements                                                                                                     \
    }

// The first row and column of a tile. Blocks of GROUP_M rows of tiles, each walked column by column; the last block may be lower.
#define TILE_IN_BLOCKS(number)                                                                                         \
    const uint group = number;                                                                                         \
    const uint block = group / (GROUP_M * tiles_n);                                                                    \
    const uint height = min((uint)GROUP_M, tiles_m - block * GROUP_M);                                                 \
    const uint within = group - block * GROUP_M * tiles_n;                                                             \
    const uint m0 = (block * GROUP_M + within % height) * TILE_M;                                                      \
    const uint n0 = within / height * TILE_N;
