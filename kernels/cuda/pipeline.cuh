// The warp pipeline of the method `streaming` and of generated fused kernels: barriers and asynchronous
// copies of each generation of GPUs, and the rows that pass between memory, rings in shared memory and warps.
//
// nvcc includes this file, and NVRTC gets it as text before the generated one. So it includes nothing and is
// C++17. tests/support/warp_emulation.h replaces the instructions (the first part) on the CPU.
//
// Compute capability 9.0 and later: one lane starts bulk copies of whole rows, whose bytes complete an
// mbarrier. 8.0 and later: each lane starts copies of 16 bytes (cp.async), and arrives at the mbarrier when
// its own have landed. 7.5: each lane loads and stores, and a polled counter replaces the mbarrier.

#ifndef EMULATED_PIPELINE

// Host code takes the first branches; all layouts have the same size.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define BULK_COPIES 1
#else
#define BULK_COPIES 0
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define MBARRIERS 1
#else
#define MBARRIERS 0
#endif

namespace stencil {

/// A phase completes when all threads have arrived that init_barrier() was told of, and all announced bytes
/// have landed. The parity of phases alternates between 0 and 1.
typedef unsigned long long Barrier;

// nvcc does not know what is the same in all lanes, and recomputes it in every iteration. These keep such a
// value in one register, and hoist an address in shared memory (some twenty instructions).
__device__ __forceinline__ int uniform_of_warp(int value) {
    return __shfl_sync(~0u, value, 0);
}
__device__ __forceinline__ unsigned shared_address(const volatile void* p) {
    return unsigned(__cvta_generic_to_shared(const_cast<const void*>(p)));
}
__device__ __forceinline__ unsigned char* warp_uniform(unsigned char* in_shared_memory) {
    unsigned address = shared_address(in_shared_memory);
    asm volatile("mov.u32 %0, %0;" : "+r"(address));
    return static_cast<unsigned char*>(__cvta_shared_to_generic(address));
}
#define SHARED_MEMORY(name)                                       \
    extern __shared__ __align__(128) unsigned char name##_here[]; \
    unsigned char* const name = warp_uniform(name##_here)

/// Hides a value from the compiler, which then computes what depends on it in each batch. Otherwise it keeps
/// the results in registers across the loop over batches, and other values spill.
__device__ __forceinline__ int not_hoisted(int value) {
    asm volatile("" : "+r"(value));
    return value;
}

/// threadIdx.x, kept in a register; nvcc reads the special register again and again otherwise, which takes
/// some thirty cycles.
__device__ __forceinline__ int lane_of_warp() {
    int lane;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(lane));
    return lane;
}

template <class T>
__device__ __forceinline__ T from_west(T value) {
    return __shfl_up_sync(~0u, value, 1);
}
template <class T>
__device__ __forceinline__ T from_east(T value) {
    return __shfl_down_sync(~0u, value, 1);
}

#if BULK_COPIES

constexpr int kArrivals = 32;  // of a warp, that complete a barrier

__device__ __forceinline__ void arrive(Barrier* b, int) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
/// Each lane arrives at a barrier that 32 arrivals complete.
__device__ __forceinline__ void arrive_each(Barrier* b, int lane) {
    arrive(b, lane);
}
/// Arrives and announces the bytes that copies will deliver.
__device__ __forceinline__ void expect_bytes(Barrier* b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
                 : "memory");
}
/// Spins until the phase of this parity has completed. No further phase may complete by then.
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    unsigned done;
    do
        asm volatile(
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p;\n}"
            : "=r"(done)
            : "r"(shared_address(b)), "r"(parity & 1)
            : "memory");
    while (done == 0);
}
/// True in exactly one lane of a converged warp.
__device__ __forceinline__ bool elect_one() {
    unsigned is_it;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(is_it)::"memory");
    return is_it != 0;
}
/// Makes barriers visible to copies, before the first of which it is needed.
__device__ __forceinline__ void fence_barrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// From global to shared memory. Addresses and size are multiples of 16 bytes.
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, Barrier* b) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to)),
        "l"(from),
        "r"(bytes),
        "r"(shared_address(b))
        : "memory");
}
/// Makes the calling thread's writes to shared memory visible to a bulk store.
__device__ __forceinline__ void before_bulk_store() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}
/// Closes a group of stores, and waits until all but the newest kNewest groups have read shared memory. For
/// the thread that started them.
template <int kNewest>
__device__ __forceinline__ void close_and_wait_for_stores() {
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read %0;" ::"n"(kNewest) : "memory");
}

#else

constexpr int kArrivals = 1;

__device__ __forceinline__ void fence_barrier_init() {}
template <int kNewest>
__device__ __forceinline__ void close_and_wait_for_stores() {}

