// bench --profile: what Nsight Compute prints, and what is made of it.
#include <fmt/format.h>

#include "sim/bench/kernel_profile.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

namespace {

std::string line_of(int id, const std::string& kernel, const std::string& metric, const std::string& value) {
    return fmt::format(
        "\"{}\",\"1234\",\"stencilscope\",\"127.0.0.1\",\"{}\",\"1\",\"7\",\"(128, 1, 1)\",\"(132, 1, "
        "1)\",\"0\","
        "\"9.0\",\"Command line profiler metrics\",\"{}\",\"unit\",\"{}\"\n",
        id,
        kernel,
        metric,
        value);
}

const std::string kHead =
    "==PROF== Connected to process 1234 (/usr/bin/stencilscope)\n"
    "==PROF== Profiling \"streaming_kernel\" - 0: 0%....50%....100% - 5 passes\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\",\"Grid "
    "Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

const std::string kKernel = "void stencil::\"\"streaming_kernel\"\"<float, 4>(Arguments)";

std::string stall(const std::string& name) {
    return "smsp__average_warps_issue_stalled_" + name + "_per_issue_active.ratio";
}

// A table with some of the metrics.
std::string sample() {
    return kHead + line_of(0, "store_weights_kernel", "gpu__time_duration.sum", "1,800") +
           line_of(1, kKernel, "gpu__time_duration.sum", "123,456") +
           line_of(1, kKernel, "smsp__issue_active.avg.per_cycle_active", "0.77") +
           line_of(1, kKernel, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "31.5") +
           line_of(1, kKernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "25") +
           line_of(1, kKernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "1,000") +
           line_of(1, kKernel, "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum", "64") +
           line_of(1, kKernel, "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum", "32") +
           line_of(1, kKernel, "launch__registers_per_thread", "128") +
           line_of(1, kKernel, stall("wait"), "1.25") + line_of(1, kKernel, stall("barrier"), "2.5") +
           line_of(1, kKernel, stall("membar"), "0") +
           line_of(1, kKernel, "sm__warps_active.avg.pct_of_peak_sustained_active", "n/a") +
           "==PROF== Disconnected from process 1234\n";
}

}  // namespace

TEST_CASE("A profile is read from the table of ncu, launch by launch") {
    const std::vector<ProfiledLaunch> launches = read_profile(sample());
    REQUIRE(launches.size() == 2);
    CHECK(launches[0].kernel == "store_weights_kernel");
    CHECK(launches[1].kernel == "void stencil::\"streaming_kernel\"<float, 4>(Arguments)");
    CHECK(launches[1].metrics.at("gpu__time_duration.sum") == 123456);
    CHECK_FALSE(launches[1].metrics.contains("sm__warps_active.avg.pct_of_peak_sustained_active"));
    CHECK(why_no_profile(sample()).empty());
    // A cut line, or a table without its columns, is no launch.
    CHECK(read_profile(kHead + "\"0\",\"1234\"\n").empty());
    CHECK(read_profile("\"Metric Name\",\"Metric Value\"\n\"a\",\"1\"\n").empty());
}

TEST_CASE("What ncu 2025.3 printed of Gray-Scott's fused kernel on an H200 is read whole") {
    const std::vector<ProfiledLaunch> launches = read_profile(read_bytes(reference_file("ncu.csv")));
    REQUIRE(launches.size() == 2);
    CHECK(launches[1].kernel == "fused");
    for (const ProfileFigure& figure : figures_of(launches[1])) {
        INFO(figure.name);
        CHECK(figure.value);
    }
    const std::vector<ProfileFigure> figures = figures_of(launches[1]);
    CHECK(figures[0].value == Approx(773.6));
    CHECK(figures[1].value == Approx(84));
    CHECK(figures[3].detail.starts_with("0.62 for its turn, as other warps are ready too (not_selected)"));
}

TEST_CASE("Each figure of a profile has a sentence, and is made of ncu's metrics") {
    const ProfiledLaunch launch = read_profile(sample())[1];
    std::map<std::string_view, ProfileFigure> figures;
    for (const ProfileFigure& figure : figures_of(launch)) {
        CHECK(figure.meaning.size() > 10);
        figures.emplace(figure.name, figure);
    }
    CHECK(figures.at("time").value == Approx(123.456));
    CHECK(figures.at("issue slots used").value == Approx(77));
    CHECK(figures.at("memory").value == Approx(31.5));
    CHECK(figures.at("bank conflicts").value == Approx(2.5));
    CHECK(figures.at("spills").value == Approx(96));
    CHECK(figures.at("registers").value == 128.0);
    CHECK(figures.at("stalls").value == Approx(3.75));
    CHECK(figures.at("stalls").detail.starts_with(
        "2.5 for other warps of its block at a barrier (barrier), 1.2"));
    CHECK_FALSE(contains(figures.at("stalls").detail, "membar"));
    CHECK_FALSE(figures.at("occupancy").value);
    const RowProfile profile{"streaming", {8192, 4096}, launch, ""};
    const std::string text = to_text(profile);
    CHECK(contains(text, "profile of streaming at 8192x4096: kernel void"));
    CHECK(contains(text, "occupancy           not counted"));
    CHECK(to_json({profile}).size() == figures.size());
    CHECK(to_json({profile})[1].at("value") == Approx(77));
}

TEST_CASE("What keeps ncu from counting is told in one line") {
    const std::string permission =
        "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
        "Counters on the target device 0. For instructions ...\n";
    CHECK(contains(why_no_profile(permission), "run as root"));
    CHECK(contains(why_no_profile("==ERROR== Failed to load\n"), "no launch: Failed to load"));
    CHECK(contains(why_no_profile("==WARNING== No kernels were profiled.\n"),
                   "no launch: ==WARNING== No kernels"));
    CHECK(contains(why_no_profile("ncu: libx.so: version `X' not found\n\n"), "no launch: ncu: libx.so"));
    CHECK_FALSE(contains(why_no_profile(permission), "\n"));
}

TEST_CASE("A row is profiled by running this program again under ncu") {
    const ScratchFolder folder;
    write_bytes(folder / "table.csv", sample());
    write_script(folder / "ncu",
                 "printf '%s\\n' \"$@\" > " + (folder / "words").string() + "; cat " +
                     (folder / "table.csv").string());
    const Environment path("PATH", folder.path().string() + ":/usr/bin:/bin");
    SuiteRow row;
    row.method = &methods().front();
    row.size = {640, 480};
    const RowProfile profile = profile_row(row, {"--dtype", "float64"}, [] { return false; });
    CHECK(profile.why_not.empty());
    CHECK(contains(profile.launch.kernel, "streaming_kernel"));
    const std::string words = read_bytes(folder / "words");
    // ncu starts it by its file: /proc/self/exe would be ncu there.
    CHECK(contains(words, "\n" + std::filesystem::read_symlink("/proc/self/exe").string() + "\nbench\n"));
    CHECK(contains(words, "\n640x480\n"));
    CHECK(contains(words, "\n--dtype\nfloat64\n"));
    CHECK_FALSE(contains(words, "--kernel-name"));

    // Of a typed equation's kernels the last launch counts, which is of the one that was found the fastest.
    row.way.steps_fused = 8;
    write_bytes(folder / "table.csv", sample() + line_of(2, "fused", "gpu__time_duration.sum", "99,000"));
    CHECK(profile_row(row, {}, [] { return false; }).launch.kernel == "fused");
    CHECK(contains(read_bytes(folder / "words"), "--kernel-name\nregex:^(fused|resident|block)$\n"));
}
