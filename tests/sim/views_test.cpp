// Parts of a session, each driven alone.
#include "sim/session/views.h"

#include "sim/problem/shared_list.h"
#include "tests/support/runs.h"

namespace {

constexpr Views::Activity kSettled{true, false, false}, kSteps{false, true, false},
    kBetweenBatches{false, false, false};

ViewRequest request(std::uint64_t serial) {
    ViewRequest view;
    view.serial = serial;
    view.panes = {{Pane::now, {{0, 0, 8, 8}, 8, 8, false}}};
    return view;
}

}  // namespace

TEST_CASE("A frame is due for another request, and for another field once the last frame was seen") {
    RunSpec spec;
    set_setting(spec, "size", "8");
    Simulation simulation = begun(resolve(spec, query_machine()));
    Views views;
    const auto make = [&] { return views.make({.simulation = &simulation, .exact = true}); };
    views.look(request(1));
    CHECK(views.wants(Pane::now));
    CHECK_FALSE(views.wants(Pane::laplacian));
    CHECK(views.due(kSteps));
    CHECK(make());
    CHECK(views.frame()->serial == 1);
    CHECK_FALSE(views.due(kSettled));
    views.look(request(2));
    CHECK(views.due(kSteps));
    CHECK_FALSE(make());  // the same field
    CHECK_FALSE(views.was_taken());

    views.field_changed();
    CHECK_FALSE(views.due(kSteps));
    CHECK_FALSE(views.due(kBetweenBatches));
    CHECK(views.due(kSettled));
    views.taken(views.frame()->count);
    CHECK(views.due(kBetweenBatches));
    CHECK(make());
    CHECK(views.shows_field());
    views.look_again();
    CHECK(views.due(kSettled));
    CHECK(make());

    // A failure that each frame would repeat is not tried again.
    views.field_changed();
    views.fail();
    CHECK_FALSE(views.due(kSettled));
    CHECK(views.frame()->serial == 2);
}

TEST_CASE("Copies of a shared list have the same elements until one of them changes") {
    SharedList<int> one{1, 2, 3};
    const SharedList<int> other = one;
    CHECK(one.begin() == other.begin());
    one.push_back(4);
    CHECK(one.size() == 4);
    CHECK(other.size() == 3);
    const int* mine = one.begin();
    one.modify([](std::vector<int>& items) { items[0] = 7; });
    CHECK(one.begin() == mine);
    CHECK(other.front() == 1);
}
