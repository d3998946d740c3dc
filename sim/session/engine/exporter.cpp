#include "sim/session/engine/exporter.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/files/folder.h"
#include "sim/run/output/exports.h"

namespace stencil {
namespace {

Exporter::Outcome outcome_of(const std::function<std::string()>& work) {
    try {
        return {false, work()};
    } catch (const std::bad_alloc&) {
        return {true, "export: not enough host memory; fewer files at a time need less"};
    } catch (const std::exception& error) {
        return {true, error.what()};
    }
}

}  // namespace

std::string ExportOrder::write() const {
    make_folder(folder, "export to");
    const auto files = write_exports(folder, output);
    return fmt::format("Wrote {} files to {}{}", files.size(), folder.string(), remark);
}

std::filesystem::path unused_folder(const std::filesystem::path& folder,
                                    const std::vector<std::string>& files) {
    std::filesystem::path plain = folder.lexically_normal();
    if (!plain.has_filename()) plain = plain.parent_path();  // "out/"
    const auto holds_any = [&](const std::filesystem::path& candidate) {
        std::error_code failed;
        return std::ranges::any_of(files, [&](const std::string& file) {
            return std::filesystem::exists(candidate / file, failed);
        });
    };
    if (!holds_any(folder)) return folder;
    for (int number = 2;; ++number) {
        std::filesystem::path next = plain;
        next += fmt::format("-{}", number);
        if (!holds_any(next)) return next;
    }
}

void Exporter::start(std::function<std::string()> work) {
    writing_ = std::async(std::launch::async, outcome_of, std::move(work));
}

std::optional<Exporter::Outcome> Exporter::poll() {
    if (!busy() || writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return std::nullopt;
    return writing_.get();
}

}  // namespace stencil
