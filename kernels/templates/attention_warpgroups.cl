// Attention and its gradients, as attention.cl says it, by NVIDIA's matrix unit for warpgroups: a work-group is one warpgroup, which
// has 64 rows and meets 64 others at a time. Stands behind ptx.cl, warpgroups.cl and attention.cl.
//
// Scores, and in gradients what they are multiplied by, are sums in registers. Rounded they are fragments, which the second product
// takes from there (Dao et al. 2022, algorithms 1 and 4, with a kernel of its own for dq in the place of atomic sums; Shah et al.
// 2024 for the fragments). The next tiles are on their way while these are multiplied.

#if UNIT == 2
#define PASTE_(x, y) x##y
#define PASTE(x, y) PASTE_(x, y)

// Elements of rows in local memory: whole blocks of 64. Chunks have 8 elements.
#define PADDED(width) ((width) > 64 ? 128 : 64)
#define CHUNKS(rows, width) ((rows)*PADDED(width) / 8)
#if WIDTH > 64
#define WIDTH_NUMBER 128
#else
#define WIDTH_NUMBER 64
#endif
#if VALUE_WIDTH > 64
#define VALUE_NUMBER 128
#else
#define VALUE_NUMBER 64
#endif

// Where tiles begin: own rows of q, or of k with KIND 2; in gradients own rows of g or v; and two copies of what they meet.
#define OWN_LEFT 0
#define OWN_RIGHT CHUNKS(TILE_M, WIDTH)
#define OWN_SIZE (KIND == 0 ? OWN_RIGHT : OWN_RIGHT + CHUNKS(TILE_M, VALUE_WIDTH))
#define OTHER_LEFT(slot) (OWN_SIZE + (slot) * (CHUNKS(TILE_N, WIDTH) + CHUNKS(TILE_N, VALUE_WIDTH)))
#define OTHER_RIGHT(slot) (OTHER_LEFT(slot) + CHUNKS(TILE_N, WIDTH))
// See warpgroups.cl.
#define SWIZZLED(row, chunk, rows) (((chunk) / 8 * (rows) + (row)) * 8 + (((chunk) % 8) ^ ((row) & 7)))

// Rows of an operand from `first` on, of which there are `end`, to a tile; zeros where it has none.
#define FETCH(tile, rows, width, pointer, offset, stride, first, end)                                                  \
    _Pragma("unroll") for (int place = 0; place < CHUNKS(rows, width); place += GROUP)                                 \
    {                                                                                                                  \
        const int row_ = (place + item) / (PADDED(width) / 8);                                                         \
        const int chunk_ = (place + item) % (PADDED(width) / 8);                                                       \
        const int is_there = (first) + row_ < (end) && chunk_ * 8 < (width);                                           \
        const size_t from_ = (size_t)(offset) + (is_there ? (size_t)((first) + row_) * (stride) + chunk_ * 8 : 0);     \
        COPY_CHUNK((tile) + SWIZZLED(row_, chunk_, rows), pointer, from_, is_there)                                    \
    }
#if ALIGNED == 8
#define COPY_CHUNK(place, pointer, from, is_there)                                                                     \
    COPY_16(ADDRESS(tiles) + (place)*16, (__global const ushort *)(pointer) + (from), is_there ? 16 : 0);
#else
#define PAIR(pointer, from) (BITS(pointer, from) | (uint)BITS(pointer, (from) + 1) << 16)
#define COPY_CHUNK(place, pointer, from, is_there)                                                                     \
    tiles[place] = is_there ? (uint4)(PAIR(pointer, from), PAIR(pointer, (from) + 2), PAIR(pointer, (from) + 4),       \
                                      PAIR(pointer, (from) + 6))                                                       \
                            : (uint4)(0);
#endif

// What belongs to TILE_N queries; zeros where there are none. Half of the work-items copy one of the two.
#define FETCH_NUMBERS(to_lse, to_delta, other)                                                                         \
    {                                                                                                                  \
        const int query_ = (other) + item % TILE_N;                                                                    \
        const int is_there = query_ < QUERIES;                                                                         \
        const size_t from_ = (size_t)batch * QUERIES + (is_there ? query_ : 0);                                        \
        if (item < TILE_N) {                                                                                           \
            COPY_4(ADDRESS((to_lse) + item % TILE_N), lse + from_, is_there ? 4 : 0);                                  \
        } else {                                                                                                       \
            COPY_4(ADDRESS((to_delta) + item % TILE_N), delta + from_, is_there ? 4 : 0);                              \
        }                                                                                                              \
    }

