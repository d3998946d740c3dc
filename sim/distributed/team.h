// Functions that all processes call together. Process 0 runs the command and calls them; the other processes
// wait for its calls in serve().
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <tuple>

#include "sim/distributed/packet.h"

namespace stencil {

namespace team {

using Call = void (*)(Packet& arguments);

/// All processes run the same program, so a call is known by its distance from another one.
std::intptr_t number_of(Call call);

/// Calls come from the engine's thread and at the end from main's; one at a time.
std::recursive_mutex& one_at_a_time();

/// Does process 0's part. An exception would leave the other processes waiting, so it ends all of them.
void send(Packet& call, const std::function<void()>& own_part);

template <class Act, class... Args>
void perform(Packet& arguments) {
    std::apply(Act(), std::tuple<Args...>{arguments.get<Args>()...});
}

}  // namespace team

/// Calls act(arguments...) on all processes and returns what it returns on process 0. `Act` is a lambda
/// without captures. Only process 0 may call this.
template <class Act, class... Args>
auto together(Act act, const Args&... arguments) {
    Packet call;
    call.put(team::number_of(team::perform<Act, Args...>));
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

/// The loop of the processes other than 0; returns when process 0 ends it.
void serve(Communicator& comm);
/// Ends the loops of the other processes.
void dismiss_team();

}  // namespace stencil
