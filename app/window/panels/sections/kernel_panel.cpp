#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <utility>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/preferences.h"
#include "app/window/theme.h"
#include "sim/kernel_trial/lessons.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/ladder.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

std::string title_of(const user_kernel::Lesson& lesson) {
    return fmt::format("{}. {}", lesson.number(), lesson.title);
}

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

// The broken kernels of `stencilscope learn`.
void draw_lessons(UiState& ui, const user_kernel::Lesson* now) {
    const std::string shown = now ? title_of(*now) : "a broken kernel";
    combo_row(
        "Mend",
        shown.c_str(),
        "Writes one of ten broken kernels, unless it is there, and checks it on the CPU",
        [&] {
            const auto done = user_kernel::lessons_done();
            for (const user_kernel::Lesson& lesson : user_kernel::lessons()) {
                const bool is_done = std::ranges::find(done, lesson.number()) != done.end();
                if (choice(
                        (title_of(lesson) + (is_done ? ", done" : "")).c_str(), now == &lesson, lesson.hint))
                    start_kernel(ui, std::filesystem::path(lesson.file()).stem());
            }
        });
    if (now) paragraph("To find: " + now->task(), faint_color());
}

void draw_file(UiState& ui, const std::string& file) {
    row("Where", "The file that is watched");
    const std::string path = std::filesystem::absolute(file).lexically_normal().string();
    if (button("Open", button_size(1), path + "\nOpens it in the editor of the desktop"))
        open_folder(ui, file);
    paragraph(path, faint_color());
}

// The numbers that follow "line" in a sentence.
std::vector<std::size_t> lines_in(const std::string& sentence) {
    static const std::regex form("line (\\d{1,7})");
    std::vector<std::size_t> lines;
    for (std::sregex_iterator at(sentence.begin(), sentence.end(), form), end; at != end; ++at)
        lines.push_back(std::stoul((*at)[1]));
    return lines;
}

// The text around the first of the lines that a fault names, which are marked.
void draw_faulty_lines(const std::string& text, const std::string& fault) {
    constexpr std::size_t kAround = 3;
    const auto marked = lines_in(fault);
    const auto lines = split(text, '\n');
    if (marked.empty() || marked.front() == 0 || marked.front() > lines.size()) return;
    const auto [least, most] = std::ranges::minmax(marked);
    const std::size_t begin = std::max(least, kAround + 1) - kAround;
    const std::size_t end = std::min({lines.size(), most + kAround, begin + 5 * kAround});
    ImGui::PushFont(monospace_font());
    ImGui::BeginChild("faulty lines",
                      ImVec2(0, float(end - begin + 2) * ImGui::GetTextLineHeightWithSpacing()),
                      true,
                      ImGuiWindowFlags_HorizontalScrollbar);
    for (std::size_t number = begin; number <= end; ++number) {
        const bool is_marked = std::ranges::find(marked, number) != marked.end();
        ImGui::PushStyleColor(ImGuiCol_Text, is_marked ? warning_color() : faint_color());
        const std::string line =
            fmt::format("{:4}{} {}", number, is_marked ? '>' : ' ', printable(lines[number - 1]));
        ImGui::TextUnformatted(line.data(), line.data() + line.size());
        ImGui::PopStyleColor();
    }
    ImGui::EndChild();
    ImGui::PopFont();
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

void draw_report(UiState& ui, const user_kernel::KernelNews& news, const Snapshot& snapshot) {
    const user_kernel::TrialReport& report = *news.report;
    if (!report.compiled.empty()) paragraph(report.compiled, text_color());
    if (report.usage.registers > 0)
        draw_occupancy(ui,
                       report.usage,
                       user_kernel::read_launch_shape(news.text, news.file),
                       report.compute_capability);
    if (!report.fault.empty()) {
        error_text(report.fault);
        return draw_faulty_lines(news.text, report.fault);
    }
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
    draw_lessons(ui, state.file.empty() ? nullptr : user_kernel::lesson_of(state.file));
    const user_kernel::KernelNews& news = ui.kernel;
    if (state.file.empty())
        return paragraph(
            snapshot.machine && !snapshot.machine->has_cuda()
                ? "Write one step as a CUDA kernel. There is no GPU here to run it on, but whenever you save "
                  "the file it is compiled, and checked against the reference on the CPU."
                : "Write one step as a CUDA kernel. Whenever you save the file it is compiled, checked "
                  "against the reference and timed; once it is correct, it steps the field.",
            faint_color());
    draw_file(ui, state.file);
    if (news.file != state.file) return;
    if (!news.failure.empty()) error_text(news.failure);
    if (news.report) draw_report(ui, news, snapshot);
    if (!news.doing.empty()) paragraph(news.doing, faint_color());
    draw_live(ui, snapshot);
}

}  // namespace stencil
