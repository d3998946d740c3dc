#include "kernels/equation/fused/stage_text.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {
namespace {

int index_in(const std::vector<int>& list, int value) {
    const auto found = std::ranges::find(list, value);
    return found == list.end() ? -1 : int(found - list.begin());
}

// Results are computed for the row before the newest one (`kRow`), carried values for the newest one
// (`kRowBelow`). A value is identified by its text, so cells that share it compute it once.
class StageText {
  public:
    StageText(const StageTextSetup& setup, std::size_t stage)
        : setup_(setup),
          number_(stage),
          stage_(setup.program.stages[stage]),
          operations_(stage_.stage.operations) {}

    std::string whole() {
        for (int j = 0; j < setup_.columns; ++j) append_column(j);
        for (std::size_t k = 0; k < stage_.kept.size(); ++k) append_kept(k);
        body_ = std::move(text_);
        text_.clear();
        append_head();
        append_sides();
        return text_ + body_ + "}\n";
    }

    // Rows enter as the arrays that a step reads, and leave as those of its first stage.
    std::string leading() {
        operations_ = setup_.program.leading.operations;
        rows_ = setup_.program.from;
        for (int j = 0; j < setup_.columns; ++j) {
            std::string results;
            for (const Output& output : setup_.program.leading.outputs)
                append(results,
                       "    newest%d[%d] = %s;\n",
                       index_in(stage_.live, output.array),
                       j,
                       value(output.value, kRowBelow, j).c_str());
            text_ += results;
        }
        std::string head =
            "__device__ __forceinline__ void lead(const Arguments& a, const Cut& cut, const LaneInputs& p, "
            "int "
            "step, int newest";
        for (std::size_t k = 0; k < stage_.live.size(); ++k) append(head, ", Cells& newest%zu", k);
        return head + ") {\n" + text_ + "}\n";
    }

  private:
    enum Row { kRow, kRowBelow };

    void append_head() {
        append(text_,
               "template <bool kEdge>\n__device__ __forceinline__ void stage%zu(const Arguments& a, const "
               "Cut& cut, const LaneInputs& p, int "
               "step, int newest",
               number_);
        for (std::size_t k = 0; k < stage_.live.size(); ++k)
            append(text_, ", Cells& newest%zu, Cells& before%zu", k, k);
        for (std::size_t k = 0; k < stage_.carried.size(); ++k) append(text_, ", Cells& carried%zu", k);
        for (std::size_t k = 0; k < stage_.kept.size(); ++k) append(text_, ", Kept& kept%zu", k);
        for (std::size_t k = 0; k < setup_.program.after(number_).size(); ++k)
            append(text_, ", Cells& result%zu", k);
        text_ += ") {\n";
    }

    // The cells next to a lane's columns, for arrays whose neighbours are read.
    void append_sides() {
        for (std::size_t k = 0; k < stage_.live.size(); ++k) {
            const int array = stage_.live[k];
            if (!reads(stage_.stage, array, true)) continue;
            append_side("newest_w", "from_west", "newest", "kColumns - 1", k);
            append_side("newest_e", "from_east", "newest", "0", k);
            append_side("before_w", "from_west", "before", "kColumns - 1", k);
            append_side("before_e", "from_east", "before", "0", k);
            append_ghosts(k, array);
        }
    }

    // Without branches and in all blocks: slower blocks at the sides would delay the others.
    void append_ghosts(std::size_t slot, int array) {
        const auto& sides = setup_.lines.ghosts[std::size_t(array)];
        const std::string k = std::to_string(slot);
        if (sides[0] >= 0) {
            const NamedRow before{"before", "newest - 1"}, newest{"newest", "newest"};
            const bool both_of_before = uses("before_w", slot) && uses("before_e", slot);
            append_beside(k, array, before, both_of_before ? before : newest);
            append_beside(k, array, newest, both_of_before ? newest : before);
        }
        if (sides[2] < 0) return;
        append_ghost_row(k, array, 2, "newest == 0", "before", "newest");
        append_ghost_row(k, array, 3, "newest == p.ny", "newest", "before");
    }

    struct NamedRow {
        const char *name, *number;
    };

