// Convolution on processors: how the panel of matmul_cpu.cl is filled from an image.
//
// This file has no kernel of its own. It stands between conv2d_implicit_gemm.cl, which maps the three products of a
// convolution to matrix products, and matmul_cpu.cl in FORM_ROW, which computes them. matmul_cpu.cl copies TILE_K rows
// of B at a time into a private panel; for a convolution that copy gathers pixels ("im2col" for a few columns only), and
// here it is made cheap:
//
//   PREPARE_PANEL computes once, for each column of the tile, its place in the image;
//   FILL_PANEL_ROW computes once, for each row, the offset that its tap or its pixel adds to all columns.
//
// What is left for each element is one addition, one load and, where the filter reaches over the edge (CHECKED), two
// comparisons. Where the result has the size of the image (SAME_SIZE), neighbouring columns of one image lie next to each
// other whatever the tap is: they are loaded as vectors, and only what falls over the edge is replaced. The weights need no
// copy: they are the scalar operand.
//
// Columns past the end repeat the last one; their results are not stored.
//
// Offsets in a panel are `int`: an image batch has fewer than 2^31 elements.
//
// Everything in conv2d_implicit_gemm.cl holds here too.

#ifndef FORM
#define FORM FORM_ROW
#endif
#define FORM_ROW 0
#define FORM_DOT 1
#define B_CONTIGUOUS 0

// Whether some element of B falls outside what it is read from.
#ifndef CHECKED
#if PRODUCT == INPUT
#define CHECKED 1
#else
#define CHECKED (PAD_Y != 0 || PAD_X != 0)
#endif
#endif

// Whether an output pixel and the input pixel that a tap reads for it are always as far apart.
#define SAME_SIZE (STRIDE_Y == 1 && STRIDE_X == 1 && OUT_HEIGHT == HEIGHT && OUT_WIDTH == WIDTH)
// Whether the columns are neighbours in one image, and where they are read from is inside the batch. What lies there is read
// even if it is another row's or another image's, and thrown away then.
#define ARE_NEIGHBOURS(n0, first, elements)                                                                            \
    (SAME_SIZE && (n0) % PIXELS + TILE_N <= PIXELS && (first) >= 0 && (uint)(first) + TILE_N <= (elements))

// One element of the panel. Where nothing is to be read, element 0 is, and thrown away: that is cheaper than a branch
// whose outcome the processor cannot guess.
#define PUT(row, n, inside, at)                                                                                        \
    {                                                                                                                  \
        const bool is_inside = inside;                                                                                 \
        const ACC element = ELEMENT_B(is_inside ? (at) : 0);                                                             \
        (row)[n] = is_inside ? element : (ACC)0;                                                                       \
    }
// A row of the panel: for column `n` what lies `at` there in a batch of so many `elements`, or zero where that is not
// `inside`.
#define PUT_ROW(row, n0, elements, inside, at)                                                                         \
    {                                                                                                                  \
        int first;                                                                                                     \
        {                                                                                                              \
            const uint n = 0;                                                                                          \
            first = at;                                                                                                \
        }                                                                                                              \
        if (ARE_NEIGHBOURS(n0, first, elements)) {                                                                     \
            for (uint n = 0; n < TILE_N; ++n) {                                                                        \
                const ACC element = ELEMENT_B(first + (int)n);                                                         \
                (row)[n] = inside ? element : (ACC)0;                                                                  \
            }                                                                                                          \
        } else                                                                                                         \
            for (uint n = 0; n < TILE_N; ++n)                                                                          \
                PUT(row, n, inside, at)                                                                                \
    }

#if PRODUCT == FORWARD // Columns are output pixels, a row is a channel and a tap.

#define PREPARE_PANEL(batch, n0, columns)                                                                              \
    int column_at[TILE_N], column_y[TILE_N], column_x[TILE_N];                                                         \
    for (uint n = 0; n < TILE_N; ++n) {                                                                                \
        const uint column = (n0) + min(n, (columns) - 1);                                                              \
        column_y[n] = (int)(column % OUT_PIXELS / OUT_WIDTH * STRIDE_Y) - PAD_Y;                                       \
        column_x[n] = (int)(column % OUT_PIXELS % OUT_WIDTH * STRIDE_X) - PAD_X;                                       \
        column_at[n] =                                                                                                 \
            (int)AT_X(column / OUT_PIXELS, batch, 0, 0) + column_y[n] * (int)WIDTH + column_x[n];                      \
    }
