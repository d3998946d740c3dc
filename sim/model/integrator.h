// A time integrator as a value; the table of integrators is in sim/model/step/stages.h.
#pragma once

#include <string>
#include <string_view>

namespace stencil::equation {

struct IntegratorRow;

/// An integrator with its number of stages if that can be chosen, else 0.
struct Integrator {
    Integrator();  ///< the first of the table, euler
    explicit Integrator(const IntegratorRow& its_row);
    Integrator(const IntegratorRow& its_row, int its_stages) : row(&its_row), stages(its_stages) {}
    const IntegratorRow* operator->() const { return row; }
    friend bool operator==(const Integrator&, const Integrator&) = default;

    const IntegratorRow* row;
    int stages = 0;
};

/// The integrator of that name, or NAME:STAGES. Throws InputError if there is none.
Integrator scheme_of(std::string_view name);
/// The name that scheme_of() takes, with the number of stages if it is not the default.
std::string name_of(const Integrator& integrator);

}  // namespace stencil::equation
