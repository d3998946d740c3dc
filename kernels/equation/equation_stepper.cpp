#include "kernels/equation/equation_stepper.h"

#include <algorithm>

#include "kernels/equation/scalar_machine.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kLeft = 0, kTop = 2;

bool reaches_out(const Operation& o) {
    return o.code == Code::load && (o.dx != 0 || o.dy != 0);
}

}  // namespace

template <class T>
EquationStepper<T>::EquationStepper(Program program, const EquationSetup& setup, ThreadPool& threads)
    : program_(std::move(program)), setup_(setup), threads_(threads), inputs_(program_) {
    constexpr int line = int(AlignedBuffer<T>::kAlignment / sizeof(T));
    lead_ = line;
    // Vectors may reach over a row's end, and the ghost cell lies there.
    pitch_ = round_up(setup.nx, line) + 3 * line;
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
        buffers_.emplace_back(std::size_t(pitch_) * std::size_t(setup.ny + 2) + std::size_t(line));
        std::fill_n(buffers_.back().data(), buffers_.back().size(), T(0));
        buffer_of_.push_back(int(a));
    }
    for (const Stage& stage : program_.once) once_.push_back(prepare(stage));
    for (const Stage& stage : program_.stages) stages_.push_back(prepare(stage));
}

template <class T>
typename EquationStepper<T>::Prepared EquationStepper<T>::prepare(const Stage& stage) {
    Prepared prepared{&stage, compile_rows(stage), {}};
    for (const Operation& o : stage.operations)
        if (reaches_out(o) && std::ranges::find(prepared.reached, o.index) == prepared.reached.end())
            prepared.reached.push_back(o.index);
    return prepared;
}

template <class T>
FieldView<T> EquationStepper<T>::array(int index) {
    return {row(index, 0), setup_.nx, setup_.ny, int(pitch_)};
}

template <class T>
FieldView<T> EquationStepper<T>::data(int index) {
    const auto found = std::ranges::find(program_.arrays, index, &ArrayInfo::data);
    return array(int(found - program_.arrays.begin()));
}

template <class T>
T* EquationStepper<T>::row(int array, int y) {
    return buffers_[std::size_t(buffer_of_[std::size_t(array)])].data() + pitch_ * (y + 1) + lead_;
}

template <class T>
void EquationStepper<T>::set_parameters(std::vector<double> parameters) {
    if (parameters == setup_.parameters) return;
    setup_.parameters = std::move(parameters);
    stale_ = true;
}

template <class T>
void EquationStepper<T>::set_dt(double dt) {
    if (dt == setup_.dt) return;
    clock_ = {step_, time()};
    setup_.dt = dt;
    stale_ = true;
}

template <class T>
void EquationStepper<T>::resume(const Clock& clock, long long step) {
    clock_ = clock;
    step_ = step;
    stale_ = true;
}

template <class T>
void EquationStepper<T>::update_inputs() {
    if (!inputs_.update(setup_, step_, time(), stale_)) return;
    const std::vector<T>& values = inputs_.uniforms();
    uniforms_.resize(values.size() * kBlock);
    for (std::size_t i = 0; i < values.size(); ++i)
        std::fill_n(uniforms_.data() + i * kBlock, kBlock, values[i]);
}

// The columns beyond the sides first, then whole rows, so that corners are both.
template <class T>
void EquationStepper<T>::fill_ghosts(int array) {
    const int nx = setup_.nx, ny = setup_.ny;
    const auto& info = program_.arrays[std::size_t(array)].ghosts;
    const auto line = [&](std::size_t side) -> const GhostLine<T>& { return inputs_.ghosts(array, side); };
    for (int y = 0; y < ny; ++y) {
        T* cells = row(array, y);
        const auto ghost = [&](std::size_t side, int edge, int opposite) {
            if (info[side].periodic) return cells[opposite];
            return std::fma(line(side).alpha[std::size_t(y)], cells[edge], line(side).beta[std::size_t(y)]);
        };
        const T left = ghost(kLeft, 0, nx - 1), right = ghost(kLeft + 1, nx - 1, 0);
        cells[-1] = left;
        cells[nx] = right;
    }
    for (const std::size_t side : {kTop, kTop + 1}) {
        const bool top = side == kTop;
        const T* edge = row(array, top ? 0 : ny - 1);
        const T* opposite = row(array, top ? ny - 1 : 0);
        T* ghost = row(array, top ? -1 : ny);
        for (int x = -1; x <= nx; ++x) {
            const auto at = std::size_t(std::clamp(x, 0, nx - 1));
            ghost[x] = info[side].periodic ? opposite[x]
                                           : std::fma(line(side).alpha[at], edge[x], line(side).beta[at]);
        }
    }
}

