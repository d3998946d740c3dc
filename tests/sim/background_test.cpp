// Work beside its caller, and values that threads share.
#include "sim/machine/background.h"

#include <stdexcept>

#include "tests/support/catch.h"

TEST_CASE("Work in the background has one result, and says when that is there") {
    std::atomic<int> ends = 0;
    Background<int> work([&] { ++ends; });
    CHECK_FALSE(work.busy());
    CHECK_FALSE(work.poll());
    std::atomic<bool> may_end = false;
    work.start([&](const std::stop_token&) {
        may_end.wait(false);
        return 7;
    });
    CHECK(work.busy());
    CHECK(work.running());
    CHECK_FALSE(work.poll());
    CHECK(ends == 0);
    may_end = true;
    may_end.notify_all();
    while (ends == 0) std::this_thread::yield();
    CHECK(work.busy());
    CHECK_FALSE(work.running());
    CHECK(work.poll() == 7);
    CHECK_FALSE(work.busy());
    CHECK_FALSE(work.poll());
}

TEST_CASE("An exception of work in the background reaches who takes the result") {
    Background<int> work;
    work.start([](const std::stop_token&) -> int { throw std::runtime_error("a reason"); });
    CHECK_THROWS_WITH(work.get(), "a reason");
    CHECK_FALSE(work.busy());
    work.start([](const std::stop_token&) { return 1; });
    CHECK(work.get() == 1);
}

TEST_CASE("Work that is cancelled, replaced or left is told to stop, and waited for") {
    std::atomic<int> ended = 0;
    const auto until_stopped = [&](const std::stop_token& stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        return ++ended;
    };
    {
        Background<int> work;
        work.start(until_stopped);
        work.cancel();
        CHECK(work.get() == 1);
        work.start(until_stopped);
        work.start(until_stopped);
        CHECK(ended == 2);
    }
    CHECK(ended == 3);
}

TEST_CASE("A change of a shared value wakes who waits for it, as a stop and the end of the limit do") {
    Shared<int> value;
    const auto wait_for_five = [&](std::chrono::milliseconds limit) {
        return [&value, limit](const std::stop_token& stop) {
            return value.wait(
                stop, limit, [](int now) { return now == 5; }, [](int& now) { return now; });
        };
    };
    constexpr std::chrono::hours kLong{1};
    Background<int> waiting;
    waiting.start(wait_for_five(kLong));
    value.change([](int& now) { now = 4; });
    CHECK(waiting.running());
    value.change([](int& now) { now = 5; });
    CHECK(waiting.get() == 5);
    value.change([](int& now) { now = 3; });
    waiting.start(wait_for_five(kLong));
    waiting.cancel();
    CHECK(waiting.get() == 3);
    waiting.start(wait_for_five(std::chrono::milliseconds(1)));
    CHECK(waiting.get() == 3);
    CHECK(value.read([](int now) { return now; }) == 3);
}
