// User kernels compiled for the CPU and run there: right ones pass, and faults are told with their lines.
#include "sim/kernel_trial/cpu_kernel.h"

#include "sim/kernel_trial/trial.h"
#include "sim/model/model.h"
#include "sim/text/error.h"
#include "sim/user_kernel/ladder.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

using namespace stencil::user_kernel;

namespace {

void require_cpp_compiler() {
    try {
        find_cpp_compiler();
    } catch (const MachineError& error) {
        skip(error.what());
    }
}

RunSpec cpu_run(Boundary boundary = Boundary::zero, DType dtype = DType::float32) {
    RunSpec spec;
    spec.initial = "noise";
    spec.boundary = boundary;
    spec.dtype = dtype;
    spec.threads = 1;
    return spec;
}

CpuKernel for_cpu(const std::string& text, const RunSpec& spec = cpu_run()) {
    return {entry_of(spec), read_launch_shape(text, "heat.cu"), text, "heat.cu"};
}

template <class T = float>
Check cpu_checked(CpuKernel& kernel, const std::string& text, const RunSpec& spec = cpu_run()) {
    std::string at;
    try {
        Check check = check_kernel<T>(kernel.launcher<T>(spec.params(), spec.dx),
                                      entry_of(spec),
                                      read_launch_shape(text, "heat.cu"),
                                      spec,
                                      [&](const std::string& where) { at = where; });
        if (!check.fault.empty()) check.fault = kernel.with_line(check.fault);
        return check;
    } catch (const KernelFault& fault) {
        return {at + ": " + fault.what()};
    }
}

std::string cpu_fault(const std::string& text, const RunSpec& spec = cpu_run()) {
    CpuKernel kernel = for_cpu(text, spec);
    const std::string fault = cpu_checked(kernel, text, spec).fault;
    CHECK_FALSE(contains(fault, "\n"));
    return fault;
}

std::string cpu_mistake(const std::string& text) {
    const std::string what = message_of<InputError>([&] { for_cpu(text); });
    CHECK_FALSE(contains(what, "\n"));
    return what;
}

/// The text with the only occurrence of a part replaced.
std::string with(std::string text, const std::string& part, const std::string& instead) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    REQUIRE(text.find(part, at + 1) == std::string::npos);
    return text.replace(at, part.size(), instead);
}

int line_of(const std::string& text, const std::string& part) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return 1 + int(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

std::string line(const std::string& text, const std::string& part) {
    return "line " + std::to_string(line_of(text, part));
}

const std::string kStepHead =
    "extern \"C\" __global__ void step(From from, To to, Size size, Parameters p) {\n";

/// Right kernels: one that keeps all boundaries, and a tile and `if`s for the zero boundary.
const std::string kNaive = R"(// stencilscope: block 64x4
__device__ real value_at(const real* u, Size size, int x, int y) {
    if (boundary == Boundary::zero) {
        if (x < 0 || y < 0 || x >= size.nx || y >= size.ny) return 0;
    } else if (boundary == Boundary::periodic) {
        x = x < 0 ? size.nx - 1 : x >= size.nx ? 0 : x;
        y = y < 0 ? size.ny - 1 : y >= size.ny ? 0 : y;
    } else {  // insulated: the ghost cell equals the edge cell
        x = x < 0 ? 0 : x >= size.nx ? size.nx - 1 : x;
        y = y < 0 ? 0 : y >= size.ny ? size.ny - 1 : y;
    }
    return u[y * size.pitch + x];
}

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;

    const real center = from.u[y * size.pitch + x];
    const real around = value_at(from.u, size, x, y - 1) + value_at(from.u, size, x, y + 1) +
                        value_at(from.u, size, x - 1, y) + value_at(from.u, size, x + 1, y);
    to.u[y * size.pitch + x] = center + p.c * (around - 4 * center);
}
)";

const std::string kTiled = R"(// stencilscope: block 32x8, tile 32x32
constexpr int kWidth = 32, kHeight = 32;

extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    __shared__ real tile[kHeight + 2][kWidth + 2];
    const int x0 = blockIdx.x * kWidth;
    const int y0 = blockIdx.y * kHeight;

    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y;
    for (int i = thread; i < (kHeight + 2) * (kWidth + 2); i += threads) {
        const int tx = i % (kWidth + 2), ty = i / (kWidth + 2);
        const int x = x0 + tx - 1, y = y0 + ty - 1;
        const bool inside = x >= 0 && y >= 0 && x < size.nx && y < size.ny;
        tile[ty][tx] = inside ? from.u[y * size.pitch + x] : 0;
    }
    __syncthreads();

    const int tx = threadIdx.x + 1;
    for (int ty = threadIdx.y + 1; ty <= kHeight; ty += blockDim.y) {
        const int x = x0 + tx - 1, y = y0 + ty - 1;
        if (x >= size.nx || y >= size.ny) continue;
        const real around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
        to.u[y * size.pitch + x] = tile[ty][tx] + p.c * (around - 4 * tile[ty][tx]);
    }
}
)";

const std::string kTutorial = R"(// stencilscope: block 8x8
extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size.nx || y >= size.ny) return;

    const real* u = from.u;
    const int i = y * size.pitch + x;

    const real north = y > 0 ? u[i - size.pitch] : 0;
    const real south = y < size.ny - 1 ? u[i + size.pitch] : 0;
    const real west = x > 0 ? u[i - 1] : 0;
    const real east = x < size.nx - 1 ? u[i + 1] : 0;

    to.u[i] = u[i] + p.c * (north + south + west + east - 4 * u[i]);
}
)";

/// A right kernel in which each warp makes 32 cells of a row; neighbours come by shuffles and dynamic shared
/// memory.
const std::string kShuffles = R"(// stencilscope: block 32x4, shared 1536
extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    extern __shared__ real rows[];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, lane = threadIdx.x;
    auto at = [&](int i, int j) {
        return i < 0 || j < 0 || i >= size.nx || j >= size.ny ? real(0) : __ldg(&from.u[j * size.pitch + i]);
    };
    const real center = at(x, y);
    real west = __shfl_up_sync(0xffffffff, center, 1), east = __shfl_down_sync(0xffffffff, center, 1);
    if (lane == 0) west = at(x - 1, y);
    if (lane == 31) east = at(x + 1, y);
    rows[threadIdx.y * 32 + lane] = center;
    __syncthreads();
    const real north = threadIdx.y > 0 ? rows[(threadIdx.y - 1) * 32 + lane] : at(x, y - 1);
    const real south = threadIdx.y < 3 ? rows[(threadIdx.y + 1) * 32 + lane] : at(x, y + 1);
    if (x < size.nx && y < size.ny) to.u[y * size.pitch + x] = center + p.c * (north + south + west + east - 4 * center);
}
)";

}  // namespace

TEST_CASE("Every rung of the ladder is right on the CPU, in both precisions and under every boundary") {
    require_cpp_compiler();
    int count = 0;
    for (const Rung& rung : ladder())
        for (const BoundaryRow& row : kBoundaries) {
            INFO(rung.name << " " << row.name);
            const DType dtype = ++count % 2 == 0 ? DType::float32 : DType::float64;
            const std::string text(rung.text);
            const RunSpec spec = cpu_run(row.boundary, dtype);
            CpuKernel kernel = for_cpu(text, spec);
            const Check check = dtype == DType::float32 ? cpu_checked<float>(kernel, text, spec)
                                                        : cpu_checked<double>(kernel, text, spec);
            CHECK(check.fault == "");
            CHECK(check.sizes == 7);
        }
}

TEST_CASE("A kernel for one boundary is wrong under the others") {
    require_cpp_compiler();
    for (const std::string& text : {kNaive, kTiled, kTutorial}) CHECK(cpu_fault(text) == "");
    CHECK(contains(cpu_fault(kTutorial, cpu_run(Boundary::periodic)), "periodic boundary"));
    CHECK(cpu_fault(kNaive, cpu_run(Boundary::periodic)) == "");
}

