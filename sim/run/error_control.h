// The step size of integrators that estimate their error.
#pragma once

#include "sim/problem/run_spec.h"

namespace stencil {

/// Throws InputError if the run's integrator has no estimate of its error, or the rates have random numbers.
void require_error_control(const Problem& spec);

/// By what dt is changed after a step whose error was this, relative to the tolerance: the PI controller of
/// Gustafsson (ACM Trans. Math. Software 17, 1991; Hairer & Wanner, Solving Ordinary Differential Equations
/// II, IV.2). `before` is the error of the step before, if that was made with the same dt. Small changes are
/// left out, so that a record has few events: the result is then 1.
double step_factor(double error, double before, int error_order);

/// By what dt is lowered after a step whose error was too large, or no number.
double retry_factor(double error, int error_order);

}  // namespace stencil
