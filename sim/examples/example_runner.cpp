#include "sim/examples/example_runner.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "sim/files/folder.h"

namespace stencil {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

bool ExampleRunner::start(ExampleRequest request,
                          std::shared_ptr<const Machine> machine,
                          std::string remark) {
    const bool starts = state_.change([&](State& state) {
        if (state.news.running) return false;
        ExampleNews fresh;
        fresh.version = state.news.version + 1;
        fresh.example = request.example->name;
        fresh.running = true;
        fresh.saving = state.news.saving;
        state = {std::move(fresh), std::move(remark), Clock::now()};
        return true;
    });
    if (starts)
        work_.start(
            [this, request = std::move(request), machine = std::move(machine)](const std::stop_token& stop) {
                run(request, *machine, stop);
                return true;
            });
    return starts;
}

void ExampleRunner::cancel() {
    const bool cancels = state_.change([](State& state) {
        if (!state.news.running || state.news.cancelling) return false;
        ++state.news.version;
        return state.news.cancelling = true;
    });
    if (cancels) work_.cancel();
}

void ExampleRunner::remark(std::string note) {
    state_.change([&](State& state) {
        if (state.news.running) state.remark = std::move(note);
    });
}

bool ExampleRunner::save(std::filesystem::path folder) {
    const auto report = state_.change([](State& state) -> std::shared_ptr<const Report> {
        if (state.news.running || state.news.saving || !state.news.report) return nullptr;
        state.news.saving = true;
        ++state.news.version;
        return state.news.report;
    });
    if (report)
        saver_.start([this, report, folder = std::move(folder)](const std::stop_token&) {
            write(*report, folder);
            return true;
        });
    return report != nullptr;
}

ExampleNews ExampleRunner::news() const {
    return state_.read([](const State& state) {
        ExampleNews news = state.news;
        if (news.running) news.seconds = seconds_since(state.begun);
        return news;
    });
}

void ExampleRunner::change(const std::function<void(ExampleNews&)>& apply) {
    state_.change([&](State& state) {
        apply(state.news);
        ++state.news.version;
    });
    if (on_news_) on_news_();
}

void ExampleRunner::run(const ExampleRequest& request, const Machine& machine, const std::stop_token& stop) {
    // A report may hold long curves: it is copied only as often as a person would notice.
    constexpr double kBetweenCopies = 0.05;
    const Clock::time_point begun = state_.read([](const State& state) { return state.begun; });
    Clock::time_point copied;
    const Report* growing = nullptr;  // the example's own, which only this thread touches
    ExampleWatch watch;
    watch.cancelled = [&] { return stop.stop_requested(); };
    watch.news = [&](const Report& report) {
        growing = &report;
        if (seconds_since(copied) < kBetweenCopies) return;
        copied = Clock::now();
        change([copy = with_remark(report)](ExampleNews& news) { news.report = copy; });
    };
    watch.progress = [&](double share, const std::string& doing) {
        if (growing) watch.news(*growing);
        change([&](ExampleNews& news) {
            news.share = share;
            news.doing = doing;
        });
    };
    std::shared_ptr<const Report> report;  // null if it fails: what was published before stays
    std::string failure;
    try {
        if (!request.out.empty()) make_folder(request.out, "out");
        report = with_remark(run_example(request, machine, watch));
        if (!request.out.empty()) write(*report, request.out);
    } catch (const std::bad_alloc&) {
        failure = "not enough host memory; smaller sizes need less";
    } catch (const std::exception& error) {
        failure = error.what();
    }
    change([&](ExampleNews& news) {
        if (report) news.report = report;
        news.failure = failure;
        news.running = news.cancelling = false;
        news.seconds = seconds_since(begun);
    });
}

std::shared_ptr<const Report> ExampleRunner::with_remark(const Report& report) const {
    auto copy = std::make_shared<Report>(report);
    const std::string remark = state_.read([](const State& state) { return state.remark; });
    if (!remark.empty()) copy->notes.push_back(remark);
    return copy;
}

void ExampleRunner::write(const Report& report, const std::filesystem::path& folder) {
    const std::string always = "report.json";
    std::string said;
    std::filesystem::path place;
    bool failed = false;
    try {
        place = unused_folder(folder, {&always, 1});
        make_folder(place, "save to");
        said = fmt::format("Wrote {} files to {}", write_report(report, place).size(), place.string());
    } catch (const std::exception& error) {
        said = error.what();
        failed = true;
    }
    change([&](ExampleNews& news) {
        news.saving = false;
        news.saved = said;
        news.saved_to = failed ? "" : place.string();
        news.save_failed = failed;
    });
}

}  // namespace stencil
