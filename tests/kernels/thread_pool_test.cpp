#include "kernels/cpu/thread_pool.h"

#include <stdexcept>
#include <system_error>

#include "tests/support/catch.h"

using stencil::ThreadPool;

TEST_CASE("What a task of a thread pool throws comes to the caller once all have returned") {
    for (const int threads : {1, 4}) {
        ThreadPool pool(threads);
        for (int culprit = 0; culprit < threads; ++culprit) {
            std::atomic<int> done{0};
            const auto task = [&](int i) {
                ++done;
                if (i == culprit) throw std::runtime_error("no memory");
            };
            REQUIRE_THROWS_AS(pool.run(task), std::runtime_error);
            REQUIRE(done == threads);
        }
        // The pool still works.
        std::atomic<int> sum{0};
        pool.run([&](int i) { sum += i + 1; });
        REQUIRE(sum == threads * (threads + 1) / 2);
    }
}

TEST_CASE("A thread pool works with the threads that the system allows") {
    int allowed = 2;
    ThreadPool pool(8, [&](std::function<void()> body) {
        if (allowed-- == 0)
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        return std::thread(std::move(body));
    });
    REQUIRE(pool.size() == 3);
    std::atomic<int> calls{0};
    pool.run([&](int) { ++calls; });
    REQUIRE(calls == 3);
}

TEST_CASE("A thread pool runs every task once, and every range whole") {
    for (const int threads : {1, 2, 5}) {
        ThreadPool pool(threads);
        REQUIRE(pool.size() == threads);
        for (int repeat = 0; repeat < 200; ++repeat) {
            std::vector<int> seen(std::size_t(threads), 0);
            pool.run([&](int i) { ++seen[std::size_t(i)]; });
            REQUIRE(seen == std::vector<int>(std::size_t(threads), 1));
            std::vector<int> cells(std::size_t(repeat), 0);
            pool.for_ranges(repeat, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t k = begin; k < end; ++k) ++cells[std::size_t(k)];
            });
            REQUIRE(cells == std::vector<int>(std::size_t(repeat), 1));
        }
    }
}
