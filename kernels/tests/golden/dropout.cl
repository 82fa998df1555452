#pragma OPENCL FP_CONTRACT OFF

// Uniform numbers from 0 to below 1: word `position % 4` of block `position / 4` of Philox4x32-10
// (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
static inline float8 netcl_uniform8(uint8 position, uint seed, uint stream) {
    uint8 c0 = position >> 2, c1 = 0, c2 = 0, c3 = 0;
    for (int round = 0; round < 10; ++round) {
        const uint8 low0 = c0 * 0xD2511F53u, high0 = mul_hi(c0, (uint8)(0xD2511F53u));
        const uint8 low2 = c2 * 0xCD9E8D57u, high2 = mul_hi(c2, (uint8)(0xCD9E8D57u));
        c0 = high2 ^ c1 ^ seed;
        c1 = low2;
        c2 = high0 ^ c3 ^ stream;
        c3 = low0;
        seed += 0x9E3779B9u;
        stream += 0xBB67AE85u;
    }
    const uint8 word = position & 3u;
    const uint8 bits = select(select(c3, c2, word == 2), select(c1, c0, word == 0), word < 2);
    return convert_float8(bits >> 8) * 0x1p-24f;
}

// Uniform numbers from 0 to below 1: word `position % 4` of block `position / 4` of Philox4x32-10
// (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011).
static inline float netcl_uniform(uint position, uint seed, uint stream) {
    uint c0 = position >> 2, c1 = 0, c2 = 0, c3 = 0;
    for (int round = 0; round < 10; ++round) {
        const uint low0 = c0 * 0xD2511F53u, high0 = mul_hi(c0, 0xD2511F53u);
        const uint low2 = c2 * 0xCD9E8D57u, high2 = mul_hi(c2, 0xCD9E8D57u);
        c0 = high2 ^ c1 ^ seed;
        c1 = low2;
        c2 = high0 ^ c3 ^ stream;
        c3 = low0;
        seed += 0x9E3779B9u;
        stream += 0xBB67AE85u;
    }
    const uint word = position & 3u;
    const uint bits = word < 2 ? (word == 0 ? c0 : c1) : (word == 2 ? c2 : c3);
    return convert_float(bits >> 8) * 0x1p-24f;
}

// y = x / keep where a uniform number is below keep, else 0
__kernel void dropout(
    __global const float* restrict x,
    __global float* restrict y,
    const float keep,
    const uint seed,
    const uint N
) {
    const uint i = (uint)get_global_id(0) * 8;
    if (i + 8 <= N) {
        const float8 u = netcl_uniform8(i + (uint8)(0, 1, 2, 3, 4, 5, 6, 7), seed, 3u);
        vstore8(select((float8)(0.0f), vload8(0, &x[i]) / keep, u < keep), 0, &y[i]);
    } else {
        for (uint j = i; j < N; ++j) {
            y[j] = netcl_uniform(j, seed, 3u) < keep ? x[j] / keep : 0.0f;
        }
    }
}