#if MBARRIERS
__device__ __forceinline__ void arrive_each(Barrier* b, int) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(b))
                 : "memory");
}
// By one lane: before 9.0 the arrivals of lanes are made one after the other.
__device__ __forceinline__ void arrive(Barrier* b, int lane) {
    __syncwarp();
    if (lane == 0) arrive_each(b, lane);
}
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain_%=:\nmbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@done bra done_%=;\nnanosleep.u32 20;\nbra again_%=;\ndone_%=:\n}" ::"r"(shared_address(b)),
        "r"(parity & 1)
        : "memory");
}
#endif

#endif
#if MBARRIERS

__device__ __forceinline__ void init_barrier(Barrier* b, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
/// Copies kBytes (4, 8 or 16) from global to shared memory.
template <int kBytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
    if constexpr (kBytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                     : "memory");
    else
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(kBytes)
            : "memory");
}
/// Each lane arrives when its own copy_async() so far have landed.
__device__ __forceinline__ void arrive_after_copies(Barrier* b, int) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory");
}

#else

// Counts the phases that the one warp that arrives at it has completed.
__device__ __forceinline__ void init_barrier(Barrier* b, int) {
    *b = 0;
}
__device__ __forceinline__ void arrive(Barrier* b, int lane) {
    __threadfence_block();
    __syncwarp();
    volatile Barrier* const phases = b;
    if (lane == 0) *phases = *phases + 1;
}
__device__ __forceinline__ void arrive_each(Barrier* b, int lane) {
    arrive(b, lane);
}
__device__ __forceinline__ void arrive_after_copies(Barrier* b, int lane) {
    arrive(b, lane);
}
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    while ((*static_cast<volatile Barrier*>(b) & 1) == (parity & 1)) {
    }
    __syncwarp();
    __threadfence_block();
}
template <int kBytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
    struct alignas(kBytes) Packet {
        unsigned words[kBytes / 4];
    };
    *static_cast<Packet*>(to) = *static_cast<const Packet*>(from);
}

#endif

}  // namespace stencil

#endif

namespace stencil {

__device__ __forceinline__ int warp_uniform(int value, int lane) {
    return uniform_of_warp(lane == 0 ? value : 0);
}

/// Half the ring before a warp, which one batch of rows passes through: it is full when they have arrived,
/// and freed when they were read.
struct Half {
    Barrier full, freed;
};

/// The half that a batch takes, and how often it was taken before.
struct Turn {
    int half, round;
    __device__ __forceinline__ explicit Turn(int batch) : half(batch & 1), round(batch >> 1) {}
    __device__ __forceinline__ void next() {
        round += half;
        half ^= 1;
    }
};

__device__ __forceinline__ void wait_until_full(Half* half, const Turn& turn) {
    wait(&half->full, unsigned(turn.round));
}
/// The first batches always have room.
__device__ __forceinline__ void wait_until_freed(Half* half, const Turn& turn) {
    wait(&half->freed, unsigned(turn.round - 1));
}

/// The columns that a block reads: `first_piece` cells from column `source` on, the rest from column 0 on
/// where the field wraps.
struct Strip {
    int source, cells, first_piece;
    bool gathers;  ///< cell by cell: pieces are no multiples of 16 bytes, or the field is smaller than the
                   ///< strip
};

/// The transfers of rows between memory and the rings. Shape has
///     Cell; kWidth: columns of a strip; kRowCells: cells of a row in a ring; kBatch: rows of a batch;
///     kWrapsX, kWrapsY; kSkewed: rows may begin before the strip, at a multiple of 16 bytes;
///     kGathersAsync: gathered cells are copied by copy_async(), not by loads and stores; kLanesArrive: lanes
///     arrive at barriers, which takes fewer registers before 9.0, and not one for its warp.
template <class Shape>
struct RowTransfer {
    typedef typename Shape::Cell Cell;
    static constexpr int kWidth = Shape::kWidth, kBatch = Shape::kBatch;
    static constexpr int kPacket = 16 / int(sizeof(Cell));
    struct alignas(16) Packet {
        Cell cells[kPacket];
    };

    // A lane's packets of a row, of which the last ones overlap those before: that takes no branch.
    static constexpr int kPerWarp = 32 * kPacket;
    static constexpr int kPackets = (kWidth + kPerWarp - 1) / kPerWarp;
    __device__ __forceinline__ static constexpr int column_of(int packet) {
        return packet * kPerWarp + kPerWarp <= kWidth || kWidth < kPerWarp ? packet * kPerWarp
                                                                           : kWidth - kPerWarp;
    }
    __device__ __forceinline__ static bool has_packets(int lane) {
        return kWidth >= kPerWarp || lane * kPacket < kWidth;
    }