TEST_CASE("Shuffles, dynamic shared memory and several steps a launch run on the CPU as on a GPU") {
    require_cpp_compiler();
    CHECK(cpu_fault(kShuffles) == "");
    const std::string fused = R"(// stencilscope: block 20x20, tile 16x16, steps 2
extern "C" __global__ void steps(From from, To to, Size size, Parameters p, int n) {
    __shared__ real u[2][22][22];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = int(blockIdx.x * 16) + tx - 3, y = int(blockIdx.y * 16) + ty - 3;
    const bool inside = x >= 0 && y >= 0 && x < size.nx && y < size.ny;
    for (int i = threadIdx.y * 20 + threadIdx.x; i < 22 * 22; i += 400)
        if (i / 22 % 21 == 0 || i % 22 % 21 == 0) u[0][i / 22][i % 22] = u[1][i / 22][i % 22] = 0;
    u[0][ty][tx] = inside ? from.u[y * size.pitch + x] : 0;
    __syncthreads();
    for (int s = 0; s < n; ++s) {
        const real(&a)[22][22] = u[s % 2];
        const real around = a[ty - 1][tx] + a[ty + 1][tx] + a[ty][tx - 1] + a[ty][tx + 1];
        u[1 - s % 2][ty][tx] = inside ? a[ty][tx] + p.c * (around - 4 * a[ty][tx]) : 0;
        __syncthreads();
    }
    if (inside && tx > 2 && tx < 19 && ty > 2 && ty < 19) to.u[y * size.pitch + x] = u[n % 2][ty][tx];
}
)";
    CHECK(cpu_fault(fused) == "");
}

TEST_CASE("Mistakes in a text are told with their line by the compiler of the CPU, too") {
    require_cpp_compiler();
    const std::string unknown = cpu_mistake("// one\n" + kStepHead + "    to.u[0] = p.cc;\n}");
    CHECK(contains(unknown, "heat.cu, line 3"));
    CHECK(contains(unknown, "(struct Parameters { real c; })"));
    CHECK(contains(unknown, "to.u[0] = p.cc;"));
    CHECK(contains(cpu_mistake(""), "there is no kernel `step`"));
    CHECK(contains(cpu_mistake("extern \"C\" __global__ void step(From from) {}"), "other parameters"));
    CHECK(contains(cpu_mistake("real f(int);\n" + kStepHead + "to.u[0] = f(1);\n}"), "heat.cu, line 3"));
    CHECK(contains(
        cpu_mistake(kStepHead + "__shared__ real t[20000]; t[threadIdx.x] = p.c; to.u[0] = t[0];\n}"),
        "shared"));
}

TEST_CASE("Reading and writing outside of a field are told with the line that does so") {
    require_cpp_compiler();
    const std::string naive = kNaive, guard = "if (x >= size.nx || y >= size.ny) return;";
    const std::string store = "to.u[y * size.pitch + x] = center";
    const std::string unguarded = with(naive, guard, "");
    const std::string writes = cpu_fault(unguarded);
    CHECK(contains(writes, "writes outside of the field"));
    CHECK(contains(writes, line(unguarded, store) + " writes to.u"));
    const std::string west = with(kTutorial, "x > 0 ? u[i - 1] : 0", "u[i - 1]");
    const std::string reads = cpu_fault(west);
    CHECK(contains(reads, "not a number"));
    CHECK(contains(reads, line(west, "u[i - 1]") + " reads from.u"));
    const std::string far = with(naive, store, "to.u[y * size.pitch + x + 100000000] = center");
    CHECK(contains(cpu_fault(far), "far outside of the field: check every index (" + line(far, "100000000")));
    const std::string source = with(naive, store, "const_cast<real*>(from.u)[y * size.pitch + x] = center");
    CHECK(contains(cpu_fault(source), "changes `from` at (0, 0) (" + line(source, "const_cast")));
    const std::string vector = kStepHead +
                               "    const float4 v = *reinterpret_cast<const float4*>(from.u + 1);\n"
                               "    to.u[0] = v.x + v.w;\n}";
    CHECK(contains(cpu_fault(vector), "not a multiple of their size"));
    CHECK(contains(cpu_fault(vector), "line 2"));
}

