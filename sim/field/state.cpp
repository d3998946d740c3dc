#include "sim/field/state.h"

namespace stencil {

State State::clone() const {
    State copy;
    for (const Field& field : components) copy.components.push_back(field.clone());
    copy.step = step;
    return copy;
}

State State::to(DType dtype) const {
    State copy;
    for (const Field& field : components) copy.components.push_back(field.to(dtype));
    copy.step = step;
    return copy;
}

}  // namespace stencil
