// Rows compiled from row_text() in the background.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace stencil::equation {

/// The destructor does not wait for the compilation, and unloads the functions.
class CompiledRows {
  public:
    enum class State { under_way, there, failed };

    virtual ~CompiledRows() = default;
    virtual State state() const = 0;
    virtual void wait() = 0;
    /// The function of this name; null if the text has none.
    virtual void* function(const std::string& name) const = 0;
    /// Why it failed, in one line.
    virtual std::string why_not() const = 0;
    /// The compiler that made them or the cache that they came from, in one line.
    virtual std::string origin() const = 0;
};

/// Starts compiling a text.
using RowCompiler = std::function<std::unique_ptr<CompiledRows>(const std::string& text)>;

}  // namespace stencil::equation
