// Fields that a GPU steps together have the bits of each one alone.
#include <map>
#include <mutex>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/gpu_facts.h"
#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/cuda/cuda_equation_stepper.h"
#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/text/cuda_text.h"
#include "sim/model/model.h"
#include "tests/model/typed_run.h"
#include "tests/support/scratch.h"

using namespace stencil::equation;

namespace {

/// Compiles a text once.
std::string compiled(const std::string& text) {
    static std::mutex mutex;
    static std::map<std::string, std::string> cubins;
    {
        const std::lock_guard lock(mutex);
        if (const auto found = cubins.find(text); found != cubins.end()) return found->second;
    }
    std::string cubin = compile_cuda(text, code_target()).cubin;
    const std::lock_guard lock(mutex);
    return cubins[text] = std::move(cubin);
}
const KernelMaker kMaker{compiled, {}, {}};

/// The same bits, or both not a number, whose bits processors choose.
template <class T>
bool same_but_nan(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](T x, T y) {
        return std::memcmp(&x, &y, sizeof(T)) == 0 || (std::isnan(x) && std::isnan(y));
    });
}

/// A field on the GPU alone.
template <class T>
class Alone {
  public:
    Alone(const Program& program,
          const EquationSetup& setup,
          const std::string& cubin,
          long long global_every)
        : components_(program.components), setup_(setup), stepper_(program, setup, cubin, stream_) {
        stepper_.set_global_every(global_every);
    }

    void start(const Start& value) {
        std::vector<T> cells(std::size_t(setup_.nx) * std::size_t(setup_.ny));
        for (int c = 0; c < components_; ++c) {
            set_cells(FieldView<T>{cells.data(), setup_.nx, setup_.ny, setup_.nx},
                      [&](int x, int y) { return value(c, x, y); });
            const FieldView<T> to = stepper_.component(c);
            copy_to_device(
                {to.data, bytes(to.pitch), cells.data(), bytes(setup_.nx), bytes(setup_.nx), rows()},
                stream_);
        }
    }
    void use(std::unique_ptr<SeveralSteps> kernel) { stepper_.use(std::move(kernel)); }
    void advance(long long steps) { stepper_.advance(steps); }
    std::vector<T> cells() {
        std::vector<T> cells(std::size_t(setup_.nx) * std::size_t(setup_.ny)), all;
        for (int c = 0; c < components_; ++c) {
            const FieldView<T> from = stepper_.component(c);
            copy_to_host(
                {cells.data(), bytes(setup_.nx), from.data, bytes(from.pitch), bytes(setup_.nx), rows()},
                stream_);
            all.insert(all.end(), cells.begin(), cells.end());
        }
        return all;
    }
    std::vector<double> globals() { return stepper_.globals(); }

  private:
    static std::size_t bytes(int cells) { return std::size_t(cells) * sizeof(T); }
    std::size_t rows() const { return std::size_t(setup_.ny); }

    int components_;
    EquationSetup setup_;
    CudaStream stream_;
    CudaEquationStepper<T> stepper_;
};

struct Fields {
    int nx, ny;
    std::size_t count;
    long long more_steps = 0;  ///< of every fifth field, in each call
    long long global_every = 1;
};

