// Broken kernels to mend (assets/kernels/learn): what each teaches, and its check on the CPU.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kernel_trial/trial.h"
#include "sim/text/embedded.h"

namespace stencil {

/// assets/kernels/learn/*.cu and assets/kernels/learn/solutions/*.cu, in the order of their names.
std::span<const EmbeddedFile> embedded_lessons();
std::span<const EmbeddedFile> embedded_solutions();

namespace user_kernel {

struct Lesson {
    std::string_view title;
    std::string_view hint;
    /// What a kernel needs besides being right under every boundary.
    enum class Need { nothing_more, large_fields, few_sectors, few_passes, no_spills, few_loads } need = {};
    double most = 0;  ///< of what it counts

    int number() const;
    /// Of its file: "02_race.cu".
    std::string file() const;
    /// What is to be found, from the head of the file.
    std::string task() const;
    std::string_view text() const;
    std::string_view solution() const;
};

std::span<const Lesson> lessons();

/// The lesson whose broken kernel has the name of this file; null: none.
const Lesson* lesson_of(const std::string& file);

/// How an answer is tried: on the CPU, under every boundary. Throws MachineError where the lesson needs NVRTC
/// and there is none.
TrialRequest lesson_request(const Lesson& lesson, const std::string& file, const std::string& text);
/// Puts what an answer lacks though it is right into the report's fault.
void add_lack(const Lesson& lesson, const std::string& file, TrialReport& report);

/// The numbers of the lessons that this user has done, kept in a file of the settings' folder.
std::vector<int> lessons_done();
void keep_done(const Lesson& lesson);

}  // namespace user_kernel
}  // namespace stencil
