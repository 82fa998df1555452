// Matrix product for processors whose vectors are long and whose local memory is ordinary memory.
//
//     C(batch, m, n) = sum over k of A(batch, m, k) * B(batch, k, n)
//
// One work-item is one task for one thread: it computes a tile of TILE_M x TILE_N results from registers. There is no
// local memory and no barrier, because a processor's caches already do what a GPU's local memory is for.
//
// FORM chooses how the vector lanes are used.
//
// FORM_ROW: the lanes run along n. A panel of B, TILE_K deep and TILE_N wide, is copied into private memory, where its
//   rows lie next to each other whatever the strides of B were. The copy is what makes large products fast: rows of B
//   that lie a power of two apart would fight for the same few cache sets, and touch one page each. Registers then hold
//   REG_M rows of REG_N vectors of C; every step in k reads REG_N vectors of the panel and REG_M scalars of A. When K is
//   deeper than one panel, the unfinished sums wait in private memory between panels.
//
//         panel of B (k)         for r in rows, REG_M at a time:
//         +--------------+           for k in panel:
//         | VECTOR lanes |               C[r .. r+REG_M] += A[r .. r+REG_M, k] * panel[k]
//         +--------------+
//
// FORM_DOT: the lanes run along k, for operands that are both contiguous in k (A . transpose(B), rows by rows). A
//   register tile holds REG_M x REG_N dot products, each as a vector of partial sums that is added up at the end. It
//   copies nothing, so it is the better form when there are few rows to share a panel.
//
// Lanes outside the matrix are never loaded and never stored. Rows outside it repeat the last row, unstored.
//
// The layout of the registers is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication"
// (ACM TOMS 2008), as simplified by BLIS.
//
// Launch: global size (ceil(N / TILE_N), ceil(M / TILE_M), BATCH), local size (1, 1, 1).
//
// Tunables:
//   VECTOR          lanes of one vector: what the device's registers hold (16 for AVX-512, 8 for AVX, 4 for NEON)
//   REG_M, REG_N    the register tile: FORM_ROW rows x vectors, FORM_DOT rows x columns. (REG_M + 1) * REG_N vectors for
//                   FORM_ROW and REG_M * REG_N + REG_M + 1 for FORM_DOT must fit the register file
//   TILE_M, TILE_N  results of one work-item; TILE_M a multiple of REG_M; FORM_ROW has TILE_N = REG_N * VECTOR
//   TILE_K          depth of the panel (FORM_ROW): TILE_K * TILE_N elements should fit the first-level cache
//
// Hooks: see README.md in this folder.

#ifndef KERNEL_NAME
#define KERNEL_NAME matmul_cpu
#endif

#ifndef FORM_ROW
#define FORM_ROW 0
#endif
#ifndef FORM_DOT
#define FORM_DOT 1
#endif
#ifndef FORM
#define FORM FORM_ROW
#endif

#ifndef VECTOR
#define VECTOR 16
#endif
#ifndef REG_M
#define REG_M 8
#endif
#ifndef REG_N
#define REG_N 2
#endif
#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#if FORM == FORM_ROW
#define TILE_N (REG_N * VECTOR)
#else
#define TILE_N (REG_N * 8)
#endif
#endif
#ifndef TILE_K
#define TILE_K 256
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

#define PASTE_(x, y) x##y
#define PASTE(x, y) PASTE_(x, y)
#define ACC_VECTOR PASTE(ACC, VECTOR)

// Storage: how one element, or VECTOR adjacent ones, are read into ACC and written back.
#ifndef READ
#define READ(pointer, offset) ((ACC)(pointer)[offset])
#endif
#ifndef READ_VECTOR
#define READ_VECTOR(pointer, offset) PASTE(convert_, ACC_VECTOR)(PASTE(vload, VECTOR)(0, (pointer) + (offset)))
#endif
#ifndef WRITE
#define WRITE(pointer, offset, value) (pointer)[offset] = (REAL)(value)
#endif
#ifndef WRITE_VECTOR
#define WRITE_VECTOR(pointer, offset, value)                                                                           \
    PASTE(vstore, VECTOR)(PASTE(convert_, PASTE(REAL, VECTOR))(value), 0, (pointer) + (offset))
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
#if FORM == FORM_ROW
#ifndef B_STRIDE_K
#define B_STRIDE_K N
#endif
#ifndef B_STRIDE_N
#define B_STRIDE_N 1
#endif
#else
#ifndef B_STRIDE_K
#define B_STRIDE_K 1
#endif
#ifndef B_STRIDE_N
#define B_STRIDE_N K
#endif
#endif