// Two numbers, rounded.
#define PACKED(low, high)                                                                                              \
    ({                                                                                                                 \
        uint both_;                                                                                                    \
        asm("cvt.rn." TYPE_NAME "x2.f32 %0, %1, %2;" : "=r"(both_) : "f"(high), "f"(low));                             \
        both_;                                                                                                         \
    })
#define ROUND(x, d)                                                                                                    \
    _Pragma("unroll") for (int s = 0; s < TILE_N / 16; ++s)                                                            \
    {                                                                                                                  \
        x[s][0] = PACKED(d[2 * s][0], d[2 * s][1]);                                                                    \
        x[s][1] = PACKED(d[2 * s][2], d[2 * s][3]);                                                                    \
        x[s][2] = PACKED(d[2 * s + 1][0], d[2 * s + 1][1]);                                                            \
        x[s][3] = PACKED(d[2 * s + 1][2], d[2 * s + 1][3]);                                                            \
    }

// Each sum of a work-item: e / 2 says which of its two rows, 8 apart, and j and e % 2 which column.
#define EACH(columns)                                                                                                  \
    _Pragma("unroll") for (int j = 0; j < (columns) / 8; ++j) _Pragma("unroll") for (int e = 0; e < 4; ++e)
#define COLUMN(j, e) ((j)*8 + lane % 4 * 2 + (e) % 2)

// Adds the product of all rows of a tile with all rows of another one, over `width` elements.
#define MULTIPLY_ROWS(d, left, right, width)                                                                           \
    _Pragma("unroll") for (int s = 0; s < PADDED(width) / 16; ++s) PASTE(MULTIPLY_TILES_, TILE_N)(                     \
        d, DESCRIPTOR(ADDRESS(tiles) + ((left) + s / 4 * TILE_M * 8 + s % 4 * 2) * 16, TILE_M),                        \
        DESCRIPTOR(ADDRESS(tiles) + ((right) + s / 4 * TILE_N * 8 + s % 4 * 2) * 16, TILE_N), ALONG_K, ALONG_K);
// Adds the product of fragments with a tile of as many rows as they have columns.
#define MULTIPLY_COLUMNS(d, x, right, number)                                                                          \
    _Pragma("unroll") for (int s = 0; s < TILE_N / 16; ++s) PASTE(MULTIPLY_FRAGMENT_, number)(                         \
        d, x[s], DESCRIPTOR(ADDRESS(tiles) + ((right) + s * 16 * 8) * 16, TILE_N), ALONG_N);

// Results of the work-item, two neighbours at a time.
#if RESULT_F32
#define STORE_PAIR(pointer, offset, low, high)                                                                         \
    vstore2((float2)(low, high), 0, (__global float *)(pointer) + (offset));
#else
#define STORE_PAIR(pointer, offset, low, high)                                                                         \
    *(__global uint *)((__global ushort *)(pointer) + (offset)) = PACKED(low, high);
#endif
#define STORE_ROWS(pointer, d, columns, width, factor)                                                                 \
    _Pragma("unroll") for (int j = 0; j < (columns) / 8; ++j) _Pragma("unroll") for (int e = 0; e < 4; e += 2)         \
    {                                                                                                                  \
        const int row_ = row + e / 2 * 8;                                                                              \
        if (row_ < ROWS && COLUMN(j, 0) < (width))                                                                     \
            STORE_PAIR(pointer, ((size_t)batch * ROWS + row_) * (width) + COLUMN(j, 0), d[j][e] * (factor),            \
                       d[j][e + 1] * (factor))                                                                         \
    }

#define LOG2_E 1.44269504088896340736f

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    __local uint4 tiles[OTHER_LEFT(2)] __attribute__((aligned(1024)));
#if KIND == 2
    // What belongs to the queries that keys meet.
    __local float lse_of[2][TILE_N], delta_of[2][TILE_N];
#endif

    const int item = (int)get_local_id(0);
    const int lane = item % 32;
    const int batch = (int)get_group_id(2);
    // The last queries and the first keys have the most to do: they begin first.
#if CAUSAL && KIND != 2
    const int first = ((int)get_num_groups(1) - 1 - (int)get_group_id(1)) * TILE_M;
#else
    const int first = (int)get_group_id(1) * TILE_M;
#endif
    // The upper one of the two rows of which this work-item has elements.
    const int row = first + item / 32 * 16 + lane / 4;
    const float scale = 1.0f / sqrt((float)WIDTH);
    const float exponent = scale * LOG2_E;

