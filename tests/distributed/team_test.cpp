// The calls of several processes, without MPI.
#include "sim/distributed/team.h"
#include "tests/support/catch.h"

namespace {

struct Ended {
    int status;
};

// Process `rank` of several, of which the first has another program if `differs`.
class OneOfSeveral : public Communicator {
  public:
    OneOfSeveral(int rank, bool differs) : rank_(rank), differs_(differs) {}
    int rank() const override { return rank_; }
    int size() const override { return 3; }
    int host_rank() const override { return rank_; }
    int host_size() const override { return 3; }
    std::unique_ptr<Communicator> first(int) override { return nullptr; }
    void broadcast(Bytes&) override {}
    std::vector<Bytes> gather(const Bytes& own, std::size_t) override {
        std::vector<Bytes> all(3, own);
        if (differs_) all[0] = Packet().put(std::string("0.1.0; advance [4, 8]")).bytes();
        return all;
    }
    void sum(std::span<std::uint64_t>) override { ++meetings; }
    void send(const void*, std::size_t, int) override {}
    void receive(void*, std::size_t, int) override {}
    int wait_for_sender() override { return 0; }
    void exchange(const Neighbour&, const Neighbour&, std::size_t) override {}
    void all_to_all(const void*, std::span<const std::size_t>, void*, std::span<const std::size_t>) override {
    }
    [[noreturn]] void abort(int status) override { throw Ended{status}; }

    int meetings = 0;

  private:
    int rank_;
    bool differs_;
};

}  // namespace

TEST_CASE(
    "Processes that run another program are refused before the first call, by one line of one of them") {
    for (const int rank : {0, 1, 2}) {
        OneOfSeveral same(rank, false), other(rank, true);
        CHECK_NOTHROW(require_same_program(same));
        CHECK(same.meetings == 0);
        if (rank == 1) {
            CHECK_THROWS_AS(require_same_program(other), Ended);
        } else {
            CHECK_NOTHROW(require_same_program(other));
            CHECK(other.meetings == 1);  // it waits for its end
        }
    }
}

TEST_CASE("What processes call each other by has the program's version, and each call's name and arguments") {
    const std::string protocol = team::protocol();
    CHECK(protocol.starts_with(STENCILSCOPE_VERSION));
    for (const char* call : {"; advance [4, 8]", "; make solver [", "; save state [4, 4]"})
        CHECK(protocol.find(call) != protocol.npos);
}
