#include "sim/model/model.h"

#include <algorithm>

#include "sim/model/equations.h"
#include "sim/text/error.h"

namespace stencil {
std::optional<std::size_t> Model::index_of(std::string_view parameter) const {
    const auto row = std::ranges::find(parameters, parameter, &ModelParameter::name);
    if (row == parameters.end()) return std::nullopt;
    return std::size_t(row - parameters.begin());
}

bool Model::reads(const std::string& formula) const {
    if (std::ranges::find(components, formula, &Component::name) != components.end()) return true;
    const std::lock_guard lock(answers_->guard);
    const auto known = answers_->reads.find(formula);
    if (known != answers_->reads.end()) return known->second;
    bool reads = true;
    try {
        equation::read_equations(text, {formula});
    } catch (const InputError&) {
        reads = false;
    }
    return answers_->reads[formula] = reads;
}

}  // namespace stencil