#define FILL_PANEL_ROW(row, batch, k, n0, columns)                                                                     \
    {                                                                                                                  \
        const int row_y = (int)((k) % TAPS / FILTER_WIDTH * DILATION_Y);                                               \
        const int row_x = (int)((k) % TAPS % FILTER_WIDTH * DILATION_X);                                               \
        const int row_at = (int)((k) / TAPS * PIXELS) + row_y * (int)WIDTH + row_x;                                    \
        PUT_ROW(row, n0, (uint)N * CHANNELS,                                                                           \
                (!CHECKED | (((uint)(column_y[n] + row_y) < HEIGHT) & ((uint)(column_x[n] + row_x) < WIDTH))),         \
                column_at[n] + row_at)                                                                                 \
    }

#elif PRODUCT == INPUT // Columns are input pixels, a row is an output channel and a tap.

#define PREPARE_PANEL(batch, n0, columns)                                                                              \
    int column_at[TILE_N], column_y[TILE_N], column_x[TILE_N];                                                         \
    for (uint n = 0; n < TILE_N; ++n) {                                                                                \
        const uint column = (n0) + min(n, (columns) - 1);                                                              \
        column_y[n] = (int)(column % PIXELS / WIDTH) + PAD_Y;                                                          \
        column_x[n] = (int)(column % PIXELS % WIDTH) + PAD_X;                                                          \
        column_at[n] = (int)AT_Y(column / PIXELS, batch, 0, 0);                                                        \
    }
#if STRIDE_Y == 1 && STRIDE_X == 1
#define FILL_PANEL_ROW(row, batch, k, n0, columns)                                                                     \
    {                                                                                                                  \
        const int row_y = (int)((k) % TAPS / FILTER_WIDTH * DILATION_Y);                                               \
        const int row_x = (int)((k) % TAPS % FILTER_WIDTH * DILATION_X);                                               \
        const int row_at = (int)((k) / TAPS * OUT_PIXELS);                                                             \
        PUT_ROW(row, n0, (uint)N * OUT_CHANNELS,                                                                       \
                (((uint)(column_y[n] - row_y) < OUT_HEIGHT) & ((uint)(column_x[n] - row_x) < OUT_WIDTH)),              \
                column_at[n] + row_at + (column_y[n] - row_y) * (int)OUT_WIDTH + column_x[n] - row_x)                  \
    }
#else
#define FILL_PANEL_ROW(row, batch, k, n0, columns)                                                                     \
    {                                                                                                                  \
        const int row_y = (int)((k) % TAPS / FILTER_WIDTH * DILATION_Y);                                               \
        const int row_x = (int)((k) % TAPS % FILTER_WIDTH * DILATION_X);                                               \
        const int row_at = (int)((k) / TAPS * OUT_PIXELS);                                                             \
        for (uint n = 0; n < TILE_N; ++n) {                                                                            \
            const uint y = (uint)(column_y[n] - row_y);                                                                \
            const uint x = (uint)(column_x[n] - row_x);                                                                \
            PUT(row, n,                                                                                                \
                (y % STRIDE_Y == 0) & (x % STRIDE_X == 0) & (y / STRIDE_Y < OUT_HEIGHT) & (x / STRIDE_X < OUT_WIDTH),  \
                column_at[n] + row_at + (int)(y / STRIDE_Y * OUT_WIDTH + x / STRIDE_X))                                \
        }                                                                                                              \
    }
#endif

#else // WEIGHT. Columns are an input channel and a tap, a row is an output pixel.

#define PREPARE_PANEL(batch, n0, columns)                                                                              \
    int column_at[TILE_N], column_y[TILE_N], column_x[TILE_N];                                                         \
    for (uint n = 0; n < TILE_N; ++n) {                                                                                \
        const uint column = (n0) + min(n, (columns) - 1);                                                              \
        column_y[n] = (int)(column % TAPS / FILTER_WIDTH * DILATION_Y) - PAD_Y;                                        \
        column_x[n] = (int)(column % TAPS % FILTER_WIDTH * DILATION_X) - PAD_X;                                        \
        column_at[n] = (int)AT_X(0, batch, column / TAPS, 0) + column_y[n] * (int)WIDTH + column_x[n];                 \
    }
#define FILL_PANEL_ROW(row, batch, k, n0, columns)                                                                     \
    {                                                                                                                  \
        const int row_y = (int)((k) % OUT_PIXELS / OUT_WIDTH * STRIDE_Y);                                              \
        const int row_x = (int)((k) % OUT_PIXELS % OUT_WIDTH * STRIDE_X);                                              \
        const int row_at = (int)((k) / OUT_PIXELS * CHANNELS * PIXELS) + row_y * (int)WIDTH + row_x;                   \
        for (uint n = 0; n < TILE_N; ++n)                                                                              \
            PUT(row, n, !CHECKED | (((uint)(column_y[n] + row_y) < HEIGHT) & ((uint)(column_x[n] + row_x) < WIDTH)),   \
                column_at[n] + row_at)                                                                                 \
    }

#endif
