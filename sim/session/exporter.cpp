#include "sim/session/exporter.h"

#include <fmt/format.h>

#include "sim/files/folder.h"
#include "sim/run/exports.h"

namespace stencil {
namespace {

Exporter::Outcome write(const ExportOrder& order) {
    try {
        make_folder(order.folder, "export to");
        const auto files = write_exports(order.folder,
                                         {&order.spec,
                                          order.start.get(),
                                          &order.end,
                                          &order.laplacian,
                                          order.spec.steps,
                                          order.timings,
                                          &order.tables});
        return {false, fmt::format("Wrote {} files to {}", files.size(), order.folder.string())};
    } catch (const std::bad_alloc&) {
        return {true, "export: not enough host memory; fewer files at a time need less"};
    } catch (const std::exception& error) {
        return {true, error.what()};
    }
}

}  // namespace

void Exporter::start(ExportOrder order) {
    writing_ = std::async(std::launch::async, [order = std::move(order)] { return write(order); });
}

std::optional<Exporter::Outcome> Exporter::poll() {
    if (!busy() || writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return std::nullopt;
    return writing_.get();
}

}  // namespace stencil
