#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli.h"
#include "app/commands/commands.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/files/atomic_file.h"
#include "sim/kernel_trial/lessons.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

struct LearnRequest {
    std::string number;  ///< empty: list the lessons
    std::string check;   ///< file of an answer; empty: none
    bool hint = false, solution = false, replace = false;
};

int list_lessons() {
    const auto done = user_kernel::lessons_done();
    for (const user_kernel::Lesson& lesson : user_kernel::lessons()) {
        const bool is_done = std::ranges::find(done, lesson.number()) != done.end();
        print("{:4}  {:<21}{}\n", lesson.number(), lesson.title, is_done ? "done" : "");
    }
    print("Kernels to mend. 'stencilscope learn 1' writes the first into this folder.\n");
    return 0;
}

int check_answer(const user_kernel::Lesson& lesson, const std::string& file) {
    watch_for_interrupts();
    const user_kernel::TrialRequest request =
        user_kernel::lesson_request(lesson, file, user_kernel::kernel_text(file));
    ProgressLine progress(false);
    user_kernel::TrialReport report = user_kernel::try_kernel(
        request,
        [&](const std::string& doing) {
            if (progress.due()) progress.show(doing);
        },
        [] { return interrupt_signal() != 0; });
    progress.clear();
    if (interrupt_signal() != 0) return 128 + interrupt_signal();
    user_kernel::add_lack(lesson, file, report);
    if (!report.fault.empty()) throw InputError(report.fault);
    user_kernel::keep_done(lesson);
    print("{}: right under every boundary: lesson {} is done\n",
          fs::path(file).filename().string(),
          lesson.number());
    return 0;
}

int learn_command(const LearnRequest& request) {
    const bool asks = !request.check.empty() || request.hint || request.solution || request.replace;
    if (request.number.empty()) {
        if (asks) throw InputError("learn: which lesson? 'stencilscope learn' lists them");
        return list_lessons();
    }
    const auto all = user_kernel::lessons();
    const auto found = std::ranges::find_if(
        all, [&](const auto& one) { return std::to_string(one.number()) == request.number; });
    if (found == all.end())
        throw InputError(
            "learn {}: there is no such lesson; allowed: 1 to {}", printable(request.number), all.size());
    const user_kernel::Lesson& lesson = *found;
    if (!request.check.empty()) return check_answer(lesson, request.check);
    if (request.hint) print("{}\n", lesson.hint);
    if (request.solution) print_text(lesson.solution());
    if (request.hint || request.solution) return 0;
    const std::string file = lesson.file();
    if (!request.replace && fs::exists(fs::symlink_status(file)))
        throw InputError("{} is there already: --replace writes the broken kernel over it", file);
    write_text_file(file, lesson.text());
    print("wrote {0}. To find: {1}\nThen 'stencilscope learn {2} --check {0}'; --hint gives a hint.\n",
          file,
          lesson.task(),
          lesson.number());
    return 0;
}

}  // namespace

void add_learn(CLI::App& app, ChosenCommand& chosen) {
    const auto request = std::make_shared<LearnRequest>();
    CLI::App* learn = app.add_subcommand("learn", "Ten broken CUDA kernels to mend, checked without a GPU");
    learn->add_option("NUMBER",
                      request->number,
                      "writes the broken kernel of this lesson into this folder (without: a list of all)");
    learn
        ->add_option(
            "--check", request->check, "check a mended kernel: is it right, and does it waste nothing?")
        ->type_name("FILE.cu");
    learn->add_flag("--hint", request->hint, "print a hint");
    learn->add_flag("--solution", request->solution, "print the mended kernel, with what it was about");
    learn->add_flag("--replace", request->replace, "write over a file that is there already");
    learn->final_callback([request, &chosen] { chosen = [request] { return learn_command(*request); }; });
}

}  // namespace stencil
