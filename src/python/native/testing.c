// SPDX-License-Identifier: Apache-2.0
// Creates random problems, and tests planners that are Python functions.
#include "src/python/native/native.h"

// Returns a list of pairs: the name of each family and a sentence about it.
PyObject* native_families(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  PyObject* all = PyList_New(0);
  const char* name = NULL;
  for (size_t i = 0; all != NULL && (name = stowage_family_name(i)); ++i) {
    PyObject* row = Py_BuildValue("ss", name, stowage_family_sentence(i));
    if (row == NULL || PyList_Append(all, row)) Py_CLEAR(all);
    Py_XDECREF(row);
  }
  return all;
}

// Returns a random problem of a family or, if the family is None, a random
// problem with the given features.
PyObject* native_sample(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* name;
  PyObject* given[4];
  uint64_t features;
  uint64_t seed;
  uint64_t size;
  uint64_t alignment;
  if (!PyArg_ParseTuple(arguments, "OOOOO", &name, &given[0], &given[1],
                        &given[2], &given[3]) ||
      one_number(given[0], "features", UINT64_MAX, &features) ||
      one_number(given[1], "seed", UINT64_MAX, &seed) ||
      one_number(given[2], "size", UINT64_MAX, &size) ||
      one_number(given[3], "max_alignment", UINT64_MAX, &alignment)) {
    return NULL;
  }
  const text_place at = {"families", SIZE_MAX, 0, STOWAGE_INVALID_ARGUMENT};
  const char* family = name == Py_None ? NULL : text_of(name, &at);
  if (family == NULL && name != Py_None) return NULL;
  stowage_problem* problem = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  const stowage_code code =
      family == NULL
          ? stowage_random_problem(features, seed, size, &problem, &error)
          : stowage_family_problem(family, seed, size, alignment, &problem,
                                   &error);
  return code ? raise_error(&error) : new_problem(problem);
}

// The state that the functions of one test share.
typedef struct {
  module_state* state;
  PyThreadState* thread;  // is saved while the test runs
  PyObject* planner;
  PyObject* reason;  // the reason of the last error, or null
  stowage_cancel_token* cancel;
  // The exception that stopped the test. It is raised again after the test.
  PyObject* exception[3];
} test;

static void enter_python(test* self) { PyEval_RestoreThread(self->thread); }
static void leave_python(test* self) { self->thread = PyEval_SaveThread(); }

static stowage_code end_with_exception(test* self) {
  PyErr_Fetch(&self->exception[0], &self->exception[1], &self->exception[2]);
  stowage_cancel(self->cancel);
  return STOWAGE_CANCELLED;
}

// Calls the planner, which returns either the tuple (places, pools) or the
// tuple (code, reason).
static stowage_code ask_planner(test* self, const stowage_problem* problem,
                                uint64_t* places, uint32_t* pools) {
  PyObject* answer = call_with_problem(self->planner, problem);
  if (answer == NULL) return end_with_exception(self);
  int code = STOWAGE_OK;
  PyObject* reason;
  if (PyArg_ParseTuple(answer, "iU", &code, &reason)) {
    self->reason = Py_NewRef(reason);
  } else {
    PyErr_Clear();
    if (copy_places(answer, problem, places, pools)) {
      code = end_with_exception(self);
    }
  }
  Py_DECREF(answer);
  return code;
}

static stowage_code on_problem(void* context, const stowage_problem* problem,
                               uint64_t* places, uint32_t* pools) {
  test* self = context;
  enter_python(self);
  Py_CLEAR(self->reason);
  stowage_code code = STOWAGE_CANCELLED;
  if (self->state->is_closing) {
    stowage_cancel(self->cancel);
  } else if (self->exception[0] == NULL) {
    code = ask_planner(self, problem, places, pools);
  }
  leave_python(self);
  return code;
}

static const char* on_reason(void* context) {
  test* self = context;
  enter_python(self);
  const char* reason = NULL;
  if (self->reason != NULL) {
    reason = PyUnicode_AsUTF8AndSize(self->reason, NULL);
    if (reason == NULL) PyErr_Clear();
  }
  leave_python(self);
  return reason;
}

