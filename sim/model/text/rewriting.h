// Changes statements of a model's text in place; comments and layout are kept.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/model/text/statements.h"

namespace stencil::equation {

class Rewriting {
  public:
    /// `read` are the statements of the text; it must outlive this object.
    explicit Rewriting(const Statements& read) : read_(read) {}

    /// The statement of that form and name; null if there is none.
    const StatementPlace* find(StatementForm form, std::string_view name) const;
    void replace(TextSpan span, std::string by) { changes_.emplace_back(span, std::move(by)); }
    /// Gives NAME or NAME(0) another value, or adds a statement that does.
    void set(StatementForm form, std::string_view name, const std::string& value);
    /// Adds a statement at the end of the text.
    void add(std::string statement) { added_.push_back(std::move(statement)); }
    void insert_before(const StatementPlace& statement, const std::string& other);
    /// Removes a statement with its ';', and its line if nothing is left on it.
    void remove(const StatementPlace& statement);
    /// The text with all changes.
    std::string text();

  private:
    const Statements& read_;
    std::vector<std::pair<TextSpan, std::string>> changes_;
    std::vector<std::string> added_;
};

}  // namespace stencil::equation
