// Interop of builds without CUDA: never ready.
#include "app/window/display/interop.h"

namespace stencil {

struct Interop::State {
    std::string text = "CPU backend: copied to the texture";
};

Interop::Interop(bool, std::string_view) : state_(std::make_unique<State>()) {}
Interop::~Interop() = default;

bool Interop::ready() const {
    return false;
}
const std::string& Interop::text() const {
    return state_->text;
}
bool Interop::upload(unsigned, std::shared_ptr<const Pixels>) {
    return false;
}
bool Interop::read(const Pixels&, float*) {
    return false;
}
std::optional<double> Interop::milliseconds(unsigned) {
    return std::nullopt;
}
void Interop::forget(unsigned) {}

}  // namespace stencil