#if KIND == 2
#define FETCH_OTHERS(slot, other)                                                                                      \
    FETCH(OTHER_LEFT(slot), TILE_N, WIDTH, q, Q_OFFSET(batch), Q_STRIDE, other, QUERIES)                               \
    FETCH(OTHER_RIGHT(slot), TILE_N, VALUE_WIDTH, g, G_OFFSET(batch), G_STRIDE, other, QUERIES)                        \
    FETCH_NUMBERS(lse_of[slot], delta_of[slot], other)                                                                 \
    COMMIT;
    FETCH(OWN_LEFT, TILE_M, WIDTH, k, K_OFFSET(batch), K_STRIDE, first, KEYS)
    FETCH(OWN_RIGHT, TILE_M, VALUE_WIDTH, v, V_OFFSET(batch), V_STRIDE, first, KEYS)
#else
#define FETCH_OTHERS(slot, other)                                                                                      \
    FETCH(OTHER_LEFT(slot), TILE_N, WIDTH, k, K_OFFSET(batch), K_STRIDE, other, KEYS)                                  \
    FETCH(OTHER_RIGHT(slot), TILE_N, VALUE_WIDTH, v, V_OFFSET(batch), V_STRIDE, other, KEYS)                           \
    COMMIT;
    FETCH(OWN_LEFT, TILE_M, WIDTH, q, Q_OFFSET(batch), Q_STRIDE, first, QUERIES)
#if KIND == 1
    FETCH(OWN_RIGHT, TILE_M, VALUE_WIDTH, g, G_OFFSET(batch), G_STRIDE, first, QUERIES)
#endif
#endif

    float scores[TILE_N / 8][4];
#if KIND != 1
    uint weights[TILE_N / 16][4];
    float values[VALUE_NUMBER / 8][4];
    EACH(VALUE_NUMBER) values[j][e] = 0.0f;
#endif
#if KIND == 0
    float largest[2] = {-INFINITY, -INFINITY};
    float total[2] = {0.0f, 0.0f};
#else
    float slopes[TILE_N / 8][4];
    uint rounded[TILE_N / 16][4];
    float sums[WIDTH_NUMBER / 8][4];
    EACH(WIDTH_NUMBER) sums[j][e] = 0.0f;
#endif
#if KIND == 1
    float row_lse[2], row_delta[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const size_t of_row = (size_t)batch * QUERIES + row + h * 8;
        row_lse[h] = row + h * 8 < QUERIES ? lse[of_row] * LOG2_E : 0.0f;
        row_delta[h] = row + h * 8 < QUERIES ? delta[of_row] : 0.0f;
    }
#endif

#if CAUSAL && KIND == 2
    const int begin = first / TILE_N * TILE_N;
#else
    const int begin = 0;
#endif
#if CAUSAL && KIND != 2
    const int end = min(OTHERS, first + TILE_M);
#else
    const int end = OTHERS;
#endif
    if (begin < end) {
        FETCH_OTHERS(0, begin)
    }
    int now = 0;
