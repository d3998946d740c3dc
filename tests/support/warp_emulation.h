// Emulates kernels with warp pipelines or grid-wide synchronisation on the CPU, with a fiber per thread. To
// reveal missing waits, loads arrive and stores leave as late as possible, warps stall at random, shared
// memory begins as NaN, and addresses and sizes of copies are checked. The kernel's text includes it instead
// of the instructions of kernels/cuda/pipeline.cuh or of kPatchInstructions. With EMULATED_LANES_COPY each
// lane copies its own 16 bytes, as before compute capability 9.0.
#pragma once

#define EMULATED_PIPELINE
#define MBARRIERS 1
#ifdef EMULATED_LANES_COPY
#define BULK_COPIES 0
#else
#define BULK_COPIES 1
#endif

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

// Not inline, because each library has its own.
namespace emulated {

constexpr std::size_t kStack = 256 * 1024;
struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[kStack]};
    bool done = false;
};
struct Warp {
    double slots[2][32];
    unsigned arrived = 0, generation = 0;
};
struct Block {
    std::vector<unsigned char> memory;
    unsigned char* shared = nullptr;
    unsigned arrived = 0, generation = 0;
    std::vector<std::function<void()>> sent;  // not yet visible to other blocks
};
struct Copy {
    void* to;
    const void* from;
    unsigned bytes;
    void* barrier;  // null: its lane has not arrived yet
    bool counted;   // by the barrier
    int thread = 0;
};

static std::vector<Fiber> fibers;
static std::vector<Warp> warps;
static std::vector<Copy> loads, open_stores;
static std::vector<std::vector<Copy>> store_groups;
static ucontext_t scheduler;
static int current = 0;
static std::vector<Block> blocks;

inline std::size_t threads_of_block() {
    return fibers.size() / blocks.size();
}
inline Block& block() {
    return blocks[std::size_t(current) / threads_of_block()];
}
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "emulated kernel: %s\n", what);
    std::abort();
}
inline void yield() {
    swapcontext(&fibers[current].context, &scheduler);
}
inline void check_copy(const void* to, const void* from, unsigned bytes, unsigned unit = 16) {
    const auto aligned = [=](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % unit == 0; };
    require(aligned(to) && aligned(from) && bytes % unit == 0 && bytes > 0, "a copy that is not aligned");
}
inline void perform(const Copy& copy) {
    std::memcpy(copy.to, copy.from, copy.bytes);
}

}  // namespace emulated