static stowage_code run(test* self, const stowage_test_options* options,
                        stowage_test_report** report, stowage_error* error) {
  module_state* state = self->state;
  state->calls += 1;
  state->callers += 1;
  leave_python(self);
  const stowage_code code =
      stowage_test_planner(&on_problem, self, options, report, error);
  enter_python(self);
  // A count may be 0 here, because the counts are reset in a child process that
  // the planner has forked.
  if (state->calls > 0) state->calls -= 1;
  if (state->callers > 0) state->callers -= 1;
  return code;
}

static PyObject* problem_of_report(const stowage_test_report* report,
                                   uint32_t which) {
  stowage_problem* problem = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_test_report_problem(report, which, &problem, &error)) {
    return raise_error(&error);
  }
  return new_problem(problem);
}

// Returns the number of runs or, if a property has failed, a tuple that
// describes the failure.
static PyObject* result_of(const stowage_test_report* report) {
  stowage_test_summary found;
  found.struct_size = sizeof(found);
  stowage_test_report_summary(report, &found, NULL);
  if (!found.has_failed) return PyLong_FromUnsignedLongLong(found.runs);
  PyObject* problems[3] = {NULL, NULL, NULL};
  for (uint32_t which = 0; which < 3; ++which) {
    problems[which] = problem_of_report(report, which);
    if (problems[which] != NULL) continue;
    Py_XDECREF(problems[0]);
    Py_XDECREF(problems[1]);
    return NULL;
  }
  return Py_BuildValue(
      "KKssssNNN", (unsigned long long)found.runs,
      (unsigned long long)found.sample, found.property, found.sentence,
      found.message, found.description, problems[STOWAGE_TEST_SMALLEST],
      problems[STOWAGE_TEST_ASKED], problems[STOWAGE_TEST_FOUND]);
}

static int read_numbers(PyObject* list, stowage_test_options* options) {
  options->struct_size = sizeof(*options);
  stowage_test_options_init(options, NULL);
  uint64_t kind = 0;
  const struct {
    const char* name;
    uint64_t* number;
  } fields[] = {{"kind", &kind},
                {"seed", &options->seed},
                {"first", &options->first},
                {"samples", &options->samples},
                {"max_size", &options->max_size},
                {"large_size", &options->large_size},
                {"max_alignment", &options->max_alignment},
                {"features", &options->features}};
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i) {
    PyObject* value = PyTuple_GetItem(list, (Py_ssize_t)i);
    if (value == NULL ||
        one_number(value, fields[i].name, UINT64_MAX, fields[i].number)) {
      return -1;
    }
  }
  options->kind = (uint32_t)kind;
  options->reason = &on_reason;
  return 0;
}

static PyObject* test_planner(test* self, stowage_test_options* options) {
  self->cancel = stowage_cancel_token_new();
  if (self->cancel == NULL) return PyErr_NoMemory();
  options->cancel = self->cancel;
  stowage_test_report* report = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  const stowage_code code = run(self, options, &report, &error);
  PyObject* result = NULL;
  if (self->exception[0] != NULL) {
    PyErr_Restore(self->exception[0], self->exception[1], self->exception[2]);
  } else {
    result = code ? raise_error(&error) : result_of(report);
  }
  stowage_test_report_free(report);
  stowage_cancel_token_free(self->cancel);
  Py_CLEAR(self->reason);
  return result;
}

PyObject* native_test(PyObject* module, PyObject* arguments) {
  test self = {PyModule_GetState(module), NULL, NULL, NULL, NULL,
               {NULL, NULL, NULL}};
  PyObject* list;
  PyObject* families;
  PyObject* claims;
  stowage_test_options options;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!", &self.planner, &PyTuple_Type,
                        &list, &PyTuple_Type, &families, &PyTuple_Type,
                        &claims) ||
      read_numbers(list, &options)) {
    return NULL;
  }
  const char** family_names = texts_of(families, "families", 0);
  const char** claim_names =
      family_names == NULL ? NULL : texts_of(claims, "claims", 0);
  options.family_count = (uint64_t)PyTuple_Size(families);
  options.claim_count = (uint64_t)PyTuple_Size(claims);
  options.families = family_names;
  options.claims = claim_names;
  PyObject* result = claim_names == NULL ? NULL : test_planner(&self, &options);
  PyMem_Free((void*)claim_names);
  PyMem_Free((void*)family_names);
  return result;
}
