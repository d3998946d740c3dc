#include "sim/machine/control_group.h"

#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

class FakeSystem {
  public:
    void file(const std::string& path, std::string_view text) {
        const auto whole = folder_.path() / path;
        std::filesystem::create_directories(whole.parent_path());
        write_bytes(whole, text);
    }
    ControlGroupLimits limits() const { return control_group_limits(folder_.path().string()); }

  private:
    ScratchFolder folder_;
};

}  // namespace

TEST_CASE("A system without control groups sets no limits") {
    const ControlGroupLimits limits = FakeSystem().limits();
    REQUIRE(limits.free_bytes == ControlGroupLimits().free_bytes);
    REQUIRE(limits.processors == ControlGroupLimits().processors);
}

TEST_CASE("The limits of a control group and of those above it count, without the cache of idle files") {
    FakeSystem system;
    system.file("proc/self/cgroup", "0::/batch/job\n");
    const std::string group = "sys/fs/cgroup/batch/job/";
    system.file(group + "memory.max", "1000000\n");
    system.file(group + "memory.current", "900000\n");
    system.file(group + "memory.stat", "anon 100000\ninactive_file 600000\n");
    system.file(group + "cpu.max", "max 100000\n");
    system.file("sys/fs/cgroup/batch/memory.max", "max\n");
    system.file("sys/fs/cgroup/batch/cpu.max", "250000 100000\n");
    REQUIRE(system.limits().free_bytes == 700000);
    REQUIRE(system.limits().processors == 2.5);
    system.file("sys/fs/cgroup/batch/memory.max", "5000\n");
    REQUIRE(system.limits().free_bytes == 5000);
}

TEST_CASE("A container that sees its own group as the root has its limits") {
    FakeSystem system;
    system.file("proc/self/cgroup", "0::/../../elsewhere\n");
    system.file("sys/fs/cgroup/memory.max", "4096\n");
    system.file("sys/fs/cgroup/memory.current", "5000\n");
    system.file("sys/fs/cgroup/cpu.max", "50000 100000\n");
    REQUIRE(system.limits().free_bytes == 0);
    REQUIRE(system.limits().processors == 0.5);
}

TEST_CASE("Control groups of version 1 have their limits in folders of their own") {
    FakeSystem system;
    system.file("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n");
    system.file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n");
    system.file("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "800\n");
    system.file("sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 300\n");
    system.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    system.file("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n");
    system.file("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    system.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    REQUIRE(system.limits().free_bytes == 500);
    REQUIRE(system.limits().processors == 3);
}
