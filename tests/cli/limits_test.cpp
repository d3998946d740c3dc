// Measuring the machine's limits while other work disturbs it.

#include <cmath>

#include "sim/machine/copy_bandwidth.h"
#include "sim/machine/issue_rate.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr double kStart = 20e-6;  // seconds to start a piece of work
constexpr double kInstructionsOfARound = 384;

// A processor of known rate, which other work slows for some milliseconds in most pieces.
class DisturbedProcessor {
  public:
    explicit DisturbedProcessor(Dice& dice, double rate) : dice_(dice), rate_(rate) {}

    IssuedPiece issue(std::int64_t rounds) {
        const double work = kInstructionsOfARound * double(rounds) / rate_;
        longest_ = std::max(longest_, work);
        double seconds = kStart + work;
        // The first piece is always disturbed.
        if (pieces_++ == 0 || dice_.uniform(0, 1) < 0.8) seconds += dice_.uniform(0.001, 0.03);
        return {kInstructionsOfARound * double(rounds), seconds};
    }

    int pieces() const { return pieces_; }
    double longest() const { return longest_; }

  private:
    Dice& dice_;
    double rate_;
    int pieces_ = 0;
    double longest_ = 0;
};

}  // namespace

TEST_CASE("The issue rate is found although most of its pieces are disturbed, the first of all") {
    Dice dice;
    for (int i = 0; i < 100; ++i) {
        const double rate = std::pow(10.0, dice.uniform(9, 13.5));
        DisturbedProcessor processor(dice, rate);
        IssueRate measured([&](std::int64_t rounds) { return processor.issue(rounds); });
        while (!measured.done()) {
            measured.work();
            REQUIRE(processor.pieces() < 1000);
        }
        CAPTURE(rate, measured.fastest(), processor.pieces());
        REQUIRE(measured.fastest() <= rate);
        REQUIRE(measured.fastest() > 0.97 * rate);
        REQUIRE(measured.median() < 0.8 * rate);
        REQUIRE(processor.longest() < 0.004);
    }
}

TEST_CASE("The fastest is done once it has stood for a while, and not before") {
    Dice dice;
    BestOf fastest(5);
    double rate = 1;
    for (int i = 0; i < 20; ++i) {
        fastest.add(rate *= dice.uniform(1.02, 2));
        for (int slower = 0; slower < 4; ++slower) fastest.add(rate * dice.uniform(0.1, 0.99));
        REQUIRE_FALSE(fastest.done());
        REQUIRE(fastest.best() == rate);
    }
    fastest.add(rate * 1.005);  // hardly faster: it counts, but measuring is not prolonged
    REQUIRE(fastest.done());
    REQUIRE(fastest.best() == rate * 1.005);
    REQUIRE(fastest.median() < rate);
}

TEST_CASE("Copies are measured whole and in slices") {
    for (const CopyBandwidth::Piece piece : {CopyBandwidth::Piece::whole, CopyBandwidth::Piece::slice}) {
        CopyBandwidth copies(Device::cpu, 2, piece);
        REQUIRE(copies.fastest() == 0);
        int calls = 0;
        while (!copies.done()) {
            copies.work();
            REQUIRE(++calls < 1000);
        }
        CAPTURE(copies.fastest(), copies.median());
        REQUIRE(copies.median() > 0.05);
        REQUIRE(copies.fastest() >= copies.median());
        REQUIRE(copies.fastest() < 5000);
    }
}
