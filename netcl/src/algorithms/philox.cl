// Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011), as
// netcl's host draws them. A work-item makes a block of four words.
//
// This file has no tunables and compiles alone.

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

// Within [0, 1), multiples of 2^-24.
__kernel void draw_uniform(__global float* out, const uint seed, const uint stream, const ulong n) {
    const float4 results = convert_float4(own_words(seed, stream) >> 8) * 0x1p-24f;
    WRITE(float, results)
}

// Box and Muller: words 0 and 1 make two, words 2 and 3 make two. Radii come from (0, 1], so that none is infinite.
__kernel void draw_normal(__global float* out, const uint seed, const uint stream, const ulong n) {
    const uint4 words = own_words(seed, stream) >> 8;
    const float2 radius = sqrt(-2.0f * log((convert_float2(words.xz) + 1.0f) * 0x1p-24f));
    const float2 turn = convert_float2(words.yw) * 0x1p-23f;
    const float2 even = radius * cospi(turn);
    const float2 odd = radius * sinpi(turn);
    const float4 results = (float4)(even.x, odd.x, even.y, odd.y);
    WRITE(float, results)
}

// From low on, span many; a span of 0 stands for 2^32.
__kernel void draw_integers(__global uint* out, const uint seed, const uint stream, const ulong n, const uint low,
                            const uint span) {
    const uint4 words = own_words(seed, stream);
    const uint4 scaled = span == 0 ? words : mul_hi(words, (uint4)(span));
    const uint4 results = scaled + low;
    WRITE(uint, results)
}

// 1 where the uniform number is below threshold * 2^-24.
__kernel void draw_bernoulli(__global uchar* out, const uint seed, const uint stream, const ulong n,
                             const uint threshold) {
    const uint4 words = own_words(seed, stream) >> 8;
    const uint4 results = (uint4)(words.x < threshold, words.y < threshold, words.z < threshold, words.w < threshold);
    WRITE(uchar, results)
}
