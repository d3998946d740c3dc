#include "app/commands/example_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/examples/context.h"
#include "sim/examples/report/report_files.h"
#include "sim/examples/report/report_text.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

// Prints rows as they are measured, with a header for each group.
class ExampleTable {
  public:
    explicit ExampleTable(bool quiet) : quiet_(quiet) {}

    void show(const Report& report, ProgressLine& progress) {
        if (quiet_ || (shown_ > 0 && shown_ == report.rows.size())) return;
        progress.clear();
        if (!begun_) print_text(intro_text(report));
        begun_ = true;
        print_text(rows_text(report, shown_));
        shown_ = report.rows.size();
    }

  private:
    bool quiet_;
    bool begun_ = false;
    std::size_t shown_ = 0;
};

Report work(const ExampleOrder& order, const Machine& machine) {
    ProgressLine progress(order.quiet);
    ExampleTable table(order.quiet);
    ExampleWatch watch;
    watch.cancelled = [] { return interrupt_signal() != 0; };
    watch.progress = [&](double share, const std::string& doing) {
        if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * share, doing));
    };
    watch.news = [&](const Report& report) { table.show(report, progress); };
    Report report = run_example(order.request, machine, watch);
    table.show(report, progress);
    return report;
}

void write_files(const ExampleOrder& order, const Report& report) {
    std::vector<fs::path> files(report.files.begin(), report.files.end());
    if (!order.request.out.empty())
        for (const fs::path& file : write_report(report, order.request.out)) files.push_back(file);
    if (!order.json.empty()) {
        write_text_file(order.json, json_text(to_json(report)));
        files.emplace_back(order.json);
    }
    if (!order.quiet) print_written(files);
}

// Returns the input files among the options.
std::vector<std::string> files_of(const OptionValues& options) {
    std::vector<std::string> files;
    for (const ExampleOption& option : options.options())
        if (option.kind == ExampleOption::Kind::file)
            for (std::string& file : options.all(option.name)) files.push_back(std::move(file));
    return files;
}

}  // namespace

std::string list_examples() {
    std::string text;
    for (const Example& example : examples())
        text += fmt::format("  {:<12} {}\n", example.name, example.summary);
    return text;
}

int example_command(const ExampleOrder& order) {
    watch_for_interrupts();
    const Machine machine = query_machine();
    require_backend(order.request.backend, machine);
    order.request.example->check(order.request);
    check_json_file(order.json, order.request.out, files_of(order.request.options));
    if (!order.request.out.empty()) make_folder(order.request.out, "--out");
    const Report report = work(order, machine);
    if (!order.quiet) print_text(closing_text(report));
    write_files(order, report);
    if (interrupt_signal() != 0) {
        note("stencilscope: interrupted after {} rows\n", report.rows.size());
        return 128 + interrupt_signal();
    }
    const auto wrong = std::ranges::count_if(report.rows, &ReportRow::failed);
    if (wrong == 0) return 0;
    note("stencilscope: {} of {} rows came out wrong\n", wrong, report.rows.size());
    return 1;
}

}  // namespace stencil
