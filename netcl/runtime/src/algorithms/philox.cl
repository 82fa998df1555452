// Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), as
// netcl's host draws them. A work-item makes a block of four words.
//
// A tunable with a default so that this file compiles alone:
//   DRAW           UNIFORM, NORMAL, INTEGERS or BERNOULLI: what the kernel draws. The others are not here, as a driver may
//                  take long for each kernel

#define UNIFORM 0
#define NORMAL 1
#define INTEGERS 2
#define BERNOULLI 3
#ifndef DRAW
#define DRAW UNIFORM
#endif

#pragma OPENCL FP_CONTRACT OFF

uint4 philox4x32(uint4 counter, uint2 key) {
    for (uint round = 0; round < 10; round++) {
        if (round > 0) {
            key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
        }
        counter = (uint4)(mul_hi(0xCD9E8D57u, counter.z) ^ counter.y ^ key.x, 0xCD9E8D57u * counter.z,
                          mul_hi(0xD2511F53u, counter.x) ^ counter.w ^ key.y, 0xD2511F53u * counter.x);
    }
    return counter;
}

// The words of the block that begins with element 4 * get_global_id(0).
uint4 own_words(const uint seed, const uint stream) {
    const ulong block = get_global_id(0);
    return philox4x32((uint4)((uint)block, (uint)(block >> 32), 0, 0), (uint2)(seed, stream));
}

// Up to four results of the work-item, in order.
#define WRITE(type, results)                                                      \
    const type own[4] = { results.x, results.y, results.z, results.w };           \
    for (uint j = 0; j < 4; j++) {                                                \
        const size_t i = get_global_id(0) * 4 + j;                                \
        if (i < n) {                                                              \
            out[i] = own[j];                                                      \
        }                                                                         \
    }

#if DRAW == UNIFORM
// Within [0, 1), multiples of 2^-24.
__kernel void draw_uniform(__global float* out, const uint seed, const uint stream, const ulong n) {
    const float4 results = convert_float4(own_words(seed, stream) >> 8) * 0x1p-24f;
    WRITE(float, results)
}

#elif DRAW == NORMAL
// The same bits on every device (kernels/src/philox.rs says how, and does the same): products and sums are rounded one by
// one, or together where it says fma.

// ln (number / 2^24) for numbers from 1 to 2^24.
float2 logarithm(const uint2 number) {
    const uint2 above = as_uint2(convert_float2(number)) - 0x3f3504f3u;
    const float2 exponent = convert_float2(as_int2(above >> 23) - 24);
    const float2 x = as_float2((above & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    const float2 squared = x * x;
    float2 series = fma((float2)(7.0376836e-2f), x, (float2)(-1.151461e-1f));
    series = fma(series, x, (float2)(1.16769987e-1f));
    series = fma(series, x, (float2)(-1.2420141e-1f));
    series = fma(series, x, (float2)(1.4249323e-1f));
    series = fma(series, x, (float2)(-1.6668058e-1f));
    series = fma(series, x, (float2)(2.0000714e-1f));
    series = fma(series, x, (float2)(-2.4999994e-1f));
    series = fma(series, x, (float2)(3.333333e-1f));
    float2 rest = series * x * squared;
    rest = fma(exponent, (float2)(-2.1219444e-4f), rest);
    rest = fma(squared, (float2)(-0.5f), rest);
    return fma(exponent, (float2)(0.6933594f), x + rest);
}

float2 root(const float2 x) {
    const float2 positive = fmax(x, 0x1p-30f);
    const float2 half_x = 0.5f * positive;
    float2 reciprocal = as_float2(0x5f375a86u - (as_uint2(positive) >> 1));
    for (uint step = 0; step < 3; step++) {
        const float2 error = fma(-half_x, reciprocal * reciprocal, (float2)(0.5f));
        reciprocal = fma(reciprocal, error, reciprocal);
    }
    const float2 near = x * reciprocal;
    return fma(fma(-near, near, x), 0.5f * reciprocal, near);
}

// Box and Muller: words 0 and 1 make two, words 2 and 3 make two. Radii come from (0, 1], so that none is infinite.
__kernel void draw_normal(__global float* out, const uint seed, const uint stream, const ulong n) {
    const uint4 words = own_words(seed, stream) >> 8;
    const float2 radius = root(fabs(2.0f * logarithm(words.xz + 1u)));

    // Cosine and sine of words.yw / 2^24 turns, by what remains to the nearest quarter.
    const uint2 quarter = (words.yw + (1u << 21)) >> 22;
    const float2 x = convert_float2(as_int2(words.yw - (quarter << 22))) * 3.7450704e-7f;
    const float2 squared = x * x;
    float2 sine = fma((float2)(-1.9515296e-4f), squared, (float2)(8.332161e-3f));
    sine = fma(sine, squared, (float2)(-1.6666655e-1f));
    sine = fma(sine * squared, x, x);
    float2 cosine = fma((float2)(2.4433157e-5f), squared, (float2)(-1.3887316e-3f));
    cosine = fma(cosine, squared, (float2)(4.1666646e-2f));
    cosine = fma(cosine, squared * squared, fma(squared, (float2)(-0.5f), (float2)(1.0f)));

    const int2 crosswise = (quarter & 1u) == 1u;
    const float2 along = select(cosine, -sine, crosswise);
    const float2 across = select(sine, cosine, crosswise);
    const int2 opposite = (quarter & 2u) == 2u;
    const float2 even = radius * select(along, -along, opposite);
    const float2 odd = radius * select(across, -across, opposite);
    const float4 results = (float4)(even.x, odd.x, even.y, odd.y);
    WRITE(float, results)
}

#elif DRAW == INTEGERS
// From low on, span many; a span of 0 stands for 2^32.
__kernel void draw_integers(__global uint* out, const uint seed, const uint stream, const ulong n, const uint low,
                            const uint span) {
    const uint4 words = own_words(seed, stream);
    const uint4 scaled = span == 0 ? words : mul_hi(words, (uint4)(span));
    const uint4 results = scaled + low;
    WRITE(uint, results)
}

#elif DRAW == BERNOULLI
// 1 where the uniform number is below threshold * 2^-24.
__kernel void draw_bernoulli(__global uchar* out, const uint seed, const uint stream, const ulong n,
                             const uint threshold) {
    const uint4 words = own_words(seed, stream) >> 8;
    const uint4 results = (uint4)(words.x < threshold, words.y < threshold, words.z < threshold, words.w < threshold);
    WRITE(uchar, results)
}
#endif
