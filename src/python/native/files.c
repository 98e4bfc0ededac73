// SPDX-License-Identifier: Apache-2.0
// Reads and writes problem files and certificates.
#include <stdlib.h>
#include <string.h>

#include "src/python/native/native.h"

// A text that is collected piece by piece, without holding the GIL.
typedef struct {
  char* data;
  size_t size;
  size_t capacity;
} text;

static int32_t append(void* context, const char* piece, size_t size) {
  text* self = context;
  if (size > self->capacity - self->size) {
    const size_t capacity = 2 * self->capacity + size;
    char* data = realloc(self->data, capacity);
    if (data == NULL) return 1;
    self->data = data;
    self->capacity = capacity;
  }
  memcpy(self->data + self->size, piece, size);
  self->size += size;
  return 0;
}

static PyObject* bytes_of(text* self, stowage_code code,
                          const stowage_error* error) {
  PyObject* bytes = NULL;
  if (code == STOWAGE_CANCELLED) {
    PyErr_NoMemory();
  } else if (code) {
    raise_error(error);
  } else {
    bytes = PyBytes_FromStringAndSize(self->data, (Py_ssize_t)self->size);
  }
  free(self->data);
  return bytes;
}

PyObject* native_parse(PyObject* module, PyObject* arguments) {
  (void)module;
  Py_buffer source;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "y*s", &source, &name)) return NULL;
  stowage_file* file = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code =
      stowage_file_parse(source.buf, (size_t)source.len, name, &file, &error);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&source);
  return code ? raise_error(&error) : new_file(file);
}

PyObject* native_file_plan(PyObject* module, PyObject* arguments) {
  PyObject* capsule;
  unsigned kind;
  if (!PyArg_ParseTuple(arguments, "OI", &capsule, &kind)) return NULL;
  const stowage_file* file = file_of(capsule);
  if (file == NULL) return NULL;
  stowage_plan plan;
  plan.struct_size = sizeof(plan);
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_file_plan(file, kind, &plan, &error)) return raise_error(&error);
  return tuple_of_plan(PyModule_GetState(module), capsule, &plan);
}

// Writes a problem, together with a plan unless the plan is None. Writes to the
// file at the path or, if the path is None, returns the text as bytes.
PyObject* native_write(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* capsule;
  PyObject* given;
  unsigned format;
  PyObject* name;
  if (!PyArg_ParseTuple(arguments, "OOIO", &capsule, &given, &format, &name)) {
    return NULL;
  }
  char* path = NULL;
  if (name != Py_None && PyBytes_AsStringAndSize(name, &path, NULL)) {
    return NULL;
  }
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) return NULL;
  plan_view view;
  view.used = 0;
  if (given != Py_None && view_plan(given, &view)) return NULL;
  const stowage_plan* plan = given == Py_None ? NULL : &view.plan;
  text out = {NULL, 0, 0};
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code =
      path == NULL
          ? stowage_write_problem(problem, plan, format, &append, &out, &error)
          : stowage_save_problem(problem, plan, format, path, &error);
  Py_END_ALLOW_THREADS;
  release_plan(&view);
  return bytes_of(&out, code, &error);
}

PyObject* native_certificate(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* problem_capsule;
  PyObject* solution_capsule;
  if (!PyArg_ParseTuple(arguments, "OO", &problem_capsule, &solution_capsule)) {
    return NULL;
  }
  const stowage_problem* problem = problem_of(problem_capsule);
  if (problem == NULL) return NULL;
  const stowage_solution* solution = solution_of(solution_capsule);
  if (solution == NULL) return NULL;
  text out = {NULL, 0, 0};
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_write_certificate(problem, solution, &append, &out, &error);
  Py_END_ALLOW_THREADS;
  return bytes_of(&out, code, &error);
}

// Returns the tuple (checked, proved, not_checked, lines). Each line is a
// statement of the verdict.
PyObject* native_check(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* capsule;
  Py_buffer certificate;
  if (!PyArg_ParseTuple(arguments, "Oy*", &capsule, &certificate)) return NULL;
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) {
    PyBuffer_Release(&certificate);
    return NULL;
  }
  text out = {NULL, 0, 0};
  stowage_verdict verdict;
  verdict.struct_size = sizeof(verdict);
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_check_certificate(problem, certificate.buf,
                                   (size_t)certificate.len, &verdict, &append,
                                   &out, &error);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&certificate);
  PyObject* lines = bytes_of(&out, code, &error);
  if (lines == NULL) return NULL;
  return Py_BuildValue("KKKN", (unsigned long long)verdict.checked,
                       (unsigned long long)verdict.proved,
                       (unsigned long long)verdict.not_checked, lines);
}
