#include "sim/examples/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/machine/median.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr std::size_t kNameWidth = 42;

constexpr std::string_view kSeconds = "_seconds";

bool is_time(std::string_view name) {
    return name.ends_with(kSeconds);
}

// Three significant figures without powers of ten.
std::string figures(double value) {
    if (!(value > 0)) return fmt::format("{:g}", value);
    // 9.996 rounds to 10.0 and not to 10.00.
    const int decimals = 2 - int(std::floor(std::log10(value * (1 + 5e-4))));
    return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 4));
}

std::string error_text(const ReportRow& row) {
    if (!std::isfinite(row.error)) return "-";
    return fmt::format("{:.1e}", row.error);
}

std::string cell_text(const nlohmann::ordered_json& cell) {
    if (cell.is_null()) return "-";
    if (cell.is_string()) return cell.get<std::string>();
    if (cell.is_number_float()) return fmt::format("{:.6g}", cell.get<double>());
    return cell.dump();
}

// The notes that follow a row: marks, checks, transfers, memory.
std::string remarks(const ReportRow& row) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (row.failed) add("WRONG");
    if (row.unreached) add("NOT REACHED");
    if (row.inexact) add("inexact");
    if (const std::string noise = noise_text(row.spread); !noise.empty()) add(noise);
    if (!row.check.empty()) add(row.check);
    if (std::isfinite(row.to_device_seconds)) add("to the GPU " + format_time(row.to_device_seconds));
    if (std::isfinite(row.to_host_seconds)) add("back " + format_time(row.to_host_seconds));
    if (row.gpu_memory)
        add(fmt::format("GPU memory {} of {} predicted",
                        format_bytes(row.gpu_memory->actual),
                        format_bytes(row.gpu_memory->predicted)));
    for (const auto& [name, value] : row.more) add(more_name(name) + " " + more_text(name, value));
    return text;
}

// Broken after semicolons, so that lines stay within a terminal's width where that is possible.
std::string broken(const std::string& text, const std::string& indent) {
    constexpr std::size_t kWidth = 110;
    std::string lines = indent;
    std::size_t width = 0;
    for (const std::string& part : split(text, ';')) {
        if (width > 0 && width + part.size() > kWidth) {
            lines += ";\n" + indent + part.substr(part.find_first_not_of(' '));
            width = part.size();
            continue;
        }
        lines += (width > 0 ? ";" : "") + part;
        width += part.size() + 1;
    }
    return lines + "\n";
}

// Columns as wide as their widest cell; numbers to the right.
std::string table_text(const ReportTable& table) {
    std::vector<std::size_t> widths;
    for (const std::string& column : table.columns) widths.push_back(column.size());
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
            widths[i] = std::max(widths[i], cell_text(row[i]).size());
    std::string text = fmt::format("\n{}\n", table.title);
    for (std::size_t i = 0; i < widths.size(); ++i)
        text += fmt::format("  {:>{}}", table.columns[i], widths[i]);
    text += "\n";
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
            text += row[i].is_string() ? fmt::format("  {:<{}}", cell_text(row[i]), widths[i])
                                       : fmt::format("  {:>{}}", cell_text(row[i]), widths[i]);
        text += "\n";
    }
    return text;
}

std::string setting_text(const nlohmann::ordered_json& value) {
    if (!value.is_array()) return cell_text(value);
    std::string text;
    for (const auto& one : value) {
        if (!text.empty()) text += ',';
        text += cell_text(one);
    }
    return text;
}

bool counts(const ReportRow& row) {
    return row.measured() && !row.inexact && !row.failed && !row.not_compared && row.seconds > 0;
}

const ReportRow* fastest(const Report& report, const ReportRow& like, Device device) {
    const ReportRow* best = nullptr;
    for (const ReportRow& row : report.rows) {
        if (!counts(row) || row.backend != device || row.work != like.work || row.dtype != like.dtype)
            continue;
        if (!best || row.seconds < best->seconds) best = &row;
    }
    return best;
}

}  // namespace

std::vector<SpeedUp> speedups_of(const Report& report) {
    std::vector<SpeedUp> all;
    for (const ReportRow& row : report.rows) {
        const bool known = std::ranges::any_of(
            all, [&](const SpeedUp& one) { return one.work == row.work && one.dtype == row.dtype; });
        if (known) continue;
        const ReportRow* cpu = fastest(report, row, Device::cpu);
        const ReportRow* gpu = fastest(report, row, Device::cuda);
        if (cpu && gpu)
            all.push_back({row.work, row.dtype, cpu->name, gpu->name, cpu->seconds / gpu->seconds});
    }
    return all;
}

