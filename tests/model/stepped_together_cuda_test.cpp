// Fields that a GPU steps together have the bits of each one alone.
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/gpu_facts.h"
#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/block/one_block_kernel.h"
#include "kernels/equation/cuda/cuda_equation_stepper.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/text/cuda_text.h"
#include "sim/model/model.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

const KernelMaker kMaker{[](const std::string& text) { return compile_cuda(text, code_target()).cubin; }};

/// A field of a batch and the same alone.
template <class T>
struct Twins {
    Twins(const Program& program, const EquationSetup& setup, ThreadPool& pool)
        : alone(program, setup, pool), member(program, setup, pool) {}
    void start(int components, const Start& value) {
        for (int c = 0; c < components; ++c)
            for (EquationStepper<T>* each : {&alone, &member})
                set_cells(each->component(c), [&](int x, int y) { return value(c, x, y); });
    }

    EquationStepper<T> alone, member;
};

/// The same bits, or both not a number, whose bits processors choose.
template <class T>
bool same_but_nan(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](T x, T y) {
        return std::memcmp(&x, &y, sizeof(T)) == 0 || (std::isnan(x) && std::isnan(y));
    });
}

/// Steps fields whose parameters, seeds and numbers of steps differ; returns whether a batch takes them.
template <class T>
bool check_batch(const std::string& text, int nx, int ny, std::size_t count) {
    INFO(text << ", " << nx << "x" << ny);
    const Equations e = read_equations(text);
    const Program program = program_of<T>(e);
    if (!why_no_batch(program, sizeof(T) == 8, {nx, ny}, gpu_facts()).empty()) return false;
    ThreadPool one(1), several(3);
    std::vector<std::unique_ptr<Twins<T>>> twins;
    std::vector<EquationStepper<T>*> members;
    std::vector<long long> steps;
    for (std::size_t i = 0; i < count; ++i) {
        EquationSetup setup = setup_of(e, TypedRun{.nx = nx, .ny = ny, .seed = 5 + i});
        for (double& value : setup.parameters) value *= 1 + 0.01 * double(i);
        twins.push_back(std::make_unique<Twins<T>>(program, setup, one));
        twins.back()->start(program.components, [&](int c, int x, int y) {
            return 0.3 + 0.05 * ((7 * x + 3 * y + 5 * c + int(i)) % 11);
        });
        members.push_back(&twins.back()->member);
        steps.push_back(3 + (long long)(i % 4));
    }
    const auto batch = make_cuda_batch<T>(program, {nx, ny}, kMaker);
    for (int call = 0; call < 2; ++call) {
        for (std::size_t i = 0; i < count; ++i) {
            // The first step of multistep integrators.
            while (members[i]->steps_alone()) members[i]->advance(1);
            twins[i]->alone.advance(members[i]->step() - twins[i]->alone.step() + steps[i]);
        }
        batch->advance(members, steps, several);
    }
    for (std::size_t i = 0; i < count; ++i) {
        INFO("run " << i);
        CHECK(members[i]->step() == twins[i]->alone.step());
        CHECK(same_but_nan(stencil_test::cells_of(*members[i], program.components),
                           stencil_test::cells_of(twins[i]->alone, program.components)));
    }
    return true;
}

/// The components after some steps by a kernel, or by single steps where it is null.
template <class T>
std::vector<T> cells_by(std::unique_ptr<SeveralSteps> kernel,
                        const Program& program,
                        const EquationSetup& setup,
                        CudaStream& stream) {
    CudaEquationStepper<T> stepper(
        program, setup, kMaker.compile(cuda_text(program, sizeof(T) == 8)), stream);
    std::vector<T> cells(std::size_t(setup.nx) * std::size_t(setup.ny)), all;
    const FieldView<T> view{cells.data(), setup.nx, setup.ny, setup.nx};
    const auto bytes = [](const FieldView<T>& field) { return std::size_t(field.pitch) * sizeof(T); };
    const std::size_t row = std::size_t(setup.nx) * sizeof(T);
    for (int c = 0; c < program.components; ++c) {
        set_cells(view, [&](int x, int y) { return TypedRun().start(c, x, y); });
        const FieldView<T> to = stepper.component(c);
        copy_to_device({to.data, bytes(to), cells.data(), row, row, std::size_t(setup.ny)}, stream);
    }
    stepper.use(std::move(kernel));
    stepper.advance(41);
    for (int c = 0; c < program.components; ++c) {
        const FieldView<T> from = stepper.component(c);
        copy_to_host({cells.data(), row, from.data, bytes(from), row, std::size_t(setup.ny)}, stream);
        all.insert(all.end(), cells.begin(), cells.end());
    }
    return all;
}

}  // namespace

TEMPLATE_TEST_CASE("A block that holds a small field has the bits of single steps", "", float, double) {
    using T = TestType;
    CudaStream stream;
    std::size_t kernels = 0;
    for (const std::string& text : kFiniteTexts) {
        INFO(text);
        const Equations e = read_equations(text);
        const Program program = program_of<T>(e);
        const FusedProgram fused(program);
        const EquationSetup setup = setup_of(e, TypedRun{.nx = 60, .ny = 40});
        const std::vector<T> expected = cells_by<T>(nullptr, program, setup, stream);
        for (const KernelShape& shape : kernel_shapes(fused, sizeof(T) == 8, {60, 40}, gpu_facts()).all) {
            const auto* block = std::get_if<BlockShape>(&shape);
            if (!block) continue;
            INFO(name_of(shape));
            const std::string cubin = kMaker.compile(text_of(fused, sizeof(T) == 8, {60, 40}, shape));
            auto kernel = std::make_unique<OneBlockKernel>(*block, 17, cubin, stream);
            CHECK(same_bits(cells_by<T>(std::move(kernel), program, setup, stream), expected));
            ++kernels;
        }
    }
    CHECK(kernels >= kFiniteTexts.size());
}

TEMPLATE_TEST_CASE("Fields that step together on the GPU have the bits of each alone", "", float, double) {
    std::size_t taken = 0;
    for (const std::string& text : kTexts) {
        taken += check_batch<TestType>(text, 36, 20, 5) ? 1 : 0;
        taken += check_batch<TestType>(text, 64, 48, 3) ? 1 : 0;
    }
    CHECK(taken > kTexts.size());
    // Some keep more arrays than a block has registers for.
    const std::vector<std::string> names = explicit_integrators();
    taken = 0;
    for (const std::string& name : names)
        taken += check_batch<TestType>(
                     "du/dt = lap(u) - u*v^2; dv/dt = p*lap(v) + u*v^2 - 0.1*v; p = 0.5; "
                     "dt = 0.1; stepper = " +
                         name,
                     32,
                     24,
                     7)
                     ? 1
                     : 0;
    CHECK(taken >= names.size() - 2);
    CHECK(check_batch<TestType>(
        "du/dt = D*lap(u) + noise; noise = 0.1*normal; D = 0.1; dt = 0.1", 40, 30, 300));
}

TEST_CASE("Every model that fits steps together on the GPU with the bits of each alone") {
    for (const Preset& preset : presets()) {
        check_batch<float>(std::string(preset.text), 64, 64, 3);
        check_batch<float>(std::string(preset.text), 128, 96, 2);
    }
}
