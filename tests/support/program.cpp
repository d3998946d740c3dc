#include "tests/support/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <stdexcept>

#include "sim/field/field_hash.h"
#include "sim/text/parse.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"

namespace stencil_test {

namespace {

// Everything that a child needs, made before fork(): another thread of the test may hold the allocator's lock
// at that moment, and the child would wait for it for ever.
struct Prepared {
    Prepared(const Words& arguments, const ProgramOptions& program_options, const ScratchFolder& outputs)
        : options(program_options),
          out(options.out != nullptr ? options.out : (outputs / "out").string()),
          err(options.err != nullptr ? options.err : (outputs / "err").string()),
          words{const_cast<char*>(program_file())} {
        for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
        words.push_back(nullptr);
    }

    const ProgramOptions& options;
    std::string out, err;  ///< files; empty: closed
    std::vector<char*> words;
};

void redirect(int to, const std::string& file) {
    if (file.empty()) {
        close(to);
        return;
    }
    const int from = open(file.c_str(), O_WRONLY | O_CREAT, 0666);
    dup2(from, to);
    close(from);
}

// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become_program(const Prepared& program) {
    const ProgramOptions& options = program.options;
    redirect(STDOUT_FILENO, program.out);
    redirect(STDERR_FILENO, program.err);
    if (options.ignores_interrupts) std::signal(SIGINT, SIG_IGN);
    alarm(unsigned(options.seconds));
    if (options.file_size_limit >= 0) {
        const rlimit limit{rlim_t(options.file_size_limit), rlim_t(options.file_size_limit)};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(program.words.front(), program.words.data());
    _exit(127);
}

}  // namespace

ProgramResult run_program(const Words& arguments, const ProgramOptions& options) {
    const ScratchFolder outputs;
    const Prepared program(arguments, options, outputs);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot fork");
    if (child == 0) become_program(program);
    int status = 0;
    bool ended = false;
    if (options.interrupt_after > 0 || !options.interrupt_once.empty()) {
        const auto due = [&] {
            if (!options.interrupt_once.empty()) return std::filesystem::exists(options.interrupt_once);
            return processor_time(child) >= options.interrupt_after;
        };
        while (!ended && !due()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ended = waitpid(child, &status, WNOHANG) == child;
        }
        if (!ended) kill(child, options.signal);
    }
    if (!ended) waitpid(child, &status, 0);
    ProgramResult result;
    result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    result.out = read_bytes(outputs / "out");
    result.err = read_bytes(outputs / "err");
    return result;
}

double processor_time(pid_t process) {
    const std::string line = read_bytes("/proc/" + std::to_string(process) + "/stat");
    // Skip the name, which is in parentheses and may contain anything.
    std::istringstream rest(line.substr(line.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) rest >> skipped;
    double user = 0, system = 0;
    rest >> user >> system;
    return (user + system) / double(sysconf(_SC_CLK_TCK));
}

Words words_with(std::string_view line, std::span<const std::string> values) {
    Words found;
    for (std::size_t next = 0; std::string & word : stencil::split(line, ' ')) {
        if (word.empty()) continue;
        if (const std::size_t at = word.find("{}"); at != std::string::npos)
            word.replace(at, 2, values[next++]);
        found.push_back(word);
    }
    return found;
}

Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

ProgramResult require_done(ProgramResult result) {
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result;
}

void require_refused(const ProgramResult& result, int status, const std::string& part) {
    INFO("status " << result.status << ", stderr: " << result.err);
    REQUIRE(result.status == status);
    REQUIRE(contains(result.err, part));
    // Notes, such as about a missing GPU, may precede the one line, and AddressSanitizer's remark on fibers.
    std::string_view error = result.err;
    while (error.starts_with("note: ") || error.starts_with("=="))
        error.remove_prefix(std::min(error.find('\n') + 1, error.size()));
    REQUIRE(std::ranges::count(error, '\n') == 1);
    REQUIRE(error.starts_with("stencilscope: "));
    REQUIRE(result.out.empty());
}

nlohmann::json read_json(const std::filesystem::path& path) {
    return nlohmann::json::parse(read_bytes(path), nullptr, false);
}

void require_members(const nlohmann::json& object, const nlohmann::json& expected) {
    for (const auto& [name, value] : expected.items()) {
        INFO(name);
        REQUIRE(object.at(name) == value);
    }
}

Words names_in(const std::filesystem::path& folder) {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

Words lines_of(const std::filesystem::path& file) {
    const std::string text = read_bytes(file);
    REQUIRE(text.ends_with('\n'));
    return stencil::split(text.substr(0, text.size() - 1), '\n');
}

Files files_below(const std::filesystem::path& folder,
                  const std::function<bool(const std::string&)>& is_wanted) {
    Files files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string path = std::filesystem::relative(entry.path(), folder).string();
        if (entry.is_regular_file() && is_wanted(path)) files[path] = read_bytes(entry.path());
    }
    return files;
}

void require_same_files(const Files& a, const Files& b) {
    for (const auto& [path, bytes] : a) {
        INFO(path);
        REQUIRE(b.contains(path));
        const bool same = b.at(path) == bytes;
        REQUIRE(same);
    }
    REQUIRE(a.size() == b.size());
}

void require_program_repeats(
    const ScratchFolder& folder, const std::string& text, const std::string& options, int steps, int cut) {
    const std::string end = " --export field.npy,spec.json --quiet --out {}";
    const std::string run =
        "run --equation {} --size 24x18 --steps {}" + (options.empty() ? "" : " " + options) + end;
    require_done(stencilscope(run, text, steps, folder / "whole"));
    require_done(stencilscope(run + " --checkpoint {}", text, cut, folder / "cut", cut));
    require_done(stencilscope("run --resume {} --steps {} --threads 1 --quiet", folder / "cut", steps));
    require_done(
        stencilscope("run --spec {} --threads 1" + end, folder / "whole/spec.json", folder / "same"));
    const auto at = [&](const char* name) {
        return read_json(folder / name / "spec.json").value("at", Words());
    };
    const auto is_field = [](const std::string& path) { return path.starts_with("field"); };
    for (const char* other : {"cut", "same"}) {
        require_same_files(files_below(folder / other, is_field), files_below(folder / "whole", is_field));
        REQUIRE(at(other) == at("whole"));
    }
}

std::uint64_t hash_of_fields(const std::filesystem::path& folder) {
    std::string cells;
    for (const std::string& name : names_in(folder))
        if (name.starts_with("field") && name.ends_with(".npy")) cells += read_bytes(folder / name);
    REQUIRE_FALSE(cells.empty());
    return stencil::xxh64(std::as_bytes(std::span(cells)));
}

}  // namespace stencil_test
