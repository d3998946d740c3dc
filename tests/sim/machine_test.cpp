// The cache of kernels, and limits of control groups.
#include "sim/machine/kernel_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sim/files/folder.h"
#include "sim/machine/host_memory.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;

namespace {

fs::path only_file(const fs::path& folder) {
    return fs::directory_iterator(folder)->path();
}

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

TEST_CASE("What was kept is found by its key, byte for byte, and nothing else is") {
    Dice random;
    const ScratchFolder scratch;
    const KernelCache cache(scratch / "below/kernels");
    const std::string bytes = random.bytes(5000);
    CHECK(!cache.find("key"));
    cache.keep("key", bytes);
    cache.keep("keykey", "");
    CHECK(cache.find("key") == bytes);
    CHECK(cache.find("keykey") == "");
    CHECK(!cache.find("ke"));
    cache.keep("key", "newer");
    CHECK(KernelCache(scratch / "below/kernels").find("key") == "newer");
}

TEST_CASE("A file that was cut off, changed or put in another's place is none") {
    Dice random;
    const ScratchFolder scratch;
    const KernelCache cache(scratch.path());
    const std::string key = random.bytes(300), bytes = random.bytes(700);
    cache.keep(key, bytes);
    const fs::path file = only_file(scratch.path());
    const std::string whole = read_bytes(file);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = whole;
        const auto at = std::size_t(random.integer(0, int(whole.size()) - 1));
        if (i % 3 == 0)
            damaged.resize(at);
        else if (i % 3 == 1)
            damaged[at] = char(damaged[at] ^ (1 << random.integer(0, 7)));
        else
            damaged += random.bytes(1 + at);
        write_bytes(file, damaged);
        CHECK(!cache.find(key));
    }
    cache.keep(key, bytes);
    CHECK(cache.find(key) == bytes);
    const KernelCache other(scratch / "other");
    other.keep("another key", "other bytes");
    fs::copy_file(file, only_file(scratch / "other"), fs::copy_options::overwrite_existing);
    CHECK(!other.find("another key"));
}

TEST_CASE("Those used longest ago go") {
    const ScratchFolder scratch;
    const KernelCache cache(scratch.path(), 3);
    const auto age = [&](int hours) {
        for (const auto& entry : fs::directory_iterator(scratch.path()))
            fs::last_write_time(entry, fs::last_write_time(entry) - std::chrono::hours(hours));
    };
    for (const char* key : {"a", "b", "c"}) {
        cache.keep(key, key);
        age(1);
    }
    CHECK(cache.find("a") == "a");  // now the most recently used
    write_bytes(scratch / "of somebody else", "");
    cache.keep("d", "d");
    CHECK(!cache.find("b"));
    for (const char* key : {"a", "c", "d"}) CHECK(cache.find(key) == key);
    CHECK(scratch.entries() == 4);
}

TEST_CASE("Without a folder that can be written nothing is kept, nothing fails, and the reason is told") {
    const ScratchFolder scratch;
    write_bytes(scratch / "file", "in the way");
    const KernelCache cache(scratch / "file/kernels");
    CHECK(!cache.keep("key", "bytes"));
    CHECK(!cache.find("key"));
    CHECK(contains(why_kernels_not_kept(), "compiled code is not kept: "));
    CHECK(contains(why_kernels_not_kept(), "ot a directory"));
    fs::create_directories(scratch / "folder");
    const KernelCache named(scratch / "folder");
    named.keep("key", "bytes");
    const fs::path file = only_file(scratch / "folder");
    fs::remove(file);
    fs::create_directory(file);
    named.keep("key", "bytes");
    CHECK(!named.find("key"));
}

TEST_CASE("Folders and files are made for their user alone, whatever the umask") {
    const ScratchFolder scratch;
    const mode_t before = ::umask(0);
    CHECK(KernelCache(scratch / "below/kernels").keep("key", "bytes"));
    ::umask(before);
    const auto others = fs::perms::group_all | fs::perms::others_all;
    for (const char* made : {"below", "below/kernels"})
        CHECK((fs::status(scratch / made).permissions() & others) == fs::perms::none);
    CHECK((fs::status(only_file(scratch / "below/kernels")).permissions() & others) == fs::perms::none);
}

TEST_CASE("What another user could have written is passed over, and it is said why") {
    const ScratchFolder scratch;
    const fs::path folder = scratch / "kernels";
    const KernelCache cache(folder);
    REQUIRE(cache.keep("key", "bytes"));
    CHECK(cache.why_unsafe().empty());
    const fs::path file = only_file(folder);
    for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
        for (const fs::path& writable : {folder, file}) {
            fs::permissions(writable, others, fs::perm_options::add);
            CHECK(!cache.find("key"));
            fs::permissions(writable, others, fs::perm_options::remove);
            CHECK(cache.find("key") == "bytes");
        }
        fs::permissions(folder, others, fs::perm_options::add);
        CHECK(!cache.keep("other key", "bytes"));
        CHECK(contains(cache.why_unsafe(), "chmod"));
        fs::permissions(folder, others, fs::perm_options::remove);
    }
    fs::rename(file, scratch / "elsewhere");
    fs::create_symlink(scratch / "elsewhere", file);
    CHECK(!cache.find("key"));
    fs::remove(file);
    fs::rename(scratch / "elsewhere", file);
    fs::create_directory_symlink(folder, scratch / "link");
    CHECK(!KernelCache(scratch / "link").find("key"));
    CHECK(contains(KernelCache(scratch / "link").why_unsafe(), "link"));
    if (::geteuid() != 0) return;  // only root can give a file away
    for (const fs::path& foreign : {file, folder}) {
        REQUIRE(::chown(foreign.c_str(), 65534, 65534) == 0);
        CHECK(!cache.find("key"));
        REQUIRE(::chown(foreign.c_str(), 0, 0) == 0);
    }
    CHECK(cache.find("key") == "bytes");
}

TEST_CASE("The cache is in $XDG_CACHE_HOME, or in ~/.cache, or nowhere") {
    const Environment home("HOME", "/somebody");
    {
        const Environment xdg("XDG_CACHE_HOME", "/caches");
        CHECK(user_cache_folder() == fs::path("/caches/stencilscope"));
    }
    const Environment relative("XDG_CACHE_HOME", "here");
    CHECK(user_cache_folder() == fs::path("/somebody/.cache/stencilscope"));
    const Environment nobody("HOME", std::nullopt);
    CHECK(!user_cache_folder());
}

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
