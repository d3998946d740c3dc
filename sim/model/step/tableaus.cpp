#include "sim/model/step/tableaus.h"

#include <numeric>

namespace stencil::equation {
namespace {

// Bogacki & Shampine, Appl. Math. Lett. 2, 1989.
const Tableau kBogackiShampine{
    {{}, {1.0 / 2}, {0, 3.0 / 4}}, {2.0 / 9, 1.0 / 3, 4.0 / 9}, {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8}};

// Dormand & Prince, J. Comput. Appl. Math. 6, 1980: RK5(4)7M.
const Tableau kDormandPrince{
    {{},
     {1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};

}  // namespace

double Tableau::node(std::size_t i) const {
    return std::accumulate(a[i].begin(), a[i].end(), 0.0);
}

std::vector<LegendreStage> legendre_stages(int count) {
    const auto b = [](int j) { return j < 2 ? 1.0 / 3 : (j * j + j - 2) / (2.0 * j * (j + 1)); };
    const double w = 4.0 / (count * count + count - 2);
    std::vector<LegendreStage> stages{{0, 0, b(1) * w, 0, b(1) * w}};
    for (int j = 2; j <= count; ++j) {
        LegendreStage s;
        s.mu = (2.0 * j - 1) / j * b(j) / b(j - 1);
        s.nu = (1.0 - j) / j * b(j) / b(j - 2);
        s.rate = s.mu * w;
        s.start = (b(j - 1) - 1) * s.rate;
        const double before = j > 2 ? stages[std::size_t(j) - 3].node : 0;
        s.node = s.mu * stages.back().node + s.nu * before + s.rate + s.start;
        stages.push_back(s);
    }
    return stages;
}

const Tableau* tableau_of(SteppingScheme scheme) {
    if (scheme == SteppingScheme::bs32) return &kBogackiShampine;
    if (scheme == SteppingScheme::dp54) return &kDormandPrince;
    return nullptr;
}

}  // namespace stencil::equation