// The row is a pointer of its own: what is added up to one index, compilers take apart at each step in k again where rows lie
// a power of two apart.
#ifndef LOAD_A
#define LOAD_A(batch, m, k)                                                                                            \
    READ((a + (A_OFFSET(batch) + (size_t)(m) * A_STRIDE_M)), (size_t)(k) * A_STRIDE_K)
#endif
#ifndef LOAD_B
#define LOAD_B(batch, k, n) READ(b, B_OFFSET(batch) + (size_t)(k) * B_STRIDE_K + (size_t)(n) * B_STRIDE_N)
#endif
#ifndef LOAD_A_VECTOR
#define LOAD_A_VECTOR(batch, m, k) READ_VECTOR(a, A_OFFSET(batch) + (size_t)(m) * A_STRIDE_M + (k))
#endif
#ifndef LOAD_B_VECTOR
#if FORM == FORM_ROW
#define LOAD_B_VECTOR(batch, k, n) READ_VECTOR(b, B_OFFSET(batch) + (size_t)(k) * B_STRIDE_K + (n))
#else
#define LOAD_B_VECTOR(batch, k, n) READ_VECTOR(b, B_OFFSET(batch) + (size_t)(n) * B_STRIDE_N + (k))
#endif
#endif
// Whether LOAD_B_VECTOR may be used: FORM_ROW can also gather a B that is not contiguous in n, one element at a time.
#ifndef B_CONTIGUOUS
#define B_CONTIGUOUS 1
#endif

// Whether elements of A are computed (0: no). Registers read A once for every panel, which a load is cheap enough for; what
// is computed is copied first, as many elements at a time as this says: 1, or VECTOR, which lie along k.
#ifndef A_COMPUTED
#define A_COMPUTED 0
#endif

// How one row of the panel is filled when LOAD_B_VECTOR does not serve. An operand whose index has to be computed, such
// as the image of a convolution, can do in PREPARE_PANEL, once, what depends on the columns alone.
#ifndef PREPARE_PANEL
#define PREPARE_PANEL(batch, n0, columns)
#endif
#ifndef FILL_PANEL_ROW
#define FILL_PANEL_ROW(row, batch, k, n0, columns)                                                                     \
    for (uint n = 0; n < TILE_N; ++n)                                                                                  \
    (row)[n] = n < (columns) ? LOAD_B(batch, k, (n0) + n) : (ACC)0
#endif

#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) (((size_t)(batch) * M + (m)) * N + (n))
#endif
#ifndef STORE
#define STORE(batch, m, n, value) WRITE(c, C_OFFSET(batch, m, n), value)
#endif
#ifndef STORE_VECTOR
#define STORE_VECTOR(batch, m, n, value) WRITE_VECTOR(c, C_OFFSET(batch, m, n), value)
#endif

// Before a loop that stays one: what is done to a result, which may be long, is built once and not for each place in a tile.
#if defined(__clang__) && !defined(NETCL_LOOPS_IN_ORDER) // which says of every loop that it makes no vectors
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ROLLED _Pragma("unroll 1")
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
#if FORM == FORM_ROW
#define BLOCK_K (16 * TILE_K) // each panel's sums are added to those of the panels before it in the block
#else
#define BLOCK_K (256 * VECTOR) // 256 terms for each lane
#endif

#if FORM == FORM_ROW

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    const uint n0 = (uint)get_group_id(0) * TILE_N;
    const uint m0 = (uint)get_group_id(1) * TILE_M;
    const uint batch = (uint)get_group_id(2);
    const uint rows = min((uint)TILE_M, M - m0);
    const uint columns = min((uint)TILE_N, N - n0);

    PREPARE_PANEL(batch, n0, columns)

    ACC_VECTOR panel[TILE_K * REG_N];
    ACC_VECTOR unfinished[TILE_M * REG_N];
