#include "kernels/equation/rows/stage_rows.h"

#include <algorithm>

#include "kernels/equation/operations.h"
#include "kernels/equation/rows/scalar_machine.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kLeft = 0, kRight = 1, kTop = 2, kBottom = 3;

struct RowRange {
    int first, end;
};

// Fills the ghost cells at both ends of rows of an array whose cell (0, 0) is `origin`.
template <class T>
void fill_ends(T* origin,
               const std::array<const GhostLine<T>*, 4>& lines,
               const StepFrame<T>& frame,
               RowRange range) {
    const int nx = frame.setup.nx, rows = range.end - range.first;
    const std::ptrdiff_t pitch = frame.pitch;
    T* const cells = origin + range.first * pitch;
    if (lines[kLeft] == nullptr && lines[kRight] == nullptr) {
        for (T* row = cells; row != cells + rows * pitch; row += pitch) {
            const T left = row[nx - 1], right = row[0];
            row[-1] = left;
            row[nx] = right;
        }
        return;
    }
    constexpr int kAtATime = 64;
    T edges[2][kAtATime], ghosts[2][kAtATime];
    for (int begin = 0; begin < rows; begin += kAtATime) {
        const int count = std::min(kAtATime, rows - begin);
        T* const some = cells + begin * pitch;
        for (const std::size_t side : {kLeft, kRight}) {
            const GhostLine<T>* line = lines[side];
            const int edge = (side == kLeft) == (line != nullptr) ? 0 : nx - 1;
            for (int i = 0; i < count; ++i) edges[side][i] = some[i * pitch + edge];
            const std::size_t entry = std::size_t(range.first + begin + 1);
            if (line != nullptr)
                multiply_add(&line->alpha[entry], edges[side], &line->beta[entry], ghosts[side], count);
            else
                std::copy_n(edges[side], count, ghosts[side]);
        }
        for (int i = 0; i < count; ++i) {
            some[i * pitch - 1] = ghosts[kLeft][i];
            some[i * pitch + nx] = ghosts[kRight][i];
        }
    }
}

}  // namespace

template <class T>
PreparedStage<T>::PreparedStage(const Stage& s)
    : stage(&s),
      rows(compile_rows(s)),
      constants(rows.constants.begin(), rows.constants.end()),
      reached(arrays_read(s, true)) {}

template <class T>
StageRows<T>::StageRows(const PreparedStage<T>& stage, const StepFrame<T>& frame, T* registers)
    : stage_(stage), frame_(frame) {
    for (const int array : stage.reached) {
        const auto& ghosts = frame.program.arrays[std::size_t(array)].ghosts;
        Reached reached{frame.cells[std::size_t(array)], {}, false};
        for (std::size_t side = 0; side < ghosts.size(); ++side) {
            if (!ghosts[side].periodic) reached.lines[side] = &frame.inputs->ghosts(array, side);
            reached.of_time = reached.of_time || ghosts[side].coefficients.of_time;
        }
        reached_.push_back(reached);
    }
    if (stage.compiled != nullptr)
        bind_compiled();
    else if (!frame.setup.plain)
        bind(registers);
}

// Random numbers come from the vector interpreter, which here runs nothing else.
template <class T>
void StageRows<T>::bind_compiled() {
    const InputValues<T>& inputs = *frame_.inputs;
    for (std::size_t i = 0; i < frame_.program.columns.outputs.size(); ++i)
        columns_.push_back(inputs.column(int(i)));
    for (std::size_t i = 0; i < frame_.program.rows.outputs.size(); ++i) rows_.push_back(inputs.row(int(i)));
    for (const Operation& o : stage_.stage->operations)
        if (o.code == Code::random) random_.push_back({{frame_.setup.seed, frame_.step, o.index}, 0});
    random_memory_ = AlignedBuffer<T>(random_.size() * std::size_t(frame_.pitch));
    operations_.resize(random_.size());
    for (std::size_t i = 0; i < random_.size(); ++i) {
        operations_[i].kernel.code = Code::random;
        operations_[i].to = random_memory_.data() + std::ptrdiff_t(i) * frame_.pitch;
        operations_[i].to_moves = -1;
        operations_[i].random = &random_[i];
        const auto stream = std::size_t(random_[i].key.stream);
        random_cells_.resize(std::max(random_cells_.size(), stream + 1));
        random_cells_[stream] = operations_[i].to;
    }
    arguments_ = {frame_.cells.data(),
                  columns_.data(),
                  rows_.data(),
                  random_cells_.data(),
                  inputs.uniforms().data(),
                  frame_.globals,
                  frame_.pitch,
                  frame_.setup.nx};
}

template <class T>
auto StageRows<T>::row_pointer(const Operand& o, T* registers) const -> RowPointer {
    const auto read = [](const T* p) { return const_cast<T*>(p); };
    const InputValues<T>& inputs = *frame_.inputs;
    switch (o.kind) {
        case Operand::Kind::none:
            return {nullptr, 0, false};
        case Operand::Kind::reg:
            return {registers + o.index * kTile<T>, 0, false};
        case Operand::Kind::constant:
            return {read(stage_.constants.data()) + o.index, 0, false};
        case Operand::Kind::uniform:
            return {read(inputs.uniforms().data()) + o.index, 0, false};
        case Operand::Kind::global:
            return {read(frame_.globals) + o.index, 0, false};
        case Operand::Kind::column:
            return {read(inputs.column(o.index)) + o.dx, 0, true};
        case Operand::Kind::row:
            return {read(inputs.row(o.index)) + o.dy, 1, false};
        default:
            return {frame_.cells[std::size_t(o.index)] + o.dy * frame_.pitch + o.dx, frame_.pitch, true};
    }
}