    // Ghost cells west of one row and east of another (or the same), needed together. One read of their lines
    // serves both, because no lane is at both sides.
    void append_beside(const std::string& k, int array, NamedRow left, NamedRow right) {
        const auto& sides = setup_.lines.ghosts[std::size_t(array)];
        std::array<std::string, 2> west, east;
        for (const int i : {0, 1}) {
            std::string& name = west[std::size_t(i)];
            if (is_even(array, 0, i) && is_even(array, 1, i)) {
                name = even(array, 0, i);
                east[std::size_t(i)] = even(array, 1, i);
                continue;
            }
            name = (i == 0 ? "alpha_" : "beta_") + (left.name + k);
            east[std::size_t(i)] = name;
            append(text_,
                   "    const Real %s = at_side<kEdge, %d, %d>(p, step, %s, %s);\n",
                   name.c_str(),
                   sides[0] + i,
                   sides[1] + i,
                   left.number,
                   right.number);
        }
        const auto append_ghost =
            [&](const char* at, const std::string& ghost, const auto& factors, const std::string& edge) {
                text_ += "    if (p.at_" + (at + (") " + ghost)) + " = fma_rn(" + factors[0] + ", " + edge +
                         ", " + factors[1] + ");\n";
            };
        append_ghost("west", left.name + ("_w" + k), west, left.name + k + "[0]");
        append_ghost("east", right.name + ("_e" + k), east, right.name + k + "[kColumns - 1]");
    }

    void append_ghost_row(const std::string& k,
                          int array,
                          std::size_t side,
                          const char* where,
                          const char* ghosts,
                          const char* edge) {
        const bool all_even = is_even(array, side, 0) && is_even(array, side, 1);
        const std::string line =
            "p, line(p, step, " + std::to_string(setup_.lines.ghosts[std::size_t(array)][side]) + ")";
        append(text_, "    if (kEdge && %s) set_ghost_row(", where);
        text_ += all_even ? even(array, side, 0) + ", " + even(array, side, 1) : line;
        for (const char* cells : {ghosts, edge})
            for (const char* place : {"", "_w", "_e"}) append(text_, ", %s%s%s", cells, place, k.c_str());
        text_ += ");\n";
    }

    const Operation& ghost_factor(int array, std::size_t side, int i) const {
        const Inputs& factors = setup_.program.program.arrays[std::size_t(array)].ghosts[side].coefficients;
        return factors.operations[std::size_t(factors.outputs[std::size_t(i)])];
    }
    // Whether alpha (0) or beta (1) is the same along the side and in all steps.
    bool is_even(int array, std::size_t side, int i) const {
        return ghost_factor(array, side, i).code == Code::constant || setup_.program.is_even(array, side);
    }
    std::string even(int array, std::size_t side, int i) const {
        const Operation& factor = ghost_factor(array, side, i);
        if (factor.code == Code::constant) return constant_text(factor.number, setup_.float64);
        return "cut.sides[" + std::to_string(setup_.lines.ghosts[std::size_t(array)][side] + i) + "]";
    }

    // Leaves out unused shuffles, which the compiler would not.
    void append_side(
        const char* name, const char* from, const char* row, const char* column, std::size_t slot) {
        append(text_,
               "    Real %s%zu = %s ? %s(%s%zu[%s]) : (Real)0;\n",
               name,
               slot,
               uses(name, slot) ? "true" : "kEdge",
               from,
               row,
               slot,
               column);
    }

    bool uses(const char* name, std::size_t slot) const {
        return body_.find(name + std::to_string(slot)) != std::string::npos;
    }

    void append_column(int j) {
        const std::vector<int> after = setup_.program.after(number_);
        std::string results;
        for (std::size_t k = 0; k < after.size(); ++k) {
            const auto output = std::ranges::find(stage_.stage.outputs, after[k], &Output::array);
            if (output == stage_.stage.outputs.end())
                append(
                    results, "    result%zu[%d] = before%d[%d];\n", k, j, index_in(stage_.live, after[k]), j);
            else
                append(results, "    result%zu[%d] = %s;\n", k, j, value(output->value, kRow, j).c_str());
        }
        std::string carried;
        for (std::size_t k = 0; k < stage_.carried.size(); ++k)
            append(
                carried, "    carried%zu[%d] = %s;\n", k, j, value(stage_.carried[k], kRowBelow, j).c_str());
        text_ += results + carried;
    }

