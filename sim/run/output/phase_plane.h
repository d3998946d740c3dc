// The phase plane of the first two components: the density of cells in it and the trajectories of probes,
// their chart and table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/figure/chart.h"

namespace stencil {

class Simulation;

struct PhasePlane {
    long long step = 0;
    figure::Density density;      ///< of cells evenly spread over the field, at most kMostCells along an axis
    std::vector<SamplePoint> at;  ///< values of the first and second component in the requested cells
    static constexpr int kMostCells = 160, kBins = 64;
};

/// Needs two components.
PhasePlane measure_plane(Simulation& simulation, std::span<const SamplePoint> cells);

/// Counts cells by the values of two components, in the same order, in bins x bins equal boxes between the
/// smallest and largest finite values; non-finite cells are ignored.
figure::Density plane_density(std::span<const double> x, std::span<const double> y, int bins);

/// The trajectory of the probe at a cell.
struct ProbeTrajectory {
    int x = 0, y = 0;
    std::vector<SamplePoint> points;
};

/// Lists the non-empty boxes: their middles, under the components' names, and counts.
std::string plane_csv(const figure::Density& density, const std::string& x_name, const std::string& y_name);
/// Marks where each trajectory ends.
figure::Chart plane_chart(figure::Density density,
                          const std::string& x_name,
                          const std::string& y_name,
                          std::span<const ProbeTrajectory> trajectories = {});

}  // namespace stencil
