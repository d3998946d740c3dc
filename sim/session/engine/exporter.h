// Writes a run's files beside the run.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/output/exports.h"

namespace stencil {

/// Everything that is written, held until it is.
struct ExportOrder {
    std::filesystem::path folder;
    std::string remark;  ///< after what was written where
    RunOutput output;

    /// Returns what was written where. Throws InputError and MachineError.
    std::string write() const;
};

/// The folder, or the first of FOLDER-2, FOLDER-3 ... that holds none of these files: an export replaces
/// nothing.
std::filesystem::path unused_folder(const std::filesystem::path& folder,
                                    const std::vector<std::string>& files);

/// One order at a time, on a thread of its own. The destructor waits for it: what was ordered is written.
class Exporter {
  public:
    bool busy() const { return writing_.valid(); }

    /// Not while busy. The work returns what to say of it.
    void start(std::function<std::string()> work);

    /// How an order ended, once: what was written where, or why not.
    struct Outcome {
        bool failed = false;
        std::string text;
    };
    std::optional<Outcome> poll();

  private:
    std::future<Outcome> writing_;
};

}  // namespace stencil