#if LONG_SUMS
    ACC_VECTOR total[TILE_M * REG_N];
    ACC_VECTOR lost[TILE_M * REG_N];
#endif
    uint k0 = 0;
    do {
        const uint depth = min((uint)TILE_K, K - k0);

        // Copy the panel; columns that B does not have become zero.
#if B_CONTIGUOUS
        if (columns == TILE_N) {
            for (uint k = 0; k < depth; ++k)
                for (uint j = 0; j < REG_N; ++j)
                    panel[k * REG_N + j] = LOAD_B_VECTOR(batch, k0 + k, n0 + j * VECTOR);
        } else
#endif
            for (uint k = 0; k < depth; ++k)
                FILL_PANEL_ROW((ACC *)(panel + k * REG_N), batch, k0 + k, n0, columns);

        for (uint r = 0; r < rows; r += REG_M) {
            uint row[REG_M];
            ACC_VECTOR sum[REG_M][REG_N];
#pragma unroll
            for (uint i = 0; i < REG_M; ++i) {
                row[i] = m0 + min(r + i, rows - 1);
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    sum[i][j] = LONG_SUMS || k0 == 0 ? (ACC_VECTOR)0 : unfinished[(r + i) * REG_N + j];
            }

#if A_COMPUTED
            ACC copy[REG_M * TILE_K];
#pragma unroll 1
            for (uint i = 0; i < REG_M; ++i) {
                uint k = 0;
#if A_COMPUTED > 1
#pragma unroll 1
                for (; k + VECTOR <= depth; k += VECTOR)
                    PASTE(vstore, VECTOR)(LOAD_A_VECTOR(batch, row[i], k0 + k), 0, copy + i * TILE_K + k);
#endif
#pragma unroll 1
                for (; k < depth; ++k)
                    copy[i * TILE_K + k] = LOAD_A(batch, row[i], k0 + k);
            }
#define PANEL_A(i, k) copy[(i) * TILE_K + (k)]
#else
#define PANEL_A(i, k) LOAD_A(batch, row[i], k0 + (k))
#endif

            for (uint k = 0; k < depth; ++k) {
#pragma unroll
                for (uint i = 0; i < REG_M; ++i) {
                    const ACC_VECTOR x = (ACC_VECTOR)(PANEL_A(i, k));
#pragma unroll
                    for (uint j = 0; j < REG_N; ++j)
                        sum[i][j] = MULTIPLY_ADD(x, panel[k * REG_N + j], sum[i][j]);
                }
            }

            // Finished sums pass through memory, too: what is done to a result stands in the code twice, for a vector and for
            // an element, and not for each register. Drivers take the longer to build the more there is.
#if LONG_SUMS
            const bool begins = k0 % BLOCK_K == 0;
#pragma unroll
            for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    unfinished[(r + i) * REG_N + j] =
                        begins ? sum[i][j] : unfinished[(r + i) * REG_N + j] + sum[i][j];
            const bool ends = (k0 + depth) % BLOCK_K == 0 || k0 + depth >= K;
            if (ends && K > BLOCK_K) {
                ROLLED
                for (uint i = r * REG_N; i < (r + REG_M) * REG_N; ++i) {
                    if (k0 < BLOCK_K)
                        total[i] = lost[i] = (ACC_VECTOR)0;
                    ADD_BLOCK(ACC_VECTOR, total[i], lost[i], unfinished[i])
                    unfinished[i] = WHOLE_SUM(total[i], lost[i]);
                }
            }
#else
#pragma unroll
            for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    unfinished[(r + i) * REG_N + j] = sum[i][j];
#endif
            if (k0 + depth >= K) {
                ROLLED
                for (uint i = r; i < min(r + REG_M, rows); ++i) {
                    ROLLED
                    for (uint j = 0; j < REG_N; ++j) {
                        if ((j + 1) * VECTOR <= columns) {
                            STORE_VECTOR(batch, m0 + i, n0 + j * VECTOR, unfinished[i * REG_N + j]);
                        } else {
                            const ACC *lanes = (const ACC *)(unfinished + i * REG_N + j);
                            ROLLED
                            for (uint n = j * VECTOR; n < columns; ++n) {
                                STORE(batch, m0 + i, n0 + n, lanes[n - j * VECTOR]);
                            }
                        }
                    }
                }
            }
        }
        k0 += depth;
    } while (k0 < K);
}

