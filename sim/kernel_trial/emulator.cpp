#include "sim/kernel_trial/emulator.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <set>

#include "sim/text/error.h"

namespace stencil::user_kernel {
namespace {

constexpr std::size_t kStack = 256 * 1024;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kSharedGuard = 4096;  // after the last variable, by cpu_kernel.cpp
constexpr unsigned kWarp = 32;

Emulator* running = nullptr;  // calls from a kernel have no other way to find it

std::string not_reached(const std::string& there, int line, const std::string& other) {
    return fmt::format(
        "a barrier in a branch: {} waits at __syncthreads() in line {}, and {}: every thread of a block has "
        "to "
        "reach the same one",
        there,
        line,
        other);
}

// Says where a cell outside of a field is.
std::string beside(const EmulatedField& field, const char* address) {
    const long long index = (address - field.first) < 0 ? -1 - (field.first - 1 - address) / field.bytes
                                                        : field.index_of(address);
    if (index < 0) return fmt::format("{} cells before the first one", -index);
    const long long y = index / field.pitch, x = index % field.pitch;
    if (y >= field.ny)
        return fmt::format("{} below ({}, {})", y - field.ny + 1, std::min(x, field.nx - 1), field.ny - 1);
    if (x >= field.nx) return fmt::format("{} right of ({}, {})", x - field.nx + 1, field.nx - 1, y);
    return fmt::format("at ({}, {})", x, y);
}

constexpr const char* kFar = "reads or writes memory far outside of the field: check every index";

}  // namespace

Emulator::Emulator(void* begin, void* launch) {
    calls_.access = [](const void* address, unsigned bytes, bool writes, bool is_atomic, const void* place) {
        // A return address may be that of the next line.
        running->access({static_cast<const char*>(address), bytes, writes, Place(place) - 1}, is_atomic);
    };
    calls_.barrier = [](int line, bool predicate) {
        Thread& thread = running->threads_[running->now_];
        thread.state = Thread::State::at_barrier;
        thread.line = line;
        thread.predicate = predicate;
        running->leave();
        return running->threads_[running->now_].result;
    };
    calls_.exchange = [](int line, unsigned mask, const void* value, unsigned bytes, void* values) {
        Thread& thread = running->threads_[running->now_];
        thread.state = Thread::State::at_exchange;
        thread.line = line;
        thread.mask = mask;
        thread.value = value;
        thread.bytes = bytes;
        thread.values = values;
        running->leave();
        return running->threads_[running->now_].there;
    };
    calls_.copy_later = [](void* to, const void* from, unsigned bytes) {
        running->threads_[running->now_].open.push_back({to, from, bytes});
    };
    calls_.commit_copies = [] {
        Thread& thread = running->threads_[running->now_];
        thread.groups.push_back(std::move(thread.open));
        thread.open.clear();
    };
    calls_.wait_for_copies = [](unsigned newest) {
        Thread& thread = running->threads_[running->now_];
        for (; thread.groups.size() > newest; thread.groups.erase(thread.groups.begin()))
            for (const Thread::Copy& copy : thread.groups.front()) {
                running->access({static_cast<const char*>(copy.from), copy.bytes, false, 0}, false);
                running->access({static_cast<const char*>(copy.to), copy.bytes, true, 0}, false);
                std::memcpy(copy.to, copy.from, copy.bytes);
            }
    };
    calls_.stop = [](int line, const char* why) {
        running->fail([line, why](const LineOf&) { return fmt::format("{} (line {})", why, line); });
    };
    char* range[4];
    using Begin = StencilscopeThread* (*)(const StencilscopeCalls*, char**);
    place_of_thread_ = reinterpret_cast<Begin>(begin)(&calls_, range);
    launch_ = reinterpret_cast<void (*)(const void* const*)>(launch);
    image_begin_ = range[0], image_end_ = range[1];
    shared_begin_ = range[2], shared_guard_end_ = range[3];
    shared_end_ = shared_guard_end_ - kSharedGuard;
    shared_shadow_.resize(shared_bytes());
}

Emulator::~Emulator() {
    if (stacks_) munmap(stacks_, stack_count_ * kStack);
}

std::string Emulator::run(const EmulatedGrid& grid,
                          std::vector<EmulatedField> fields,
                          const void* const* arguments,
                          const LineOf& line) {
    grid_ = grid;
    fields_ = std::move(fields);
    arguments_ = arguments;
    running = this;
    fault_ = unwritten_ = {};
    outside_ = {};
    counts_.clear();
    first_block_ = block_ + 1;
    random_.seed(grid.seed);
    field_shadows_.clear();
    for (const EmulatedField& field : fields_)
        field_shadows_.emplace_back(field.is_watched ? std::size_t(field.pitch * field.ny) : 0);
    const std::size_t count = std::size_t(grid.threads_x) * grid.threads_y;
    if (stack_count_ < count) {
        if (stacks_) munmap(stacks_, stack_count_ * kStack);
        void* memory = mmap(nullptr,
                            count * kStack,
                            PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                            -1,
                            0);
        if (memory == MAP_FAILED) throw MachineError("no memory for the stacks of {} threads", count);
        stacks_ = static_cast<char*>(memory);
        stack_count_ = count;
        // A stack that overflows hits a page that nobody may touch.
        for (std::size_t i = 0; i < count; ++i) mprotect(stacks_ + i * kStack, kPage, PROT_NONE);
    }
    threads_.resize(count);
    place_of_thread_->block_size[0] = grid.threads_x, place_of_thread_->block_size[1] = grid.threads_y;
    place_of_thread_->grid_size[0] = grid.blocks_x, place_of_thread_->grid_size[1] = grid.blocks_y;
    place_of_thread_->block_size[2] = place_of_thread_->grid_size[2] = 1;
    place_of_thread_->thread[2] = place_of_thread_->block[2] = 0;
    const unsigned blocks = grid.blocks_x * grid.blocks_y;
    std::vector<unsigned> order(grid.last_block_only ? 1 : blocks);
    std::iota(order.begin(), order.end(), grid.last_block_only ? blocks - 1 : 0);
    shuffle_order(order);
    for (const unsigned block : order) {
        run_block(block % grid.blocks_x, block / grid.blocks_x);
        if (fault_) return fault_(line);
    }
    return "";
}

void Emulator::shuffle_order(std::vector<unsigned>& order) {
    if (grid_.order == EmulatedGrid::Order::backward) std::ranges::reverse(order);
    if (grid_.order == EmulatedGrid::Order::random) std::ranges::shuffle(order, random_);
}

void Emulator::enter() {
    running->launch_(running->arguments_);
    running->threads_[running->now_].state = Thread::State::ended;
    running->leave();
}

void Emulator::leave() {
    swapcontext(&threads_[now_].context, &scheduler_);
}

void Emulator::fail(Words words) {
    fault_ = std::move(words);
    leave();
    std::abort();  // nobody resumes it
}

void Emulator::resume(unsigned thread) {
    now_ = thread;
    place_of_thread_->thread[0] = thread % grid_.threads_x;
    place_of_thread_->thread[1] = thread / grid_.threads_x;
    swapcontext(&scheduler_, &threads_[thread].context);
}

void Emulator::run_block(unsigned x, unsigned y) {
    ++block_;
    epoch_ = 0;
    warp_epochs_.assign((threads_.size() + kWarp - 1) / kWarp, 0);
    place_of_thread_->block[0] = x, place_of_thread_->block[1] = y;
    std::memset(shared_begin_, 0xff, shared_bytes());  // not a number
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        Thread& thread = threads_[i];
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = stacks_ + i * kStack;
        thread.context.uc_stack.ss_size = kStack;
        thread.context.uc_link = nullptr;
        makecontext(&thread.context, enter, 0);
        thread.state = Thread::State::ready;
        thread.open.clear();
        thread.groups.clear();
    }
    std::vector<unsigned> order(threads_.size());
    std::iota(order.begin(), order.end(), 0U);
    shuffle_order(order);
    for (std::size_t left = order.size(); left > 0;) {
        bool moved = false;
        for (const unsigned thread : order) {
            if (threads_[thread].state != Thread::State::ready) continue;
            moved = true;
            resume(thread);
            if (fault_) return;
            if (threads_[thread].state == Thread::State::ended) --left;
        }
        moved |= release_exchanges();
        moved |= release_barrier();
        if (fault_) return;
        if (!moved && left > 0) {
            fault_ = stuck();
            return;
        }
    }
    if (grid_.counts) add_up_requests();
}

