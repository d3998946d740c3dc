#include "app/bench_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/bench/ladder.h"
#include "sim/bench/ladder_chart.h"
#include "sim/bench/ladder_report.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/error.h"
#include "sim/text/json_text.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

bool any_measured(const std::vector<LadderRow>& rows) {
    return std::ranges::any_of(rows, [](const LadderRow& row) { return row.measured(); });
}

// The rows appear as they are measured, from the first one on that was.
class Table {
  public:
    Table(const Machine& machine, bool quiet) : machine_(machine), quiet_(quiet) {}

    void show(const Ladder& ladder, ProgressLine& progress) {
        if (quiet_ || ladder.rows().size() == shown_ || !any_measured(ladder.rows())) return;
        const LadderReport report = make_report(ladder, machine_);
        progress.clear();
        if (shown_ == 0) print("{}{}", intro_text(report), header_text(report));
        for (; shown_ < report.rows.size(); ++shown_) print_text(row_text(report, report.rows[shown_]));
    }

  private:
    const Machine& machine_;
    bool quiet_;
    std::size_t shown_ = 0;
};

void print_notice(const BenchRequest& request, const LadderSpec& resolved, const Machine& machine) {
    const bool fell_back = request.spec.run.backend == "auto" && resolved.run.backend == "cpu";
    if (fell_back && request.spec.methods.empty() && machine.cuda.built_in)
        note("note: {}: using the CPU\n", machine.cuda.why_none);
}

void climb(Ladder& ladder, Table& table, bool quiet) {
    ProgressLine progress(quiet);
    while (!ladder.done() && interrupt_signal() == 0) {
        ladder.work();
        table.show(ladder, progress);
        if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * ladder.share(), ladder.doing()));
    }
}

// Nothing at all could be measured: that is no table but an error.
void require_rows(const LadderReport& report) {
    if (report.interrupted || report.rows.empty() || any_measured(report.rows)) return;
    const LadderRow& row = report.rows.front();
    throw MachineError(fmt::format("nothing can be measured: {}: {}", row.method->name, row.why_not));
}

std::vector<fs::path> write_files(const BenchRequest& request, const LadderReport& report) {
    std::vector<fs::path> files;
    const auto put = [&](const fs::path& path, const std::string& text) {
        write_text_file(path, text);
        files.push_back(path);
    };
    const std::string json = json_text(to_json(report));
    if (!request.out.empty()) {
        const fs::path folder = request.out;
        put(folder / "bench.json", json);
        put(folder / "bench.csv", to_csv(report));
        put(folder / "bench.png", draw_ladder(report, figure::FigureFormat::png));
        put(folder / "bench.svg", draw_ladder(report, figure::FigureFormat::svg));
    }
    if (!request.json.empty()) put(request.json, json);
    return files;
}

}  // namespace

int bench_command(const BenchRequest& request) {
    watch_for_interrupts();
    const Machine machine = query_machine();
    const LadderSpec spec = resolve(request.spec, machine);
    print_notice(request, spec, machine);
    check_json_file(request.json, request.out, {});
    if (!request.out.empty()) make_folder(request.out, "--out");

    Ladder ladder(spec, machine);
    Table table(machine, request.quiet);
    climb(ladder, table, request.quiet);
    const LadderReport report = make_report(ladder, machine);
    require_rows(report);
    for (const fs::path& file : write_files(request, report)) {
        std::error_code ignored;
        if (!request.quiet)
            print("wrote {} ({})\n", file.string(), format_bytes(double(fs::file_size(file, ignored))));
    }
    if (interrupt_signal() == 0) return 0;
    note("stencilscope: interrupted after {} of {} rows\n",
         report.rows.size(),
         spec.sizes.size() * spec.methods.size());
    return 128 + interrupt_signal();
}

}  // namespace stencil
