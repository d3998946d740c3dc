// The program: reads the command line, runs the command, and turns what goes wrong into one line and an exit
// status.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "app/command_line.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/launch.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "sim/machine/kernel_cache.h"
#include "sim/spread/part.h"
#include "sim/spread/spread_solver.h"
#include "sim/text/error.h"

namespace {

// Exit status: 2 for what was asked, 1 for what the machine could not do.
int fail(int status, const char* message) {
    stencil::note("stencilscope: {}\n", message);
    return status;
}

template <class Work>
int status_of(const Work& work) {
    try {
        return work();
    } catch (const stencil::InputError& error) {
        return fail(2, error.what());
    } catch (const std::bad_alloc&) {
        return fail(1, "out of memory; smaller sizes need less");
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

// Process 0 of several runs the command, and the others do what that needs of them.
int run_as_one_of_several(int argc, char** argv) {
    stencil::Team::begin(stencil::interrupt_signal);
    stencil::Team& team = stencil::Team::all();
    stencil::choose_gpu_of_process(team);
    if (team.rank() > 0) {
        stencil::serve(team);
        stencil::Team::end();
        return 0;
    }
    const int status = run(argc, argv);
    if (const std::string why = stencil::why_kernels_not_kept(); !why.empty())
        stencil::note("note: {}\n", why);
    stencil::dismiss_team();
    stencil::Team::end();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    stencil::reserve_standard_files();
    // A file that may not grow further is a failed write with a message, not the end of the program.
    std::signal(SIGXFSZ, SIG_IGN);
    // Whoever started this program may have it ignored, and then no child's end could be waited for.
    std::signal(SIGCHLD, SIG_DFL);
    const int status = status_of([&] { return run_as_one_of_several(argc, argv); });
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return status;
#else
    // All files are closed by now. Threads may still be at work: NVRTC cannot be interrupted, and where
    // memory is short OpenBLAS would be waited for for ever.
    std::fflush(stdout);
    std::_Exit(status);
#endif
}
