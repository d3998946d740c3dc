// Preloaded into a program: the call of the name and number in $FAIL_CALL ("write 3") fails, as on a full disk or without memory,
// and all after it where it ends in '+' ("write 3+"); where it ends in '!' the process is killed there. Counted from main() on,
// by the process of MPI that $FAIL_RANK names, if it is given. At the end of the program $FAIL_COUNT, a file, has how many calls
// there were. $FAIL_ERROR is an error number in place of the usual one. Names in lower case are the C library's, each with its
// variants ("write" is also writev); "malloc" is for large blocks alone, and "any_malloc" for all. Any other name is what names
// of functions of MPI, NVRTC or CUDA's driver begin with ("MPI_Wait", "nvrtcCompile", "cuMemcpy").
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long count;
static int armed;
static char name[32];
static long number;
static int onwards, kills, error;

static void done(void) {
    const char* path = getenv("FAIL_COUNT");
    FILE* file = path ? fopen(path, "w") : NULL;
    armed = 0;
    if (file) fprintf(file, "%ld", (long)count), fclose(file);
}

static int fails(const char* call) {
    if (!armed || strncmp(call, name, strlen(name)) != 0) return 0;
    const long now = ++count;
    if (now == number && kills) raise(SIGKILL);
    return now == number || (onwards && now > number);
}

#define NEXT(call) ((__typeof__(&call))dlsym(RTLD_NEXT, #call))

#define FAIL(usual) return errno = error ? error : usual, -1
#define FAILS_AS(what, usual, result, call, parameters, arguments) \
    result call parameters {                                       \
        if (fails(what)) FAIL(usual);                              \
        return NEXT(call) arguments;                               \
    }
FAILS_AS("fsync", EIO, int, fsync, (int file), (file))
FAILS_AS("rename", EACCES, int, rename, (const char* from, const char* to), (from, to))
FAILS_AS("link", EIO, int, linkat, (int a, const char* from, int b, const char* to, int how), (a, from, b, to, how))
FAILS_AS("unlink", EIO, int, unlink, (const char* path), (path))
FAILS_AS("unlink", EIO, int, unlinkat, (int folder, const char* path, int how), (folder, path, how))
FAILS_AS("mkdir", ENOSPC, int, mkdir, (const char* path, mode_t mode), (path, mode))
FAILS_AS("pwrite", ENOSPC, ssize_t, pwrite, (int file, const void* bytes, size_t size, off_t at), (file, bytes, size, at))
FAILS_AS("pwrite", ENOSPC, ssize_t, pwrite64, (int file, const void* bytes, size_t size, off_t at), (file, bytes, size, at))
FAILS_AS("pread", EIO, ssize_t, pread, (int file, void* bytes, size_t size, off_t at), (file, bytes, size, at))
FAILS_AS("pread", EIO, ssize_t, pread64, (int file, void* bytes, size_t size, off_t at), (file, bytes, size, at))
FAILS_AS("read", EIO, ssize_t, read, (int file, void* bytes, size_t size), (file, bytes, size))
FAILS_AS("truncate", ENOSPC, int, ftruncate, (int file, off_t size), (file, size))
FAILS_AS("truncate", ENOSPC, int, ftruncate64, (int file, off_t size), (file, size))
FAILS_AS("memfd", ENOSPC, int, memfd_create, (const char* call, unsigned flags), (call, flags))
FAILS_AS("fork", EAGAIN, pid_t, fork, (void), ())

ssize_t write(int file, const void* bytes, size_t size) {
    if (file > 2 && fails("write")) FAIL(ENOSPC);
    return NEXT(write)(file, bytes, size);
}
ssize_t writev(int file, const struct iovec* parts, int n) {
    if (file > 2 && fails("write")) FAIL(ENOSPC);
    return NEXT(writev)(file, parts, n);
}
int close(int file) {
    const int closed = NEXT(close)(file);
    if (file > 2 && fails("close")) FAIL(EIO);
    return closed;
}
static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}
#define OPENS(call, parameters, arguments)    \
    int call parameters {                     \
        va_list more;                         \
        va_start(more, flags);                \
        const mode_t mode = mode_of(flags, more); \
        va_end(more);                         \
        if (fails("open")) FAIL(EMFILE);      \
        return NEXT(call) arguments;          \
    }