TEST_CASE("A race between two barriers is told with both lines, and a barrier in between ends it") {
    require_cpp_compiler();
    const std::string tiled = kTiled;
    CHECK(cpu_fault(tiled) == "");
    const std::string race = with(tiled, "    __syncthreads();\n", "");
    const std::string fault = cpu_fault(race);
    CHECK(contains(fault, "a race"));
    CHECK(contains(fault, line(race, "tile[ty][tx] = inside")));
    CHECK(contains(fault, line(race, "const real around = tile")));
    // Lanes of one warp are ordered by __syncwarp() alone.
    const std::string warps = R"(// stencilscope: block 32x1
extern "C" __global__ void step(From from, To to, Size size, Parameters p) {
    __shared__ real row[34];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y, lane = threadIdx.x + 1;
    auto at = [&](int i, int j) { return i < 0 || j < 0 || i >= size.nx || j >= size.ny ? 0 : from.u[j * size.pitch + i]; };
    row[lane] = at(x, y);
    if (lane == 1) row[0] = at(x - 1, y);
    if (lane == 32) row[33] = at(x + 1, y);
    __syncwarp();
    const real sum = row[lane - 1] + row[lane + 1] + at(x, y - 1) + at(x, y + 1);
    if (x < size.nx) to.u[y * size.pitch + x] = row[lane] + p.c * (sum - 4 * row[lane]);
}
)";
    CHECK(cpu_fault(warps) == "");
    CHECK(contains(cpu_fault(with(warps, "    __syncwarp();\n", "")), "a race"));
}

TEST_CASE("Threads that write one place in no fixed order are found by running them in several orders") {
    require_cpp_compiler();
    const std::string text = with(kNaive,
                                  "to.u[y * size.pitch + x] = center",
                                  "to.u[y * size.pitch] = x; to.u[y * size.pitch + x] = center");
    CHECK_FALSE(cpu_fault(text) == "");
}

TEST_CASE("A barrier that not every thread reaches is told with its line") {
    require_cpp_compiler();
    const std::string early = with(kTiled,
                                   "    const int thread =",
                                   "    if (x0 + threadIdx.x >= size.nx) return;\n    const int thread =");
    const std::string fault = cpu_fault(early);
    CHECK(contains(fault, "a barrier in a branch"));
    CHECK(contains(fault, line(early, "__syncthreads();")));
    CHECK(contains(fault, "has ended without it"));
    const std::string two =
        with(kShuffles,
             "    __syncthreads();\n",
             "    if (threadIdx.y)\n        __syncthreads();\n    else\n        __syncthreads();\n");
    const std::string other = cpu_fault(two);
    CHECK(contains(other, "line 14"));
    CHECK(contains(other, "line 16"));
    const std::string half =
        with(kShuffles, "    real west = ", "    if (lane < 16) __syncwarp();\n    real west = ");
    CHECK(contains(cpu_fault(half), "waits for its warp in line"));
}

TEST_CASE("A halo that nobody loads is told with the line that reads it") {
    require_cpp_compiler();
    const std::string text =
        with(kTiled, "i < (kHeight + 2) * (kWidth + 2)", "i < (kHeight + 1) * (kWidth + 2)");
    const std::string fault = cpu_fault(text);
    CHECK(contains(fault, "not a number"));
    CHECK(contains(fault,
                   line(text, "const real around = tile") +
                       " reads a place of shared memory that no thread has written"));
}

TEST_CASE("What ends a kernel is told: an assertion, a trap") {
    require_cpp_compiler();
    CHECK(contains(cpu_fault(kStepHead + "assert(size.nx > 100000);\n}"),
                   "an assert() in it does not hold (line 2)"));
    CHECK(contains(cpu_fault(kStepHead + "\n__trap();\n}"), "__trap() (line 3)"));
}

