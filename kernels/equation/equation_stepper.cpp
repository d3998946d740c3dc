#include "kernels/equation/equation_stepper.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/cpu/subnormals.h"
#include "kernels/equation/convolution.h"
#include "kernels/equation/global_values.h"
#include "kernels/equation/implicit_solve.h"
#include "kernels/equation/operations.h"
#include "kernels/field/divide.h"
#include "kernels/methods/method.h"

namespace stencil::equation {
namespace {

// The rows that a pass works on at a time should stay in L2.
const std::size_t kCacheBytes = std::size_t(std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 1L << 20));

// Offset between buffers, in cache lines: a quarter of a page plus one line.
constexpr std::size_t kStaggerLines = 17;

constexpr std::size_t kLineBytes = AlignedBuffer<std::byte>::kAlignment, kPageBytes = 4096;

// Buffers are staggered within this part of their own size, or within a page if that is more.
constexpr std::size_t kStaggered = 16;

// Rows that a pass keeps in addition to one per level.
constexpr std::size_t kBeside = TimeTiling::kRowsAtATime + 1;

// Work (cells times operations) that takes about as long as waking a thread.
constexpr std::size_t kLeastWork = std::size_t(1) << 18;

// Work (cells times operations) that the interpreter does while a compiler compiles.
constexpr double kWorthCompiling = 4e9;

std::size_t operations_of(const Program& program) {
    std::size_t operations = 1;
    for (const Stage& stage : program.stages) operations += stage.operations.size();
    return operations;
}

// Whether component c's next state may overwrite the current one: the stage that computes it has no other
// output and reads no neighbours of c, and no later stage reads c. Earlier stages are a row ahead in a pass,
// so they have read what it overwrites.
bool in_place(const Program& program, int c) {
    const auto makes = [to = program.next[std::size_t(c)]](const Stage& stage) {
        return std::ranges::find(stage.outputs, to, &Output::array) != stage.outputs.end();
    };
    const auto maker = std::ranges::find_if(program.stages, makes);
    return !couples_all_cells(program) && maker != program.stages.end() && maker->outputs.size() == 1 &&
           !reads(*maker, c, true) && std::none_of(maker + 1, program.stages.end(), [&](const Stage& s) {
               return reads(s, c) || makes(s);
           });
}

template <class T>
std::unique_ptr<FieldOperator<T>> make_operator(const LinearPart& part,
                                                FieldShape shape,
                                                const ExecutionSpace& on) {
    if (part.kernels.empty()) return std::make_unique<ImplicitSolve<T>>(part, shape, on);
    return std::make_unique<Convolution<T>>(part, shape, on);
}

// The text of a program that several runs may share.
std::string shared_row_text(const std::shared_ptr<const Program>& program, bool float64) {
    static std::mutex mutex;
    static std::map<std::weak_ptr<const Program>, std::array<std::string, 2>, std::owner_less<>> texts;
    const std::lock_guard lock(mutex);
    std::erase_if(texts, [](const auto& one) { return one.first.expired(); });
    std::string& text = texts[program][float64];
    if (text.empty()) text = row_text(*program, float64);
    return text;
}

int least_cells(const Program& program) {
    return int(kLeastWork * program.stages.size() / operations_of(program));
}

// The temporal blocking depth that keeps the rows of a pass in the cache.
int cached_levels(std::size_t stages, std::size_t row_bytes) {
    return int(std::min(kEquationSteps * stages + kBeside, kCacheBytes / row_bytes)) - int(kBeside);
}

// Rows have room for whole tiles of the vector interpreter. One more cache line has the ghost cell beyond a
// row's end and that before the next row, since small fields take longer for each line.
template <class T>
std::ptrdiff_t pitch_for(int nx) {
    return round_up(nx, kLeastTile<T>) + std::ptrdiff_t(kLineBytes / sizeof(T));
}

}  // namespace