struct Barrier {
    int count, left, bytes;
    unsigned phase;
    void settle() {
        if (left > 0 || bytes > 0) return;
        ++phase;
        left = count;
    }
};
inline void init_barrier(Barrier* b, int arrivals) {
    *b = {arrivals, arrivals, 0, 0};
}
inline void fence_barrier_init() {}
#if BULK_COPIES
constexpr int kArrivals = 32;
#else
constexpr int kArrivals = 1;
#endif
inline void before_bulk_store() {}
inline void __syncwarp();
inline void arrive_each(Barrier* b, int) {
    emulated::require(b->left > 0, "an arrival too many");
    --b->left;
    b->settle();
}
inline void arrive(Barrier* b, int lane) {
    if (kArrivals == 1) __syncwarp();
    if (kArrivals == 32 || lane == 0) arrive_each(b, 0);
}
inline void expect_bytes(Barrier* b, unsigned bytes) {
    b->bytes += int(bytes);
    arrive_each(b, 0);
}
inline void wait(Barrier* b, unsigned parity) {
    while ((b->phase & 1) == (parity & 1)) {
        std::vector<emulated::Copy> mine;
        auto& loads = emulated::loads;
        const auto is_other = [&](const emulated::Copy& copy) { return copy.barrier != b; };
        const auto own = std::stable_partition(loads.begin(), loads.end(), is_other);
        mine.assign(own, loads.end());
        loads.erase(own, loads.end());
        for (const emulated::Copy& copy : mine) {
            if (copy.to == nullptr)
                --b->left;  // a lane's own loads have landed
            else
                emulated::perform(copy);
            if (copy.counted) b->bytes -= int(copy.bytes);
        }
        if (mine.empty())
            emulated::yield();
        else
            b->settle();
    }
}
inline bool elect_one() {
    return emulated::current % 32 == 0;
}
inline void bulk_load(void* to, const void* from, unsigned bytes, Barrier* b) {
    emulated::check_copy(to, from, bytes);
    emulated::loads.push_back({to, from, bytes, b, true});
}
template <int kBytes>
void copy_async(void* to, const void* from) {
    emulated::check_copy(to, from, kBytes, kBytes);
    emulated::loads.push_back({to, from, kBytes, nullptr, false, emulated::current});
}
inline void arrive_after_copies(Barrier* b, int) {
    bool any = false;
    for (emulated::Copy& copy : emulated::loads)
        if (copy.barrier == nullptr && copy.thread == emulated::current) {
            copy.barrier = b;
            any = true;
        }
    if (any)
        emulated::loads.push_back({nullptr, nullptr, 0, b, false});
    else
        arrive_each(b, 0);
}
inline void bulk_store(void* to, const void* from, unsigned bytes) {
    emulated::check_copy(to, from, bytes);
    emulated::open_stores.push_back({to, from, bytes, nullptr, false});
}
template <int kNewest>
void close_and_wait_for_stores() {
    using namespace emulated;
    if (!BULK_COPIES) return;
    store_groups.push_back(std::move(open_stores));
    open_stores.clear();
    for (; store_groups.size() > kNewest; store_groups.erase(store_groups.begin()))
        for (const Copy& copy : store_groups.front()) perform(copy);
}
inline void __syncwarp() {
    emulated::Warp& warp = emulated::warps[std::size_t(emulated::current / 32)];
    const unsigned generation = warp.generation;
    if (++warp.arrived == 32) {
        warp.arrived = 0;
        ++warp.generation;
    }
    while (warp.generation == generation) emulated::yield();
}
template <class T>
T shuffled(T value, int from) {
    emulated::Warp& warp = emulated::warps[std::size_t(emulated::current / 32)];
    double* slots = warp.slots[warp.generation & 1];
    std::memcpy(&slots[emulated::current % 32], &value, sizeof(T));
    __syncwarp();
    std::memcpy(&value, &slots[from], sizeof(T));
    return value;
}
template <class T>
T of_lane(T value, int lane) {
    return shuffled(value, lane);
}
template <class T>
T from_west(T value) {
    return shuffled(value, std::max(emulated::current % 32 - 1, 0));
}
template <class T>
T from_east(T value) {
    return shuffled(value, std::min(emulated::current % 32 + 1, 31));
}
inline int uniform_of_warp(int value) {
    return shuffled(value, 0);
}
inline int not_hoisted(int value) {
    return value;
}
inline void __syncthreads() {
    emulated::Block& block = emulated::block();
    const unsigned generation = block.generation;
    if (++block.arrived == emulated::threads_of_block()) {
        block.arrived = 0;
        ++block.generation;
    }
    while (block.generation == generation) emulated::yield();
}
template <class T>
void send(T* to, const T& from) {
    emulated::block().sent.push_back([to, from] { *to = from; });
}
inline void release(unsigned* flag, unsigned number) {
    for (const auto& store : emulated::block().sent) store();
    emulated::block().sent.clear();
    *flag = number;
}
inline unsigned acquire(const unsigned* flag) {
    emulated::yield();
    return *flag;
}
#define SHARED_MEMORY(name) unsigned char* name = emulated::block().shared

namespace emulated {

static void (*body)() = nullptr;
inline void enter() {
    body();
    fibers[current].done = true;
    yield();
}

/// Runs `block_count` blocks of 32 x `warp_count` threads concurrently; `place(block, lane, warp)` is called
/// before a thread continues.
template <class Place>
void run_blocks(int block_count, int warp_count, std::size_t shared_bytes, unsigned seed, Place&& place) {
    constexpr std::size_t kLargerBarriers = 1024;  // larger than a GPU's
    shared_bytes += kLargerBarriers;
    blocks.assign(std::size_t(block_count), {});
    for (Block& block : blocks) {
        block.memory.assign(shared_bytes + 128, 0xff);
        void* begin = block.memory.data();
        std::size_t room = block.memory.size();
        block.shared = static_cast<unsigned char*>(std::align(128, shared_bytes, begin, room));
    }
    const int all_warps = block_count * warp_count;
    warps.assign(std::size_t(all_warps), {});
    fibers.resize(std::size_t(32 * all_warps));
    for (Fiber& fiber : fibers) {
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = kStack;
        fiber.context.uc_link = nullptr;
        fiber.done = false;
        makecontext(&fiber.context, enter, 0);
    }
    for (std::size_t left = fibers.size(), rounds = 0; left > 0; ++rounds) {
        require(rounds < 10'000'000, "it does not end");
        for (int warp = 0; warp < all_warps; ++warp) {
            // A stall lasts about as long as a batch of rows.
            unsigned hash = (seed + unsigned(rounds >> 7) * 16 + unsigned(warp)) * 2654435761U;
            hash = (hash ^ hash >> 15) * 0x2c1b3c6dU;
            if ((hash ^ hash >> 13) & 1) continue;
            for (int lane = 0; lane < 32; ++lane) {
                current = 32 * warp + lane;
                if (fibers[std::size_t(current)].done) continue;
                place(warp / warp_count, lane, warp % warp_count);
                swapcontext(&scheduler, &fibers[std::size_t(current)].context);
                left -= fibers[std::size_t(current)].done ? 1 : 0;
            }
        }
    }
    require(loads.empty() && store_groups.empty() && open_stores.empty(), "a copy that nobody waited for");
}

}  // namespace emulated
