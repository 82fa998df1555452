// Convolution as a matrix product whose operands are never written down: the index maps.
//
// This file has no kernel of its own. It defines the hooks LOAD_A, LOAD_B, STORE and their vector forms for the template
// that follows it: matmul_register.cl on a GPU, matmul_cpu.cl on a processor (with conv2d_cpu.cl between the two), or,
// for comparison, matmul_naive.cl and matmul_tiled.cl.
//
// Images are NCHW, weights OIHW with I = CHANNELS / GROUPS. A group of channels is a batch of the product. With p a
// pixel (y, x) and t a tap (v, u) of the filter, PRODUCT is one of:
//
//   PRODUCT   C(m, n)                 A(m, k)                  B(k, n)                          result
//   FORWARD   m = output channel      k = (input channel, t)   n = (image, output pixel p)      y
//             C = y                   A = w[m, k]              B = x at p * stride + t * dilation - pad
//   INPUT     m = input channel       k = (output channel, t)  n = (image, input pixel q)       gradient of x
//             C = dx                  A = w[oc, m, t]          B = dy at (q + pad - t * dilation) / stride, if whole
//   WEIGHT    m = output channel      k = (image, p)           n = (input channel, t)           gradient of w
//             C = dw                  A = dy[m, p]             B = x at p * stride + t * dilation - pad
//
//   PRODUCT   M                       N                                      K
//   FORWARD   OUT_CHANNELS / GROUPS   IMAGES * OUT_HEIGHT * OUT_WIDTH        CHANNELS / GROUPS * FILTER_HEIGHT * FILTER_WIDTH
//   INPUT     CHANNELS / GROUPS       IMAGES * HEIGHT * WIDTH                OUT_CHANNELS / GROUPS * FILTER_HEIGHT * FILTER_WIDTH
//   WEIGHT    OUT_CHANNELS / GROUPS   CHANNELS / GROUPS * FILTER_HEIGHT * FILTER_WIDTH       IMAGES * OUT_HEIGHT * OUT_WIDTH
//
// Launch as the template that follows says, with BATCH = GROUPS. The arguments `a`, `b`, `c` are (w, x, y), (w, dy, dx)
// and (dy, x, dw). Taps that fall outside the image count as zero and are never loaded.
//
// The division of an index by a size is cheap when the size is a literal, and a work-item's columns do not change along
// k, so a compiler moves their part out of the loop. That leaves the division of k by the filter's area.
//
// The idea is that of cuDNN (Chetlur et al. 2014) and of the implicit-GEMM convolutions of CUTLASS.
//
// To define before this file: CHANNELS, HEIGHT, WIDTH, OUT_CHANNELS, OUT_HEIGHT, OUT_WIDTH, FILTER_HEIGHT, FILTER_WIDTH,
// STRIDE_Y, STRIDE_X, PAD_Y, PAD_X, DILATION_Y, DILATION_X, GROUPS: literals. Channels, heights and widths of images may also
// be expressions over kernel parameters, in parentheses. The defaults are a 3 x 3 filter on 28 x 28 images. M, N and K are parameters of the product's template.

#define FORWARD 0
#define INPUT 1
#define WEIGHT 2

#ifndef PRODUCT
#define PRODUCT FORWARD
#endif
#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef HEIGHT
#define HEIGHT 28
#endif
#ifndef WIDTH
#define WIDTH 28
#endif
#ifndef OUT_CHANNELS
#define OUT_CHANNELS 32
#endif
#ifndef FILTER_HEIGHT
#define FILTER_HEIGHT 3
#endif
#ifndef FILTER_WIDTH
#define FILTER_WIDTH 3
#endif
#ifndef STRIDE_Y
#define STRIDE_Y 1
#endif
#ifndef STRIDE_X
#define STRIDE_X 1
#endif
#ifndef PAD_Y
#define PAD_Y 0
#endif
#ifndef PAD_X
#define PAD_X 0
#endif
#ifndef DILATION_Y
#define DILATION_Y 1
#endif
#ifndef DILATION_X
#define DILATION_X 1
#endif
#ifndef GROUPS
#define GROUPS 1
#endif
#ifndef OUT_HEIGHT
#define OUT_HEIGHT ((HEIGHT + 2 * PAD_Y - DILATION_Y * (FILTER_HEIGHT - 1) - 1) / STRIDE_Y + 1)
#endif
#ifndef OUT_WIDTH
#define OUT_WIDTH ((WIDTH + 2 * PAD_X - DILATION_X * (FILTER_WIDTH - 1) - 1) / STRIDE_X + 1)
#endif

// The storage hooks of the products, needed here because the maps use them.
#ifndef ACC
#define ACC float
#endif
#ifndef READ
#define READ(pointer, offset) ((ACC)(pointer)[offset])
#endif
#ifndef WRITE
#define WRITE(pointer, offset, value) (pointer)[offset] = (REAL)(value)
#endif

// An element of an operand by its offset: a prologue's place. Called in bounds only; where padding's zeros are, another
// element may be read and thrown away.
#ifndef ELEMENT_A
#define ELEMENT_A(offset) READ(a, offset)
// Weights as they are in memory: a row is a pointer of its own, see matmul_cpu.cl.
#if PRODUCT == FORWARD && !defined(LOAD_A)
#define LOAD_A(batch, m, k) READ((a + AT_W(batch, m, 0, 0)), k)
#endif
#endif
#ifndef ELEMENT_B
#define ELEMENT_B(offset) READ(b, offset)
#endif

#define TAPS (FILTER_HEIGHT * FILTER_WIDTH)
#define PIXELS (HEIGHT * WIDTH)
#define OUT_PIXELS (OUT_HEIGHT * OUT_WIDTH)
#define GROUP_IN (CHANNELS / GROUPS)
#define GROUP_OUT (OUT_CHANNELS / GROUPS)

