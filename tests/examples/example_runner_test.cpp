#include "sim/examples/example_runner.h"

#include "tests/support/catch.h"
#include "tests/support/examples/sample_example.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::shared_ptr<const Machine> a_machine() {
    auto machine = std::make_shared<Machine>();
    machine->cpu_name = "a processor";
    machine->cpu_threads = 2;
    machine->cuda.why_none = "no NVIDIA driver found";
    return machine;
}

ExampleRequest sample_request(double seconds, const std::string& fail = "none") {
    ExampleRequest request = request_for(sample_example());
    request.options.set("seconds", std::to_string(seconds));
    request.options.set("fail", fail);
    return request;
}

template <class Holds>
ExampleNews wait_for(const ExampleRunner& runner, Holds holds, double patience = 20) {
    const auto start = Clock::now();
    for (;;) {
        const ExampleNews news = runner.news();
        if (holds(news) || seconds_since(start) > patience) return news;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

ExampleNews wait_for_end(const ExampleRunner& runner) {
    return wait_for(runner, [](const ExampleNews& news) { return !news.running && !news.saving; });
}

}  // namespace

TEST_CASE("an example runs beside its caller: it begins at once, grows, and ends with the whole report") {
    std::atomic<int> calls = 0;
    ExampleRunner runner([&] { ++calls; });
    CHECK(runner.news().example.empty());
    CHECK_FALSE(runner.news().running);

    const auto start = Clock::now();
    REQUIRE(runner.start(sample_request(0.6), a_machine()));
    CHECK(seconds_since(start) < 0.2);
    CHECK(runner.news().running);
    CHECK(runner.news().example == "sample");

    // Progress only grows, and a published report never changes.
    double share = 0;
    std::size_t rows = 0, reports = 0;
    std::shared_ptr<const Report> seen;
    std::vector<std::pair<std::shared_ptr<const Report>, std::size_t>> kept;
    std::uint64_t version = 0;
    for (ExampleNews news = runner.news(); news.running; news = runner.news()) {
        CHECK(news.share >= share);
        CHECK(news.version >= version);
        share = news.share;
        version = news.version;
        if (news.report && news.report != seen) {
            CHECK(news.report->rows.size() >= rows);
            rows = news.report->rows.size();
            kept.emplace_back(news.report, rows);
            seen = news.report;
            ++reports;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(share > 0.5);
    CHECK(share <= 1);
    CHECK(reports >= 2);
    // Published at most every 50 ms, except at the end.
    CHECK(reports <= std::size_t(seconds_since(start) / 0.05) + 2);
    for (const auto& [report, count] : kept) CHECK(report->rows.size() == count);

    const ExampleNews end = runner.news();
    REQUIRE(end.report);
    CHECK(end.report->rows.size() == 9);
    CHECK(end.report->curves.size() == 1);
    CHECK_FALSE(end.report->interrupted);
    CHECK(end.failure.empty());
    CHECK(end.seconds >= 0.5);
    CHECK(end.seconds == runner.news().seconds);
    CHECK(calls > 10);
}

TEST_CASE("an example that is cancelled ends soon, and what it found until then remains") {
    ExampleRunner runner;
    REQUIRE(runner.start(sample_request(60), a_machine()));
    wait_for(runner, [](const ExampleNews& news) { return news.share > 0; });
    CHECK_FALSE(runner.start(sample_request(0), a_machine()));
    const auto start = Clock::now();
    runner.cancel();
    CHECK(runner.news().cancelling == runner.news().running);
    const ExampleNews end = wait_for_end(runner);
    CHECK(seconds_since(start) < 1);
    CHECK_FALSE(end.running);
    CHECK_FALSE(end.cancelling);
    REQUIRE(end.report);
    CHECK(end.report->interrupted);
    CHECK(end.failure.empty());

    // The next run is not cancelled, and starts without the old report.
    REQUIRE(runner.start(sample_request(0.3), a_machine()));
    CHECK_FALSE(runner.news().report == end.report);
    const ExampleNews next = wait_for_end(runner);
    REQUIRE(next.report);
    CHECK_FALSE(next.report->interrupted);

    // A runner that goes ends its example first.
    const auto gone = Clock::now();
    {
        ExampleRunner other;
        REQUIRE(other.start(sample_request(60), a_machine()));
    }
    CHECK(seconds_since(gone) < 2);
}

TEST_CASE("what goes wrong in an example is told, whatever it is, and the next one runs") {
    ExampleRunner runner;
    const std::pair<const char*, const char*> failures[] = {{"input", "matrix a.mtx"},
                                                            {"machine", "illegal memory access"},
                                                            {"memory", "not enough host memory"}};
    for (const auto& [how, said] : failures) {
        REQUIRE(runner.start(sample_request(0.2, how), a_machine()));
        const ExampleNews news = wait_for_end(runner);
        CHECK(news.failure.find(said) != std::string::npos);
        REQUIRE(news.report);
        CHECK(news.report->rows.size() <= 2);
    }
    // A run that the check refuses does not start.
    ExampleRequest refused = sample_request(0);
    refused.options.set("rows", "13");
    REQUIRE(runner.start(refused, a_machine()));
    const ExampleNews news = wait_for_end(runner);
    CHECK(news.failure.find("rows 13") != std::string::npos);
    CHECK_FALSE(news.report);
    // Nor does one on a backend that is not there.
    refused = sample_request(0);
    refused.options.set("backend", "cuda");
    REQUIRE(runner.start(refused, a_machine()));
    CHECK(wait_for_end(runner).failure.find("no NVIDIA driver found") != std::string::npos);
    REQUIRE(runner.start(sample_request(0), a_machine()));
    CHECK(wait_for_end(runner).failure.empty());
}

TEST_CASE("a remark is in every later report of its run, and in no other") {
    ExampleRunner runner;
    runner.remark("too early");
    REQUIRE(runner.start(sample_request(0.3), a_machine()));
    runner.remark("the simulation ran beside it");
    const ExampleNews first = wait_for_end(runner);
    REQUIRE(first.report);
    CHECK(first.report->notes.size() == 3);
    CHECK(first.report->notes.back() == "the simulation ran beside it");
    REQUIRE(runner.start(sample_request(0), a_machine()));
    CHECK(wait_for_end(runner).report->notes.size() == 2);
}

TEST_CASE("the report's files are written beside the caller, and only where there are any to write") {
    const ScratchFolder folder;
    ExampleRunner runner;
    CHECK_FALSE(runner.save(folder / "none"));
    REQUIRE(runner.start(sample_request(0.2), a_machine()));
    CHECK_FALSE(runner.save(folder / "early"));
    wait_for_end(runner);
    REQUIRE(runner.save(folder / "out"));
    const ExampleNews news = wait_for_end(runner);
    CHECK_FALSE(news.save_failed);
    CHECK(news.saved.find((folder / "out").string()) != std::string::npos);
    CHECK(std::filesystem::exists(folder / "out" / "report.json"));
    CHECK_FALSE(std::filesystem::exists(folder / "early"));
    // Saving again uses a new folder.
    REQUIRE(runner.save(folder / "out"));
    CHECK(wait_for_end(runner).saved_to == (folder / "out-2").string());
    CHECK(std::filesystem::exists(folder / "out-2" / "report.json"));

    // A file is where the folder should be.
    write_bytes(folder / "file", "x");
    REQUIRE(runner.save(folder / "file"));
    const ExampleNews failed = wait_for_end(runner);
    CHECK(failed.save_failed);
    CHECK(failed.saved.find((folder / "file").string()) != std::string::npos);

    // An example with a folder writes its report there by itself, and refuses one that can't be made.
    ExampleRequest request = sample_request(0);
    request.out = (folder / "own").string();
    REQUIRE(runner.start(request, a_machine()));
    const ExampleNews own = wait_for_end(runner);
    CHECK(own.failure.empty());
    CHECK(own.saved.find(request.out) != std::string::npos);
    CHECK(std::filesystem::exists(folder / "own" / "l_curve.png"));

    request.out = (folder / "file").string();
    REQUIRE(runner.start(request, a_machine()));
    CHECK(wait_for_end(runner).failure.find("out ") != std::string::npos);
}