/// Steps fields whose parameters, seeds and numbers of steps differ. Each has the bits that it has alone on
/// the GPU, and, unless it is transformed, on the CPU. Returns how they were stepped; empty: they are not.
template <class T>
std::string check_batch(const std::string& text, const Fields& fields) {
    INFO(text << ", " << fields.count << " of " << fields.nx << "x" << fields.ny);
    const Equations e = read_equations(text);
    const Program program = program_of<T>(e);
    constexpr bool kFloat64 = sizeof(T) == 8;
    if (!why_no_batch(program, kFloat64, {fields.nx, fields.ny}).empty()) return "";
    const bool on_cpu = program.linear.empty();
    const std::string cubin = on_cpu ? "" : kMaker.compile(cuda_text(program, kFloat64));
    ThreadPool one(1), several(3);
    std::vector<std::unique_ptr<EquationStepper<T>>> own, by_cpu;
    std::vector<std::unique_ptr<Alone<T>>> by_gpu;
    std::vector<EquationStepper<T>*> members;
    std::vector<long long> steps;
    for (std::size_t i = 0; i < fields.count; ++i) {
        EquationSetup setup = setup_of(e, TypedRun{.nx = fields.nx, .ny = fields.ny, .seed = 5 + i});
        for (double& value : setup.parameters) value *= 1 + 0.01 * double(i % 7);
        const auto start = [&](int c, int x, int y) {
            return 0.3 + 0.05 * ((7 * x + 3 * y + 5 * c + int(i)) % 11);
        };
        const auto make = [&] {
            auto stepper = std::make_unique<EquationStepper<T>>(program, setup, one);
            stepper->set_global_every(fields.global_every);
            for (int c = 0; c < program.components; ++c)
                set_cells(stepper->component(c), [&](int x, int y) { return start(c, x, y); });
            return stepper;
        };
        own.push_back(make());
        members.push_back(own.back().get());
        steps.push_back(3 + (long long)(i % 4) + (i % 5 == 0 ? fields.more_steps : 0));
        if (on_cpu) {
            by_cpu.push_back(make());
        } else {
            by_gpu.push_back(std::make_unique<Alone<T>>(program, setup, cubin, fields.global_every));
            by_gpu.back()->start(start);
        }
    }
    const auto batch = make_cuda_batch<T>(program, {fields.nx, fields.ny}, kMaker);
    // The second call finds the cells that the first one left, and the third some that were changed.
    for (int call = 0; call < 3; ++call) {
        batch->advance(members, steps, several);
        for (std::size_t i = 0; i < fields.count; ++i)
            on_cpu ? by_cpu[i]->advance(steps[i]) : by_gpu[i]->advance(steps[i]);
        for (std::size_t i = 1; call == 1 && on_cpu && i < fields.count; i += 3)
            for (EquationStepper<T>* each : {members[i], by_cpu[i].get()})
                each->component(0).at(fields.nx - 1, 1) += T(0.25);
    }
    for (std::size_t i = 0; i < fields.count; ++i) {
        INFO("run " << i);
        CHECK(members[i]->step() == 3 * steps[i]);
        const std::vector<T> cells = stencil_test::cells_of(*members[i], program.components);
        if (on_cpu) {
            CHECK(same_but_nan(cells, stencil_test::cells_of(*by_cpu[i], program.components)));
            CHECK(members[i]->globals() == by_cpu[i]->globals());
        } else {
            CHECK(same_but_nan(cells, by_gpu[i]->cells()));
            CHECK(members[i]->globals() == by_gpu[i]->globals());
        }
    }
    return batch->way();
}

/// The components after some steps by a kernel, or by single steps where it is null.
template <class T>
std::vector<T> cells_by(std::unique_ptr<SeveralSteps> kernel,
                        const Program& program,
                        const EquationSetup& setup) {
    Alone<T> field(program, setup, kMaker.compile(cuda_text(program, sizeof(T) == 8)), 1);
    field.start([](int c, int x, int y) { return TypedRun().start(c, x, y); });
    field.use(std::move(kernel));
    field.advance(41);
    return field.cells();
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
        const std::vector<T> expected = cells_by<T>(nullptr, program, setup);
        for (const KernelShape& shape : kernel_shapes(fused, sizeof(T) == 8, {60, 40}, gpu_facts()).all) {
            if (!std::holds_alternative<BlockShape>(shape)) continue;
            INFO(name_of(shape));
            const std::string cubin = kMaker.compile(text_of(fused, sizeof(T) == 8, {60, 40}, shape));
            auto kernel = make_several_steps(fused, sizeof(T) == 8, shape, setup, 17, cubin, stream);
            CHECK(same_bits(cells_by<T>(std::move(kernel), program, setup), expected));
            ++kernels;
        }
    }
    CHECK(kernels >= kFiniteTexts.size());
}