template <class T>
void EquationStepper<T>::run_plain_row(const Stage& stage, int y, std::vector<T>& values) {
    const RandomKey key{setup_.seed, step_, 0};
    values.resize(stage.operations.size());
    for (int x = 0; x < setup_.nx; ++x) {
        run_operations(stage.operations, values.data(), [&](const Operation& o) {
            switch (o.code) {
                case Code::uniform:
                    return inputs_.uniforms()[std::size_t(o.index)];
                case Code::column:
                    return inputs_.column(o.index)[x + o.dx];
                case Code::row:
                    return inputs_.row(o.index)[y + o.dy];
                case Code::random:
                    return random_cell<T>({key.seed, key.step, o.index}, x, y);
                default:
                    return row(o.index, y + o.dy)[x + o.dx];
            }
        });
        for (const Output& output : stage.outputs)
            row(output.array, y)[x] = values[std::size_t(output.value)];
    }
}

/// What a thread runs blocks with.
template <class T>
struct EquationStepper<T>::Workspace {
    AlignedBuffer<T> registers, constants, row_inputs;
    std::vector<BlockOperation<T>> operations;
};

template <class T>
T* EquationStepper<T>::place(const Operand& o, int x, int y, Workspace& w) {
    const auto block = std::size_t(o.index) * kBlock;
    switch (o.kind) {
        case Operand::Kind::reg:
            return w.registers.data() + block;
        case Operand::Kind::constant:
            return w.constants.data() + block;
        case Operand::Kind::uniform:
            return uniforms_.data() + block;
        case Operand::Kind::column:
            return const_cast<T*>(inputs_.column(o.index)) + x + o.dx;  // only read
        case Operand::Kind::row:
            return w.row_inputs.data() + std::size_t(3 * o.index + o.dy + 1) * kBlock;
        case Operand::Kind::none:
            return nullptr;
        default:
            return row(o.index, y + o.dy) + x + o.dx;
    }
}

template <class T>
void EquationStepper<T>::run_rows(const Prepared& stage, int begin, int end) {
    const RowProgram& rows = stage.rows;
    Workspace w{AlignedBuffer<T>(std::size_t(std::max(rows.registers, 1)) * kBlock),
                AlignedBuffer<T>(std::max<std::size_t>(rows.constants.size(), 1) * kBlock),
                AlignedBuffer<T>(std::max<std::size_t>(inputs_.rows(), 1) * 3 * kBlock),
                {}};
    for (std::size_t i = 0; i < rows.constants.size(); ++i)
        std::fill_n(w.constants.data() + i * kBlock, kBlock, T(rows.constants[i]));
    for (int y = begin; y < end; ++y) {
        for (std::size_t i = 0; i < inputs_.rows(); ++i)
            for (int dy = -1; dy <= 1; ++dy)
                std::fill_n(w.row_inputs.data() + (3 * i + std::size_t(dy + 1)) * kBlock,
                            kBlock,
                            inputs_.row(int(i))[y + dy]);
        for (int x = 0; x < setup_.nx; x += kBlock) run_cells(rows, x, std::min(kBlock, setup_.nx - x), y, w);
    }
}

// Random numbers are no vectors' work: the operations between them run together.
template <class T>
void EquationStepper<T>::run_cells(const RowProgram& rows, int x, int cells, int y, Workspace& w) {
    w.operations.clear();
    for (const RowOperation& o : rows.operations) {
        T* to = place(o.to, x, y, w);
        if (o.code == Code::random) {
            run_block(w.operations.data(), w.operations.size(), cells);
            w.operations.clear();
            for (int i = 0; i < cells; ++i) to[i] = random_cell<T>({setup_.seed, step_, o.stream}, x + i, y);
            continue;
        }
        BlockOperation<T> block{o.code, to, {}};
        for (std::size_t k = 0; k < o.from.size(); ++k) block.from[k] = place(o.from[k], x, y, w);
        w.operations.push_back(block);
    }
    run_block(w.operations.data(), w.operations.size(), cells);
}

template <class T>
void EquationStepper<T>::run_stage(const Prepared& stage) {
    for (const int array : stage.reached) fill_ghosts(array);
    const bool plain = setup_.plain || !has_row_machine();
    threads_.for_ranges(setup_.ny, [&](std::int64_t begin, std::int64_t end) {
        if (!plain) return run_rows(stage, int(begin), int(end));
        std::vector<T> values;
        for (int y = int(begin); y < int(end); ++y) run_plain_row(*stage.stage, y, values);
    });
}

template <class T>
void EquationStepper<T>::advance(long long steps) {
    for (long long i = 0; i < steps; ++i) {
        update_inputs();
        if (stale_)
            for (const Prepared& stage : once_) run_stage(stage);
        stale_ = false;
        for (const Prepared& stage : stages_) run_stage(stage);
        for (std::size_t c = 0; c < program_.next.size(); ++c)
            std::swap(buffer_of_[c], buffer_of_[std::size_t(program_.next[c])]);
        ++step_;
    }
}

template class EquationStepper<float>;
template class EquationStepper<double>;

}  // namespace stencil::equation
