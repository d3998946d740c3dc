// Row executors compiled by the system's compiler.
#include <unistd.h>

#include <csignal>

#include "sim/field/field_hash.h"
#include "sim/text/error.h"
#include "tests/model/typed_run.h"
#include "tests/support/program.h"

using namespace stencil::equation;

namespace {

void require_compiler() {
    if (!has_row_machine()) skip("no vectors with fused multiply-add");
    try {
        find_c_compiler();
    } catch (const MachineError& error) {
        skip(error.what());
    }
}

template <class T>
void check_same_bits(const std::string& text, TypedRun run) {
    INFO(run.nx << "x" << run.ny << ", " << run.threads << " threads, " << run.integrator << ": " << text);
    const auto expected = run_typed<T>(text, run);
    run.compiler = compile_rows_in_background;
    CHECK(same_bits(run_typed<T>(text, run), expected));
}

void check_both_precisions(const std::string& text, const TypedRun& run) {
    check_same_bits<float>(text, run);
    check_same_bits<double>(text, run);
}

CompiledRows::State state_of(const std::string& text) {
    const auto rows = compile_rows_in_background(text);
    rows->wait();
    INFO(rows->why_not());
    CHECK(rows->why_not().empty() == (rows->state() == CompiledRows::State::there));
    return rows->state();
}

// Returns why a text could not be compiled.
std::string why_not(const std::string& text) {
    const auto rows = compile_rows_in_background(text);
    rows->wait();
    CHECK(rows->state() == CompiledRows::State::failed);
    return rows->why_not();
}

constexpr const char* kText = "void stage0(void) {}";

}  // namespace

TEST_CASE("Compiled rows have the bits of the row machine, by all widths, threads and many steps in a pass") {
    require_compiler();
    const OwnCache scratch;
    const std::string text = GENERATE(from_range(kTexts));
    for (const auto& [nx, ny, threads] : {std::tuple{1, 1, 1},
                                          {3, 37, 2},
                                          {64, 9, 1},
                                          {65, 9, 2},
                                          {15, 2000, 3},
                                          {1333, 131, 2},
                                          {333, 101, 3}}) {
        const int steps = nx * ny > 1000 ? 11 : 37;  // more than a pass fuses
        check_both_precisions(text, {.nx = nx, .ny = ny, .steps = steps, .threads = threads});
    }
}

// GCC 12 took another vector's mask for the load of u.
TEST_CASE("Compiled rows select what others do where a value is needed by the selection alone") {
    require_compiler();
    const OwnCache scratch;
    for (const char* text : {"u' = where(v > 0.4, (u - 3)^2, 0); v' = v",
                             "u' = where(x + y > 9, u - v, v*v); v' = where(u < 0.5, v - 3, 1 - u)"})
        check_both_precisions(text, {.nx = 64, .ny = 9});
}

TEST_CASE("Compiled rows know what is below the normal numbers as the row machine does") {
    require_compiler();
    const OwnCache scratch;
    TypedRun run;
    run.start = [](int, int x, int) { return x % 2 == 0 ? 3e-38 : 4e-39; };
    for (const char* text : {"du/dt = -u; dt = 0.5",
                             "u' = max(u, 0)",
                             "u' = 1*min(u, 1) - 0",
                             "u' = where(u > 0, u, 1)",
                             "u' = u/2"})
        check_both_precisions(text, run);
}

TEST_CASE("Compiled rows are taken while a long run goes on, and no bit changes") {
    require_compiler();
    const OwnCache scratch;
    const Equations e =
        read_equations("du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v; dt = 0.1");
    ThreadPool pool(2);
    const EquationSetup setup = setup_of(e, {.nx = 1000, .ny = 300});
    const Program program = program_of<float>(e);
    EquationStepper<float> compiled(program, setup, pool, compile_rows_in_background);
    EquationStepper<float> rows(program, setup, pool);
    long long steps = 0;
    // Few steps do not start the compiler; many do.
    compiled.advance(1);
    CHECK(!compiled.compiled());
    for (steps = 1; !compiled.compiled() && compiled.why_not_compiled().empty(); steps += 64)
        compiled.advance(64);
    INFO(compiled.why_not_compiled());
    CHECK(compiled.compiled());
    compiled.advance(20);
    rows.advance(steps + 20);
    REQUIRE(same_bits(cells_of(compiled, 2), cells_of(rows, 2)));
}

TEST_CASE("Compiling begins once the steps that are expected, or were made, are worth it") {
    if (!has_row_machine()) skip("no vectors with fused multiply-add");
    int begun = 0;
    const RowCompiler counting = [&](const std::string&) {
        ++begun;
        return compile_rows_in_background("");
    };
    const Equations e = read_equations("du/dt = lap(u); dt = 0.1");
    ThreadPool pool(1);
    EquationStepper<float> stepper(program_of<float>(e), setup_of(e, {.nx = 100, .ny = 100}), pool, counting);
    stepper.expect(1000);
    stepper.advance(10);
    CHECK(begun == 0);
    stepper.expect(10'000'000);
    CHECK(begun == 1);
    stepper.advance(10);
    CHECK(begun == 1);
}

