// Numbers over the run, and the files they are exported to.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sim/session/snapshot.h"

namespace stencil {

inline constexpr std::size_t kMostProbes = 16;

/// Statistics and probes over the run. Both series thin out as they grow: every second moment goes, so that
/// they span the whole run.
class Measures {
  public:
    /// A moment of the run; one at the same step as the newest replaces it.
    void add(long long step, const Statistics& statistics);
    const std::vector<MeasuredMoment>& series() const { return series_; }

    /// Throws InputError beyond kMostProbes or outside the field.
    void add_probe(int x, int y, int nx, int ny);
    void remove_probe(int index);
    const std::vector<ProbeSeries>& probes() const { return probes_; }
    std::vector<SamplePoint> probe_points() const;
    void add_probe_values(long long step, std::span<const double> values);

    /// The run went back to this step: what was measured after it did not happen.
    void rewind(long long step);
    /// Probes that are not on the field any more go.
    void resize(int nx, int ny);

  private:
    std::vector<MeasuredMoment> series_;
    std::vector<ProbeSeries> probes_;
};

/// Writes statistics.csv, and histogram.csv, profile.csv and probes.csv where there are such. Throws
/// InputError where the folder can't be made, MachineError where a file can't be written.
std::vector<std::filesystem::path> write_measures(const std::filesystem::path& folder,
                                                  const Measures& measures,
                                                  const Frame& frame);

}  // namespace stencil