OPENS(open, (const char* path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char* path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
#define FOPENS(call)                                                         \
    FILE* call(const char* path, const char* how) {                          \
        if (fails("fopen")) return errno = error ? error : EMFILE, NULL;     \
        return NEXT(call)(path, how);                                        \
    }
FOPENS(fopen) FOPENS(fopen64)
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) {
    if (fails("thread")) return EAGAIN;
    return NEXT(pthread_create)(thread, how, work, with);
}
// "malloc" fails for allocations as large as fields, rows and texts, because libraries cannot report failures of small ones.
void* malloc(size_t size) {
    static void* (*next)(size_t);
    if (!next) next = NEXT(malloc);
    if ((size >= 4096 && fails("malloc")) || fails("any_malloc")) return errno = ENOMEM, NULL;
    return next(size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    if (size >= 4096 && fails("malloc")) return errno = ENOMEM, NULL;
    return NEXT(aligned_alloc)(alignment, size);
}

// Functions that take at most twelve integers and pointers, and return a status.
typedef long Any(long, long, long, long, long, long, long, long, long, long, long, long);
#define PARAMETERS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l

#define OF_MPI(call)                                                 \
    int call(PARAMETERS) {                                           \
        if (fails(#call)) return 16; /* MPI_ERR_OTHER of Open MPI */ \
        return (int)((Any*)dlsym(RTLD_NEXT, #call))(ARGUMENTS);      \
    }
OF_MPI(MPI_Allreduce) OF_MPI(MPI_Alltoallv) OF_MPI(MPI_Bcast) OF_MPI(MPI_Comm_split) OF_MPI(MPI_Ibcast) OF_MPI(MPI_Irecv)
OF_MPI(MPI_Isend) OF_MPI(MPI_Recv) OF_MPI(MPI_Send) OF_MPI(MPI_Test) OF_MPI(MPI_Waitall)

// Functions that the program looks up while it runs; each is replaced by one of 64 functions here.
#define OF_DIGIT(m, n) m(n##0) m(n##1) m(n##2) m(n##3)
#define OF_DIGITS(m, n) OF_DIGIT(m, n##0) OF_DIGIT(m, n##1) OF_DIGIT(m, n##2) OF_DIGIT(m, n##3)
#define OF_ALL(m) OF_DIGITS(m, 00) OF_DIGITS(m, 01) OF_DIGITS(m, 02) OF_DIGITS(m, 03)
#define PLACE(n) ((n >> 6) * 16 + (n >> 3 & 3) * 4 + (n & 3))  // n is octal and its digits are below 4
enum { kLate = 64 };
static struct {
    char name[64];
    Any* next;
} late[kLate];
static atomic_int late_count;
#define FUNCTION(n)                                                   \
    static long late##n(PARAMETERS) {                                 \
        if (fails(late[PLACE(n)].name)) return 2; /* out of memory */ \
        return late[PLACE(n)].next(ARGUMENTS);                        \
    }
OF_ALL(FUNCTION)
#define POINTER(n) late##n,
static Any* const replacements[kLate] = {OF_ALL(POINTER)};

static void* replaced(const char* call, void* found) {
    if (!armed || strncmp(call, name, strlen(name)) != 0 || !strncmp(call, "MPI_", 4)) return found;
    for (int known = 0; known < late_count; ++known)  // one that was looked up before
        if (late[known].next == (Any*)found && strncmp(late[known].name, call, sizeof(late[known].name) - 1) == 0)
            return (void*)replacements[known];
    const int place = late_count++;
    if (place >= kLate) abort();
    strncpy(late[place].name, call, sizeof(late[place].name) - 1);
    late[place].next = (Any*)found;
    return (void*)replacements[place];
}

// CUDA's run-time library asks the driver for the addresses of its functions.
static int (*next_address)(const char*, void**, int, unsigned long, void*);
static int address_of(const char* call, void** found, int version, unsigned long flags, void* status) {
    const int error = next_address(call, found, version, flags, status);
    if (error == 0 && *found && strncmp(call, "cuGetProcAddress", 16) != 0) *found = replaced(call, *found);
    return error;
}

void* dlsym(void* library, const char* call) {
    static void* (*next)(void*, const char*);
    if (!next) next = (__typeof__(next))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!next) next = (__typeof__(next))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    void* found = next(library, call);
    if (library == RTLD_NEXT || !found) return found;
    if (strcmp(call, "cuGetProcAddress_v2") == 0 && strncmp(name, "cu", 2) == 0) {
        next_address = (__typeof__(next_address))found;
        return (void*)address_of;
    }
    return replaced(call, found);
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
        error = getenv("FAIL_ERROR") ? atoi(getenv("FAIL_ERROR")) : 0;
        onwards = what[strlen(what) - 1] == '+';
        kills = what[strlen(what) - 1] == '!';
        atexit(done);
        unsetenv("LD_PRELOAD");  // only this process, not its children
        const char *rank = getenv("FAIL_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
        armed = !rank || (own && strcmp(rank, own) == 0);
    }
    return real_main(argc, argv, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void), void (*end)(void), void* stack) {
    real_main = main;
    return NEXT(__libc_start_main)(armed_main, argc, argv, init, fini, end, stack);
}
int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