template <class T>
EquationStepper<T>::EquationStepper(std::shared_ptr<const Program> program,
                                    const EquationSetup& setup,
                                    ThreadPool& threads,
                                    RowCompiler compiler)
    : StepSettings(setup),
      shared_(std::move(program)),
      program_(*shared_),
      threads_(threads),
      tiling_(
          setup.ny, setup.nx, wrapping(program_, 1) != Wrapping::none, threads.size(), least_cells(program_)),
      inputs_(std::make_shared<InputValues<T>>(program_)),
      of_time_(inputs_->of_time()),
      ghosts_of_globals_(has_ghosts_of_globals(program_)),
      compiler_(std::move(compiler)) {
    constexpr int line = int(kLineBytes / sizeof(T));
    setup_.plain = setup_.plain || !has_row_machine();
    if (setup_.plain) compiler_ = {};
    lead_ = line;
    pitch_ = pitch_for<T>(setup.nx);
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
        const auto component = std::ranges::find(program_.next, int(a)) - program_.next.begin();
        if (component < program_.components && in_place(program_, int(component))) {
            buffer_of_.push_back(buffer_of_[std::size_t(component)]);
            continue;
        }
        buffer_of_.push_back(int(buffers_.size()));
        buffers_.emplace_back(std::size_t(pitch_) * std::size_t(setup.ny + 2) + std::size_t(line) +
                              std::size_t(stagger(buffers_.size())));
        const auto clear = [all = buffers_.back().data()](std::int64_t begin, std::int64_t end) {
            std::fill(all + begin, all + end, T(0));
        };
        threads.for_ranges(std::int64_t(buffers_.back().size()), clear, kLeastWork);
    }
    for (const Stage& stage : program_.once) once_.emplace_back(stage);
    for (const Stage& stage : program_.stages) stages_.emplace_back(stage);
    for (const LinearPart& part : program_.linear)
        linear_.push_back(
            make_operator<T>(part, {setup.nx, setup.local_rows()}, {&threads_, nullptr, setup.strips}));
    globals_ = std::make_unique<GlobalValues<T>>(program_.globals, setup_, threads_);
}

template <class T>
EquationStepper<T>::~EquationStepper() = default;

// Large buffers start at different offsets in a page, because a load stalls if its address matches a recent
// store modulo 4 KB (4K aliasing). Rows of large buffers also map to different sets of the cache.
template <class T>
std::ptrdiff_t EquationStepper<T>::stagger(std::size_t buffer) const {
    const std::size_t pages = std::max(
        std::size_t(pitch_) * std::size_t(setup_.ny) * sizeof(T) / kStaggered / kPageBytes, std::size_t(1));
    return std::ptrdiff_t(kStaggerLines * buffer % (pages * (kPageBytes / kLineBytes))) * lead_;
}

template <class T>
double EquationStepper<T>::bytes(const Program& program, int nx, int ny, int threads) {
    const double rows = ny + 2, columns = nx + 2, row_bytes = double(pitch_for<T>(nx)) * sizeof(T),
                 values = double(sizeof(T));
    const double buffer = row_bytes * rows * (1 + 1.0 / kStaggered) + kPageBytes + 2 * kLineBytes;
    const std::size_t buffers = program.arrays.size();
    double sides = 0;
    bool of_time = program.uniforms.of_time;
    for (const ArrayInfo& array : program.arrays)
        for (std::size_t side = 0; side < array.ghosts.size(); ++side) {
            if (array.ghosts[side].periodic) continue;
            sides += 2 * (side < 2 ? rows : columns);
            of_time = of_time || array.ghosts[side].coefficients.of_time;
        }
    const double lines = double(program.columns.outputs.size()) *
                         (columns + kLeastTile<T>)+double(program.rows.outputs.size()) *
                         (rows + kLeastTile<T>);
    // If inputs change with time, each step of a pass has its own copy; the previous inputs and those being
    // computed add to that. Each thread has its own copy of the pass's operations.
    const std::size_t stages = std::max(program.stages.size(), std::size_t(1));
    const double levels = std::max(cached_levels(stages, buffers * std::size_t(row_bytes)), 1),
                 steps = levels / double(stages) + 1;
    const double at_work = std::min(threads, ny / 4 + 1);
    return double(buffers) * buffer + (lines + sides) * values * (of_time ? 2 + steps : 3) +
           at_work * steps * double(operations_of(program)) * sizeof(TileOperation<T>);
}

template <class T>
FieldView<T> EquationStepper<T>::array(int index) {
    return {cells(index), setup_.nx, setup_.ny, int(pitch_)};
}

template <class T>
FieldView<T> EquationStepper<T>::data(int index) {
    const auto found = std::ranges::find(program_.arrays, index, &ArrayInfo::data);
    return array(int(found - program_.arrays.begin()));
}

template <class T>
T* EquationStepper<T>::cells(int array) {
    const auto buffer = std::size_t(buffer_of_[std::size_t(array)]);
    return buffers_[buffer].data() + stagger(buffer) + pitch_ + lead_;
}