// Offsets of an element in x and dx, in y and dy, and in w. `pixel` is y * width + x; `channel` counts in its group.
#define AT_X(image, group, channel, pixel)                                                                             \
    ((size_t)((image) * CHANNELS + (group) * GROUP_IN + (channel)) * PIXELS + (pixel))
#define AT_Y(image, group, channel, pixel)                                                                             \
    ((size_t)((image) * OUT_CHANNELS + (group) * GROUP_OUT + (channel)) * OUT_PIXELS + (pixel))
#define AT_W(group, out, in, tap) ((size_t)(((group) * GROUP_OUT + (out)) * GROUP_IN + (in)) * TAPS + (tap))

// Where tap (v, u) of output pixel (oy, ox) reads. A place left of or above the image wraps to a huge number, so one
// comparison with the size checks both sides.
#define READ_Y(oy, v) ((uint)((oy) * STRIDE_Y + (v) * DILATION_Y - PAD_Y))
#define READ_X(ox, u) ((uint)((ox) * STRIDE_X + (u) * DILATION_X - PAD_X))
// x at that place, or zero.
#define IMAGE(image, group, channel, y, x)                                                                             \
    ((y) < HEIGHT && (x) < WIDTH ? ELEMENT_B(AT_X(image, group, channel, (y) * WIDTH + (x))) : (ACC)0)

// Which output pixel, times the stride, read input pixel (y, x) through tap (v, u).
#define WROTE_Y(y, v) ((uint)((y) + PAD_Y - (v) * DILATION_Y))
#define WROTE_X(x, u) ((uint)((x) + PAD_X - (u) * DILATION_X))
// dy there, or zero if there is none.
#define GRADIENT(image, group, channel, y, x)                                                                          \
    ((y) % STRIDE_Y == 0 && (x) % STRIDE_X == 0 && (y) / STRIDE_Y < OUT_HEIGHT && (x) / STRIDE_X < OUT_WIDTH           \
         ? ELEMENT_B(AT_Y(image, group, channel, (y) / STRIDE_Y * OUT_WIDTH + (x) / STRIDE_X))                           \
         : (ACC)0)

#if PRODUCT == FORWARD

#ifndef LOAD_A
#define LOAD_A(batch, m, k) ELEMENT_A(AT_W(batch, m, 0, k))
#endif
#ifndef LOAD_B
#define LOAD_B(batch, k, n)                                                                                            \
    IMAGE((n) / OUT_PIXELS, batch, (k) / TAPS, READ_Y((n) % OUT_PIXELS / OUT_WIDTH, (k) % TAPS / FILTER_WIDTH),        \
          READ_X((n) % OUT_PIXELS % OUT_WIDTH, (k) % TAPS % FILTER_WIDTH))
#endif
#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) AT_Y((n) / OUT_PIXELS, batch, m, (n) % OUT_PIXELS)
#endif
#define IMAGE_COLUMNS OUT_PIXELS

#elif PRODUCT == INPUT

#ifndef LOAD_A
#define LOAD_A(batch, m, k) ELEMENT_A(AT_W(batch, (k) / TAPS, m, (k) % TAPS))
#endif
#ifndef LOAD_B
#define LOAD_B(batch, k, n)                                                                                            \
    GRADIENT((n) / PIXELS, batch, (k) / TAPS, WROTE_Y((n) % PIXELS / WIDTH, (k) % TAPS / FILTER_WIDTH),                \
             WROTE_X((n) % PIXELS % WIDTH, (k) % TAPS % FILTER_WIDTH))
#endif
#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) AT_X((n) / PIXELS, batch, m, (n) % PIXELS)
#endif
#define IMAGE_COLUMNS PIXELS

#else // WEIGHT

#ifndef LOAD_A
#define LOAD_A(batch, m, k) ELEMENT_A(AT_Y((k) / OUT_PIXELS, batch, m, (k) % OUT_PIXELS))
#endif
#ifndef LOAD_B
#define LOAD_B(batch, k, n)                                                                                            \
    IMAGE((k) / OUT_PIXELS, batch, (n) / TAPS, READ_Y((k) % OUT_PIXELS / OUT_WIDTH, (n) % TAPS / FILTER_WIDTH),        \
          READ_X((k) % OUT_PIXELS % OUT_WIDTH, (n) % TAPS % FILTER_WIDTH))
#endif
#ifndef C_OFFSET
#define C_OFFSET(batch, m, n) AT_W(batch, m, 0, n)
#endif
// Both operands are read along k, where pixels are neighbours.
#ifndef B_ALONG
#define B_ALONG ALONG_K
#endif
#endif

#ifndef STORE
#define STORE(batch, m, n, value) WRITE(c, C_OFFSET(batch, m, n), value)
#endif
// Columns of one image are neighbours in memory; at the edge between two images a vector is stored lane by lane.
#ifndef STORE_VECTOR
#ifdef IMAGE_COLUMNS
#define STORE_VECTOR(batch, m, n, value)                                                                               \
    if ((n) % IMAGE_COLUMNS + VECTOR <= IMAGE_COLUMNS) {                                                               \
        WRITE_VECTOR(c, C_OFFSET(batch, m, n), value);                                                                 \
    } else {                                                                                                           \
        ACC lane_values[VECTOR];                                                                                       \
        PASTE(vstore, VECTOR)(value, 0, lane_values);                                                                  \
        for (uint lane_index = 0; lane_index < VECTOR; ++lane_index) {                                                 \
            STORE(batch, m, (n) + lane_index, lane_values[lane_index]);                                                \
        }                                                                                                              \
    }
#endif
#endif
