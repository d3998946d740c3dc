// Rows that a compiler makes of row_text() while a run goes on.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace stencil::equation {

/// A text on its way to functions. The destructor waits for nobody, and the functions go with it.
class CompiledRows {
  public:
    enum class State { under_way, there, failed };

    virtual ~CompiledRows() = default;
    virtual State state() const = 0;
    virtual void wait() = 0;
    /// Of a name, where they are there; null where the text has none of it.
    virtual void* function(const std::string& name) const = 0;
    /// Where it failed: the reason, in a line.
    virtual std::string why_not() const = 0;
    /// Where they are there: what made them, or where they were kept, in a line.
    virtual std::string origin() const = 0;
};

/// Begins with a text.
using RowCompiler = std::function<std::unique_ptr<CompiledRows>(const std::string& text)>;

}  // namespace stencil::equation
