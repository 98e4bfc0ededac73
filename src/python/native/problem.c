// SPDX-License-Identifier: Apache-2.0
// Creates problems from records and requests, and returns facts about problems.
#include "src/python/native/native.h"

static PyObject* problem_of_builder(stowage_builder* builder,
                                    PyObject* alignment, PyObject* requests) {
  if (add_alignment(builder, alignment) || add_requests(builder, requests)) {
    return NULL;
  }
  stowage_problem* problem = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_problem_create(builder, &problem, &error);
  Py_END_ALLOW_THREADS;
  return code ? raise_error(&error) : new_problem(problem);
}

// Takes four arguments: records or a file; a flag that is set if the records
// are half-open; an alignment or a list of alignments; and requests.
PyObject* native_create(PyObject* module, PyObject* const* arguments,
                        Py_ssize_t count) {
  (void)module;
  if (count != 4 || !PyTuple_Check(arguments[3])) {
    return PyErr_Format(PyExc_TypeError, "create: expected four arguments");
  }
  PyObject* source = arguments[0];
  const int half_open = PyObject_IsTrue(arguments[1]);
  if (half_open < 0) return NULL;
  stowage_builder* builder = NULL;
  int failed = 0;
  if (PyCapsule_IsValid(source, FILE_CAPSULE)) {
    stowage_error error;
    error.struct_size = sizeof(error);
    failed = stowage_file_builder(file_of(source), &builder, &error) != 0;
    if (failed) raise_error(&error);
  } else {
    builder = stowage_builder_new();
    if (builder == NULL) PyErr_NoMemory();
    failed = builder == NULL || set_records(builder, source, half_open);
  }
  PyObject* problem =
      failed ? NULL : problem_of_builder(builder, arguments[2], arguments[3]);
  stowage_builder_free(builder);
  return problem;
}

// Takes a tuple of problems. Returns the problem for all of them.
PyObject* native_problem_for_all(PyObject* module, PyObject* capsules) {
  (void)module;
  if (!PyTuple_Check(capsules)) {
    return PyErr_Format(PyExc_TypeError, "problem_for_all: expected a tuple");
  }
  const Py_ssize_t count = PyTuple_Size(capsules);
  const stowage_problem** problems =
      PyMem_Calloc((size_t)count + 1, sizeof(*problems));
  if (problems == NULL) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; ++i) {
    problems[i] = problem_of(PyTuple_GetItem(capsules, i));
    if (problems[i] == NULL) {
      PyMem_Free((void*)problems);
      return NULL;
    }
  }
  stowage_problem* joined = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_problem_for_all(problems, (size_t)count, &joined, &error);
  Py_END_ALLOW_THREADS;
  PyMem_Free((void*)problems);
  return code ? raise_error(&error) : new_problem(joined);
}

static int get_info(PyObject* capsule, stowage_problem_info* info) {
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) return -1;
  stowage_error error;
  error.struct_size = sizeof(error);
  info->struct_size = sizeof(*info);
  if (!stowage_problem_get_info(problem, info, &error)) return 0;
  raise_error(&error);
  return -1;
}

PyObject* native_info(PyObject* module, PyObject* capsule) {
  (void)module;
  stowage_problem_info info;
  if (get_info(capsule, &info)) return NULL;
  return Py_BuildValue(
      "IKKKK", (unsigned)info.kind, (unsigned long long)info.count,
      (unsigned long long)info.capacity, (unsigned long long)info.features,
      (unsigned long long)info.pools);
}

// Returns a view of one list of a problem. The list is stored in `bytes`. The
// view takes ownership of the reference to `bytes`.
static PyObject* view_of(PyObject* module, PyObject* bytes, size_t count,
                         size_t columns, char format) {
  PyObject* view = new_array(PyModule_GetState(module), bytes,
                             PyBytes_AsString(bytes), count, columns, format);
  Py_DECREF(bytes);
  return view;
}

// Returns the records, alignments, fixed offsets and places of a problem.
PyObject* native_lists(PyObject* module, PyObject* capsule) {
  stowage_problem_info info;
  if (get_info(capsule, &info)) return NULL;
  const stowage_problem* problem = problem_of(capsule);
  static const size_t sizes[] = {sizeof(stowage_record), sizeof(uint64_t),
                                 sizeof(uint64_t), sizeof(stowage_place)};
  const size_t count = (size_t)info.count;
  PyObject* bytes[4] = {NULL, NULL, NULL, NULL};
  char* data[4];
  for (size_t i = 0; i < 4; ++i) {
    bytes[i] = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizes[i]));
    if (bytes[i] == NULL) {
      while (i-- > 0) Py_DECREF(bytes[i]);
      return NULL;
    }
    data[i] = PyBytes_AsString(bytes[i]);
  }
  // These calls cannot fail, because the arrays are large enough.
  stowage_problem_records(problem, (stowage_record*)(void*)data[0], count,
                          NULL);
  stowage_problem_alignments(problem, (uint64_t*)(void*)data[1], count, NULL);
  stowage_problem_fixed(problem, (uint64_t*)(void*)data[2], count, NULL);
  stowage_problem_places(problem, (stowage_place*)(void*)data[3], count, NULL);
  PyObject* records = view_of(module, bytes[0], 3 * count, 3, 'Q');
  PyObject* alignments = view_of(module, bytes[1], count, 0, 'Q');
  PyObject* fixed = view_of(module, bytes[2], count, 0, 'Q');
  PyObject* places =
      view_of(module, bytes[3], count * sizeof(stowage_place), 0, 'B');
  return Py_BuildValue("NNNN", records, alignments, fixed, places);
}

PyObject* native_bound(PyObject* module, PyObject* capsule) {
  (void)module;
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) return NULL;
  stowage_bound bound;
  bound.struct_size = sizeof(bound);
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_problem_bound(problem, &bound, &error);
  Py_END_ALLOW_THREADS;
  if (code) return raise_error(&error);
  return Py_BuildValue("KIKK", (unsigned long long)bound.bytes,
                       (unsigned)bound.proof,
                       (unsigned long long)bound.proof_index,
                       (unsigned long long)bound.naive_size);
}

PyObject* native_fingerprint(PyObject* module, PyObject* capsule) {
  (void)module;
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) return NULL;
  uint64_t halves[2];
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_problem_fingerprint(problem, halves, &error);
  Py_END_ALLOW_THREADS;
  if (code) return raise_error(&error);
  return Py_BuildValue("KK", (unsigned long long)halves[0],
                       (unsigned long long)halves[1]);
}

PyObject* native_describe(PyObject* module, PyObject* arguments) {
  (void)module;
  unsigned proof;
  unsigned long long index;
  if (!PyArg_ParseTuple(arguments, "IK", &proof, &index)) return NULL;
  char text[256];
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_describe_proof(proof, index, text, sizeof(text), &error)) {
    return raise_error(&error);
  }
  return PyUnicode_FromString(text);
}