template <class T>
void StageRows<T>::bind(T* registers) {
    const auto& rows = stage_.rows.operations;
    operations_.resize(rows.size());
    random_.resize(rows.size());
    const auto set = [&](const Operand& operand, T*& pointer, std::ptrdiff_t& moves) {
        const RowPointer found = row_pointer(operand, registers);
        pointer = found.row_0;
        moves = found.along_row ? -1 : 0;
        if (found.step != 0) moving_.push_back({&pointer, found.row_0, found.step});
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        TileOperation<T>& o = operations_[i];
        o.kernel = rows[i].kernel;
        o.chained = rows[i].chained;
        o.random = &random_[i];
        random_[i].key = {frame_.setup.seed, frame_.step, rows[i].stream};
        set(rows[i].to, o.to, o.to_moves);
        for (std::size_t k = 0; k < o.from.size(); ++k) set(rows[i].from[k], o.from[k], o.from_moves[k]);
    }
}

// Fills a row of ghost cells. Those beyond top and bottom are computed from the edge row with its ghost
// cells, so that corners satisfy both conditions. Vectors are read of the row's own cells alone: a processor
// waits long before it reads a vector with a cell that was just written.
template <class T>
void StageRows<T>::fill_ghosts(const Reached& array, int y) const {
    const int nx = frame_.setup.nx, ny = frame_.setup.ny;
    const GhostLine<T>* line = array.lines[y < 0 ? kTop : kBottom];
    const int from = (y < 0) == (line != nullptr) ? 0 : ny - 1;
    T* ghosts = array.cells + y * frame_.pitch;
    const T* cells = array.cells + from * frame_.pitch;
    if (line == nullptr) {
        std::copy_n(cells, nx, ghosts);
        fill_ends(array.cells, array.lines, frame_, {from, from + 1});
        ghosts[-1] = cells[-1];
        ghosts[nx] = cells[nx];
        return;
    }
    const T *alpha = line->alpha.data(), *beta = line->beta.data();
    multiply_add(alpha + 1, cells, beta + 1, ghosts, nx);
    for (const int end : {-1, nx})
        multiply_add(alpha + 1 + end, cells + end, beta + 1 + end, ghosts + end, 1);
}

template <class T>
void StageRows<T>::run_plain(int y) {
    const InputValues<T>& inputs = *frame_.inputs;
    const auto cells = [&](int array, int row) {
        return frame_.cells[std::size_t(array)] + row * frame_.pitch;
    };
    values_.resize(stage_.stage->operations.size());
    const int field_row = frame_.setup.slab.field_row(y, frame_.setup.ny);
    for (int x = 0; x < frame_.setup.nx; ++x) {
        run_operations(stage_.stage->operations, values_.data(), [&](const Operation& o) {
            switch (o.code) {
                case Code::uniform:
                    return inputs.uniforms()[std::size_t(o.index)];
                case Code::global:
                    return frame_.globals[o.index];
                case Code::column:
                    return inputs.column(o.index)[x + o.dx];
                case Code::row:
                    return inputs.row(o.index)[y + o.dy];
                case Code::random:
                    return random_cell<T>({frame_.setup.seed, frame_.step, o.index}, x, field_row);
                default:
                    return cells(o.index, y + o.dy)[x + o.dx];
            }
        });
        for (const Output& output : stage_.stage->outputs)
            cells(output.array, y)[x] = values_[std::size_t(output.value)];
    }
}

template <class T>
void StageRows<T>::run(int y, int y_end) {
    // After the previous row, two rows of ghost cells exist already, unless they depend on time and another
    // step has overwritten them.
    const int ny = frame_.setup.ny;
    for (const Reached& array : reached_) {
        const int first = last_ == y - 1 && !array.of_time ? y + 1 : y - 1;
        fill_ends(array.cells, array.lines, frame_, {std::max(first, 0), std::min(y_end + 1, ny)});
        if (first < 0) fill_ghosts(array, -1);
        if (y_end >= ny) fill_ghosts(array, ny);
    }
    last_ = y_end - 1;
    if (stage_.compiled != nullptr && random_.empty()) return stage_.compiled(&arguments_, y, y_end);
    for (; y < y_end; ++y) run_row_at(y);
}

template <class T>
void StageRows<T>::run_row_at(int y) {
    if (frame_.setup.plain) return run_plain(y);
    for (const Moving& m : moving_) *m.pointer = m.row_0 + y * m.step;
    for (RandomRow& random : random_) random.y = frame_.setup.slab.field_row(y, frame_.setup.ny);
    run_row(operations_.data(), operations_.size(), frame_.setup.nx);
    if (stage_.compiled != nullptr) stage_.compiled(&arguments_, y, y + 1);
}

template struct PreparedStage<float>;
template struct PreparedStage<double>;
template class StageRows<float>;
template class StageRows<double>;

}  // namespace stencil::equation
