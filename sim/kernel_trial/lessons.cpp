#include "sim/kernel_trial/lessons.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/embedded.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil::user_kernel {
namespace {

using enum Lesson::Need;

// In the order of their numbers, which their files begin with.
constexpr Lesson kLessons[] = {
    {"Out of bounds",
     "Which x and y do the threads of the last block have, where nx is 37 and a block is 32 wide?"},
    {"Race", "Between filling the tile and reading it, every thread has to wait for all others."},
    {"Barrier in a branch",
     "A thread that has returned never comes to the barrier. What may it still do for the others before it "
     "leaves?"},
    {"Uncoalesced",
     "Which of threadIdx.x and threadIdx.y changes from one thread of a warp to the next, and by how many "
     "cells does "
     "that move the index?",
     few_sectors,
     1.6},
    {"Bank conflict",
     "How many words lie between the cells of two successive threads, and what is that, times 0, 1, 2 ..., "
     "modulo 32?",
     few_passes,
     1.3},
    {"Spill",
     "How many values does a thread hold when it begins to compute? How many rows does one cell need?",
     no_spills},
    {"Halo off by one", "How many rows has a tile of kHeight rows with its halo?"},
    {"Wrong boundary",
     "Insulated: nothing may flow through the side. Which neighbour has the same value as the cell at the "
     "edge?"},
    {"Int overflow", "Of which type is y * size.pitch + x, and what keeps it?", large_fields},
    {"Redundant loads",
     "Which of the five cells of a row are among those of the row before?",
     few_loads,
     3.5}};

// The file whose name begins with the lesson's number.
const EmbeddedFile& file_of(const Lesson& lesson, std::span<const EmbeddedFile> files) {
    const std::string head = fmt::format("{:02}_", lesson.number());
    const auto found =
        std::ranges::find_if(files, [&](const EmbeddedFile& f) { return f.name.starts_with(head); });
    if (found == files.end()) throw MachineError("there is no file of lesson {}", lesson.number());
    return *found;
}

std::string with_line(const std::string& text, const std::string& line) {
    return line.empty() ? text : fmt::format("{} ({})", text, line);
}

// What the answer lacks though it is right.
std::string lack(const Lesson& lesson, const TrialReport& report) {
    const Traffic& traffic = report.traffic;
    switch (lesson.need) {
        case few_sectors:
            if (traffic.sectors <= lesson.most) break;
            return with_line(
                fmt::format("right, but its warps move {:.1f} times the sectors of 32 bytes that their cells "
                            "need, and up to {} would do: successive threads take cells that lie apart",
                            traffic.sectors,
                            lesson.most),
                traffic.worst_global);
        case few_passes:
            if (traffic.passes <= lesson.most) break;
            return with_line(
                fmt::format(
                    "right, but its warps go {:.1f} times as often over the banks of shared memory as "
                    "their words need, and up to {} would do: several threads want one bank at once",
                    traffic.passes,
                    lesson.most),
                traffic.worst_shared);
        case no_spills:
            if (report.usage.spill_bytes + report.usage.local_bytes == 0) break;
            return fmt::format("right, but a thread keeps {} bytes in local memory: {}",
                               report.usage.spill_bytes + report.usage.local_bytes,
                               report.compiled);
        case few_loads:
            if (traffic.loads_per_cell <= lesson.most) break;
            return fmt::format(
                "right, but it loads {:.1f} cells for each that it makes, and up to {} would do",
                traffic.loads_per_cell,
                lesson.most);
        case nothing_more:
        case large_fields:
            break;
    }
    return "";
}

std::filesystem::path done_file() {
    return user_file("lessons").value_or("");
}

}  // namespace

int Lesson::number() const {
    return 1 + int(this - kLessons);
}

std::string Lesson::file() const {
    return fmt::format("{}.cu", file_of(*this, embedded_lessons()).name);
}

std::string Lesson::task() const {
    constexpr std::string_view kBegin = "// To find: ", kMark = "\n// ";
    const std::string_view all = text();
    const std::size_t begin = std::min(all.find(kBegin), all.size() - kBegin.size()) + kBegin.size();
    std::string task(all.substr(begin, all.find("\n//\n", begin) - begin));
    for (std::size_t at; (at = task.find(kMark)) != std::string::npos;) task.replace(at, kMark.size(), " ");
    return task;
}

std::string_view Lesson::text() const {
    return file_of(*this, embedded_lessons()).text;
}

std::string_view Lesson::solution() const {
    return file_of(*this, embedded_solutions()).text;
}

std::span<const Lesson> lessons() {
    return kLessons;
}

const Lesson* lesson_of(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    const auto found = std::ranges::find(kLessons, name, &Lesson::file);
    return found == std::end(kLessons) ? nullptr : &*found;
}

TrialRequest lesson_request(const Lesson& lesson, const std::string& file, const std::string& text) {
    if (lesson.need == no_spills && !equation::why_no_nvrtc().empty())
        throw MachineError(
            "lesson {} counts registers, which takes NVRTC: {}", lesson.number(), equation::why_no_nvrtc());
    TrialRequest request;
    request.file = file;
    request.text = text;
    request.suite.run.initial = "noise";
    request.suite.run.threads = 1;
    request.on_cpu = request.is_lesson = true;
    request.is_large = lesson.need == large_fields;
    return request;
}

void add_lack(const Lesson& lesson, const std::string& file, TrialReport& report) {
    if (!report.fault.empty() || report.stopped) return;
    const std::string lacks =
        report.on_cpu ? lack(lesson, report) : fmt::format("the CPU cannot run it: {}", report.why_not);
    if (!lacks.empty())
        report.fault =
            fmt::format("{}: {}", printable(std::filesystem::path(file).filename().string()), lacks);
}

std::vector<int> lessons_done() {
    std::vector<int> numbers;
    std::ifstream file(done_file());
    for (int number = 0; file >> number;) numbers.push_back(number);
    return numbers;
}

void keep_done(const Lesson& lesson) {
    std::vector<int> numbers = lessons_done();
    if (std::ranges::find(numbers, lesson.number()) != numbers.end() || done_file().empty()) return;
    numbers.push_back(lesson.number());
    std::ranges::sort(numbers);
    std::error_code ignored;
    std::filesystem::create_directories(done_file().parent_path(), ignored);
    write_text_file(done_file(), fmt::format("{}\n", fmt::join(numbers, " ")));
}

}  // namespace stencil::user_kernel
