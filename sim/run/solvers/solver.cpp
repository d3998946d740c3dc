#include "sim/run/solvers/solver.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stencil {

void Solver::load(const Field& start, long long step) {
    load_field(start);
    step_ = step;
    forget_largest();
}

State Solver::state() {
    State now;
    now.components.push_back(field());
    now.step = step_;
    return now;
}

void Solver::advance(long long steps) {
    advance_by(steps);
    step_ += steps;
    if (setup_.params.coefficient > kStabilityLimit) forget_largest();
}

void Solver::paint(const BrushPiece& piece) {
    if (largest_) largest_ = largest_with(piece);
    paint_piece(piece);
}

double Solver::measure_largest() {
    const Statistics all = statistics(Quantity::value);
    const double largest = std::max(std::abs(all.min), std::abs(all.max));
    largest_ = largest >= 0 ? largest : 0;  // no number where no cell is finite
    return *largest_;
}

double Solver::largest_with(const BrushPiece& piece) {
    const double value = std::abs(piece.brush.value);
    return piece.brush.add ? largest() + value : std::max(largest(), value);
}

bool Solver::fits(const DiffusionParams& params) {
    return fits(params, largest()) || fits(params, measure_largest());
}

bool Solver::fits(const BrushPiece& piece) {
    if (fits(setup_.params, largest_with(piece))) return true;
    forget_largest();
    return fits(setup_.params, largest_with(piece));
}

SolverSnapshot Solver::snapshot() {
    return {state(), std::string(setup_.method->name), std::string(name_of(setup_.method->device)), inner()};
}

bool Solver::resume(const SolverSnapshot& snapshot) {
    const State& plain = snapshot.plain;
    load(plain);
    if (snapshot.method != setup_.method->name || snapshot.backend != name_of(setup_.method->device) ||
        plain.components.front().dtype() != setup_.dtype)
        return false;
    return take_inner(snapshot.inner);
}

std::unique_ptr<Solver> make_solver(const SolverSetup& setup) {
    if (setup.method->device == Device::cpu) return make_cpu_solver(setup);
#if STENCILSCOPE_HAS_CUDA
    return make_cuda_solver(setup);
#else
    throw std::logic_error("a CUDA method in a build without CUDA");
#endif
}

double solver_bytes(const SolverSetup& setup) {
    const Method& method = *setup.method;
    const DType state = method.float64_state ? DType::float64 : setup.dtype;
    const double fields = 2 + method.extra_arrays;
    // Rows are padded to whole cache lines, and by one more on the CPU.
    const double row = setup.nx * double(bytes_of(state)) + 128;
    return fields * row * setup.ny;
}

}  // namespace stencil
