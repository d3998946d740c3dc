// Writes a run's files beside the run.
#pragma once

#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "sim/run/run_spec.h"
#include "sim/run/simulation.h"

namespace stencil {

/// Everything that is written, held until it is.
struct ExportOrder {
    std::filesystem::path folder;
    RunSpec spec;  ///< with the files and the steps done
    std::shared_ptr<const Field> start;
    Field end, laplacian;
    nlohmann::ordered_json timings;
    MeasureTables tables;
};

/// One order at a time, on a thread of its own. The destructor waits for it: what was ordered is written.
class Exporter {
  public:
    bool busy() const { return writing_.valid(); }

    /// Not while busy.
    void start(ExportOrder order);

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