    void append_kept(std::size_t k) {
        const int slot = index_in(stage_.live, stage_.kept[k]);
        for (int j = -1; j <= setup_.columns; ++j)
            append(text_, "    kept%zu[%d] = %s;\n", k, j + 1, cell("before", slot, j).c_str());
    }

    std::string cell(const char* row, int slot, int j) const {
        if (j < 0) return row + ("_w" + std::to_string(slot));
        if (j >= setup_.columns) return row + ("_e" + std::to_string(slot));
        return row + std::to_string(slot) + "[" + std::to_string(j) + "]";
    }

    std::string loaded(const Operation& o, Row row, int j) const {
        const int y = o.dy + (row == kRow ? -1 : 0), x = j + o.dx;
        if (y < -1)
            return "kept" + std::to_string(index_in(stage_.kept, o.index)) + "[" + std::to_string(x + 1) +
                   "]";
        return cell(y == 0 ? "newest" : "before", index_in(rows_, o.index), x);
    }

    std::string value(int operation, Row row, int j) {
        const auto key = std::tuple(operation, row, j);
        if (const auto found = done_.find(key); found != done_.end()) return found->second;
        return done_[key] = worked_out(operation, row, j);
    }

    std::string worked_out(int operation, Row row, int j) {
        const Operation& o = operations_[std::size_t(operation)];
        if (o.code == Code::load && !(row == kRow && index_in(stage_.carried, operation) >= 0))
            return loaded(o, row, j);
        if (row == kRow)
            if (const int k = index_in(stage_.carried, operation); k >= 0)
                return named("carried" + std::to_string(k) + "[" + std::to_string(j) + "]");
        if (o.code == Code::constant) return constant_text(o.number, setup_.float64);
        if (o.code < Code::add) return input(o, row, j);
        std::array<std::string, 4> args;
        for (std::size_t i = 0; i < args.size(); ++i)
            if (o.args[i] >= 0) args[i] = value(o.args[i], row, j);
        return named(operation_text(o.code, args));
    }

    std::string input(const Operation& o, Row row, int j) {
        std::string text;
        const int below = row == kRow ? -1 : 0;
        switch (o.code) {
            case Code::uniform:
                append(text,
                       setup_.program.of_time ? "uniform_of_step(p, step, %d)" : "a.uniforms[%d]",
                       o.index);
                return setup_.program.of_time ? named(text) : text;
            case Code::column:
                append(text, "line(p, step, %d)[column_of(p, p.x + %d) + (%d)]", o.index, j, o.dx);
                return named(text);
            case Code::row:
                append(text,
                       "line(p, step, %d)[row_of(p, newest + (%d)) + (%d)]",
                       int(setup_.program.program.columns.outputs.size()) + o.index,
                       below,
                       o.dy);
                return named(text);
            default:
                append(
                    text,
                    "random_cell(p.seed, p.step + step, %d, column_of(p, p.x + %d), field_row(p, row_of(p, "
                    "newest + (%d))))",
                    o.index,
                    j,
                    below);
                return named(text);
        }
    }

    // The name of a value, which is computed at its first use.
    std::string named(const std::string& text) {
        std::string& name = names_[text];
        if (name.empty()) {
            name = "v" + std::to_string(names_.size());
            text_ += "    const Real " + name + " = " + text + ";\n";
        }
        return name;
    }

    const StageTextSetup& setup_;
    std::size_t number_;
    const FusedStage& stage_;
    Operations operations_;
    std::vector<int> rows_ = stage_.live;  ///< the array of each row parameter
    std::string text_, body_;
    std::map<std::tuple<int, Row, int>, std::string> done_;
    std::map<std::string, std::string> names_;
};

}  // namespace

std::string stage_text(const StageTextSetup& setup, std::size_t stage) {
    return StageText(setup, stage).whole();
}

std::string leading_text(const StageTextSetup& setup) {
    return StageText(setup, 0).leading();
}

}  // namespace stencil::equation
