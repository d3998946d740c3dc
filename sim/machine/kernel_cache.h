// Kernels that are compiled at run time, and those that were compiled before: kept in the user's cache
// folder, which may as well not be there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>

namespace stencil {

/// Bytes by the text that they were made of. Safe against other processes at the same folder, and against
/// files that were cut off or changed. What is found is run, so a folder or a file that is not this user's
/// own, or that others may write, is passed over, and so is a link. What cannot be written is not kept.
class KernelCache {
  public:
    static constexpr std::size_t kFiles = 200;

    /// Those used longest ago go beyond `most_files`.
    explicit KernelCache(std::filesystem::path folder, std::size_t most_files = kFiles)
        : folder_(std::move(folder)), most_files_(most_files) {}

    /// Empty where nothing is kept under the key.
    std::optional<std::string> find(std::string_view key) const;
    /// Whether it is kept now. Folders that are missing are made for this user alone.
    bool keep(std::string_view key, std::string_view bytes) const;
    /// Why the folder is passed over, in a sentence; empty where it is safe or not there yet.
    std::string why_unsafe() const;
    /// The file in which it is kept.
    std::filesystem::path path_of(std::string_view key) const;

  private:
    bool is_safe() const;
    void drop_oldest() const;

    std::filesystem::path folder_;
    std::size_t most_files_;
};

/// A text of CUDA as machine code of a compute capability (90: 9.0), from
/// $XDG_CACHE_HOME/stencilscope/kernels
/// (~/.cache/...) where it is there. Throws CudaError (compile_cuda() of kernels/equation/cuda/nvrtc.h).
std::string compiled_kernels(const std::string& text, int compute_capability);

/// A sentence where the user's cache was asked for in this process and passed over; empty else.
std::string why_kernels_not_kept();

/// What the compiler does once a process takes longer than an equation: done where there is a GPU, on a
/// thread of its own, before the first one is typed.
std::future<void> warm_up_compiler();

}  // namespace stencil