TEST_CASE("What is compiled calls nothing from outside") {
    require_compiler();
    const SystemCompiler compiler = find_c_compiler();
    CHECK(!compile_c(compiler, "double f(double a) { return __builtin_fma(a, a, a); }").empty());
    CHECK_THROWS_AS(compile_c(compiler, "double sin(double); double f(double a) { return sin(a); }"),
                    MachineError);
}

TEST_CASE("A text is compiled once, and found again by another run") {
    require_compiler();
    const OwnCache scratch;
    const std::string real = find_c_compiler().command.front();
    write_script(scratch / "counting", "echo >> \"$0.calls\"\nexec " + real + " \"$@\"");
    const Environment cc("CC", (scratch / "counting").string());
    for (int i = 0; i < 3; ++i) {
        const auto first = compile_rows_in_background(kText), second = compile_rows_in_background(kText);
        CHECK((i == 0 || first->state() == CompiledRows::State::there));  // as the last run left it
        first->wait();
        REQUIRE(first->state() == CompiledRows::State::there);
        CHECK(first->function("stage0") != nullptr);
        CHECK(first->function("stage1") == nullptr);
        second->wait();
        CHECK(second->state() == CompiledRows::State::there);
        CHECK(contains(first->origin(), scratch.path().string()));
    }
    CHECK(read_bytes(scratch / "counting.calls").size() <= 2);
}

TEST_CASE("Without a compiler, or with a broken one, it is said why") {
    const OwnCache scratch;
    {
        const Environment none("CC", std::nullopt);
        const Environment path("PATH", "");
        CHECK(contains(why_not(kText), "cc"));
    }
    const auto with = [&](const std::string& script) {
        write_script(scratch / "mine", script);
        const Environment cc("CC", (scratch / "mine").string() + " -v");
        return why_not(kText);
    };
    CHECK(contains(with("echo first; echo 'rows: error: of mine' >&2; exit 1"), "of mine"));
    CHECK(contains(with("exit 0"), "mine"));
    CHECK(contains(with("while [ \"$1\" != -o ]; do shift; done; echo no library > \"$2\""), "load"));
    const Environment unclosed("CC", "'cc");
    CHECK(contains(why_not(kText), "CC"));
}

TEST_CASE("A library that cannot be loaded is not kept, and one that was cut off is compiled again") {
    require_compiler();
    const OwnCache scratch;
    const auto kernels = scratch / "stencilscope/kernels";
    const std::string real = find_c_compiler().command.front();
    // The stub compiler succeeds but writes nothing, or half a file, until the file is deleted.
    for (const char* made : {"none", "empty", "half"}) {
        write_script(
            scratch / made,
            "if [ -e \"$0.bad\" ]; then while [ \"$1\" != -o ]; do shift; done; case $0 in *none) echo no > "
            "\"$2\";; *half) head -c 5000 \"$0.bad\" > \"$2\";; esac; exit 0; fi; exec " +
                real + " \"$@\"");
        const std::string bad = std::string(made) + ".bad";
        std::filesystem::copy_file("/proc/self/exe", scratch / bad);
        const Environment cc("CC", (scratch / made).string());
        CHECK(!why_not(kText).empty());
        std::filesystem::remove(scratch / bad);
        CHECK(state_of(kText) == CompiledRows::State::there);
    }
    // Rewrites the checksum of a truncated file.
    for (const auto& entry : std::filesystem::directory_iterator(kernels)) {
        const std::string whole = read_bytes(entry.path());
        for (const std::size_t left : {whole.size() - 1, whole.size() - 3000, whole.size() / 2}) {
            std::string cut = whole.substr(0, left);
            const std::uint64_t hash = xxh64(std::as_bytes(std::span(cut).subspan(24)));
            std::memcpy(cut.data() + 16, &hash, sizeof hash);
            write_bytes(entry.path(), cut);
            const Environment cc("CC", (scratch / "half").string());
            CHECK(state_of(kText) == CompiledRows::State::there);
        }
    }
}

TEST_CASE("Children are waited for where the parent of this program has SIGCHLD ignored") {
    require_compiler();
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    const auto started = std::chrono::steady_clock::now();
    CHECK(!compile_c(find_c_compiler(), kText, {}, 20).empty());
    std::signal(SIGCHLD, before);
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(20));
}

