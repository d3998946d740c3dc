// The lessons of `stencilscope learn`: the check refuses each broken kernel with what it teaches, and takes
// each solution.
#include "sim/kernel_trial/lessons.h"

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/kernel_trial/cpu_kernel.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

using namespace stencil::user_kernel;

namespace {

void require_cpp_compiler_of_lessons() {
    try {
        find_cpp_compiler();
    } catch (const MachineError& error) {
        skip(error.what());
    }
}

/// A new folder in which the program runs.
struct WorkingFolder : ScratchFolder {
    WorkingFolder() { std::filesystem::current_path(path()); }
    ~WorkingFolder() { std::filesystem::current_path(before); }
    std::filesystem::path before = std::filesystem::current_path();
};

/// What the check of a lesson's broken kernel has to say.
const std::vector<std::vector<std::string>> kTeaches{
    {"writes outside of the field", "line 32"},
    {"a race", "in line 34 what", "in line 39"},
    {"a barrier in a branch", "line 37", "has ended without it"},
    {"times the sectors of 32 bytes", "line 2"},
    {"over the banks of shared memory", "line 4"},
    {"bytes in local memory", "spills"},
    {"not a number", "line 39 reads a place of shared memory that no thread has written"},
    {"under the insulated boundary", "as the cell at the edge"},
    {"on 60000x60000 cells", "keep it in a long long"},
    {"it loads 5.0 cells for each"}};

}  // namespace

TEST_CASE("Each broken kernel of the lessons is refused with what it teaches, and each solution passes") {
    require_cpp_compiler_of_lessons();
    REQUIRE(lessons().size() == kTeaches.size());
    for (const Lesson& lesson : lessons()) {
        INFO(lesson.number() << ": " << lesson.title);
        if (lesson.need == Lesson::Need::no_spills && !equation::why_no_nvrtc().empty()) continue;
        const auto check = [&](std::string_view text) {
            TrialRequest request = lesson_request(lesson, lesson.file(), std::string(text));
            request.program = program_file();
            TrialReport report = try_kernel(request);
            add_lack(lesson, lesson.file(), report);
            return report.fault;
        };
        const std::string fault = check(lesson.text());
        INFO(fault);
        CHECK(fault.starts_with(lesson.file() + ": "));
        CHECK_FALSE(contains(fault, "\n"));
        for (const std::string& part : kTeaches[std::size_t(lesson.number() - 1)]) {
            INFO(part);
            CHECK(contains(fault, part));
        }
        CHECK(check(lesson.solution()) == "");
        CHECK_FALSE(lesson.hint.empty());
        CHECK(lesson.task().ends_with("."));
        CHECK_FALSE(contains(lesson.task(), "//"));
    }
}

TEST_CASE("learn lists the lessons, writes a broken kernel, checks it and remembers what is done") {
    require_cpp_compiler_of_lessons();
    const OwnSettings settings;
    const WorkingFolder here;
    CHECK_FALSE(contains(require_done(stencilscope("learn")).out, "done"));
    CHECK(contains(require_done(stencilscope("learn 1")).out, "01_out_of_bounds.cu"));
    CHECK(read_bytes("01_out_of_bounds.cu") == lessons()[0].text());
    require_refused(stencilscope("learn 1"), 2, "--replace");
    require_refused(stencilscope("learn 1 --check 01_out_of_bounds.cu"), 2, "writes outside of the field");
    write_bytes("01_out_of_bounds.cu", require_done(stencilscope("learn 1 --solution")).out);
    CHECK(
        contains(require_done(stencilscope("learn 1 --check 01_out_of_bounds.cu")).out, "lesson 1 is done"));
    CHECK(contains(require_done(stencilscope("learn")).out, "Out of bounds        done"));
    require_done(stencilscope("learn 1 --replace"));
    CHECK(read_bytes("01_out_of_bounds.cu") == lessons()[0].text());
    CHECK(contains(require_done(stencilscope("learn 2 --hint")).out, "wait"));
    require_refused(
        stencilscope("learn 11"), 2, "stencilscope: learn 11: there is no such lesson; allowed: 1 to 10");
    require_refused(stencilscope("learn --hint"), 2, "which lesson");
}
