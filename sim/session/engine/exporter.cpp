#include "sim/session/engine/exporter.h"

#include <fmt/format.h>

#include "sim/files/folder.h"
#include "sim/run/output/exports.h"

namespace stencil {
namespace {

ExportOutcome outcome_of(const std::function<ExportOutcome(WriteProgress&)>& work, WriteProgress& progress) {
    try {
        return work(progress);
    } catch (const std::bad_alloc&) {
        return {"export: not enough host memory; fewer files at a time need less", "", true};
    } catch (const std::exception& error) {
        return {error.what(), "", true};
    }
}

}  // namespace

ExportOutcome ExportOrder::write(WriteProgress& progress) const {
    make_folder(folder, "export to");
    const auto [files, failures] = write_exports(folder, output, &progress);
    std::string text = fmt::format(
        "Wrote {} file{} to {}{}", files.size(), files.size() == 1 ? "" : "s", folder.string(), remark);
    if (progress.cancelled)
        text += fmt::format("; stopped before the other {}", progress.all - progress.done);
    if (!failures.empty()) text += "; not written: " + failures.front();
    if (failures.size() > 1) text += fmt::format(" (and {} more)", failures.size() - 1);
    return {text, folder.string(), !failures.empty()};
}

std::optional<double> Exporter::share() const {
    const std::size_t all = progress_.all;
    return busy() && all > 0 ? std::optional(double(progress_.done) / double(all)) : std::nullopt;
}

void Exporter::start(std::function<ExportOutcome(WriteProgress&)> work) {
    progress_.done = progress_.all = 0;
    progress_.cancelled = false;
    writing_ = std::async(std::launch::async, outcome_of, std::move(work), std::ref(progress_));
}

std::optional<ExportOutcome> Exporter::poll() {
    if (!busy() || writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return std::nullopt;
    return writing_.get();
}

}  // namespace stencil
