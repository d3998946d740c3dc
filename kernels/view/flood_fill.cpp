// Flood fill by scanlines: each run of similar cells in a row is extended into the rows above and below.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/view/paint_cell.h"

namespace stencil {
namespace {

template <class T>
class Filling {
  public:
    Filling(FieldView<const T> cells, double value, double tolerance)
        : cells_(cells),
          value_(value),
          tolerance_(tolerance),
          taken_(std::size_t(cells.nx) * std::size_t(cells.ny)) {}

    std::vector<CellBox> from(int x, int y) {
        waiting_.push_back({x, y});
        while (!waiting_.empty()) {
            const Cell cell = waiting_.back();
            waiting_.pop_back();
            if (open(cell.x, cell.y)) take_run(cell);
        }
        return std::move(runs_);
    }

  private:
    struct Cell {
        int x, y;
    };

    std::vector<bool>::reference taken(int x, int y) {
        return taken_[std::size_t(y) * std::size_t(cells_.nx) + std::size_t(x)];
    }

    // Similar to the first cell, and not yet taken.
    bool open(int x, int y) {
        if (taken(x, y)) return false;
        const double u = double(cells_.at(x, y));
        return std::isfinite(value_) ? std::abs(u - value_) <= tolerance_ : !std::isfinite(u);
    }

    void take_run(Cell cell) {
        int begin = cell.x, end = cell.x + 1;
        while (begin > 0 && open(begin - 1, cell.y)) --begin;
        while (end < cells_.nx && open(end, cell.y)) ++end;
        for (int x = begin; x < end; ++x) taken(x, cell.y) = true;
        runs_.push_back({begin, cell.y, end - begin, 1});
        for (const int y : {cell.y - 1, cell.y + 1}) {
            if (y < 0 || y >= cells_.ny) continue;
            bool before = false;
            for (int x = begin; x < end; ++x) {
                const bool now = open(x, y);
                if (now && !before) waiting_.push_back({x, y});
                before = now;
            }
        }
    }

    FieldView<const T> cells_;
    double value_, tolerance_;
    std::vector<bool> taken_;
    std::vector<Cell> waiting_;
    std::vector<CellBox> runs_;
};

// Merges equal runs of adjacent rows into boxes, because every box costs a kernel launch.
std::vector<CellBox> joined(std::vector<CellBox> runs) {
    std::ranges::sort(runs, {}, [](const CellBox& run) { return std::tuple(run.x, run.nx, run.y); });
    std::vector<CellBox> boxes;
    for (const CellBox& run : runs) {
        const bool goes_on = !boxes.empty() && boxes.back().x == run.x && boxes.back().nx == run.nx &&
                             boxes.back().y + boxes.back().ny == run.y;
        if (goes_on)
            ++boxes.back().ny;
        else
            boxes.push_back(run);
    }
    return boxes;
}

}  // namespace

template <class T>
std::vector<CellBox> flood_fill(FieldView<const T> cells, int x, int y, double tolerance) {
    if (x < 0 || y < 0 || x >= cells.nx || y >= cells.ny) return {};
    return joined(Filling<T>(cells, double(cells.at(x, y)), tolerance).from(x, y));
}

template std::vector<CellBox> flood_fill(FieldView<const float>, int, int, double);
template std::vector<CellBox> flood_fill(FieldView<const double>, int, int, double);

}  // namespace stencil
