/* Many small files at once: open, look, read, close.  reference/files.py is the definition. */
#ifndef COPYSIFT_FILES_H
#define COPYSIFT_FILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int descriptor; /* -1: not had, or done */
    int64_t size, mtime_ns;
    uint64_t device, inode;
} fl_file;

#if defined(_WIN32)
/* Nothing is had here: the caller reads such files one by one. */
static void fl_open(const char *path, int follow, int64_t most, fl_file *file) { file->descriptor = -1; }
static int fl_take(fl_file *file, uint8_t *to) { return 0; }
static void fl_close(fl_file *file) {}
static int64_t fl_look(const char *path, int follow, uint8_t *to, int64_t most, fl_file *file) { return -1; }
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__APPLE__)
#define FL_MTIME(status) ((status).st_mtimespec)
#else
#define FL_MTIME(status) ((status).st_mtim)
#endif

static void fl_close(fl_file *file) {
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
}

/* Open a regular file of at most `most` bytes; a pipe never blocks, and anything else is not had. */
static void fl_open(const char *path, int follow, int64_t most, fl_file *file) {
    struct stat status;
    file->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
    if (file->descriptor < 0) return;
    if (fstat(file->descriptor, &status) || !S_ISREG(status.st_mode) || status.st_size > most) {
        fl_close(file);
        return;
    }
    file->size = status.st_size;
    file->mtime_ns = (int64_t)FL_MTIME(status).tv_sec * 1000000000 + FL_MTIME(status).tv_nsec;
    file->device = (uint64_t)status.st_dev;
    file->inode = (uint64_t)status.st_ino;
}

/* Look at a regular file, and read its first `most` bytes, or all of a shorter one; gives how many, or -1.
   One that is empty, as the system says, is not read. */
static int64_t fl_look(const char *path, int follow, uint8_t *to, int64_t most, fl_file *file) {
    int64_t done = 0;
    fl_open(path, follow, INT64_MAX, file);
    if (file->descriptor < 0) return -1;
    while (done < most && done < file->size) { /* it need not be asked for its end */
        ssize_t got = read(file->descriptor, to + done, (size_t)(most - done));
        if (got < 0) done = -1;
        if (got <= 0) break;
        done += got;
    }
    fl_close(file);
    return done;
}

/* Read a file that was opened and close it; 0 when it has become shorter or cannot be read. */
static int fl_take(fl_file *file, uint8_t *to) {
    int64_t done = 0;
    while (done < file->size) {
        ssize_t got = read(file->descriptor, to + done, (size_t)(file->size - done));
        if (got <= 0) break;
        done += got;
    }
    fl_close(file);
    return done == file->size;
}
#endif

#endif