    __device__ __forceinline__ static int row_of(int y, int ny) {
        if (!Shape::kWrapsY) return y;
        return y < 0 ? y + ny : y >= ny ? y - ny : y;
    }

    /// By one lane of each warp, with the half before its ring.
    __device__ __forceinline__ static void init(Half* half, bool first_warp, const Strip& strip) {
        const int loaders = BULK_COPIES && !strip.gathers ? 1 : 32;
        const int arrivals = Shape::kLanesArrive ? 32 : kArrivals;
        init_barrier(&half->full, first_warp ? loaders : arrivals);
        init_barrier(&half->freed, arrivals);
    }

    /// All lanes of a warp: it has read or written a batch.
    __device__ __forceinline__ static void done(Barrier* b, int lane) {
        if (Shape::kLanesArrive)
            arrive_each(b, lane);
        else
            arrive(b, lane);
    }

    /// The first warp loads the `rows` (at most kBatch) from y0 on of `arrays` arrays; they complete `full`.
    /// each_array(r, y, load) calls load(to, cells from row to row there, row y of the array) for each of
    /// them, with the destination of the batch's row r. gather(r) copies that row cell by cell.
    template <class Field, class Arrays, class Gather>
    __device__ __forceinline__ static void fetch(const Field& field,
                                                 const Strip& strip,
                                                 int y0,
                                                 int rows,
                                                 int arrays,
                                                 Barrier* full,
                                                 int lane,
                                                 const Arrays& each_array,
                                                 const Gather& gather) {
        __syncwarp();  // all lanes have read the rows that are overwritten
        rows = max(rows, 0);
        if (Shape::kWrapsX && strip.gathers) {
#pragma unroll 1
            for (int r = 0; r < rows; ++r) gather(r);
            if (Shape::kGathersAsync)
                arrive_after_copies(full, lane);
            else
                arrive_each(full, lane);
            return;
        }
#if BULK_COPIES
        if (elect_one()) {
            expect_bytes(full, unsigned(rows * arrays * strip.cells * sizeof(Cell)));
            load_batch(field, strip, y0, rows, full, lane, each_array);
        }
        __syncwarp();
#else
        load_batch(field, strip, y0, rows, full, lane, each_array);
        arrive_after_copies(full, lane);
#endif
    }

    /// The last warp stores rows from y on, as far as the tile has them. each_array(y, store) calls
    /// store(from, cells from row to row there, row y of the array); a row there begins at the field's column
    /// `first_column`.
    template <class Field, class Tile, class Arrays>
    __device__ __forceinline__ static void send(
        const Field& field, const Tile& tile, int first_column, int y, int lane, const Arrays& each_array) {
#if BULK_COPIES
        before_bulk_store();
        __syncwarp();
        if (elect_one()) {
            store_batch(field, tile, first_column, y, lane, each_array);
            close_and_wait_for_stores<1>();
        }
        __syncwarp();
#else
        __syncwarp();
        store_batch(field, tile, first_column, y, lane, each_array);
        __syncwarp();
#endif
    }

  private:
    // On the critical path: all other warps wait for the first one here.
    template <class Field, class Arrays>
    __device__ __forceinline__ static void load_batch(const Field& field,
                                                      const Strip& strip,
                                                      int y0,
                                                      int rows,
                                                      Barrier* full,
                                                      int lane,
                                                      const Arrays& each_array) {
        const int y = row_of(y0, field.ny);
        if (rows == kBatch && y + kBatch <= field.ny) {
            load_rows<kBatch>(field, strip, 0, y, full, lane, each_array);
        } else {
#pragma unroll 1
            for (int r = 0; r < rows; ++r)
                load_rows<1>(field, strip, r, row_of(y0 + r, field.ny), full, lane, each_array);
        }
    }

