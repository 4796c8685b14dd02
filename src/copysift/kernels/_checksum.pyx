# cython: language_level=3
"""Compiled checksums of many strings: the shell around checksum.h; `reference/checksum.py` is the definition."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.stdlib cimport free, malloc

cdef extern from "checksum.h" nogil:
    int checksum_use_avx2
    int checksum_cpu_has_avx2()
    void checksum_many(const uint8_t **, const size_t *, size_t, size_t, uint8_t *)


def has_avx2():
    """Tell whether this processor runs the AVX2 edition."""
    return bool(checksum_cpu_has_avx2())


def use_avx2(bint wanted):
    """Choose the edition."""
    global checksum_use_avx2
    checksum_use_avx2 = wanted and checksum_cpu_has_avx2()


use_avx2(True)


def checksums(list pieces, size_t size):
    """Give the BLAKE2b digests of byte strings, `size` bytes each."""
    cdef Py_ssize_t n = len(pieces), i
    if not 1 <= size <= 64:
        raise ValueError("a digest has 1 to 64 bytes")
    for each in pieces:
        if type(each) is not bytes:
            raise TypeError("checksums are made of bytes")
    cdef const uint8_t **data = <const uint8_t **>malloc((n + 1) * sizeof(void *))
    cdef size_t *sizes = <size_t *>malloc((n + 1) * sizeof(size_t))
    cdef uint8_t *out = <uint8_t *>malloc(n * size + 1)
    held = list(pieces)  # nobody can let go of them while the GIL is released
    try:
        if data == NULL or sizes == NULL or out == NULL:
            raise MemoryError
        for i in range(n):
            data[i] = <const uint8_t *>PyBytes_AS_STRING(held[i])
            sizes[i] = PyBytes_GET_SIZE(held[i])
        with nogil:
            checksum_many(data, sizes, n, size, out)
        return [PyBytes_FromStringAndSize(<char *>out + i * size, size) for i in range(n)]
    finally:
        free(data)
        free(sizes)
        free(out)
