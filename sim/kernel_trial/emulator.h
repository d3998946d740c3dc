// Runs a kernel that was compiled for the CPU: a fibre for each thread of a block, one block after the other.
// Watches each access of memory, as calls.h reports it.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/kernel_trial/calls.h"

namespace stencil::user_kernel {

using Place = std::uintptr_t;  ///< an address in the kernel's code; 0: unknown
/// Says where that is: "line 12".
using LineOf = std::function<std::string(Place)>;

/// A field among the kernel's arguments.
struct EmulatedField {
    std::string name;   ///< such as "from.u"
    char* first;        ///< the cell (0, 0)
    char *begin, *end;  ///< memory around it that can be accessed without a crash
    long long nx, ny, pitch;
    int bytes;        ///< of a cell
    bool is_source;   ///< may not be written
    bool is_watched;  ///< for races; takes memory

    long long index_of(const char* address) const { return (address - first) / bytes; }
};

struct EmulatedGrid {
    unsigned threads_x, threads_y;
    unsigned blocks_x, blocks_y;
    enum class Order { forward, backward, random } order = Order::forward;
    unsigned seed = 0;
    bool last_block_only = false;
    bool counts = false;
};

/// How warps access memory.
struct PlaceCount {
    bool is_shared = false, writes = false;
    long long requests = 0, bytes = 0;
    long long moved = 0;  ///< sectors of 32 bytes; of shared memory: passes over the banks
    long long least = 0;  ///< those that the same bytes need at least
};

class Emulator {
  public:
    /// `begin` and `launch` are stencilscope_begin() and stencilscope_launch() of the compiled kernel.
    Emulator(void* begin, void* launch);
    ~Emulator();
    Emulator(const Emulator&) = delete;
    Emulator& operator=(const Emulator&) = delete;

    /// Makes a launch. Returns what is wrong, in words without an end; empty if nothing was noticed.
    std::string run(const EmulatedGrid& grid,
                    std::vector<EmulatedField> fields,
                    const void* const* arguments,
                    const LineOf& line);

    // Of the last launch:

    /// The first access outside of the fields, but within their memory: "line 12 reads from.u 1 left of (0,
    /// 0)".
    std::string outside_words(bool writes, const LineOf& line) const;
    /// The first read of shared memory that no thread had written.
    std::string unwritten_words(const LineOf& line) const;
    const std::map<Place, PlaceCount>& counts() const { return counts_; }

    std::size_t shared_bytes() const { return std::size_t(shared_end_ - shared_begin_); }

  private:
    using Words = std::function<std::string(const LineOf&)>;

    struct Thread {
        ucontext_t context;
        enum class State { ready, at_barrier, at_exchange, ended } state;
        int line;
        bool predicate;
        int result;
        unsigned mask, there;
        const void* value;
        void* values;
        unsigned bytes;
        struct Copy {
            void* to;
            const void* from;
            unsigned bytes;
        };
        std::vector<Copy> open;
        std::vector<std::vector<Copy>> groups;
    };
    struct Touch {
        std::uint64_t block = 0;
        Place place = 0;
        unsigned thread = 0, epoch = 0, warp_epoch = 0;
    };
    struct Shadow {
        Touch write, reads[2];
    };
    struct Access {
        const char* address;
        unsigned bytes;
        bool writes;
        Place place;
    };
    struct Request {
        bool is_shared, writes;
        unsigned bytes;
        std::vector<const char*> addresses;
    };

    static void enter();
    void run_block(unsigned x, unsigned y);
    void resume(unsigned thread);
    void leave();  // the present fibre, for the scheduler
    [[noreturn]] void fail(Words words);
    void shuffle_order(std::vector<unsigned>& order);
    bool release_exchanges();
    bool release_barrier();
    Words stuck() const;
    std::string name_of(unsigned thread) const;

    void access(const Access& access, bool is_atomic);
    bool access_field(const EmulatedField& field, std::size_t index, const Access& access, bool is_atomic);
    void touch(Shadow& shadow, const Access& access, bool across_blocks, const char* what);
    bool is_unordered(const Touch& before, bool across_blocks) const;
    void count(const Access& access, bool is_shared);
    void add_up_requests();

    StencilscopeCalls calls_;
    StencilscopeThread* place_of_thread_;
    void (*launch_)(const void* const*);
    const char *image_begin_, *image_end_;
    char *shared_begin_, *shared_end_, *shared_guard_end_;
    char* stacks_ = nullptr;
    std::size_t stack_count_ = 0;

    EmulatedGrid grid_{};
    std::vector<EmulatedField> fields_;
    const void* const* arguments_ = nullptr;
    ucontext_t scheduler_;
    std::vector<Thread> threads_;
    std::vector<unsigned> warp_epochs_;
    unsigned now_ = 0, epoch_ = 0;
    std::uint64_t block_ = 0, first_block_ = 1;
    std::mt19937 random_;
    std::vector<Shadow> shared_shadow_;
    std::vector<std::vector<Shadow>> field_shadows_;
    Words fault_;
    std::array<Words, 2> outside_;  ///< reads, writes
    Words unwritten_;
    std::map<Place, PlaceCount> counts_;
    std::unordered_map<std::uint64_t, unsigned> occurrences_;
    std::map<std::array<std::uint64_t, 3>, Request> requests_;  ///< by warp, place and occurrence
};

}  // namespace stencil::user_kernel
