// Forward convolution, tiles of the image in local memory.
//
// Follows conv2d_implicit_gemm.cl, which describes sizes, operands and hooks. A work-group computes TILE_Y by TILE_X
// pixels of REG_M output channels of one image. For TILE_C input channels at a time it loads the pixels that its windows
// cover, margins included, and the filters' taps for them into local memory; each pixel then serves every tap and every
// output channel from there. A work-item has one pixel and keeps its REG_M sums in registers.
//
// The work-group's rows are read along x, so that neighbouring work-items load neighbouring pixels.
//
// Launch: global size (IMAGES * TILES * TILE_Y * TILE_X, M rounded up to REG_M, GROUPS) with TILES the number of tiles of
// one image; local size (TILE_Y * TILE_X, 1, 1); global size along y in work-groups of one.
//
// Tunables:
//   TILE_Y, TILE_X  output pixels of a work-group
//   REG_M           output channels of a work-item
//   TILE_C          input channels in local memory at a time
//
// Local memory: TILE_C * (SPAN_Y * SPAN_X + FILTER_HEIGHT * FILTER_WIDTH * REG_M) elements of ACC.
//
// Hooks: ELEMENT_A, ELEMENT_B and STORE; see README.md in this folder.

#ifndef KERNEL_NAME
#define KERNEL_NAME conv2d_tiled_local
#endif
#ifndef TILE_Y
#define TILE_Y 8
#endif
#ifndef TILE_X
#define TILE_X 16
#endif
#ifndef REG_M
#define REG_M 8
#endif
#ifndef TILE_C
#define TILE_C 4
#endif

#ifndef REAL
#define REAL float
#endif
#ifndef KERNEL_PARAMS
#define KERNEL_PARAMS                                                                                                  \
    __global const REAL *restrict a, __global const REAL *restrict b, __global REAL *restrict c, const uint M,         \
        const uint N, const uint K
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

#define ITEMS (TILE_Y * TILE_X)
#define TILES_Y ((OUT_HEIGHT + TILE_Y - 1) / TILE_Y)
#define TILES_X ((OUT_WIDTH + TILE_X - 1) / TILE_X)
// What the windows of a tile cover.
#define SPAN_Y ((TILE_Y - 1) * STRIDE_Y + (FILTER_HEIGHT - 1) * DILATION_Y + 1)
#define SPAN_X ((TILE_X - 1) * STRIDE_X + (FILTER_WIDTH - 1) * DILATION_X + 1)
#define SPAN (SPAN_Y * SPAN_X)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    __local ACC pixels[TILE_C][SPAN];
    __local ACC taps[TILE_C][TAPS][REG_M];

    const uint item = (uint)get_local_id(0);
    const uint image = (uint)get_group_id(0) / (TILES_Y * TILES_X);
    const uint tile = (uint)get_group_id(0) % (TILES_Y * TILES_X);
    const uint y0 = tile / TILES_X * TILE_Y;
    const uint x0 = tile % TILES_X * TILE_X;
    const uint m0 = (uint)get_group_id(1) * REG_M;
    const uint batch = (uint)get_group_id(2);

    const uint y = item / TILE_X;
    const uint x = item % TILE_X;

    ACC sum[REG_M];
#pragma unroll
    for (uint r = 0; r < REG_M; ++r)
        sum[r] = (ACC)0;
#if LONG_SUMS
    ACC total[REG_M];
    ACC lost[REG_M];
#pragma unroll
    for (uint r = 0; r < REG_M; ++r)
        total[r] = lost[r] = (ACC)0;
    uint terms = 0; // of the block
#endif

    for (uint c0 = 0; c0 < GROUP_IN; c0 += TILE_C) {
        for (uint i = item; i < TILE_C * SPAN; i += ITEMS) {
            const uint channel = c0 + i / SPAN;
            const uint from_y = READ_Y(y0, 0) + i % SPAN / SPAN_X;
            const uint from_x = READ_X(x0, 0) + i % SPAN % SPAN_X;
            ACC pixel = (ACC)0;
            if (channel < GROUP_IN)
                pixel = IMAGE(image, batch, channel, from_y, from_x);
            pixels[i / SPAN][i % SPAN] = pixel;
        }
        for (uint i = item; i < TILE_C * TAPS * REG_M; i += ITEMS) {
            const uint channel = c0 + i / (TAPS * REG_M);
            const uint m = m0 + i % REG_M;
            const uint tap = i / REG_M % TAPS;
            ACC weight = (ACC)0;
            if (channel < GROUP_IN && m < M)
                weight = ELEMENT_A(AT_W(batch, m, channel, tap));
            taps[i / (TAPS * REG_M)][tap][i % REG_M] = weight;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint channel = 0; channel < TILE_C; ++channel) {
#pragma unroll
            for (uint tap = 0; tap < TAPS; ++tap) {
                const uint at_y = y * STRIDE_Y + tap / FILTER_WIDTH * DILATION_Y;
                const uint at_x = x * STRIDE_X + tap % FILTER_WIDTH * DILATION_X;
                const ACC pixel = pixels[channel][at_y * SPAN_X + at_x];
#pragma unroll
                for (uint r = 0; r < REG_M; ++r)
                    sum[r] = MULTIPLY_ADD(pixel, taps[channel][tap][r], sum[r]);
            }
#if LONG_SUMS
            terms += TAPS;
            if (terms >= BLOCK_K) {
#pragma unroll
                for (uint r = 0; r < REG_M; ++r) {
                    ADD_BLOCK(ACC, total[r], lost[r], sum[r])
                    sum[r] = (ACC)0;
                }
                terms = 0;
            }
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#if LONG_SUMS
#pragma unroll
    for (uint r = 0; r < REG_M; ++r) {
        ADD_BLOCK(ACC, total[r], lost[r], sum[r])
        sum[r] = WHOLE_SUM(total[r], lost[r]);
    }
#endif
    if (y0 + y < OUT_HEIGHT && x0 + x < OUT_WIDTH) {
        const uint n = image * OUT_PIXELS + (y0 + y) * OUT_WIDTH + x0 + x;
#pragma unroll
        for (uint r = 0; r < REG_M; ++r) {
            if (m0 + r < M) {
                STORE(batch, m0 + r, n, sum[r]);
            }
        }
    }
}