    template <int kRows, class Field, class Arrays>
    __device__ __forceinline__ static void load_rows(const Field& field,
                                                     const Strip& strip,
                                                     int r,
                                                     int y,
                                                     [[maybe_unused]] Barrier* full,
                                                     [[maybe_unused]] int lane,
                                                     const Arrays& each_array) {
#if BULK_COPIES
        each_array(r, y, [&](Cell* to, int stride, const Cell* row) {
            load_piece<kRows>(to, stride, row + strip.source, int(field.pitch), strip.first_piece, full);
        });
        if (!Shape::kWrapsX || strip.first_piece == strip.cells) return;
        each_array(r, y, [&](Cell* to, int stride, const Cell* row) {
            load_piece<kRows>(
                to + strip.first_piece, stride, row, int(field.pitch), strip.cells - strip.first_piece, full);
        });
#else
        each_array(r, y, [&](Cell* to, int stride, const Cell* row) {
            copy_rows<kRows>(to, stride, row, int(field.pitch), strip, not_hoisted(lane));
        });
#endif
    }

#if BULK_COPIES
    template <int kRows>
    __device__ __forceinline__ static void load_piece(
        Cell* to, int stride, const Cell* from, int pitch, int cells, Barrier* full) {
#pragma unroll
        for (int r = 0; r < kRows; ++r)
            bulk_load(to + r * stride, from + r * pitch, unsigned(cells * sizeof(Cell)), full);
    }
#else
    template <int kRows>
    __device__ __forceinline__ static void copy_rows(
        Cell* to, int stride, const Cell* row, int pitch, const Strip& strip, int lane) {
        if (!has_packets(lane)) return;
        const bool whole = !Shape::kWrapsX || strip.first_piece == strip.cells;
        to += lane * kPacket;
        row += lane * kPacket + (whole ? strip.source : 0);
        const auto at = [&](int column) {
            const int piece = column + lane * kPacket < strip.first_piece ? strip.source : -strip.first_piece;
            return row + column + (whole ? 0 : piece);
        };
#pragma unroll
        for (int r = 0; r < kRows; ++r, row += pitch, to += stride) {
#if MBARRIERS
#pragma unroll
            for (int i = 0; i < kPackets; ++i) copy_async<16>(to + column_of(i), at(column_of(i)));
#else
            Packet packets[kPackets];  // all are loaded before one is stored
#pragma unroll
            for (int i = 0; i < kPackets; ++i)
                packets[i] = *reinterpret_cast<const Packet*>(at(column_of(i)));
#pragma unroll
            for (int i = 0; i < kPackets; ++i) *reinterpret_cast<Packet*>(to + column_of(i)) = packets[i];
#endif
            if (Shape::kSkewed && strip.cells > kWidth && lane == 0)
                copy_async<16>(to + kWidth, row + kWidth);
        }
    }
#endif

    template <class Field, class Tile, class Arrays>
    __device__ __forceinline__ static void store_batch(
        const Field& field, const Tile& tile, int first_column, int y, int lane, const Arrays& each_array) {
        const int pitch = int(field.pitch);
        each_array(y, [&](const Cell* from, int stride, Cell* row) {
            if (y >= tile.y_begin && y + kBatch <= tile.y_end) {
                store_rows<kBatch>(tile, first_column, from, stride, row, pitch, lane);
            } else {
#pragma unroll 1
                for (int r = max(tile.y_begin - y, 0); r < min(tile.y_end - y, kBatch); ++r)
                    store_rows<1>(
                        tile, first_column, from + r * stride, stride, row + r * pitch, pitch, lane);
            }
        });
    }

#if BULK_COPIES
    template <int kRows, class Tile>
    __device__ __forceinline__ static void store_rows(
        const Tile& tile, int first_column, const Cell* from, int stride, Cell* row, int pitch, int) {
        // Rounded up to 16 bytes: padding after a row's last cell may be overwritten.
        const int cells = (tile.x_end - tile.x_begin + kPacket - 1) / kPacket * kPacket;
        from += tile.x_begin - first_column;
        row += tile.x_begin;
#pragma unroll
        for (int r = 0; r < kRows; ++r)
            bulk_store(row + r * pitch, from + r * stride, unsigned(cells * sizeof(Cell)));
    }
#else
    template <int kRows, class Tile>
    __device__ __forceinline__ static void store_rows(const Tile& tile,
                                                      int first_column,
                                                      const Cell* from,
                                                      int stride,
                                                      Cell* row,
                                                      int pitch,
                                                      int any_lane) {
        const int lane = not_hoisted(any_lane);
        if (!has_packets(lane)) return;
        const int x = first_column + lane * kPacket;
        from += lane * kPacket;
        row += x;
        const auto is_inside = [&](int column) {
            return x + column >= tile.x_begin && x + column < tile.x_end;
        };
        constexpr int kTogether = 3;  // in flight; more need too many registers
#pragma unroll
        for (int r = 0; r < kRows; ++r, from += stride, row += pitch) {
#pragma unroll
            for (int first = 0; first < kPackets; first += kTogether) {
                Packet packets[kTogether];
#pragma unroll
                for (int i = first; i < min(first + kTogether, kPackets); ++i)
                    packets[i - first] = *reinterpret_cast<const Packet*>(from + column_of(i));
#pragma unroll
                for (int i = first; i < min(first + kTogether, kPackets); ++i)
                    if (is_inside(column_of(i)))
                        *reinterpret_cast<Packet*>(row + column_of(i)) = packets[i - first];
            }
            if (Shape::kSkewed && lane == 0 && is_inside(kWidth))
                *reinterpret_cast<Packet*>(row + kWidth) = *reinterpret_cast<const Packet*>(from + kWidth);
        }
    }
#endif
};

}  // namespace stencil
