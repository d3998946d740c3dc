// Cache of kernels compiled at run time, in the user's cache folder. It is optional.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/machine/background.h"

namespace stencil {

/// Maps source texts to compiled bytes. Safe with concurrent processes and truncated or modified files.
/// Because entries are executed, it ignores links, files of other users and files that others can write.
/// Failed writes are ignored.
class KernelCache {
  public:
    static constexpr std::size_t kFiles = 200;

    /// Beyond `most_files`, the least recently used files are removed.
    explicit KernelCache(std::filesystem::path folder, std::size_t most_files = kFiles)
        : folder_(std::move(folder)), most_files_(most_files) {}

    /// Empty if there is no entry for the key.
    std::optional<std::string> find(std::string_view key) const;
    /// Stores an entry; false if it fails. Creates missing folders, private to the user.
    bool keep(std::string_view key, std::string_view bytes) const;
    /// Why the folder is ignored, in a sentence; empty if it is safe or does not exist yet.
    std::string why_unsafe() const;
    /// The file of an entry.
    std::filesystem::path path_of(std::string_view key) const;

  private:
    bool is_safe() const;
    void drop_oldest() const;

    std::filesystem::path folder_;
    std::size_t most_files_;
};

/// CUDA source compiled for a target, cached in $XDG_CACHE_HOME/stencilscope/kernels
/// (~/.cache). Throws CudaError (compile_cuda() of kernels/equation/cuda/nvrtc.h).
std::string compiled_kernels(const std::string& text, equation::CodeTarget target);

/// The name of a kernel that keep_fastest_kernel() stored in the same folder for the same candidates; empty
/// if there is none.
std::string fastest_kernel(const std::string& candidates);
void keep_fastest_kernel(const std::string& candidates, const std::string& name);

/// A sentence if the user's cache was ignored in this process; else empty.
std::string why_kernels_not_kept();

/// Starts the compiler's one-time initialisation, which takes longer than an equation. The result is whether
/// there is a GPU and a compiler.
Background<bool> warm_up_compiler();

}  // namespace stencil