std::string Emulator::name_of(unsigned thread) const {
    return fmt::format("thread ({}, {})", thread % grid_.threads_x, thread / grid_.threads_x);
}

// Lets the lanes of a mask go on that all wait for each other; ended ones count as there.
bool Emulator::release_exchanges() {
    bool released = false;
    for (std::size_t first = 0; first < threads_.size(); first += kWarp) {
        const std::size_t lanes = std::min<std::size_t>(kWarp, threads_.size() - first);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (threads_[first + lane].state != Thread::State::at_exchange) continue;
            const unsigned mask = threads_[first + lane].mask;
            unsigned there = 0;
            bool complete = true;
            for (std::size_t other = 0; other < lanes; ++other) {
                const Thread& thread = threads_[first + other];
                if (!(mask >> other & 1) || thread.state == Thread::State::ended) continue;
                complete &= thread.state == Thread::State::at_exchange && thread.mask == mask;
                there |= 1U << other;
            }
            if (!complete) continue;
            for (std::size_t to = 0; to < lanes; ++to) {
                if (!(there >> to & 1)) continue;
                Thread& thread = threads_[first + to];
                thread.there = there;
                for (std::size_t from = 0; from < lanes && thread.bytes > 0; ++from)
                    if ((there >> from & 1) && threads_[first + from].bytes > 0)
                        std::memcpy(static_cast<char*>(thread.values) + from * thread.bytes,
                                    threads_[first + from].value,
                                    std::min(thread.bytes, threads_[first + from].bytes));
            }
            for (std::size_t to = 0; to < lanes; ++to)
                if (there >> to & 1) threads_[first + to].state = Thread::State::ready;
            ++warp_epochs_[first / kWarp];
            released = true;
        }
    }
    return released;
}

