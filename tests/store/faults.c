/* Make one call fail: the COPYSIFT_FAULT_AT-th call of COPYSIFT_FAULT (write, fsync, rename, mmap, malloc).
 *
 * Calls on files count if their path begins with COPYSIFT_FAULT_UNDER, allocations if the caller is in a library
 * whose path has that in it. With 0 nothing fails. The number of calls is written to COPYSIFT_FAULT_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static const char *wanted, *under, *tally;
static long at;
static atomic_long calls;
static int ready;

__attribute__((constructor)) static void begin(void)
{
    wanted = getenv("COPYSIFT_FAULT"), under = getenv("COPYSIFT_FAULT_UNDER"), tally = getenv("COPYSIFT_FAULT_COUNT");
    const char *number = getenv("COPYSIFT_FAULT_AT");
    at = number ? atol(number) : 0;
    ready = wanted && under;
}

__attribute__((destructor)) static void end(void)
{
    FILE *file = ready && tally ? fopen(tally, "w") : NULL;
    if (file)
        fprintf(file, "%ld", (long)calls), fclose(file);
}

static int due(void)
{
    return atomic_fetch_add(&calls, 1) + 1 == at;
}

static int is(const char *call)
{
    return ready && strcmp(wanted, call) == 0;
}

static int below(const char *path)
{
    char whole[8192];
    if (!path)
        return 0;
    if (path[0] != '/' && getcwd(whole, 4096)) {
        snprintf(whole + strlen(whole), 4096, "/%s", path);
        path = whole;
    }
    return strncmp(path, under, strlen(under)) == 0;
}

static int open_below(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    return below(path);
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL(code, value) do { errno = code; return value; } while (0)

ssize_t write(int fd, const void *data, size_t n)
{
    REAL(write);
    if (is("write") && open_below(fd) && due()) FAIL(ENOSPC, -1);
    return real(fd, data, n);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t offset)
{
    REAL(pwrite64);
    if (is("write") && open_below(fd) && due()) FAIL(ENOSPC, -1);
    return real(fd, data, n, offset);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t offset)
{
    REAL(pwrite);
    if (is("write") && open_below(fd) && due()) FAIL(ENOSPC, -1);
    return real(fd, data, n, offset);
}

int fsync(int fd)
{
    REAL(fsync);
    if (is("fsync") && open_below(fd) && due()) FAIL(EIO, -1);
    return real(fd);
}

int fdatasync(int fd)
{
    REAL(fdatasync);
    if (is("fsync") && open_below(fd) && due()) FAIL(EIO, -1);
    return real(fd);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    if (is("rename") && below(to) && due()) FAIL(EIO, -1);
    return real(from, to);
}

int renameat(int a, const char *from, int b, const char *to)
{
    REAL(renameat);
    if (is("rename") && below(to) && due()) FAIL(EIO, -1);
    return real(a, from, b, to);
}

void *mmap(void *place, size_t n, int protection, int flags, int fd, off_t offset)
{
    REAL(mmap);
    if (is("mmap") && fd >= 0 && open_below(fd) && due()) FAIL(ENOMEM, MAP_FAILED);
    return real(place, n, protection, flags, fd, offset);
}

void *mmap64(void *place, size_t n, int protection, int flags, int fd, off64_t offset)
{
    REAL(mmap64);
    if (is("mmap") && fd >= 0 && open_below(fd) && due()) FAIL(ENOMEM, MAP_FAILED);
    return real(place, n, protection, flags, fd, offset);
}

/* Allocations: glibc's own entry points, because dlsym allocates. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static int asked_by(void *caller)
{
    Dl_info found;
    return is("malloc") && dladdr(caller, &found) && found.dli_fname && strstr(found.dli_fname, under) && due();
}

void *malloc(size_t n)
{
    if (ready && asked_by(__builtin_return_address(0))) FAIL(ENOMEM, NULL);
    return __libc_malloc(n);
}

void *calloc(size_t count, size_t n)
{
    if (ready && asked_by(__builtin_return_address(0))) FAIL(ENOMEM, NULL);
    return __libc_calloc(count, n);
}

void *realloc(void *old, size_t n)
{
    if (ready && asked_by(__builtin_return_address(0))) FAIL(ENOMEM, NULL);
    return __libc_realloc(old, n);
}
