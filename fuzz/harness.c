/* libFuzzer around Python: each input goes to the function `one` of the target that COPYSIFT_FUZZ names.
 *
 * The kernels that the target loads are compiled with ASan, UBSan and the coverage that guides libFuzzer, so
 * what runs is what users run, shells of Cython included. An exception is a finding, like a crash. */

#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

static PyObject *one;

static void failed(void)
{
    PyErr_Print();
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    Py_InitializeEx(0);
    PyObject *target = PyImport_ImportModule("load");
    if (!target || !(one = PyObject_GetAttrString(target, "one")))
        failed();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
    PyObject *done = bytes ? PyObject_CallOneArg(one, bytes) : NULL;
    if (!done)
        failed();
    Py_DECREF(done);
    Py_DECREF(bytes);
    return 0;
}
