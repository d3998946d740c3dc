// Entry point: parses the command line, runs the command, and turns errors into one line and an exit status.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "app/command_line.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/launch.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/team.h"
#include "sim/machine/kernel_cache.h"
#include "sim/text/error.h"

namespace {

// Statuses: 2 for bad input, 1 for a failure of the machine.
int fail(int status, const std::string& message) {
    stencil::note("stencilscope: {}\n", message);
    return status;
}

// Allocates nothing, and says so once.
int fail_without_memory() {
    static std::atomic_flag said;
    constexpr std::string_view text = "stencilscope: out of memory; smaller sizes need less\n";
    if (!said.test_and_set()) static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
    return 1;
}

// Replaces std::terminate(): std::bad_alloc may leave a thread, a handler or a noexcept function, and then
// ends the program with the same line and status as elsewhere.
std::terminate_handler usual_end = nullptr;
[[noreturn]] void end() {
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        std::_Exit(fail_without_memory());
    } catch (...) {
    }
    usual_end();
    std::abort();
}
[[gnu::constructor(101)]] void set_end() {
    usual_end = std::set_terminate(end);
}

template <class Work>
int status_of(const Work& work) {
    try {
        return work();
    } catch (const stencil::InputError& error) {
        return fail(2, error.in_sentence());
    } catch (const std::bad_alloc&) {
        return fail_without_memory();
    } catch (const std::exception& error) {
        return fail(1, error.what());
    }
}

int run(int argc, char** argv) {
    return status_of([&] {
        if (const auto status = stencil::launch_processes(argc, argv)) return *status;
        const int status = stencil::read_command_line(argc, argv)();
        if (status == 0) stencil::require_printed();
        return status;
    });
}

// Rank 0 runs the command; the other ranks serve it.
int run_as_one_of_several(int argc, char** argv) {
    stencil::Communicator::begin(stencil::interrupt_signal);
    stencil::Communicator& comm = stencil::Communicator::all();
    stencil::require_same_program(comm);
    stencil::choose_gpu_of_process(comm);
    if (comm.rank() > 0) {
        stencil::serve(comm);
        stencil::Communicator::end();
        return 0;
    }
    const int status = run(argc, argv);
    if (const std::string why = stencil::why_kernels_not_kept(); status == 0 && !why.empty())
        stencil::note("note: {}\n", why);
    stencil::dismiss_team();
    stencil::Communicator::end();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    stencil::reserve_standard_files();
    // At the file size limit a write then fails with an error instead of ending the program.
    std::signal(SIGXFSZ, SIG_IGN);
    // A parent may have set SIGCHLD to be ignored, which would make waitpid() on children fail.
    std::signal(SIGCHLD, SIG_DFL);
    const int status = status_of([&] { return run_as_one_of_several(argc, argv); });
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return status;
#else
    // Skip static destructors; all files are closed by now. Threads may still be busy in NVRTC, which cannot
    // be interrupted, and OpenBLAS may hang at exit when memory is short.
    std::fflush(stdout);
    std::_Exit(status);
#endif
}
