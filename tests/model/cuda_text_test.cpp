// The text of the CUDA kernels, run on the CPU: compiled by the system's compiler with CUDA's words explained
// to it, cell after cell. What is tested is the text; that a GPU rounds as it says is for a GPU to show.
#include "kernels/equation/cuda_text.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <memory>

#include "tests/model/typed_run.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil::equation;
using namespace stencil_test;

namespace {

constexpr const char* kWords = R"(
#define __device__
#define __forceinline__ inline
#define __global__
#define __launch_bounds__(n)
#define __grid_constant__
#define __ldg(p) (*(p))
#define __fmaf_rn __builtin_fmaf
#define __fma_rn __builtin_fma
#define __fsqrt_rn __builtin_sqrtf
#define __dsqrt_rn __builtin_sqrt
#define __fdiv_rn(a, b) ((a) / (b))
#define __ddiv_rn(a, b) ((a) / (b))
#define floorf __builtin_floorf
#define floor __builtin_floor
#define fabsf __builtin_fabsf
#define fabs __builtin_fabs
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
template <class To, class From> static inline To bits(From from) { To to; __builtin_memcpy(&to, &from, sizeof to); return to; }
#define __float_as_int bits<int, float>
#define __int_as_float bits<float, int>
#define __double_as_longlong bits<long long, double>
#define __longlong_as_double bits<double, long long>
static struct { int x, y; } blockIdx, threadIdx;
)";

class Compiled {
  public:
    Compiled(const std::string& text, const Program& program) {
        std::ofstream file(scratch_ / "kernels.cpp");
        file << kWords << text;
        const auto add = [&](const char* name, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                file << fmt::format(
                    "extern \"C\" void run_{0}{1}(const void* a, int nx, int ny) {{ for (int y = 0; y < ny; "
                    "++y) for (int x = "
                    "0; x < nx; ++x) {{ blockIdx = {{x / {2}, y / {3}}}; threadIdx = {{x % {2}, y % {3}}}; "
                    "{0}{1}(*(const "
                    "Arguments*)a); }} }}\n",
                    name,
                    i,
                    kCudaBlockColumns,
                    kCudaBlockRows);
        };
        add("once", program.once.size());
        add("stage", program.stages.size());
        file.close();
        const std::string library = (scratch_ / "kernels.so").string();
        const std::string command =
            fmt::format("c++ -std=c++17 -O1 -ffp-contract=off -w -shared -fPIC {}/kernels.cpp -o {}",
                        scratch_.path().string(),
                        library);
        REQUIRE(std::system(command.c_str()) == 0);
        library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library_ != nullptr);
    }
    ~Compiled() { dlclose(library_); }

    void run(const std::string& kernel, const void* arguments, int nx, int ny) const {
        using Kernel = void (*)(const void*, int, int);
        const auto function = reinterpret_cast<Kernel>(dlsym(library_, ("run_" + kernel).c_str()));
        REQUIRE(function != nullptr);
        function(arguments, nx, ny);
    }

  private:
    ScratchFolder scratch_;
    void* library_ = nullptr;
};

// As run_typed(), by the text's kernels.
template <class T>
std::vector<T> run_text(const std::string& model, const TypedRun& run) {
    const Equations e = read_equations(model);
    const std::string& scheme = run.stepper.empty() ? e.stepper : run.stepper;
    const Program program = make_program(e, scheme_of(scheme), sizeof(T) == 8);
    const Compiled kernels(cuda_text(program, sizeof(T) == 8), program);
    EquationSetup setup{run.nx, run.ny, e.spacing, e.dt.value_or(0.1), {}, run.seed, false};
    for (const auto& parameter : e.parameters) setup.parameters.push_back(parameter.value);
    InputValues<T> inputs(program);
    const std::size_t cells = std::size_t(run.nx) * std::size_t(run.ny);
    std::vector<std::vector<T>> arrays(program.arrays.size(), std::vector<T>(cells));
    for (std::size_t c = 0; c < e.components.size(); ++c)
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                arrays[c][std::size_t(y * run.nx + x)] = T(run.start(int(c), x, y));
    for (long long step = 0; step < run.steps; ++step) {
        inputs.update(setup, step, double(step) * setup.dt, step == 0);
        std::vector<std::uint64_t> arguments{std::uint64_t(run.nx) | std::uint64_t(run.ny) << 32,
                                             std::uint64_t(run.nx),
                                             run.seed,
                                             std::uint64_t(step)};
        const auto add = [&](const T* pointer) {
            arguments.push_back(reinterpret_cast<std::uintptr_t>(pointer));
        };
        for (const auto& array : arrays) add(array.data());
        for (std::size_t a = 0; a < arrays.size(); ++a)
            for (std::size_t side = 0; side < 4; ++side) {
                const bool periodic = program.arrays[a].ghosts[side].periodic;
                add(periodic ? nullptr : inputs.ghosts(int(a), side).alpha.data());
                add(periodic ? nullptr : inputs.ghosts(int(a), side).beta.data());
            }
        add(inputs.uniforms().data());
        for (std::size_t i = 0; i < std::max<std::size_t>(program.columns.outputs.size(), 1); ++i)
            add(program.columns.outputs.empty() ? nullptr : inputs.column(int(i)));
        for (std::size_t i = 0; i < std::max<std::size_t>(program.rows.outputs.size(), 1); ++i)
            add(program.rows.outputs.empty() ? nullptr : inputs.row(int(i)));
        for (std::size_t i = 0; step == 0 && i < program.once.size(); ++i)
            kernels.run(fmt::format("once{}", i), arguments.data(), run.nx, run.ny);
        for (std::size_t i = 0; i < program.stages.size(); ++i)
            kernels.run(fmt::format("stage{}", i), arguments.data(), run.nx, run.ny);
        for (std::size_t c = 0; c < program.next.size(); ++c)
            std::swap(arrays[c], arrays[std::size_t(program.next[c])]);
    }
    std::vector<T> result;
    for (std::size_t c = 0; c < e.components.size(); ++c)
        result.insert(result.end(), arrays[c].begin(), arrays[c].end());
    return result;
}

}  // namespace

TEST_CASE("The text of the CUDA kernels has the bits of the CPU's rows") {
    const auto* text =
        GENERATE("du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v; stepper = rk4",
                 "du/dt = lap(u^3 - u - lap(u)); dt = 0.01; x: insulated; y: periodic; stepper = heun",
                 "da/dt = b; db/dt = lap(a) + dxy(a); stepper = symplectic; left: a = sin(y + t); right: a + "
                 "2*flux(a) = 1; y: insulated",
                 "du/dt = div(exp(-5*grad2(u))*grad(u)) + tanh(u)*sin(x)*cos(y*u) - log(1 + u^2)*atan2(u, x "
                 "- 2); dt = 0.01; boundary = zero",
                 "du/dt = lap(u) + normal + random*u + where(u/0 - u/0, 0.1, 0.2); dt = 0.05; inside = x > "
                 "3; laplacian = isotropic");
    TypedRun run;
    run.nx = 37;
    run.ny = 9;
    run.steps = 3;
    INFO(text);
    const auto check = [&]<class T>(T) {
        const auto expected = run_typed<T>(text, run), cells = run_text<T>(text, run);
        CHECK(std::memcmp(cells.data(), expected.data(), expected.size() * sizeof(T)) == 0);
    };
    check(float());
    check(double());
}