#else // FORM_DOT

// The sum of a vector's lanes, by halves.
#define SUM_LANES_2(v) ((v).s0 + (v).s1)
#define SUM_LANES_4(v) SUM_LANES_2((v).lo + (v).hi)
#define SUM_LANES_8(v) SUM_LANES_4((v).lo + (v).hi)
#define SUM_LANES_16(v) SUM_LANES_8((v).lo + (v).hi)
#define SUM_LANES(v) PASTE(SUM_LANES_, VECTOR)(v)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    const uint n0 = (uint)get_group_id(0) * TILE_N;
    const uint m0 = (uint)get_group_id(1) * TILE_M;
    const uint batch = (uint)get_group_id(2);
    const uint rows = min((uint)TILE_M, M - m0);
    const uint columns = min((uint)TILE_N, N - n0);
    const uint whole = K - K % VECTOR;

    for (uint s = 0; s < columns; s += REG_N) {
        for (uint r = 0; r < rows; r += REG_M) {
            uint row[REG_M];
            uint column[REG_N];
            ACC_VECTOR sum[REG_M][REG_N];
#pragma unroll
            for (uint j = 0; j < REG_N; ++j)
                column[j] = n0 + min(s + j, columns - 1);
#pragma unroll
            for (uint i = 0; i < REG_M; ++i) {
                row[i] = m0 + min(r + i, rows - 1);
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    sum[i][j] = (ACC_VECTOR)0;
            }

#if LONG_SUMS
            ACC_VECTOR blocks[REG_M][REG_N];
            ACC_VECTOR lost[REG_M][REG_N];
#pragma unroll
            for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    blocks[i][j] = lost[i][j] = (ACC_VECTOR)0;
            uint end = 0;
            for (uint first = 0; first < whole; first = end) {
                end = min(whole, first + BLOCK_K);
#else
            {
                const uint first = 0;
                const uint end = whole;
#endif
                for (uint k = first; k < end; k += VECTOR) {
                    ACC_VECTOR y[REG_N];
#pragma unroll
                    for (uint j = 0; j < REG_N; ++j)
                        y[j] = LOAD_B_VECTOR(batch, k, column[j]);
#pragma unroll
                    for (uint i = 0; i < REG_M; ++i) {
                        const ACC_VECTOR x = LOAD_A_VECTOR(batch, row[i], k);
#pragma unroll
                        for (uint j = 0; j < REG_N; ++j)
                            sum[i][j] = MULTIPLY_ADD(x, y[j], sum[i][j]);
                    }
                }
#if LONG_SUMS
                if (whole > BLOCK_K) {
#pragma unroll
                    for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                        for (uint j = 0; j < REG_N; ++j) {
                            ADD_BLOCK(ACC_VECTOR, blocks[i][j], lost[i][j], sum[i][j])
                            sum[i][j] = end < whole ? (ACC_VECTOR)0 : WHOLE_SUM(blocks[i][j], lost[i][j]);
                        }
                }
#endif
            }

            ACC total[REG_M][REG_N];
#pragma unroll
            for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    total[i][j] = SUM_LANES(sum[i][j]);

            for (uint k = whole; k < K; ++k) {
                ACC y[REG_N];
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    y[j] = LOAD_B(batch, k, column[j]);
#pragma unroll
                for (uint i = 0; i < REG_M; ++i) {
                    const ACC x = LOAD_A(batch, row[i], k);
#pragma unroll
                    for (uint j = 0; j < REG_N; ++j)
                        total[i][j] = MULTIPLY_ADD(x, y[j], total[i][j]);
                }
            }

            // By way of memory, as above.
            ACC results[REG_M * REG_N];
#pragma unroll
            for (uint i = 0; i < REG_M; ++i)
#pragma unroll
                for (uint j = 0; j < REG_N; ++j)
                    results[i * REG_N + j] = total[i][j];
            ROLLED
            for (uint i = 0; i < min((uint)REG_M, rows - r); ++i) {
                ROLLED
                for (uint j = 0; j < min((uint)REG_N, columns - s); ++j) {
                    STORE(batch, m0 + r + i, n0 + s + j, results[i * REG_N + j]);
                }
            }
        }
    }
}

#endif