std::string format_time(double seconds) {
    if (!std::isfinite(seconds)) return "-";
    if (seconds < 0.9995e-3) return figures(seconds * 1e6) + " us";
    if (seconds < 0.9995) return figures(seconds * 1e3) + " ms";
    return figures(seconds) + " s";
}

std::string more_name(std::string_view name) {
    if (is_time(name)) name.remove_suffix(kSeconds.size());
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string more_text(std::string_view name, const nlohmann::ordered_json& value) {
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (!value.is_number_float()) return cell_text(value);
    return is_time(name) ? format_time(value.get<double>()) : fmt::format("{:.3g}", value.get<double>());
}

std::string rate_text(const ReportRow& row) {
    if (row.rates.empty()) return "";
    const Rate& rate = row.rates.front();
    std::string text = fmt::format("{} {}", figures(rate.value), rate.unit);
    if (rate.limit > 0)
        text += fmt::format(", {:.{}f}% of {}",
                            100 * rate.value / rate.limit,
                            rate.value / rate.limit < 0.0995 ? 1 : 0,
                            rate.limit_name);
    return text;
}

std::string speedup_text(const SpeedUp& one) {
    return fmt::format("{}, {}: {} (GPU) is {} times as fast as {} (CPU)",
                       one.work,
                       name_of(one.dtype),
                       one.gpu,
                       figures(one.ratio),
                       one.cpu);
}

bool same_group(const ReportRow& a, const ReportRow& b) {
    return a.work == b.work && a.dtype == b.dtype;
}

std::string intro_text(const Report& report) {
    std::string settings;
    for (const auto& [name, value] : report.settings.items()) {
        const std::string text = setting_text(value);
        if (value.is_null() || text.empty()) continue;
        settings += fmt::format("{}{} {}", settings.empty() ? "" : ", ", name, text);
    }
    return fmt::format("{}: {}\nCPU: {}; GPU: {}\n", report.example, settings, report.cpu, report.gpu);
}

bool lacks_gpu(const Report& report, const ReportRow& row) {
    return !report.has_gpu && !row.measured() && row.why_not == report.gpu;
}

std::string missing_gpu_text(const Report& report) {
    const auto rows =
        std::ranges::count_if(report.rows, [&](const ReportRow& row) { return lacks_gpu(report, row); });
    if (rows == 0) return "";
    return fmt::format("{} {} a GPU: {}", rows, rows == 1 ? "row needs" : "rows need", report.gpu);
}

namespace {

std::string group_text(const ReportRow& row) {
    return fmt::format("\n{}, {}\n  {:<{}} {:<4} {:>8} {:>6} {:>4} {:>8}  {}\n",
                       row.work,
                       name_of(row.dtype),
                       "how",
                       kNameWidth,
                       "on",
                       "time",
                       "spread",
                       "runs",
                       "error",
                       "rate");
}

std::string row_text(const ReportRow& row) {
    const char* device = row.backend == Device::cpu ? "CPU" : "GPU";
    if (!row.measured()) return fmt::format("  {:<{}} {:<4} {}\n", row.name, kNameWidth, device, row.why_not);
    const std::string more = remarks(row);
    std::string text = fmt::format("  {:<{}} {:<4} {:>8} {:>5.1f}% {:>4} {:>8}  {}\n",
                                   row.name,
                                   kNameWidth,
                                   device,
                                   format_time(row.seconds),
                                   100 * row.spread,
                                   row.repeats,
                                   error_text(row),
                                   rate_text(row));
    if (!more.empty()) text += broken(more, "    ");
    return text;
}

}  // namespace

std::string rows_text(const Report& report, std::size_t first) {
    std::string text;
    const ReportRow* above = nullptr;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        const ReportRow& row = report.rows[i];
        if (lacks_gpu(report, row)) continue;
        if (i >= first && (!above || !same_group(*above, row))) text += group_text(row);
        if (i >= first) text += row_text(row);
        above = &row;
    }
    return text;
}

std::string closing_text(const Report& report) {
    const std::string missing = missing_gpu_text(report);
    std::string text = missing.empty() ? "" : "\n" + missing + "\n";
    for (const ReportTable& table : report.tables) text += table_text(table);
    const auto speedups = speedups_of(report);
    if (!speedups.empty()) text += "\n";
    for (const SpeedUp& one : speedups) text += speedup_text(one) + "\n";
    if (!report.notes.empty()) text += "\n";
    for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
    return text;
}

}  // namespace stencil
