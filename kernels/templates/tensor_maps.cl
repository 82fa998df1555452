// Copies of tiles by tensor maps, and the barriers that tell when they are there (PTX ISA, "Tensor", "tensormap.replace", "mbarrier"),
// for compute capability 9.0. Stands behind warpgroups.cl.
//
// A map says where a tensor lies: one work-item then starts the copy of a box of it, with zeros for what is outside, and no other
// instruction is spent on it. Maps are made on the device, since only there addresses are known: in local memory, from where they are
// copied to global memory, which is where copies read them.

#if BULK
#define INIT_MBARRIER(barrier, count)                                                                                  \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ADDRESS(barrier)), "r"(count) : "memory")
#define ARRIVE(barrier)                                                                                                \
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(ADDRESS(barrier)) : "memory")
// The same, with so many bytes that are on their way.
#define ARRIVE_WITH_BYTES(barrier, bytes)                                                                              \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(ADDRESS(barrier)), "r"(bytes) : "memory")
// Until the phase of that parity is complete.
#define WAIT_MBARRIER(barrier, parity)                                                                                 \
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(     \
                     ADDRESS(barrier)),                                                                                \
                 "r"(parity)                                                                                           \
                 : "memory")

#define WAIT_SUB_GROUP asm volatile("bar.warp.sync -1;" ::: "memory")
// A field of a map: a number, one of an axis, one of 64 bits, one that the instruction names.
#define REPLACES(field, bits) "//netcl:sm_90a tensormap.replace.tile." field ".shared::cta.b1024." bits " [%0], "
#define REPLACE_NUMBER(map, field, value)                                                                              \
    asm volatile(REPLACES(field, "b32") "%1;" ::"r"(ADDRESS(map)), "r"((uint)(value)) : "memory")
#define REPLACE_OF_AXIS(map, field, axis, value)                                                                       \
    asm volatile(REPLACES(field, "b32") #axis ", %1;" ::"r"(ADDRESS(map)), "r"((uint)(value)) : "memory")
#define REPLACE_LONG(map, field, place, value)                                                                         \
    asm volatile(REPLACES(field, "b64") place "%1;" ::"r"(ADDRESS(map)), "l"((ulong)(value)) : "memory")
#define REPLACE_NAMED(map, field, number)                                                                              \
    asm volatile(REPLACES(field, "b32") number ";" ::"r"(ADDRESS(map)) : "memory")
#if BF16
#define ELEMENT_TYPE "10"
#else
#define ELEMENT_TYPE "6"
#endif
// Makes the map, of 128 bytes, of batches of rows of elements of 16 bits: how many there are, and the bytes from one to the next. Boxes
// have 64 elements of so many rows, in the 128-byte swizzle.
#define MAKE_MAP(map, start, row, rows, batches, row_bytes, batch_bytes, box_rows)                                     \
    {                                                                                                                  \
        REPLACE_LONG(map, "global_address", "", start);                                                                \
        REPLACE_NUMBER(map, "rank", 2); /* less one */                                                                 \
        REPLACE_OF_AXIS(map, "box_dim", 0, 64);                                                                        \
        REPLACE_OF_AXIS(map, "box_dim", 1, box_rows);                                                                  \
        REPLACE_OF_AXIS(map, "box_dim", 2, 1);                                                                         \
        REPLACE_OF_AXIS(map, "global_dim", 0, row);                                                                    \
        REPLACE_OF_AXIS(map, "global_dim", 1, rows);                                                                   \
        REPLACE_OF_AXIS(map, "global_dim", 2, batches);                                                                 \
        REPLACE_LONG(map, "global_stride", "0, ", row_bytes);                                                          \
        REPLACE_LONG(map, "global_stride", "1, ", batch_bytes);                                                        \
        REPLACE_OF_AXIS(map, "element_stride", 0, 1);                                                                  \
        REPLACE_OF_AXIS(map, "element_stride", 1, 1);                                                                  \
        REPLACE_OF_AXIS(map, "element_stride", 2, 1);                                                                  \
        REPLACE_NAMED(map, "elemtype", ELEMENT_TYPE);                                                                  \
        REPLACE_NAMED(map, "interleave_layout", "0");                                                                  \
        REPLACE_NAMED(map, "swizzle_mode", "3");                                                                       \
        REPLACE_NAMED(map, "fill_mode", "0");                                                                          \
    }
// Copies a map to global memory, by a whole sub-group, for it to copy boxes by. The release makes its bytes visible to copies, which read
// maps through a proxy of their own; the acquire drops what an earlier launch left there in the cache of maps.
#define PUBLISH_MAP(to, map)                                                                                           \
    {                                                                                                                  \
        asm volatile("//netcl:sm_90a tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"   \
                     ".aligned [%0], [%1], 128;" ::"l"((ulong)(to)),                                                   \
                     "r"(ADDRESS(map))                                                                                 \
                     : "memory");                                                                                      \
        asm volatile("//netcl:sm_90a fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"((ulong)(to))         \
                     : "memory");                                                                                      \
    }
// Starts the copy of the box that begins at element `x` of row `y` of a batch to local memory; its bytes arrive at the barrier.
#define COPY_BOX(to, map, x, y, batch, barrier)                                                                        \
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "        \
                 "{%3, %4, %5}], [%2];" ::"r"(to),                                                                     \
                 "l"((ulong)(map)), "r"(ADDRESS(barrier)), "r"(x), "r"(y), "r"(batch)                                  \
                 : "memory")
#endif
