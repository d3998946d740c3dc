// Functions that all processes call together, by name. Process 0 runs the command and calls them; the other
// processes wait for its calls in serve().
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/distributed/packet.h"

namespace stencil {

namespace team {

using Call = void (*)(Packet& arguments);

/// The name of a call, as an argument of templates.
template <std::size_t length>
struct Name {
    constexpr Name(const char (&name)[length]) { std::ranges::copy(name, text); }
    constexpr operator std::string_view() const { return {text, length - 1}; }
    char text[length]{};
};

/// A row of the table of calls.
struct Row {
    /// Registers the row in the table of this process. Names must be unique.
    Row(std::string_view its_name, std::vector<std::size_t> sizes, Call its_call);

    std::string_view name;
    std::vector<std::size_t> argument_bytes;  ///< the sizes of the arguments' types
    Call call;
};

template <class Act, class... Args>
void perform(Packet& arguments) {
    std::apply(Act(), std::tuple<Args...>{arguments.get<Args>()...});
}

/// Adds the call to the table when the program starts, in every process.
template <Name name, class Act, class... Args>
inline const Row kRow{name, {sizeof(Args)...}, perform<Act, Args...>};

/// The version of the program and its table of calls, as a text; programs with different texts cannot work
/// together.
std::string protocol();

/// Serialises calls, which come from the engine's thread and at the end from main's.
std::recursive_mutex& one_at_a_time();

/// Sends the call and does process 0's part. An exception would leave the other processes waiting, so it ends
/// all of them.
void send(Packet& call, const std::function<void()>& own_part);

}  // namespace team

/// Calls act(arguments...) on all processes and returns what it returns on process 0. `Act` is a lambda
/// without captures. Only process 0 may call this.
template <team::Name name, class Act, class... Args>
auto together(Act act, const Args&... arguments) {
    Packet call;
    call.put(std::string(team::kRow<name, Act, Args...>.name));
    (call.put(arguments), ...);
    const std::lock_guard lock(team::one_at_a_time());
    if constexpr (std::is_void_v<decltype(act(arguments...))>) {
        team::send(call, [&] { act(arguments...); });
    } else {
        decltype(act(arguments...)) answer;
        team::send(call, [&] { answer = act(arguments...); });
        return answer;
    }
}

/// Compares the programs of all processes before the first call. Ends all processes with one line if one runs
/// another version, or a build with other calls. Collective.
void require_same_program(Communicator& comm);

/// Says which process failed, where and why, and ends all.
void abort_team(Communicator& comm, const char* why);

/// The loop of the processes other than 0; returns when process 0 ends it.
void serve(Communicator& comm);
/// Ends the loops of the other processes.
void dismiss_team();

}  // namespace stencil
