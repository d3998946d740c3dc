#include <fmt/format.h>

#include <utility>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/preferences.h"
#include "sim/user_kernel/ladder.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

constexpr std::string_view kFileTip =
    "A CUDA source with one kernel, step(From from, To to, Size size, Parameters p). Each time it is saved, "
    "it is compiled, checked against the reference and timed. It can also be dropped on the "
    "window.\n--kernel FILE.cu";

void draw_starts(UiState& ui) {
    row("Start from", "A rung of the ladder to edit, written to the present folder");
    const auto& rungs = user_kernel::ladder();
    for (int i = 0; i < int(rungs.size()); ++i) {
        const user_kernel::Rung& rung = rungs[std::size_t(i)];
        if (i > 0) same_line();
        const std::string tip =
            fmt::format("{1}\nWrites {0}.cu, unless it exists, and watches it: open it in your editor",
                        rung.name,
                        rung.title);
        const bool pressed = button(std::to_string(i + 1).c_str(), button_size(int(rungs.size()) - i), tip);
        mark(ui, i == 0 ? TourSpot::kernel : TourSpot::none);
        if (pressed) start_kernel(ui, std::string(rung.name));
    }
}

void draw_speed(const SuiteRow& row, const Snapshot& snapshot) {
    if (!row.measured()) return paragraph(row.why_not, warning_color());
    if (!begin_values("kernel speed")) return;
    value_row("Step", row.speed.us_per_step, "\xc2\xb5s", "Median of all repeats");
    value_row("Updates", row.speed.gcells_per_s, "GCells/s", "Cell updates per second / 1e9");
    value_row(
        "Error",
        fmt::format("{:.1e}", row.error),
        "",
        fmt::format("Relative 2-norm against {} in float64, after {} steps", row.truth, row.total_steps));
    end_values();
    if (const double copy = snapshot.limits.copy_gb_per_s; copy > 0)
        share_bar(row.speed.effective_gb_per_s / copy,
                  format_share(row.speed.effective_gb_per_s / copy) + " of copy",
                  "Relative to a kernel that reads and writes every cell once per step");
}

void draw_report(const user_kernel::TrialReport& report, const Snapshot& snapshot) {
    if (!report.compiled.empty()) paragraph(report.compiled, text_color());
    if (!report.fault.empty()) return error_text(report.fault);
    if (!report.why_not.empty())
        paragraph("Not checked: no GPU here, and for the CPU: " + report.why_not, warning_color());
    if (report.on_cpu) paragraph("Checked on the CPU: " + report.cpu_words(), good_color());
    if (!report.on_gpu) return;
    paragraph(fmt::format("Correct on {} sizes; largest error {:.1e}", report.sizes, report.error),
              good_color());
    for (const SuiteRow& row : report.rows) draw_speed(row, snapshot);
}

void draw_live(UiState& ui, const Snapshot& snapshot) {
    if (!snapshot.machine || !snapshot.machine->has_cuda()) return;
    KernelState& state = ui.panel.kernel;
    row("Live", "");
    if (checkbox("once it is correct",
                 &state.live,
                 "The kernel steps the field instead of the method. If a saved file has a mistake, the "
                 "previous version stays. Choosing a method or backend replaces it.")) {
        state.sent.reset();
        if (!state.live && snapshot.now.kernel) ui.act(action::UseKernel{});
    }
    if (user_kernel::fits(snapshot.now))
        paragraph(snapshot.now.kernel->name + " steps the field", good_color());
}

}  // namespace

void choose_kernel(UiState& ui, const std::string& file) {
    KernelState& state = ui.panel.kernel;
    state.path = state.file = file;
    state.failure.clear();
    state.live = true;
    ui.ask(RevealSection{"Your kernel"});
}

void start_kernel(UiState& ui, const std::string& rung) {
    try {
        choose_kernel(ui, user_kernel::start_file(rung));
    } catch (const std::exception& error) {
        ui.panel.kernel.failure = error.what();
    }
}

void follow_kernel(UiState& ui, const Snapshot& snapshot) {
    KernelState& state = ui.panel.kernel;
    const auto& kernel = ui.kernel.kernel;
    const bool left = std::exchange(state.steps, snapshot.now.kernel != nullptr) && !snapshot.now.kernel;
    if (left && kernel == state.sent) state.live = false;  // the user chose another method
    if (!state.live || !kernel || kernel == state.sent || ui.kernel.file != state.file) return;
    RunSpec next = snapshot.now;
    next.kernel = kernel;
    next.backend = name_of(Device::cuda);
    if (!user_kernel::fits(next)) return;
    ui.act(action::UseKernel{kernel});
    state.sent = kernel;
}

void draw_kernel(UiState& ui, const Snapshot& snapshot) {
    const KernelState& state = ui.panel.kernel;
    row("File", kFileTip);
    if (path_input("##kernel", ui, ui.panel.kernel.path, PathKind::file, kFileTip)) {
        choose_kernel(ui, state.path);
        remember_path(ui.preferences, state.path);
    }
    if (!state.failure.empty()) error_text(state.failure);
    draw_starts(ui);
    const user_kernel::KernelNews& news = ui.kernel;
    if (state.file.empty())
        return paragraph(
            snapshot.machine && !snapshot.machine->has_cuda()
                ? "Write one step as a CUDA kernel. There is no GPU here to run it on, but whenever you save "
                  "the file it is compiled, and checked against the reference on the CPU."
                : "Write one step as a CUDA kernel. Whenever you save the file it is compiled, checked "
                  "against the reference and timed; once it is correct, it steps the field.",
            faint_color());
    if (news.file != state.file) return;
    if (!news.failure.empty()) error_text(news.failure);
    if (news.report) draw_report(*news.report, snapshot);
    if (!news.doing.empty()) paragraph(news.doing, faint_color());
    draw_live(ui, snapshot);
}

}  // namespace stencil
