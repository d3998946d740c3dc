#include "sim/sweep/sweep_team.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>

#include "kernels/field/divide.h"
#include "sim/distributed/team.h"
#include "sim/files/input_file.h"
#include "sim/machine/machine.h"
#include "sim/text/json.h"

namespace stencil {

auto parts_of(SweptRun& run) {
    return std::tie(run.status,
                    run.ended_by,
                    run.steps,
                    run.time,
                    run.dt,
                    run.seconds,
                    run.field_hash,
                    run.statistics,
                    run.wavelength,
                    run.growth,
                    run.observed);
}

namespace {

constexpr auto kMoment = std::chrono::milliseconds(20);
constexpr std::uint64_t kNoRun = std::numeric_limits<std::uint64_t>::max();

// Stands before the planes of a run, or before a packet.
struct Head {
    std::uint64_t run = kNoRun;
    std::uint64_t packet_bytes = 0;
};

void send(Communicator& all, Packet& packet, int to) {
    const Head head{kNoRun, packet.bytes().size()};
    all.send(&head, sizeof(head), to);
    all.send(packet.bytes().data(), packet.bytes().size(), to);
}

Head receive_head(Communicator& all, int from) {
    Head head;
    all.receive(&head, sizeof(head), from);
    return head;
}

Packet receive_packet(Communicator& all, const Head& head, int from) {
    Bytes bytes(head.packet_bytes);
    all.receive(bytes.data(), bytes.size(), from);
    return Packet(std::move(bytes));
}

std::size_t bytes_of_plane(const Field& plane) {
    return plane.size() * bytes_of(plane.dtype());
}

// Makes the runs that process 0 gives, until it says that this process may leave.
void make_runs(const SweepSpec& spec, bool with_fields) {
    Communicator& all = Communicator::all();
    Sweep sweep(spec, query_machine());
    sweep.take_waiting();
    std::mutex one_at_a_time;
    if (with_fields)
        sweep.on_measured = [&](std::size_t run, Simulation& simulation) {
            const std::vector<Field> planes = planes_of(simulation);
            const Head head{run, 0};
            const std::lock_guard lock(one_at_a_time);
            all.send(&head, sizeof(head), 0);
            for (const Field& plane : planes)
                plane.visit([&](const auto& cells) { all.send(cells.data(), bytes_of_plane(plane), 0); });
        };
    FoundRuns found;
    sweep.on_end = [&](std::span<const std::size_t> runs) {
        for (const std::size_t run : runs) found.emplace_back(run, sweep.run(run));
    };
    for (;;) {
        Packet question;
        question.put(found).put(sweep.room()).put(sweep.in_progress());
        found.clear();
        send(all, question, 0);
        all.wait_for_sender();
        Packet answer = receive_packet(all, receive_head(all, 0), 0);
        if (answer.get<bool>()) return;
        sweep.give(answer.get<std::vector<std::size_t>>());
        sweep.advance();
    }
}

}  // namespace

SweepTeam::SweepTeam(Sweep& sweep, const SweepSpec& asked, SweepStore* store)
    : sweep_(sweep), store_(store), waiting_(sweep.take_waiting()) {
    // Runs that lie side by side, and so may be alike in length, go to different processes.
    const std::size_t processes = std::size_t(all_.size());
    share_ = ceil_div(waiting_.size(), processes);
    std::vector<std::size_t> dealt;
    for (std::size_t first = 0; first < processes; ++first)
        for (std::size_t i = first; i < waiting_.size(); i += processes) dealt.push_back(waiting_[i]);
    waiting_.assign(dealt.rbegin(), dealt.rend());
    if (processes == 1) return;
    SweepSpec spec = asked;
    spec.base.backend = sweep.resolved().backend;
    together<"make runs of a sweep">(
        [](const std::string& text, const Streams& read, bool with_fields) {
            if (Communicator::all().rank() == 0) return;
            Communicator::share_no_fields();
            keep_streams(read);
            make_runs(sweep_from_json(text, "the sweep of process 0"), with_fields);
        },
        json_text(to_json(spec)),
        read_streams(),
        store && store->keeps_fields());
    listener_ = std::thread([this] { listen(); });
}

SweepTeam::~SweepTeam() {
    dismiss();
}

void SweepTeam::dismiss() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    if (listener_.joinable()) listener_.join();
}

void SweepTeam::exchange() {
    std::vector<std::size_t> ended;
    {
        std::unique_lock lock(mutex_);
        if (waiting_.empty() && sweep_.in_progress() == 0 && listener_.joinable())
            news_.wait_for(lock, kMoment, [&] { return !found_.empty(); });
        if (trouble_) std::rethrow_exception(trouble_);
        for (auto& [run, known] : std::exchange(found_, {})) {
            sweep_.take(run, std::move(known));
            ended.push_back(run);
        }
        sweep_.give(next_runs(sweep_.room()));
    }
    if (sweep_.on_end && !ended.empty()) sweep_.on_end(ended);
}

void SweepTeam::finish() {
    dismiss();
    exchange();
}

std::vector<std::size_t> SweepTeam::next_runs(std::size_t room) {
    const auto count = std::ptrdiff_t(std::min({room, share_, waiting_.size()}));
    const std::vector<std::size_t> runs(waiting_.rbegin(), waiting_.rbegin() + count);
    waiting_.erase(waiting_.end() - count, waiting_.end());
    return runs;
}

void SweepTeam::listen() try {
    for (int others = all_.size() - 1; others > 0;) {
        const int from = all_.wait_for_sender();
        const Head head = receive_head(all_, from);
        if (head.run != kNoRun) {
            keep_fields(head.run, from);
            continue;
        }
        Packet question = receive_packet(all_, head, from);
        FoundRuns found = question.get<FoundRuns>();
        const auto room = question.get<std::size_t>(), in_progress = question.get<std::size_t>();
        std::unique_lock lock(mutex_);
        std::ranges::move(found, std::back_inserter(found_));
        const auto runs = ends_ ? std::vector<std::size_t>() : next_runs(room);
        const bool leaves = ends_ || (runs.empty() && in_progress == 0);
        lock.unlock();
        news_.notify_one();
        send(all_, Packet().put(leaves).put(runs), from);
        others -= leaves ? 1 : 0;
    }
} catch (const std::exception& error) {
    abort_team(all_, error.what());
}

void SweepTeam::keep_fields(std::size_t run, int from) {
    std::vector<Field> planes;
    for (std::size_t i = 0; i < store_->planes().size(); ++i) {
        Field& plane = planes.emplace_back(store_->empty_plane());
        plane.visit([&](auto& cells) { all_.receive(cells.data(), bytes_of_plane(plane), from); });
    }
    try {
        store_->add_fields(run, planes);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        trouble_ = std::current_exception();
        ends_ = true;
    }
}

}  // namespace stencil
