// Collatz steps of each number, at most 1000; -1 where that is not enough
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void collatz(__global const uint* restrict x, __global int* restrict steps, const uint N) {
    const uint i = get_global_id(0);
    if (i < N) {
        uint n = x[i];
        int count = 0;
        while (n != 1) {
            if (count == 1000) {
                count = -1;
                break;
            } else if ((n & 1) == 0) {
                n >>= 1;
                count = (int)(count + 1u);
                continue;
            }
            n = 3 * n + 1;
            count = (int)(count + 1u);
        }
        const int k_end = count;
        for (int k = 0; k < k_end; k += 7) {
            count = (int)(count - 1u);
        }
        steps[i] = count;
    }
}
