#include "sim/kernel_trial/kernel_watch.h"

#include <chrono>
#include <tuple>

#include "sim/files/atomic_file.h"
#include "sim/kernel_trial/lessons.h"
#include "sim/user_kernel/ladder.h"

namespace stencil::user_kernel {
namespace fs = std::filesystem;
namespace {

constexpr auto kInterval = std::chrono::milliseconds(500);

bool alike(const RunSpec& a, const RunSpec& b) {
    // Settings that compiling and timing depend on; parameters are passed with every launch.
    const auto key = [](const RunSpec& run) {
        return std::tie(
            run.model, run.size, run.dtype, run.boundary, run.boundary_as_typed, run.integrator, run.dx);
    };
    return key(a) == key(b);
}

}  // namespace

KernelWatch::KernelWatch(std::function<void()> on_news, std::string program)
    : on_news_(std::move(on_news)),
      program_(std::move(program)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

void KernelWatch::watch(const std::string& file, const RunSpec& run) {
    shared_.change([&](Exchange& all) {
        if (file == all.order.file && (file.empty() || alike(run, all.order.run))) return;
        if (file != all.order.file) all.news = {all.news.version + 1, file, "", "", {}, "", nullptr};
        all.order = {file, run, all.order.number + 1};
    });
}

void KernelWatch::publish(const std::function<void(KernelNews&)>& change) {
    shared_.change([&](Exchange& all) {
        change(all.news);
        ++all.news.version;
    });
    on_news_();
}

void KernelWatch::serve(const std::stop_token& stop) {
    std::uint64_t seen = 0;
    while (true) {
        const Order order = shared_.wait(
            stop,
            kInterval,
            [&](const Exchange& all) { return all.order.number != seen; },
            [](const Exchange& all) { return all.order; });
        if (stop.stop_requested()) return;
        seen = order.number;
        if (!order.file.empty()) look(order, stop);
    }
}

// Tries the file again if it or the order has changed.
void KernelWatch::look(const Order& order, const std::stop_token& stop) {
    std::error_code error;
    const fs::file_time_type saved = fs::last_write_time(order.file, error);
    const std::pair now{order.number, error ? fs::file_time_type{} : saved};
    if (std::exchange(tried_, now) == now) return;
    const auto is_stale = [&] {
        return stop.stop_requested() ||
               shared_.read([&](const Exchange& all) { return all.order.number != order.number; });
    };
    try {
        try_file(order, is_stale);
    } catch (const std::exception& failure) {
        if (is_stale()) return;
        publish([&](KernelNews& news) {
            news.doing.clear();
            news.failure = failure.what();
        });
    }
}

TrialRequest KernelWatch::request_for(const Order& order) const {
    const std::string text = kernel_text(order.file);
    if (const Lesson* lesson = lesson_of(order.file)) {
        TrialRequest request = lesson_request(*lesson, order.file, text);
        request.program = program_;
        return request;
    }
    TrialRequest request;
    request.file = order.file;
    request.text = text;
    request.program = program_;
    SuiteSpec& suite = request.suite;
    suite.run = order.run;
    suite.run.kernel.reset();
    suite.run.edits = {};
    suite.run.initial = order.run.is_general() ? "" : "noise";
    suite.run.initials.clear();
    suite.run.initial_hash.clear();
    suite.sizes = {*order.run.size};
    suite.repeats = kMinRepeats;
    suite.repeat_seconds = 0.05;
    return request;
}

void KernelWatch::try_file(const Order& order, const std::function<bool()>& is_stale) {
    const TrialRequest request = request_for(order);
    const auto doing = [&](const std::string& what) {
        publish([&](KernelNews& news) {
            news.doing = what;
            news.failure.clear();
        });
    };
    TrialReport report = try_kernel(request, doing, is_stale);
    if (report.stopped) return;
    if (const Lesson* lesson = lesson_of(order.file)) {
        add_lack(*lesson, order.file, report);
        if (report.fault.empty()) keep_done(*lesson);
    }
    std::shared_ptr<const UserKernel> kernel;
    if (report.on_gpu && report.fault.empty())
        kernel = make_user_kernel(order.run, request.text, order.file, default_compute_capability());
    if (is_stale()) return;
    publish([&](KernelNews& news) {
        news.doing.clear();
        news.failure.clear();
        news.report = std::move(report);
        news.text = request.text;
        if (kernel) news.kernel = std::move(kernel);
    });
}

std::string start_file(const std::string& name) {
    const std::string file = name + ".cu";
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file;
    if (const Rung* rung = find_rung(name)) write_text_file(file, std::string(rung->text));
    if (const Lesson* lesson = lesson_of(file)) write_text_file(file, lesson->text());
    return file;
}

}  // namespace stencil::user_kernel
