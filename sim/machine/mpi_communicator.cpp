// MPI communicators. This is the only file that includes mpi.h.

#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "sim/machine/communicator.h"

namespace stencil {
namespace {

// MPI counts are ints.
constexpr std::size_t kPiece = std::size_t(1) << 30;

// Seconds that a call may take after this process was told to end.
constexpr int kGraceSeconds = 4;
constexpr int kWorkSeconds = 60;  // likewise where a process may be computing before it sends
constexpr double kSlowBytesPerSecond = 1e8;

// Polling intervals of idle processes.
constexpr auto kBusy = std::chrono::microseconds(200), kNap = std::chrono::microseconds(100);

volatile std::sig_atomic_t told_to_end = 0;
extern "C" void note_end(int) {
    told_to_end = 1;
}
int (*was_interrupted)() = nullptr;

bool is_told_to_end() {
    return told_to_end != 0 || (was_interrupted && was_interrupted() != 0);
}

volatile std::sig_atomic_t allowed_seconds = 0;  // for the current call; 0 between calls
volatile std::sig_atomic_t waited_seconds = 0;

[[noreturn]] void give_up() {
    constexpr std::string_view text = "stencilscope: a process of this run does not answer\n";
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
    _exit(1);
}

// Handler of a timer that fires every second.
extern "C" void count_second(int) {
    if (allowed_seconds == 0 || !is_told_to_end()) return;
    waited_seconds = waited_seconds + 1;
    if (waited_seconds > allowed_seconds) give_up();
}

// Limits how long a call may wait once this process was told to end, before or during the call, since a lost
// process never answers.
class Patience {
  public:
    explicit Patience(std::size_t bytes = 0) {
        waited_seconds = 0;
        allowed_seconds = kGraceSeconds + int(double(bytes) / kSlowBytesPerSecond);
    }
    ~Patience() { allowed_seconds = 0; }
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
};

// After an error MPI is in no defined state and other ranks may wait for this one, so all of them end.
void check(int error) {
    if (error == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error, text, &length);
    std::fprintf(stderr, "stencilscope: MPI: %.*s\n", length, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

// Byte counts and offsets per process, as MPI takes them.
struct Counts {
    explicit Counts(std::span<const std::size_t> bytes) {
        std::size_t at = 0;
        for (const std::size_t each : bytes) {
            counts.push_back(int(each));
            displacements.push_back(int(at));
            at += each;
        }
        if (at > kLargest) throw std::length_error("an exchange of more than MPI counts");
    }

    static constexpr std::size_t kLargest = std::numeric_limits<int>::max();
    std::vector<int> counts, displacements;
};

class MpiCommunicator : public Communicator {
  public:
    explicit MpiCommunicator(MPI_Comm all) : all_(all) {
        check(MPI_Comm_rank(all_, &rank_));
        check(MPI_Comm_size(all_, &size_));
        MPI_Comm host;
        check(MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host));
        check(MPI_Comm_rank(host, &host_rank_));
        check(MPI_Comm_size(host, &host_size_));
        check(MPI_Comm_free(&host));
        long long first = getpid();
        check(MPI_Bcast(&first, 1, MPI_LONG_LONG, 0, all_));
        first_process_ = host_size_ == size_ ? pid_t(first) : 0;
    }
    ~MpiCommunicator() override {
        if (all_ != MPI_COMM_WORLD) MPI_Comm_free(&all_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int host_rank() const override { return host_rank_; }
    int host_size() const override { return host_size_; }

    std::unique_ptr<Communicator> first(int count) override {
        const Patience patience;
        MPI_Comm some;
        check(MPI_Comm_split(all_, rank_ < count ? 0 : MPI_UNDEFINED, rank_, &some));
        return some == MPI_COMM_NULL ? nullptr : std::make_unique<MpiCommunicator>(some);
    }

    void broadcast(Bytes& message) override {
        unsigned long long bytes = message.size();
        MPI_Request arrived;
        check(MPI_Ibcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, all_, &arrived));
        const auto has_arrived = [&] {
            int done = 0;
            check(MPI_Test(&arrived, &done, MPI_STATUS_IGNORE));
            return done != 0;
        };
        wait_idly(has_arrived, kGraceSeconds);
        const Patience patience{std::size_t(bytes)};
        message.resize(std::size_t(bytes));
        for (std::size_t at = 0; at < message.size(); at += kPiece)
            check(MPI_Bcast(
                message.data() + at, int(std::min(kPiece, message.size() - at)), MPI_BYTE, 0, all_));
    }

    std::vector<Bytes> gather(const Bytes& own, std::size_t bytes_before) override {
        const Patience patience(bytes_before);
        std::vector<Bytes> all;
        for (int each = 0; each < size_; ++each) {
            Bytes message = each == rank_ ? own : Bytes();
            unsigned long long bytes = message.size();
            check(MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, each, all_));
            message.resize(std::size_t(bytes));
            check(MPI_Bcast(message.data(), int(bytes), MPI_BYTE, each, all_));
            all.push_back(std::move(message));
        }
        return all;
    }

    void sum(std::span<std::uint64_t> counts) override {
        const Patience patience;
        check(MPI_Allreduce(MPI_IN_PLACE, counts.data(), int(counts.size()), MPI_UINT64_T, MPI_SUM, all_));
    }

    void send(const void* data, std::size_t bytes, int to) override {
        const Patience patience(bytes);
        const auto* from = static_cast<const std::byte*>(data);
        for (std::size_t at = 0; at < bytes; at += kPiece)
            check(MPI_Send(from + at, int(std::min(kPiece, bytes - at)), MPI_BYTE, to, 0, all_));
    }

    void receive(void* data, std::size_t bytes, int from) override {
        const Patience patience(bytes);
        auto* to = static_cast<std::byte*>(data);
        for (std::size_t at = 0; at < bytes; at += kPiece)
            check(MPI_Recv(
                to + at, int(std::min(kPiece, bytes - at)), MPI_BYTE, from, 0, all_, MPI_STATUS_IGNORE));
    }

    int wait_for_sender() override {
        MPI_Status status;
        const auto has_come = [&] {
            int there = 0;
            check(MPI_Iprobe(MPI_ANY_SOURCE, 0, all_, &there, &status));
            return there != 0;
        };
        wait_idly(has_come, kWorkSeconds);
        return status.MPI_SOURCE;
    }

    void exchange(const Neighbour& above, const Neighbour& below, std::size_t bytes) override {
        const Patience patience;
        if (bytes > kPiece) throw std::length_error("a halo of more than a gibibyte");
        constexpr int kUp = 1, kDown = 2;
        std::array<MPI_Request, 4> under_way;
        int count = 0;
        const auto pass = [&](const Neighbour& with, int giving, int taking) {
            if (with.rank < 0) return;
            check(MPI_Irecv(with.take, int(bytes), MPI_BYTE, with.rank, taking, all_, &under_way[count++]));
            check(MPI_Isend(with.give, int(bytes), MPI_BYTE, with.rank, giving, all_, &under_way[count++]));
        };
        pass(above, kUp, kDown);
        pass(below, kDown, kUp);
        check(MPI_Waitall(count, under_way.data(), MPI_STATUSES_IGNORE));
    }

    void all_to_all(const void* give,
                    std::span<const std::size_t> give_bytes,
                    void* take,
                    std::span<const std::size_t> take_bytes) override {
        const Patience patience;
        const Counts given(give_bytes), taken(take_bytes);
        check(MPI_Alltoallv(give,
                            given.counts.data(),
                            given.displacements.data(),
                            MPI_BYTE,
                            take,
                            taken.counts.data(),
                            taken.displacements.data(),
                            MPI_BYTE,
                            all_));
    }

    [[noreturn]] void abort(int status) override {
        MPI_Abort(all_, status);
        std::_Exit(status);
    }

  private:
    template <class Test>
    void wait_idly(const Test& is_done, int grace_seconds) {
        const auto start = std::chrono::steady_clock::now();
        auto told = start;
        while (!is_done()) {
            const auto now = std::chrono::steady_clock::now();
            if (now - start > kBusy) std::this_thread::sleep_for(kNap);
            // Process 0 may still write files.
            const bool needed = rank_ > 0 && first_process_ != 0 && kill(first_process_, 0) == 0;
            if (!is_told_to_end() || needed) told = now;
            if (now - told > std::chrono::seconds(grace_seconds)) give_up();
        }
    }

    MPI_Comm all_;
    int rank_ = 0, size_ = 1, host_rank_ = 0, host_size_ = 1;
    pid_t first_process_ = 0;  ///< pid of process 0 if all are on one host
};

}  // namespace

}  // namespace stencil

extern "C" __attribute__((visibility("default"))) stencil::Communicator* stencilscope_begin_mpi(
    int (*interrupted)()) {
    using namespace stencil;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    was_interrupted = interrupted;
    auto comm = std::make_unique<MpiCommunicator>(MPI_COMM_WORLD);
    // The launcher signals all processes; process 0 decides how the run ends.
    if (comm->rank() > 0) {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note_end);
        std::signal(SIGUSR1, SIG_IGN);
    }
    std::signal(SIGALRM, count_second);
    const itimerval seconds{{1, 0}, {1, 0}};
    setitimer(ITIMER_REAL, &seconds, nullptr);
    return comm.release();
}

extern "C" __attribute__((visibility("default"))) void stencilscope_end_mpi() {
    const stencil::Patience patience;
    MPI_Finalize();
}
