#include "sim/editing/reference_card.h"

#include <fmt/format.h>

#include "sim/model/semantics.h"

namespace stencil::editing {

std::vector<CardPart> reference_card() {
    std::vector<CardPart> parts{
        {"Statements",
         {{"du/dt = D*lap(u) + u - u^3", "the rate of change of a component"},
          {"w_tt + a*w_t = lap(w)", "second order in time: w and its velocity w_t"},
          {"u' = ind(sum8(u) == 3)", "its next value outright: maps and automata"},
          {"complex psi; dpsi/dt = 1i*lap(psi)", "a complex component, of the parts psi_re and psi_im"},
          {"lap(psi) = -u", "an elliptic equation: psi is solved for, in each stage"},
          {"du/dt = conv(u, exp(-r^2)) - u",
           "a convolution with a kernel of the distance r, or of rx and ry"},
          {"growth = a*u*(1 - u)", "a definition, of any formula before or after it"},
          {"f(w, c) = c*w*(1 - w)", "a function of your own, used as f(u, 2)"},
          {"D = 0.5 in [0, 1] [m^2/s]", "a parameter, which is a slider; range and unit may be left out"},
          {"u(0) = exp(-(x - Lx/2)^2)", "the initial condition; v(0) = 1 - u(0) is made of another"},
          {"inside = (x - Lx/2)^2 + (y - Ly/2)^2 < 9", "where the field is; nothing flows across its edge"},
          {"edge: u = 1", "a condition at that edge, else; also `edge: flux(u) = 0.1*v`"},
          {"# a remark", "up to the end of its line"}}},
        {"Sides",
         {{"boundary = periodic", "all sides: periodic, insulated (no flux) or zero outside"},
          {"left: u = 1", "a value at a side: left, right, top, bottom, x, y or all"},
          {"right: flux(u) = 0.1", "a flux; it points outwards"},
          {"top: u + 2*flux(u) = sin(y)", "both, and of place and time"},
          {"x: periodic", "left and right are joined"}}},
        {"Formulas",
         {{"u[+1,0] - u[0,-1]", "neighbours: columns, rows"},
          {"u > a and not v < b", "a condition, 1 or 0"},
          {"u^2/(a + u^2)", "+ - * / ^ and brackets"}}},
        {"Functions", {}},
        {"Names", {}},
        {"Settings", {}}};
    for (const equation::Function& row : equation::functions())
        parts[3].entries.push_back({std::string(row.example), std::string(row.help)});
    for (const equation::KnownName& row : equation::known_names())
        parts[4].entries.push_back({std::string(row.name), std::string(row.help)});
    for (const equation::SettingRow& row : equation::setting_rows())
        parts[5].entries.push_back({fmt::format("{} = {}", row.name, row.example), std::string(row.allowed)});
    return parts;
}

}  // namespace stencil::editing
