// Products of tiles in local memory by warpgroups, four sub-groups together (PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions"), for compute capability 9.0: with UNIT 2. Stands behind ptx.cl.
//
// Rows of tiles have 128 bytes: longer ones are in blocks of 64 elements, one block of the tile after the other. Chunks of 16 bytes
// lie where the 128-byte swizzle wants them, chunk c of row r at c ^ (r & 7). Each sub-group has 16 of the 64 rows of results, in
// fragments as those of mma.m16n8k16.
//
// Instructions that begin with //netcl:sm_90a are for that target, which only the PTX of a program can name: in OpenCL C they are
// comments.

#if UNIT == 2
#define ASYNC(instruction) asm volatile("//netcl:sm_90a " instruction ::: "memory")
// What copies and stores have written, for products to read.
#define FENCE_TILES asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define FENCE_PRODUCTS ASYNC("wgmma.fence.sync.aligned;")
#define COMMIT_PRODUCTS ASYNC("wgmma.commit_group.sync.aligned;")
// Until at most so many groups of products are under way.
#define WAIT_PRODUCTS(most) ASYNC("wgmma.wait_group.sync.aligned " #most ";")

// A tile that begins there, with so many rows: from one block to the next and from eight rows to the next, in units of 16 bytes.
#define DESCRIPTOR(place, rows)                                                                                        \
    ((ulong)((place) >> 4) | (ulong)((rows)*128 >> 4) << 16 | (ulong)(1024 >> 4) << 32 | 1ul << 62)

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define NUMBERS_64                                                                                                     \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,"       \
    "%29,%30,%31"
#define NUMBERS_128                                                                                                    \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,"       \
    "%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,"     \
    "%56,%57,%58,%59,%60,%61,%62,%63"
#define NUMBERS_256                                                                                                    \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,"           \
    "%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,"         \
    "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"         \
    "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,"        \
    "%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,"        \
    "%126,%127"
#define SUMS_16(d)                                                                                                     \
    "+f"((d)[0][0]), "+f"((d)[0][1]), "+f"((d)[0][2]), "+f"((d)[0][3]), "+f"((d)[1][0]), "+f"((d)[1][1]),              \
        "+f"((d)[1][2]), "+f"((d)[1][3])
#define SUMS_64(d) SUMS_16(d), SUMS_16((d) + 2), SUMS_16((d) + 4), SUMS_16((d) + 6)
#define SUMS_128(d) SUMS_64(d), SUMS_64((d) + 8)
#define SUMS_256(d) SUMS_128(d), SUMS_128((d) + 16)
// Products that were begun are done, and sums can be read and written.
#define PRODUCTS_DONE(sums)                                                                                            \
    WAIT_PRODUCTS(0);                                                                                                  \
    asm volatile("" : sums::"memory");

#define WGMMA(n, numbers, operands, p)                                                                                 \
    "//netcl:sm_90a { .reg .pred p; setp.ne.b32 p, " p ", 0; wgmma.mma_async.sync.aligned.m64n" n "k16.f32." TYPE_NAME \
    "." TYPE_NAME " {" numbers "}, " operands "; }"
// Adds to the sums `d` of 64 rows and so many columns the product of 64 x 16 elements of a tile with 16 elements of each column of
// another one: ALONG_K where the 16 are neighbours, else ALONG_M or ALONG_N.
#define MULTIPLY_TILES_64(d, a, b, along_a, along_b)                                                                   \
    asm volatile(WGMMA("64", NUMBERS_64, "%32, %33, p, 1, 1, " TEXT(along_a) ", " TEXT(along_b), "%34")                \
                 : SUMS_64(d)                                                                                          \
                 : "l"(a), "l"(b), "r"(1)                                                                              \
                 : "memory")
#define MULTIPLY_TILES_128(d, a, b, along_a, along_b)                                                                  \
    asm volatile(WGMMA("128", NUMBERS_128, "%64, %65, p, 1, 1, " TEXT(along_a) ", " TEXT(along_b), "%66")              \
                 : SUMS_128(d)                                                                                         \
                 : "l"(a), "l"(b), "r"(1)                                                                              \
                 : "memory")
#define MULTIPLY_TILES_256(d, a, b, along_a, along_b)                                                                  \
    asm volatile(WGMMA("256", NUMBERS_256, "%128, %129, p, 1, 1, " TEXT(along_a) ", " TEXT(along_b), "%130")           \
                 : SUMS_256(d)                                                                                         \
                 : "l"(a), "l"(b), "r"(1)                                                                              \
                 : "memory")
// The same of a fragment `x` of 64 x 16 elements, which the sub-groups hold.
#define MULTIPLY_FRAGMENT_64(d, x, b, along_b)                                                                         \
    asm volatile(WGMMA("64", NUMBERS_64, "{%32,%33,%34,%35}, %36, p, 1, 1, " TEXT(along_b), "%37")                     \
                 : SUMS_64(d)                                                                                          \
                 : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "l"(b), "r"(1)                                  \
                 : "memory")
#define MULTIPLY_FRAGMENT_128(d, x, b, along_b)                                                                        \
    asm volatile(WGMMA("128", NUMBERS_128, "{%64,%65,%66,%67}, %68, p, 1, 1, " TEXT(along_b), "%69")                   \
                 : SUMS_128(d)                                                                                         \
                 : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "l"(b), "r"(1)                                  \
                 : "memory")

// What the work-item of the same sub-group has whose number differs by that bit.
#define EXCHANGED(x, distance)                                                                                         \
    ({                                                                                                                 \
        float other_;                                                                                                  \
        asm volatile("shfl.sync.bfly.b32 %0, %1, " #distance ", 31, -1;" : "=f"(other_) : "f"(x));                     \
        other_;                                                                                                        \
    })
#endif