bool Emulator::release_barrier() {
    const auto at = [](Thread::State state) { return [state](const Thread& t) { return t.state == state; }; };
    const auto there = std::ranges::find_if(threads_, at(Thread::State::at_barrier));
    if (there == threads_.end()) return false;
    const auto waiting = std::ranges::count_if(threads_, at(Thread::State::at_barrier));
    const auto ended = std::ranges::find_if(threads_, at(Thread::State::ended));
    const auto all_ended = std::ranges::count_if(threads_, at(Thread::State::ended));
    if (std::size_t(waiting + all_ended) < threads_.size()) return false;
    const auto number = [&](auto thread) { return unsigned(thread - threads_.begin()); };
    if (ended != threads_.end()) {
        fault_ = [words = not_reached(
                      name_of(number(there)), there->line, name_of(number(ended)) + " has ended without it")](
                     const LineOf&) { return words; };
        return false;
    }
    const auto other = std::ranges::find_if(threads_, [&](const Thread& t) { return t.line != there->line; });
    if (other != threads_.end()) {
        fault_ = [words =
                      not_reached(name_of(number(there)),
                                  there->line,
                                  fmt::format("{} at that in line {}", name_of(number(other)), other->line))](
                     const LineOf&) { return words; };
        return false;
    }
    const int holds = int(std::ranges::count_if(threads_, &Thread::predicate));
    for (Thread& thread : threads_) {
        thread.result = holds;
        thread.state = Thread::State::ready;
    }
    ++epoch_;
    return true;
}

// Some threads wait for others that wait elsewhere.
Emulator::Words Emulator::stuck() const {
    for (unsigned i = 0; i < threads_.size(); ++i) {
        const Thread& thread = threads_[i];
        if (thread.state != Thread::State::at_exchange) continue;
        const unsigned first = i / kWarp * kWarp;
        for (unsigned lane = 0; lane < kWarp && first + lane < threads_.size(); ++lane) {
            const Thread& other = threads_[first + lane];
            if (!(thread.mask >> lane & 1) || other.state == Thread::State::ended) continue;
            if (other.state == Thread::State::at_exchange && other.mask == thread.mask) continue;
            return [words = fmt::format(
                        "{} waits for its warp in line {}, and {}, which is in the mask, waits in line {}",
                        name_of(i),
                        thread.line,
                        name_of(first + lane),
                        other.line)](const LineOf&) { return words; };
        }
    }
    return [](const LineOf&) { return std::string("its threads wait for each other for ever"); };
}

