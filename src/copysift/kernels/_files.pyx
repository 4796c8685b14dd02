"""Many small files at once: the compiled edition of `reference/files.py`."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport strlen

cdef extern from "files.h" nogil:
    ctypedef struct fl_file:
        int descriptor
        int64_t size
        int64_t mtime_ns
        uint64_t device
        uint64_t inode
    void fl_open(const char *path, int follow, int64_t most, fl_file *file)
    int fl_take(fl_file *file, uint8_t *to)
    void fl_close(fl_file *file)
    int64_t fl_look(const char *path, int follow, uint8_t *to, int64_t most, fl_file *file)


def read_files(list paths, list follow, int64_t most):
    """Read regular files of at most `most` bytes; give (data, mtime_ns) of each, or None.

    None stands for whatever is not as simple as that: the caller looks at such a file by itself.
    """
    cdef Py_ssize_t n = len(paths), i
    cdef fl_file *files = <fl_file *>calloc(n + 1, sizeof(fl_file))
    cdef const char **names = <const char **>calloc(n + 1, sizeof(char *))
    cdef uint8_t **places = <uint8_t **>calloc(n + 1, sizeof(uint8_t *))
    cdef size_t *sizes = <size_t *>calloc(n + 1, sizeof(size_t))
    cdef char *links = <char *>calloc(n + 1, 1)
    cdef list out = [None] * n, held = list(paths)  # whoever else changes `paths`, the names stay
    try:
        if files == NULL or names == NULL or places == NULL or sizes == NULL or links == NULL:
            raise MemoryError
        for i in range(n):
            files[i].descriptor = -1
        for i in range(n):
            names[i] = PyBytes_AS_STRING(<bytes?>held[i])
            sizes[i] = len(held[i])
            links[i] = bool(follow[i])
        with nogil:
            for i in range(n):
                if strlen(names[i]) == sizes[i]:  # a name with a NUL inside names nothing
                    fl_open(names[i], links[i], most, &files[i])
        for i in range(n):
            if files[i].descriptor >= 0:
                data = PyBytes_FromStringAndSize(NULL, files[i].size)
                places[i] = <uint8_t *>PyBytes_AS_STRING(data)
                out[i] = data
        with nogil:
            for i in range(n):
                if places[i] != NULL and not fl_take(&files[i], places[i]):
                    places[i] = NULL
        for i in range(n):
            if places[i] == NULL:
                out[i] = None
            else:
                out[i] = (out[i], files[i].mtime_ns)
        return out
    finally:
        if files != NULL:
            for i in range(n):
                fl_close(&files[i])
        free(files)
        free(names)
        free(places)
        free(sizes)
        free(links)


def look_at(list paths, list follow, int64_t most):
    """Give (size, mtime_ns, device, inode, head) of regular files; None for what is not had.

    The head is the first `most` bytes, all of a shorter file.
    """
    cdef Py_ssize_t n = len(paths), i
    cdef fl_file *files = <fl_file *>calloc(n + 1, sizeof(fl_file))
    cdef const char **names = <const char **>calloc(n + 1, sizeof(char *))
    cdef int64_t *sizes = <int64_t *>calloc(n + 1, sizeof(int64_t))
    cdef char *links = <char *>calloc(n + 1, 1)
    cdef uint8_t *heads = <uint8_t *>calloc(n + 1, most)
    cdef list out = [None] * n, held = list(paths)
    try:
        if files == NULL or names == NULL or sizes == NULL or links == NULL or heads == NULL:
            raise MemoryError
        for i in range(n):
            names[i] = PyBytes_AS_STRING(<bytes?>held[i])
            sizes[i] = len(held[i])
            links[i] = bool(follow[i])
        with nogil:
            for i in range(n):
                if <int64_t>strlen(names[i]) == sizes[i]:
                    sizes[i] = fl_look(names[i], links[i], heads + i * most, most, &files[i])
                else:
                    sizes[i] = -1
        for i in range(n):
            if sizes[i] >= 0:
                head = PyBytes_FromStringAndSize(<char *>heads + i * most, sizes[i])
                out[i] = (files[i].size, files[i].mtime_ns, files[i].device, files[i].inode, head)
        return out
    finally:
        free(files)
        free(names)
        free(sizes)
        free(links)
        free(heads)