template <class T>
auto EquationStepper<T>::next_frame() -> std::shared_ptr<const StepFrame<T>> {
    if (stale_ || of_time_) {
        inputs_ = std::make_shared<InputValues<T>>(*inputs_);
        inputs_->update(setup_, step_, time(), stale_);
        for (std::size_t part = 0; part < linear_.size() && stale_; ++part)
            linear_[part]->set(inputs_->linear(part), setup_.dt);
    }
    return make_frame();
}

template <class T>
auto EquationStepper<T>::make_frame() -> std::shared_ptr<const StepFrame<T>> {
    auto frame = std::make_shared<StepFrame<T>>(
        StepFrame<T>{program_, setup_, pitch_, {}, inputs_, step_, globals_->data()});
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) frame->cells.push_back(cells(int(a)));
    return frame;
}

// The temporal blocking depth, for passes of about equal depth.
template <class T>
int EquationStepper<T>::levels_of_pass(long long stages) const {
    const std::size_t row_bytes = buffers_.size() * std::size_t(pitch_) * sizeof(T);
    const bool all_cached = row_bytes * std::size_t(setup_.ny) <= kCacheBytes;
    if (setup_.plain || (tiling_.alone() && all_cached)) return 1;
    if (wrapping(program_, 1) == Wrapping::some) return 1;
    const int most = std::clamp(cached_levels(stages_.size(), row_bytes), 1, tiling_.most_levels());
    const long long passes = ceil_div(stages, static_cast<long long>(most));
    return int(ceil_div(stages, passes));
}

template <class T>
void EquationStepper<T>::run_pass(const std::vector<Level>& levels) {
    int registers = 1;
    for (const Level& level : levels) registers = std::max(registers, level.stage->rows.registers);
    const auto make_row = [&] {
        return [&levels,
                as_cuda_has_it = SubnormalsAsZero(sizeof(T) == sizeof(float)),
                memory = AlignedBuffer<T>(std::size_t(registers) * kTile<T>),
                stages = std::vector<std::unique_ptr<StageRows<T>>>()](int level, int y, int y_end) mutable {
            if (stages.empty())
                for (const Level& each : levels)
                    stages.push_back(std::make_unique<StageRows<T>>(*each.stage, *each.frame, memory.data()));
            stages[std::size_t(level)]->run(y, y_end);
        };
    };
    tiling_.run(threads_, int(levels.size()), make_row);
}

// Whether steps of a field that one thread has in its cache may be bound once for many steps: binding takes
// as long as some thousand cells.
template <class T>
bool EquationStepper<T>::binds_steps(int levels) const {
    return levels == 1 && !setup_.plain && tiling_.alone() && !of_time_ && program_.globals == 0 &&
           !couples_all_cells(program_) &&
           std::ranges::none_of(program_.stages, [](const Stage& stage) { return draws_numbers(stage); });
}

template <class T>
void EquationStepper<T>::run_bound_step() {
    auto bound = std::ranges::find_if(bound_, [&](const BoundStep& one) {
        return one.frame->inputs == inputs_ && one.buffer_of == buffer_of_;
    });
    if (bound == bound_.end()) {
        if (bound_.size() == 2) bound_.clear();
        int registers = 1;
        for (const PreparedStage<T>& stage : stages_) registers = std::max(registers, stage.rows.registers);
        const std::size_t room = std::size_t(registers) * kTile<T>;
        if (registers_.size() < room) registers_ = AlignedBuffer<T>(room);
        bound_.push_back({buffer_of_, make_frame()});
        bound = bound_.end() - 1;
        for (const PreparedStage<T>& stage : stages_)
            bound->stages.push_back(std::make_unique<StageRows<T>>(stage, *bound->frame, registers_.data()));
    }
    const SubnormalsAsZero as_cuda_has_it(sizeof(T) == sizeof(float));
    for (const auto& stage : bound->stages) stage->run(0, setup_.ny);
}

template <class T>
void EquationStepper<T>::solve(const Solve& solve) {
    apply(*linear_[std::size_t(solve.part)], solve, setup_, [this](int index) { return array(index); });
}

