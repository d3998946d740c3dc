// The method `reference`: plain float64 loops, which every other method is compared with.

#include "kernels/field/cell_update.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

class ReferenceStepper : public Stepper<double> {
  public:
    void advance(FieldPair<double>& fields, const DiffusionParams& params, long long steps) override {
        for (long long step = 0; step < steps; ++step) {
            const FieldView<const double> u = fields.front;
            for (int y = 0; y < u.ny; ++y)
                for (int x = 0; x < u.nx; ++x)
                    fields.back.at(x, y) = u.at(x, y) + params.coefficient * laplacian_cell(neighbourhood(
                                                                                 u, params.boundary, x, y));
            fields.swap();
        }
    }
};

}  // namespace

std::unique_ptr<Stepper<double>> make_reference(const ExecutionSpace&, FieldShape) {
    return std::make_unique<ReferenceStepper>();
}

}  // namespace stencil
