#include "sim/examples/example_runner.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "sim/examples/report/report_text.h"
#include "sim/files/folder.h"

namespace stencil {
namespace {

// A report may hold long curves: it is copied only as often as a person would notice.
constexpr auto kBetweenCopies = std::chrono::milliseconds(50);

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

ExampleRunner::ExampleRunner(std::function<void()> on_news) : on_news_(std::move(on_news)) {}

ExampleRunner::~ExampleRunner() {
    cancelled_ = true;  // then the threads are joined
}

bool ExampleRunner::start(ExampleRequest request,
                          std::shared_ptr<const Machine> machine,
                          std::string remark) {
    {
        const std::lock_guard lock(mutex_);
        if (news_.running) return false;
        ExampleNews fresh;
        fresh.version = news_.version + 1;
        fresh.example = request.example->name;
        fresh.running = true;
        fresh.saving = news_.saving;
        news_ = std::move(fresh);
        remark_ = std::move(remark);
        begun_ = Clock::now();
        copied_ = {};
    }
    thread_ = {};  // the last one has nothing left to do
    cancelled_ = false;
    thread_ = std::jthread(
        [this, request = std::move(request), machine = std::move(machine)] { run(request, *machine); });
    return true;
}

void ExampleRunner::cancel() {
    const std::lock_guard lock(mutex_);
    if (!news_.running || news_.cancelling) return;
    cancelled_ = true;
    news_.cancelling = true;
    ++news_.version;
}

void ExampleRunner::remark(std::string note) {
    const std::lock_guard lock(mutex_);
    if (!news_.running) return;
    remark_ = std::move(note);
}

bool ExampleRunner::save(std::filesystem::path folder) {
    std::shared_ptr<const Report> report;
    {
        const std::lock_guard lock(mutex_);
        if (news_.running || news_.saving || !news_.report) return false;
        report = news_.report;
        news_.saving = true;
        ++news_.version;
    }
    saver_ = std::jthread(
        [this, report = std::move(report), folder = std::move(folder)] { write(*report, folder); });
    return true;
}

ExampleNews ExampleRunner::news() const {
    const std::lock_guard lock(mutex_);
    ExampleNews news = news_;
    if (news.running) news.seconds = seconds_between(begun_, Clock::now());
    return news;
}

void ExampleRunner::change(const std::function<void()>& apply) {
    {
        const std::lock_guard lock(mutex_);
        apply();
        ++news_.version;
    }
    if (on_news_) on_news_();
}

void ExampleRunner::run(const ExampleRequest& request, const Machine& machine) {
    const Report* growing = nullptr;  // the example's own, which only this thread touches
    ExampleWatch watch;
    watch.cancelled = [this] { return cancelled_.load(); };
    watch.news = [&](const Report& report) {
        growing = &report;
        publish(report);
    };
    watch.progress = [&](double share, const std::string& doing) {
        if (growing) publish(*growing);
        change([&] {
            news_.share = share;
            news_.doing = doing;
        });
    };
    try {
        if (!request.out.empty()) make_folder(request.out, "--out");
        auto report = with_remark(run_example(request, machine, watch));
        if (!request.out.empty()) write(*report, request.out);
        finish(std::move(report), "");
    } catch (const std::bad_alloc&) {
        finish(nullptr, "not enough host memory; smaller sizes need less");
    } catch (const std::exception& error) {
        finish(nullptr, error.what());
    }
}

std::shared_ptr<const Report> ExampleRunner::with_remark(const Report& report) const {
    auto copy = std::make_shared<Report>(report);
    const std::lock_guard lock(mutex_);
    if (!remark_.empty()) copy->notes.push_back(remark_);
    return copy;
}

void ExampleRunner::publish(const Report& report) {
    {
        const std::lock_guard lock(mutex_);
        const auto now = Clock::now();
        if (now - copied_ < kBetweenCopies) return;
        copied_ = now;
    }
    auto copy = with_remark(report);
    change([&] { news_.report.swap(copy); });
}

// A failed example keeps what was published before.
void ExampleRunner::finish(std::shared_ptr<const Report> report, std::string failure) {
    change([&] {
        if (report) news_.report = std::move(report);
        news_.failure = std::move(failure);
        news_.running = news_.cancelling = false;
        news_.seconds = seconds_between(begun_, Clock::now());
    });
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
    change([&] {
        news_.saving = false;
        news_.saved = std::move(said);
        news_.saved_to = failed ? "" : place.string();
        news_.save_failed = failed;
    });
}

}  // namespace stencil
