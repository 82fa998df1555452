// Attention and its two gradients, a work-group for TILE_M rows, which passes over the rows that they meet in tiles of TILE_N.
//
//     s = q . k^T / sqrt(WIDTH), the part with keys after the query left out if CAUSAL;  p = softmax(s)
//     KIND 0   out = p . v, and lse = log(sum(e^s)) of each row
//     KIND 1   dq = (p * (g . v^T - delta)) . k / sqrt(WIDTH), with p = e^(s - lse)
//     KIND 2   dk = (p * (g . v^T - delta))^T . q / sqrt(WIDTH), and dv = p^T . g
//
// The scores never lie in memory: the softmax is that of the tiles so far, and what was added up is scaled when a larger score
// comes (Milakov and Gimelshein 2018; Dao et al. 2022). Sums are of floats; what is multiplied next is rounded to the operands'
// type, as matrix units want it. In KIND 0 and 1 the rows of a work-group are queries, in KIND 2 keys.
//
// Launch: global size (GROUP, rows / TILE_M rounded up, BATCH), local size (GROUP, 1, 1).
//
// Tunables:
//   TILE_M   rows of a work-group
//   TILE_N   rows that it meets at a time
//   UNIT     what multiplies: 0 multiply-adds of work-items, here; 2 NVIDIA's matrix unit for warpgroups, in
//            attention_warpgroups.cl, which follows this file
//
// Hooks: see README.md in this folder. Rows of the operands are contiguous. Stands behind ptx.cl.

#define GROUP 128

#ifndef KERNEL_NAME
#define KERNEL_NAME attention
#endif
#ifndef KIND
#define KIND 0
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#ifndef VALUE_WIDTH
#define VALUE_WIDTH 64
#endif
#ifndef TILE_M
#define TILE_M 16
#endif
#ifndef TILE_N
#define TILE_N 16
#endif
#ifndef RESULT_F32
#define RESULT_F32 0
#endif
#ifndef KERNEL_PARAMS
#define KERNEL_PARAMS                                                                                                  \
    __global const ushort *restrict q, __global const ushort *restrict k, __global const ushort *restrict v,           \
        __global ushort *restrict out, __global float *restrict lse, const int QUERIES, const int KEYS
#endif
#ifndef Q_OFFSET
#define Q_OFFSET(batch) ((batch) * QUERIES * WIDTH)
#endif
#ifndef Q_STRIDE
#define Q_STRIDE WIDTH
#endif
#ifndef K_OFFSET
#define K_OFFSET(batch) ((batch) * KEYS * WIDTH)
#endif
#ifndef K_STRIDE
#define K_STRIDE WIDTH
#endif
#ifndef V_OFFSET
#define V_OFFSET(batch) ((batch) * KEYS * VALUE_WIDTH)
#endif
#ifndef V_STRIDE
#define V_STRIDE VALUE_WIDTH
#endif

// The 16 bits of an element.
#define BITS(pointer, offset) (((__global const ushort *)(pointer))[offset])

#if KIND == 2
#define ROWS KEYS
#define OTHERS QUERIES
#else
#define ROWS QUERIES
#define OTHERS KEYS
#endif

#if UNIT == 0
#if CAUSAL
#define IS_SEEN(query, key) ((key) <= (query))
#else
#define IS_SEEN(query, key) 1
#endif
// The number that bits in local memory are, and the bits that are stored for a number.
#if BF16
#define NUMBER(place) as_float((uint)*(place) << 16)
#define ROUND(x) as_float(isnan(x) ? 0x7fc00000u : (as_uint(x) + 0x7fffu + ((as_uint(x) >> 16) & 1u)) & 0xffff0000u)
#define STORE_16(pointer, offset, x) ((__global ushort *)(pointer))[offset] = (ushort)(as_uint(ROUND(x)) >> 16)
#else
#define NUMBER(place) vload_half(0, (__local const half *)(place))
#define ROUND(x) x
#define STORE_16(pointer, offset, x) vstore_half_rte(x, offset, (__global half *)(pointer))
#endif
#if RESULT_F32
#define STORE_RESULT(pointer, offset, x) ((__global float *)(pointer))[offset] = x
#else
#define STORE_RESULT(pointer, offset, x) STORE_16(pointer, offset, x)
#endif