bool Emulator::is_unordered(const Touch& before, bool across_blocks) const {
    if (before.block < first_block_) return false;
    if (before.block != block_) return across_blocks;
    if (before.thread == now_ || before.epoch != epoch_) return false;
    return before.thread / kWarp != now_ / kWarp || before.warp_epoch >= warp_epochs_[now_ / kWarp];
}

void Emulator::touch(Shadow& shadow, const Access& access, bool across_blocks, const char* what) {
    const auto race = [&](const Touch& before, const char* does, const char* did) {
        if (!is_unordered(before, across_blocks)) return;
        const bool same_block = before.block == block_;
        fail([place = access.place,
              before,
              does,
              did,
              what,
              same_block,
              who = name_of(now_),
              other = name_of(before.thread)](const LineOf& line) {
            return fmt::format(
                "a race: threads write or read the same place of {} in no fixed order: {} {} in {} what {}{} "
                "{} in "
                "{}{}",
                what,
                who,
                does,
                line(place),
                other,
                same_block ? "" : " of another block",
                did,
                line(before.place),
                same_block ? ", with no barrier between them" : "");
        });
    };
    const Touch now{block_, access.place, now_, epoch_, warp_epochs_[now_ / kWarp]};
    if (!access.writes) {
        race(shadow.write, "reads", "writes");
        // Two different threads of this epoch: each other one differs from one of them.
        const auto is_other = [&](const Touch& t) {
            return t.block == block_ && t.epoch == epoch_ && t.thread != now_;
        };
        shadow.reads[is_other(shadow.reads[0]) ? 1 : 0] = now;
        return;
    }
    for (const Touch& read : shadow.reads) race(read, "writes", "reads");
    shadow.write = now;
}

void Emulator::access(const Access& access, bool is_atomic) {
    const char *begin = access.address, *end = begin + access.bytes;
    if (begin >= stacks_ && end <= stacks_ + stack_count_ * kStack) return;
    if (begin >= shared_begin_ && begin < shared_guard_end_) {
        if (end > shared_end_)
            fail(
                [place = access.place, by = begin - shared_end_, writes = access.writes](const LineOf& line) {
                    return fmt::format("{} {} shared memory out of bounds, {} bytes behind its last variable",
                                       line(place),
                                       writes ? "writes" : "reads",
                                       by + 1);
                });
        if (is_atomic) return;
        if (grid_.counts) count(access, true);
        for (const char* byte = begin; byte < end; ++byte) {
            Shadow& shadow = shared_shadow_[std::size_t(byte - shared_begin_)];
            if (!access.writes && shadow.write.block != block_ && !unwritten_)
                unwritten_ = [place = access.place, who = name_of(now_)](const LineOf& line) {
                    return fmt::format("{} reads a place of shared memory that no thread has written, in {}",
                                       line(place),
                                       who);
                };
            touch(shadow, access, false, "shared memory");
        }
        return;
    }
    if (begin >= image_begin_ && end <= image_end_) return;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (access_field(fields_[i], i, access, is_atomic)) return;
    for (const EmulatedField& field : fields_) {
        // An index that an int could not hold is 2^32 too small.
        const long long right = field.index_of(begin) + (1LL << 32);
        if (right >= 0 && right < field.pitch * field.ny)
            fail([place = access.place, right](const LineOf& line) {
                return fmt::format(
                    "{} takes an index of {}, which is more than an int holds (2147483647): keep it in a "
                    "long long",
                    line(place),
                    right);
            });
    }
    fail([place = access.place](const LineOf& line) { return fmt::format("{} ({})", kFar, line(place)); });
}

