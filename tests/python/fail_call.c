// Preloaded library that makes a call fail as on a full disk or without memory: the one in $FAIL_CALL ("write 3"), and all later ones
// if it ends in '+' ("write 3+"). Calls are counted from main(); at exit their number is written to the file $FAIL_COUNT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long count;
static int armed;
static char name[32];
static long number;
static int onwards;

static void done(void) {
    const char* path = getenv("FAIL_COUNT");
    FILE* file = path ? fopen(path, "w") : NULL;
    armed = 0;
    if (file) fprintf(file, "%ld", (long)count), fclose(file);
}

static int fails(const char* call) {
    if (!armed || strcmp(call, name) != 0) return 0;
    const long now = ++count;
    return now == number || (onwards && now > number);
}

#define NEXT(call) ((__typeof__(&call))dlsym(RTLD_NEXT, #call))

ssize_t write(int file, const void* bytes, size_t size) {
    if (file > 2 && fails("write")) return errno = ENOSPC, -1;
    return NEXT(write)(file, bytes, size);
}
ssize_t writev(int file, const struct iovec* parts, int n) {
    if (file > 2 && fails("write")) return errno = ENOSPC, -1;
    return NEXT(writev)(file, parts, n);
}
int fsync(int file) {
    if (fails("fsync")) return errno = EIO, -1;
    return NEXT(fsync)(file);
}
int rename(const char* from, const char* to) {
    if (fails("rename")) return errno = EACCES, -1;
    return NEXT(rename)(from, to);
}
// Only allocations as large as fields, rows and texts fail, because the C library cannot report failures of its own small ones.
void* malloc(size_t size) {
    static void* (*next)(size_t);
    if (!next) next = NEXT(malloc);
    if (size >= 4096 && fails("malloc")) return errno = ENOMEM, NULL;
    return next(size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    if (size >= 4096 && fails("malloc")) return errno = ENOMEM, NULL;
    return NEXT(aligned_alloc)(alignment, size);
}

// The program ends by _exit(), which skips atexit() handlers.
void _Exit(int status) {
    if (armed) done();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

static int (*real_main)(int, char**, char**);
static int armed_main(int argc, char** argv, char** environment) {
    const char* what = getenv("FAIL_CALL");
    if (what && sscanf(what, "%31s %ld", name, &number) == 2) {
        onwards = what[strlen(what) - 1] == '+';
        atexit(done);
        unsetenv("LD_PRELOAD");  // only this process, not its children
        armed = 1;
    }
    return real_main(argc, argv, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void), void (*end)(void), void* stack) {
    real_main = main;
    return NEXT(__libc_start_main)(armed_main, argc, argv, init, fini, end, stack);
}
int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