TEMPLATE_TEST_CASE("Fields that step together on the GPU have the bits of each alone", "", float, double) {
    for (const std::string& text : kTexts) {
        const bool waits = contains(text, "flux(u) = 0.1 - max(u)");
        CHECK(check_batch<TestType>(text, {36, 20, 5}).empty() == waits);
        check_batch<TestType>(text, {64, 48, 3});
    }
    for (const std::string& name : explicit_integrators())
        check_batch<TestType>(
            "du/dt = lap(u) - u*v^2; dv/dt = p*lap(v) + u*v^2 - 0.1*v; p = 0.5; "
            "dt = 0.1; stepper = " +
                name,
            {32, 24, 7});
    CHECK(contains(check_batch<TestType>("du/dt = D*lap(u) + noise; noise = 0.1*normal; D = 0.1; dt = 0.1",
                                         {40, 30, 300}),
                   "a field per block"));
}

TEMPLATE_TEST_CASE("Fields that are stepped by stages have the bits of each alone", "", float, double) {
    const std::vector<std::string> whole{
        "du/dt = lap(u) + p*(u - u^3 - mean(u - u^3)); p = 1; dt = 0.05",
        "du/dt = lap(u) - p*max(u)*u + 0.1*normal - integral(u)/9999; p = 0.1; dt = 0.05; stepper = heun",
        "du/dt = lap(u) - mean(u); left: u = sin(y + p*t); right: flux(u) = 0; p = 2; dt = 0.05; stepper = "
        "ab2"};
    for (const std::string& text : whole)
        for (const std::size_t count : {1, 3, 33}) {
            const std::string way = check_batch<TestType>(text, {37, 21, count, 75});
            CHECK(contains(way, "stages of all fields"));
        }
    check_batch<TestType>(whole[0], {64, 64, 33, 150, 40});
    check_batch<TestType>(whole[1], {20, 24, 7, 9, 3});
}

TEMPLATE_TEST_CASE("Fields that are transformed together have the bits of each alone on the GPU",
                   "",
                   float,
                   double) {
    const std::vector<std::string> texts{
        "dw/dt = p*lap(w) - dy(psi)*dx(w) + dx(psi)*dy(w); lap(psi) = -w; p = 0.1; dt = 0.02",
        "dw/dt = p*lap(w) + psi; lap(psi) - 0.1*psi = -w + mean(w); p = 0.1; dt = 0.02; stepper = ab2",
        "du/dt = p*lap(u) + u - u^3; p = 0.8; dt = 0.1; stepper = imex",
        "du/dt = p*lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v; p = 1; dt = 0.1; stepper = "
        "crank-nicolson",
        "du/dt = p*lap(u) - u^3; p = 0.8; dt = 0.1; stepper = implicit",
        "du/dt = tanh(0.1*conv(u, exp(-r^2/p))) - u; p = 4; dt = 0.1"};
    for (const std::string& text : texts)
        for (const std::string boundary : {"periodic", "insulated", "zero"}) {
            const std::string whole = text + "; boundary = " + boundary;
            for (const std::size_t count : {1, 3, 33}) {
                const std::string way = check_batch<TestType>(whole, {36, 20, count, 45});
                CHECK(contains(way, "transforms of"));
            }
            check_batch<TestType>(whole, {37, 21, 3});
        }
    // The modes of such sides differ by parameter.
    check_batch<TestType>(
        "du/dt = lap(u) - u^3; x: u + p*flux(u) = 0; y: insulated; p = 0.7; dt = 0.1; stepper = implicit",
        {36, 20, 9, 45});
    check_batch<TestType>(texts[0], {128, 128, 40});
    check_batch<TestType>(texts[5], {128, 128, 40});
}

TEST_CASE("Every model steps together on the GPU with the bits of each alone") {
    for (const Preset& preset : presets()) {
        check_batch<float>(std::string(preset.text), {64, 64, 3});
        check_batch<float>(std::string(preset.text), {128, 96, 2});
    }
}