// Returns whether the access is one of this field.
bool Emulator::access_field(const EmulatedField& field,
                            std::size_t index,
                            const Access& access,
                            bool is_atomic) {
    const char *begin = access.address, *end = begin + access.bytes;
    if (begin < field.begin || end > field.end) return false;
    if (std::has_single_bit(access.bytes) && std::uintptr_t(begin) % access.bytes != 0)
        fail([place = access.place](const LineOf& line) {
            return fmt::format(
                "reads or writes several cells at once at an address that is not a multiple of their size: "
                "rows "
                "begin on multiples of 128 bytes, and x has to be one of 4 for a float4 ({})",
                line(place));
        });
    if (grid_.counts && !is_atomic) count(access, false);
    const long long cells = std::max<long long>(1, access.bytes / unsigned(field.bytes));
    const long long first = begin < field.first ? -1 : field.index_of(begin);
    const bool inside = first >= 0 && first / field.pitch < field.ny && first % field.pitch < field.nx;
    const long long beyond = inside ? std::max(0LL, first % field.pitch + cells - field.nx) : cells;
    if (beyond > 0 && !outside_[access.writes])
        outside_[access.writes] = [=, &field, place = access.place](const LineOf& line) {
            return fmt::format("{} {} {} {}",
                               line(place),
                               access.writes ? "writes" : "reads",
                               field.name,
                               beside(field, inside ? begin + (cells - beyond) * field.bytes : begin));
        };
    if (field.is_source && access.writes && inside)
        fail([place = access.place, where = beside(field, begin)](const LineOf& line) {
            return fmt::format("changes `from` {} ({}): other blocks still read it; write to `to` alone",
                               where,
                               line(place));
        });
    std::vector<Shadow>& shadows = field_shadows_[index];
    for (long long cell = first; cell < first + cells && first >= 0 && !is_atomic; ++cell)
        if (std::size_t(cell) < shadows.size())
            touch(shadows[std::size_t(cell)], access, true, field.name.c_str());
    return true;
}

std::string Emulator::outside_words(bool writes, const LineOf& line) const {
    return outside_[writes] ? outside_[writes](line) : "";
}

std::string Emulator::unwritten_words(const LineOf& line) const {
    return unwritten_ ? unwritten_(line) : "";
}

// The n-th time that each lane of a warp comes to a place counts as one request.
void Emulator::count(const Access& access, bool is_shared) {
    const unsigned occurrence = occurrences_[std::uint64_t(access.place) << 10 ^ now_]++;
    Request& request = requests_[{now_ / kWarp, access.place, occurrence}];
    request.is_shared = is_shared;
    request.writes = access.writes;
    request.bytes = access.bytes;
    request.addresses.push_back(access.address);
}

void Emulator::add_up_requests() {
    constexpr std::uintptr_t kSector = 32, kBanks = 32, kWord = 4;
    for (const auto& [key, request] : requests_) {
        PlaceCount& sum = counts_[key[1]];
        sum.is_shared = request.is_shared;
        sum.writes = request.writes;
        ++sum.requests;
        sum.bytes += (long long)(request.bytes * request.addresses.size());
        std::set<std::uintptr_t> bytes_of, units;
        if (!request.is_shared) {
            std::set<std::uintptr_t> distinct;
            for (const char* address : request.addresses) {
                distinct.insert(std::uintptr_t(address));
                for (unsigned i = 0; i < request.bytes; i += unsigned(kWord))
                    units.insert((std::uintptr_t(address) + i) / kSector);
            }
            sum.moved += (long long)units.size();
            sum.least += (long long)((distinct.size() * request.bytes + kSector - 1) / kSector);
            continue;
        }
        // 32 lanes of 4 bytes, 16 of 8 or 8 of 16 are served together.
        const std::size_t together = std::max<std::size_t>(1, 128 / std::max(request.bytes, 4U));
        for (std::size_t begin = 0; begin < request.addresses.size(); begin += together) {
            std::set<std::uintptr_t> words;
            for (std::size_t i = begin; i < std::min(begin + together, request.addresses.size()); ++i)
                for (unsigned byte = 0; byte < request.bytes; byte += unsigned(kWord))
                    words.insert((std::uintptr_t(request.addresses[i]) + byte) / kWord);
            std::array<int, kBanks> ways{};
            for (const std::uintptr_t word : words) ++ways[word % kBanks];
            sum.moved += *std::ranges::max_element(ways);
            sum.least += (long long)((words.size() + kBanks - 1) / kBanks);
        }
    }
    requests_.clear();
    occurrences_.clear();
}

}  // namespace stencil::user_kernel