// Copies rows of a matrix to local memory, zeros where it has none.
#define COPY_TILE(tile, rows, columns, pointer, offset, stride, first, end)                                            \
    for (int place = (int)get_local_id(0); place < (rows) * (columns); place += GROUP) {                               \
        const int row_ = place / (columns);                                                                            \
        const int column_ = place % (columns);                                                                         \
        ushort bits_ = 0;                                                                                              \
        if ((first) + row_ < (end))                                                                                    \
            bits_ = BITS(pointer, (size_t)(offset) + (size_t)((first) + row_) * (stride) + column_);                   \
        (tile)[place] = bits_;                                                                                         \
    }

// Work-items of a row, and how many columns of a result each has.
#define LANES (GROUP / TILE_M)
#define OWN(columns) (((columns) + LANES - 1) / LANES)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void KERNEL_NAME(KERNEL_PARAMS)
{
    // Rows of q and g, or of k and v; and those that they meet.
    __local ushort own_left[TILE_M * WIDTH];
    __local ushort other_left[TILE_N * WIDTH];
    __local ushort other_right[TILE_N * VALUE_WIDTH];
    __local float weights[TILE_M * TILE_N];
#if KIND != 0
    __local ushort own_right[TILE_M * VALUE_WIDTH];
    __local float slopes[TILE_M * TILE_N];
#endif

    const int item = (int)get_local_id(0);
    const int row = item / LANES;
    const int lane = item % LANES;
    const int batch = (int)get_group_id(2);
    const int first = (int)get_group_id(1) * TILE_M;
    const float scale = 1.0f / sqrt((float)WIDTH);

#if KIND == 2
    COPY_TILE(own_left, TILE_M, WIDTH, k, K_OFFSET(batch), K_STRIDE, first, KEYS)
    COPY_TILE(own_right, TILE_M, VALUE_WIDTH, v, V_OFFSET(batch), V_STRIDE, first, KEYS)
#else
    COPY_TILE(own_left, TILE_M, WIDTH, q, Q_OFFSET(batch), Q_STRIDE, first, QUERIES)
#if KIND == 1
    COPY_TILE(own_right, TILE_M, VALUE_WIDTH, g, G_OFFSET(batch), G_STRIDE, first, QUERIES)
#endif
#endif

#if KIND != 1
    float values[OWN(VALUE_WIDTH)];
    for (int own = 0; own < OWN(VALUE_WIDTH); ++own)
        values[own] = 0.0f;
#endif
#if KIND != 0
    float sums[OWN(WIDTH)];
    for (int own = 0; own < OWN(WIDTH); ++own)
        sums[own] = 0.0f;
#endif
#if KIND == 0
    float largest = -INFINITY;
    float total = 0.0f;
#endif

    // Keys behind the last query of the tile are not seen, nor do queries before the first key see any.
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
    for (int other = begin; other < end; other += TILE_N) {
        barrier(CLK_LOCAL_MEM_FENCE);
#if KIND == 2
        COPY_TILE(other_left, TILE_N, WIDTH, q, Q_OFFSET(batch), Q_STRIDE, other, QUERIES)
        COPY_TILE(other_right, TILE_N, VALUE_WIDTH, g, G_OFFSET(batch), G_STRIDE, other, QUERIES)
#else
        COPY_TILE(other_left, TILE_N, WIDTH, k, K_OFFSET(batch), K_STRIDE, other, KEYS)
        COPY_TILE(other_right, TILE_N, VALUE_WIDTH, v, V_OFFSET(batch), V_STRIDE, other, KEYS)
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int column = lane; column < TILE_N; column += LANES) {
            float score = 0.0f;
            for (int at = 0; at < WIDTH; ++at)
                score = mad(NUMBER(own_left + row * WIDTH + at), NUMBER(other_left + column * WIDTH + at), score);
            score *= scale;
#if KIND == 2
            const int query = other + column;
            const int key = first + row;
#else
            const int query = first + row;
            const int key = other + column;
#endif
            const int visible = query < QUERIES && key < KEYS && IS_SEEN(query, key);
#if KIND == 0
            weights[row * TILE_N + column] = visible ? score : -INFINITY;
#else
            float weight = 0.0f;
            float slope = 0.0f;
            if (visible) {
                const size_t of_row = (size_t)batch * QUERIES + query;
                weight = exp(score - lse[of_row]);
                for (int at = 0; at < VALUE_WIDTH; ++at)
                    slope = mad(NUMBER(own_right + row * VALUE_WIDTH + at),
                                NUMBER(other_right + column * VALUE_WIDTH + at), slope);
                slope = weight * (slope - delta[of_row]);
            }
            weights[row * TILE_N + column] = ROUND(weight);
            slopes[row * TILE_N + column] = ROUND(slope);
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if KIND == 0
        float top = largest;
        for (int column = 0; column < TILE_N; ++column)
            top = fmax(top, weights[row * TILE_N + column]);
        // A tile that a row sees nothing of changes nothing.
        const float again = top == -INFINITY ? 1.0f : exp(largest - top);
        largest = top;
        total *= again;
        for (int own = 0; own < OWN(VALUE_WIDTH); ++own)
            values[own] *= again;
        for (int column = 0; column < TILE_N; ++column) {
            const float score = weights[row * TILE_N + column];
            const float weight = score == -INFINITY ? 0.0f : exp(score - top);
            total += weight;
            const float rounded = ROUND(weight);
            for (int own = 0; own < OWN(VALUE_WIDTH); ++own) {
                const int at = min(lane + own * LANES, VALUE_WIDTH - 1);
                values[own] = mad(rounded, NUMBER(other_right + column * VALUE_WIDTH + at), values[own]);
            }
        }
#else
        for (int column = 0; column < TILE_N; ++column) {
            const float slope = slopes[row * TILE_N + column];
            for (int own = 0; own < OWN(WIDTH); ++own) {
                const int at = min(lane + own * LANES, WIDTH - 1);
                sums[own] = mad(slope, NUMBER(other_left + column * WIDTH + at), sums[own]);
            }
#if KIND == 2
            const float weight = weights[row * TILE_N + column];
            for (int own = 0; own < OWN(VALUE_WIDTH); ++own) {
                const int at = min(lane + own * LANES, VALUE_WIDTH - 1);
                values[own] = mad(weight, NUMBER(other_right + column * VALUE_WIDTH + at), values[own]);
            }
#endif
        }
#endif
    }

    if (first + row < ROWS) {
        const size_t of_row = (size_t)batch * ROWS + first + row;
#if KIND == 0
        for (int own = 0; own < OWN(VALUE_WIDTH); ++own) {
            const int at = lane + own * LANES;
            if (at < VALUE_WIDTH) {
                const float value = values[own] / total;
                STORE_RESULT(out, of_row * VALUE_WIDTH + at, value);
            }
        }
        if (lane == 0)
            lse[of_row] = largest + log(total);
#else
        for (int own = 0; own < OWN(WIDTH); ++own) {
            const int at = lane + own * LANES;
            if (at < WIDTH) {
                const float value = sums[own] * scale;
#if KIND == 1
                STORE_RESULT(dq, of_row * WIDTH + at, value);
#else
                STORE_RESULT(dk, of_row * WIDTH + at, value);
#endif
            }
        }
#if KIND == 2
        for (int own = 0; own < OWN(VALUE_WIDTH); ++own) {
            const int at = lane + own * LANES;
            if (at < VALUE_WIDTH) {
                const float value = values[own];
                STORE_RESULT(dv, of_row * VALUE_WIDTH + at, value);
            }
        }
#endif
#endif
    }
}
#endif