// Does the work that couples all cells, after a whole stage. Returns whether it has changed ghost cells.
template <class T>
bool EquationStepper<T>::finish_stage(const Stage& stage) {
    if (!stage.solve.to.empty()) solve(stage.solve);
    for (const Reduction& reduction : stage.reductions) globals_->reduce(reduction, array(reduction.array));
    if (stage.reductions.empty() || !ghosts_of_globals_) return false;
    inputs_ = std::make_shared<InputValues<T>>(*inputs_);
    inputs_->update_globals(setup_, step_, time(), globals_->exact());
    return true;
}

template <class T>
void EquationStepper<T>::compile_when_worth_it(double steps) {
    if (!compiler_ || rows_) return;
    const double work = steps * setup_.nx * setup_.ny * double(operations_of(program_));
    if (work >= kWorthCompiling) rows_ = compiler_(shared_row_text(shared_, sizeof(T) == sizeof(double)));
}

template <class T>
void EquationStepper<T>::expect(long long steps) {
    expected_ = double(steps);
    compile_when_worth_it(expected_);
}

// Changes executors only between passes, because all levels of a pass use the same one.
template <class T>
void EquationStepper<T>::take_compiled() {
    if (stages_.front().compiled || !compiled()) return;
    bound_.clear();
    const auto take = [&](bool once, std::vector<PreparedStage<T>>& stages) {
        for (std::size_t i = 0; i < stages.size(); ++i)
            stages[i].compiled =
                reinterpret_cast<RowFunction<T>>(rows_->function(row_function_name(once, i)));
    };
    take(true, once_);
    take(false, stages_);
}

template <class T>
void EquationStepper<T>::wait_for_compiler() {
    if (!compiler_) return;
    if (!rows_) rows_ = compiler_(shared_row_text(shared_, sizeof(T) == sizeof(double)));
    rows_->wait();
    take_compiled();
}

template <class T>
std::string EquationStepper<T>::why_not_compiled() const {
    return rows_ && rows_->state() == CompiledRows::State::failed ? rows_->why_not() : "";
}

template <class T>
std::vector<double> EquationStepper<T>::globals() const {
    return keeps_globals() ? globals_->exact() : std::vector<double>();
}

template <class T>
void EquationStepper<T>::keep_globals(const std::vector<double>& values) {
    has_globals_ = !values.empty() && int(values.size()) == program_.globals;
    if (!has_globals_) return;
    globals_->set(values);
    inputs_ = std::make_shared<InputValues<T>>(*inputs_);
    inputs_->set_globals(values);
    stale_ = true;
}

template <class T>
const InputValues<T>& EquationStepper<T>::prepare() {
    auto frame = next_frame();
    for (const PreparedStage<T>& stage : once_) {
        if (!stale_) break;
        run_pass({{&stage, frame}});
        if (finish_stage(*stage.stage)) frame = make_frame();
    }
    stale_ = false;
    return *inputs_;
}

template <class T>
void EquationStepper<T>::advance(long long steps) {
    if (steps <= 0) return;
    made_ += double(steps);
    compile_when_worth_it(std::max(made_, expected_));
    expected_ -= std::min(expected_, double(steps));
    const int most = levels_of_pass(steps * static_cast<long long>(stages_.size()));
    const bool binds = binds_steps(most);
    std::vector<Level> levels;
    for (long long i = 0; i < steps; ++i) {
        if (binds && !stale_) {
            take_compiled();
            run_bound_step();
            turn_buffers();
            continue;
        }
        auto frame = next_frame();
        if (levels.empty()) take_compiled();
        const bool takes = takes_globals();
        const auto run = [&](const PreparedStage<T>& stage) {
            if (stage.stage->of_globals && !takes) return;
            levels.push_back({&stage, frame});
            if (int(levels.size()) < most && !couples_all_cells(*stage.stage)) return;
            run_pass(levels);
            levels.clear();
            if (finish_stage(*stage.stage)) frame = make_frame();
        };
        if (stale_) std::ranges::for_each(once_, run);
        stale_ = false;
        std::ranges::for_each(stages_, run);
        turn_buffers();
        has_globals_ = program_.globals > 0;
    }
    if (!levels.empty()) run_pass(levels);
}

// Counts a step: the next state is the state.
template <class T>
void EquationStepper<T>::turn_buffers() {
    for (std::size_t c = 0; c < program_.next.size(); ++c)
        std::swap(buffer_of_[c], buffer_of_[std::size_t(program_.next[c])]);
    count(program_, 1);
}

template class EquationStepper<float>;
template class EquationStepper<double>;

}  // namespace stencil::equation