#pragma unroll 1
    for (int other = begin; other < end; other += TILE_N) {
        // These tiles are there, and nobody multiplies the ones before any more.
        WAIT_ALL;
        FENCE_TILES;
        barrier(CLK_LOCAL_MEM_FENCE);
        EACH(TILE_N) scores[j][e] = 0.0f;
#if KIND != 0
        EACH(TILE_N) slopes[j][e] = 0.0f;
#endif
        FENCE_PRODUCTS;
        MULTIPLY_ROWS(scores, OWN_LEFT, OTHER_LEFT(now), WIDTH)
#if KIND != 0
        MULTIPLY_ROWS(slopes, OWN_RIGHT, OTHER_RIGHT(now), VALUE_WIDTH)
#endif
        COMMIT_PRODUCTS;
        if (other + TILE_N < end) {
            FETCH_OTHERS(1 - now, other + TILE_N)
        }
        PRODUCTS_DONE(PASTE(SUMS_, TILE_N)(scores))
#if KIND != 0
        PRODUCTS_DONE(PASTE(SUMS_, TILE_N)(slopes))
#endif
        // Where some of these are not seen by all rows.
#if CAUSAL && KIND == 2
        const int is_cut = first + TILE_M > other + 1 || other + TILE_N > OTHERS;
#elif CAUSAL
        const int is_cut = other + TILE_N > first + 1 || other + TILE_N > OTHERS;
#else
        const int is_cut = other + TILE_N > OTHERS;
#endif
        if (is_cut) {
            EACH(TILE_N)
            {
                const int own = row + e / 2 * 8;
                const int column = other + COLUMN(j, e);
#if CAUSAL && KIND == 2
                const int is_visible = own <= column && column < OTHERS;
#elif CAUSAL
                const int is_visible = column <= own && column < OTHERS;
#else
                const int is_visible = column < OTHERS;
#endif
                scores[j][e] = is_visible ? scores[j][e] : -INFINITY;
            }
        }

#if KIND == 0
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            float top = largest[h];
#pragma unroll
            for (int j = 0; j < TILE_N / 8; ++j)
                top = fmax(top, fmax(scores[j][2 * h], scores[j][2 * h + 1]));
            top = fmax(top, EXCHANGED(top, 1));
            top = fmax(top, EXCHANGED(top, 2));
            // A tile that a row sees nothing of changes nothing.
            const float shift = top == -INFINITY ? 0.0f : top * exponent;
            const float again = native_exp2(largest[h] * exponent - shift);
            largest[h] = top;
            float sum = 0.0f;
#pragma unroll
            for (int j = 0; j < TILE_N / 8; ++j)
#pragma unroll
                for (int e = 2 * h; e < 2 * h + 2; ++e) {
                    scores[j][e] = native_exp2(fma(scores[j][e], exponent, -shift));
                    sum += scores[j][e];
                }
            total[h] = fma(total[h], again, sum);
#pragma unroll
            for (int j = 0; j < VALUE_NUMBER / 8; ++j) {
                values[j][2 * h] *= again;
                values[j][2 * h + 1] *= again;
            }
        }
#elif KIND == 1
        EACH(TILE_N)
        {
            const float weight = native_exp2(fma(scores[j][e], exponent, -row_lse[e / 2]));
            slopes[j][e] = weight * (slopes[j][e] - row_delta[e / 2]);
        }
#else
#pragma unroll
        for (int j = 0; j < TILE_N / 8; ++j) {
            const float2 own_lse = *(__local const float2 *)(lse_of[now] + COLUMN(j, 0)) * LOG2_E;
            const float2 own_delta = *(__local const float2 *)(delta_of[now] + COLUMN(j, 0));
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                scores[j][e] = native_exp2(fma(scores[j][e], exponent, -(e % 2 ? own_lse.y : own_lse.x)));
                slopes[j][e] = scores[j][e] * (slopes[j][e] - (e % 2 ? own_delta.y : own_delta.x));
            }
        }
#endif

#if KIND != 1
        ROUND(weights, scores)
#endif
#if KIND != 0
        ROUND(rounded, slopes)
#endif
        FENCE_PRODUCTS;
#if KIND != 1
        MULTIPLY_COLUMNS(values, weights, OTHER_RIGHT(now), VALUE_NUMBER)
#endif
#if KIND != 0
        MULTIPLY_COLUMNS(sums, rounded, OTHER_LEFT(now), WIDTH_NUMBER)
#endif
        COMMIT_PRODUCTS;
#if KIND != 1
        PRODUCTS_DONE(PASTE(SUMS_, VALUE_NUMBER)(values))
#endif
#if KIND != 0
        PRODUCTS_DONE(PASTE(SUMS_, WIDTH_NUMBER)(sums))
#endif
        now = 1 - now;
    }

#if KIND == 0
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        total[h] += EXCHANGED(total[h], 1);
        total[h] += EXCHANGED(total[h], 2);
        const float part = 1.0f / total[h];
#pragma unroll
        for (int j = 0; j < VALUE_NUMBER / 8; ++j) {
            values[j][2 * h] *= part;
            values[j][2 * h + 1] *= part;
        }
        if (lane % 4 == 0 && row + h * 8 < QUERIES)
            lse[(size_t)batch * QUERIES + row + h * 8] = largest[h] * scale + log(total[h]);
    }
    STORE_ROWS(out, values, VALUE_NUMBER, VALUE_WIDTH, 1.0f)
#elif KIND == 1
    STORE_ROWS(dq, sums, WIDTH_NUMBER, WIDTH, scale)
#else
    STORE_ROWS(dk, sums, WIDTH_NUMBER, WIDTH, scale)
    STORE_ROWS(dv, values, VALUE_NUMBER, VALUE_WIDTH, 1.0f)
#endif
}
#endif