TEST_CASE("An index that an int cannot hold is found on a field that takes no memory") {
    require_cpp_compiler();
    const RunSpec spec = cpu_run();
    CpuKernel wide = for_cpu(kNaive);
    CHECK(wide.large_field_fault(spec.params(), spec.dx) == "");
    const std::string narrow =
        with(kNaive, "return u[y * size.pitch + x];", "const int i = y * size.pitch + x;\n    return u[i];");
    CpuKernel kernel = for_cpu(narrow);
    const std::string fault = kernel.large_field_fault(spec.params(), spec.dx);
    CHECK(contains(fault, "2147483647"));
    CHECK(contains(fault, line(narrow, "return u[i]")));
}

TEST_CASE("Loads, sectors and passes over banks are counted") {
    require_cpp_compiler();
    const RunSpec spec = cpu_run();
    CpuKernel naive = for_cpu(kNaive), tiled = for_cpu(kTiled);
    const Traffic plain = naive.traffic(spec.params(), spec.dx),
                  shared = tiled.traffic(spec.params(), spec.dx);
    CHECK(plain.loads_per_cell > 4.9);
    CHECK(plain.loads_per_cell <= 5);
    CHECK(plain.stores_per_cell == 1);
    CHECK(plain.sectors < 1.3);
    CHECK(plain.passes == 0);
    CHECK(shared.loads_per_cell < 1.3);
    CHECK(shared.passes < 1.1);
    std::string turned = with(with(with(kTiled, "kHeight = 32", "kHeight = 30"), "tile 32x32", "tile 32x30"),
                              "real tile[kHeight + 2][kWidth + 2]",
                              "real tile[kWidth + 2][kHeight + 2]");
    for (const auto& [row, column] : {std::pair("[ty][tx]", "[tx][ty]"),
                                      std::pair("[ty - 1][tx]", "[tx][ty - 1]"),
                                      std::pair("[ty + 1][tx]", "[tx][ty + 1]"),
                                      std::pair("[ty][tx - 1]", "[tx - 1][ty]"),
                                      std::pair("[ty][tx + 1]", "[tx + 1][ty]")})
        for (std::size_t at; (at = turned.find(row)) != std::string::npos;)
            turned.replace(at, std::string_view(row).size(), column);
    CpuKernel columns = for_cpu(turned);
    const Traffic conflicts = columns.traffic(spec.params(), spec.dx);
    CHECK(conflicts.passes > 25);
    CHECK(contains(conflicts.worst_shared, "line "));
}

TEST_CASE("A kernel that crashes or never ends on the CPU is one line, and the program goes on") {
    require_cpp_compiler();
    const ScratchFolder scratch;
    const auto endless =
        write_bytes(scratch / "endless.cu", kStepHead + "for (volatile int i = 0;;) ++i;\n}\n");
    require_refused(
        stencilscope("bench --backend cpu --limit 2 --kernel {}", endless), 2, "did not end within 2 s");
    const auto deep = write_bytes(scratch / "deep.cu",
                                  "__device__ real f(const real* u, int i) { volatile real a[64]; a[i & 63] "
                                  "= u[0]; return f(u, i + 1) + a[i & 7]; }\n" +
                                      kStepHead + "to.u[0] = f(from.u, size.nx);\n}\n");
    require_refused(stencilscope("bench --backend cpu --kernel {}", deep), 2, "signal");
}

TEST_CASE("bench --kernel --backend cpu says what the CPU found, and no speed") {
    require_cpp_compiler();
    const ScratchFolder scratch;
    const auto file = write_bytes(scratch / "naive.cu", kNaive);
    const std::string said = require_done(stencilscope("bench --backend cpu --kernel {}", file)).out;
    CHECK(contains(said, "naive.cu: checked on the CPU: right on 7 sizes"));
    CHECK(contains(said, "also right under insulated and periodic"));
    CHECK(contains(said, "5.0 loads"));
    CHECK_FALSE(contains(said, "GCells/s"));
}