TEST_CASE("A compiler is ended though it talks, and has no more memory than the run may take") {
    const OwnCache scratch;
    write_script(scratch / "talking", "while :; do echo warning; done");
    {
        const Environment cc("CC", (scratch / "talking").string());
        const auto begun = std::chrono::steady_clock::now();
        CHECK(contains(message_of<MachineError>([&] { compile_c(find_c_compiler(), kText, {}, 0.5); }),
                       "0.5 s"));
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
    }
    require_compiler();
    CHECK(!compile_c(find_c_compiler(), kText, {}, 60, 1'000'000'000).empty());
    CHECK_THROWS_AS(compile_c(find_c_compiler(), kText, {}, 60, 1'000'000), MachineError);
    const auto rows = compiler_within(1'000'000)(std::string(kText) + "// not kept\n");
    rows->wait();
    CHECK(rows->state() == CompiledRows::State::failed);
    CHECK(!rows->why_not().empty());
    CHECK(rows->why_not().find('\n') == std::string::npos);
}

TEST_CASE("A compiler that hangs is ended, with what it has started") {
    const OwnCache scratch;
    write_script(scratch / "hanging", "sleep 1000 & echo $! > \"$0.child\"; wait");
    const Environment cc("CC", (scratch / "hanging").string());
    CHECK(contains(message_of<MachineError>([&] { compile_c(find_c_compiler(), kText, {}, 0.3); }), "0.3 s"));
    // The destructor does not wait for the compiler.
    const auto started = std::chrono::steady_clock::now();
    {
        const auto rows = compile_rows_in_background(kText);
        CHECK(rows->state() == CompiledRows::State::under_way);
    }
    CHECK(std::chrono::steady_clock::now() - started <
          std::chrono::duration<double>(kLongestCompilation / 2));
}

TEST_CASE("The compiler's files are in a private folder, which no end of a run leaves behind for ever") {
    require_compiler();
    const OwnCache scratch;
    const auto room = scratch / "temporary", started = scratch / "mine.started";
    std::filesystem::create_directory(room);
    const Environment temporary("TMPDIR", room.string());
    const std::string real = find_c_compiler().command.front();
    const auto begin = [&](const std::string& rest) {
        std::filesystem::remove(started);
        write_script(
            scratch / "mine",
            "stat -c %a:%u \"$TMPDIR\" > \"$0.mode\"; touch \"$TMPDIR/cc.s\" \"$0.started\"; exec " + rest);
    };
    const Environment cc("CC", (scratch / "mine").string());
    begin(real + " \"$@\"");
    CHECK(state_of(kText) == CompiledRows::State::there);
    CHECK(read_bytes(scratch / "mine.mode") == "700:" + std::to_string(::geteuid()) + "\n");
    CHECK(names_in(room).empty());

    begin("sleep 100");
    CHECK_THROWS_AS(compile_c(find_c_compiler(), kText, {}, 0.3), MachineError);
    CHECK(names_in(room).empty());
    const Words run =
        words("run --model gray-scott --size 64 --backend cpu --threads 1 --quiet --out {}", scratch / "out");
    const auto with = [&](const char* steps, int signal) {
        std::filesystem::remove(started);
        return run_program(joined(run, {"--steps", steps}),
                           {.interrupt_once = started, .signal = signal, .seconds = 60});
    };
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        CHECK(with("100000000", signal).status == 128 + signal);
        CHECK(names_in(room).empty());
    }
    CHECK(with("100000000", SIGKILL).status == 128 + SIGKILL);
    const Words left = names_in(room);
    REQUIRE(left.size() == 1);

    // What only looks like it stays.
    const std::string& dead = left.front();
    std::filesystem::create_directory(scratch / "other");
    write_bytes(scratch / "other/file", "of the user");
    std::filesystem::create_directory_symlink(scratch / "other",
                                              room / ("." + dead.substr(1, dead.rfind('-')) + "linked.tmp"));
    for (const char* name : {".stencilscope-1-0-a.tmp", ".stencilscope-notes", "stencilscope-9999999-notes"})
        std::filesystem::create_directory(room / name);
    begin(real + " \"$@\"");
    CHECK(state_of("void other(void) {}") == CompiledRows::State::there);
    CHECK(!std::filesystem::exists(room / left.front()));
    CHECK(names_in(room).size() == 4);
    CHECK(read_bytes(scratch / "other/file") == "of the user");
}

TEST_CASE("No program of the present folder is started because $PATH leads there") {
    require_compiler();
    const OwnCache scratch;
    const auto before = std::filesystem::current_path();
    for (const char* name : {"cc", "as", "ld"}) write_script(scratch / name, "touch \"$0.started\"; exit 1");
    std::filesystem::current_path(scratch.path());
    const std::string usual = std::getenv("PATH");
    for (const std::string& path :
         {":" + usual, ".:" + usual, "../" + scratch.path().filename().string() + ":" + usual}) {
        const Environment changed("PATH", path);
        CHECK(state_of("void of(void) {} // " + path) == CompiledRows::State::there);
    }
    {
        const Environment changed("PATH", ":.");
        CHECK(contains(why_not(kText), "there is no C compiler"));
    }
    std::filesystem::current_path(before);
    for (const char* name : {"cc.started", "as.started", "ld.started"})
        CHECK(!std::filesystem::exists(scratch / name));
}
