// SPDX-License-Identifier: Apache-2.0
// Runs searches without the GIL, and calls the Python functions of a search.
#include <string.h>

#include "src/python/native/native.h"

// The state that the Python functions of one search share. If one of them
// raises an exception, the search is stopped, and then the exception is raised
// again.
typedef struct {
  module_state* state;
  PyThreadState* thread;  // is saved while the search runs
  PyObject* strategy;     // may be null
  uint64_t features;      // the features of the strategy
  PyObject* progress;     // may be null
  PyObject* exception[3];
} search;

static void enter_python(search* self) { PyEval_RestoreThread(self->thread); }
static void leave_python(search* self) { self->thread = PyEval_SaveThread(); }

// Saves the current exception. Returns 1, which stops the search.
static int32_t keep_exception(search* self) {
  if (self->exception[0] == NULL) {
    PyErr_Fetch(&self->exception[0], &self->exception[1], &self->exception[2]);
  }
  PyErr_Clear();
  return 1;
}

static int32_t on_progress(void* context, const stowage_progress* progress) {
  search* self = context;
  enter_python(self);
  int32_t end = 1;
  if (!self->state->is_closing) {
    PyObject* answer = PyObject_CallFunction(
        self->progress, "KKKs", (unsigned long long)progress->total_size,
        (unsigned long long)progress->lower_bound,
        (unsigned long long)progress->nodes, progress->found_by);
    end = answer == NULL ? keep_exception(self) : answer == Py_False;
    Py_XDECREF(answer);
  }
  leave_python(self);
  return end;
}

static int32_t on_keep_going(void* context) {
  search* self = context;
  enter_python(self);
  const int32_t end = PyErr_CheckSignals() ? keep_exception(self) : 0;
  leave_python(self);
  return end;
}

// Copies the value returned by a strategy: packed offsets, and packed pools or
// None.
static int copy_answer(PyObject* answer, uint64_t count, uint64_t* places,
                       uint32_t* pools) {
  Py_buffer offsets;
  Py_buffer chosen;
  if (!PyArg_ParseTuple(answer, "y*z*", &offsets, &chosen)) return -1;
  int failed =
      (uint64_t)offsets.len != count * sizeof(*places) ||
      (chosen.buf != NULL && (uint64_t)chosen.len != count * sizeof(*pools));
  if (failed) {
    raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
               "strategy: lists of another length; expected %llu entries",
               (unsigned long long)count);
  } else {
    memcpy(places, offsets.buf, (size_t)offsets.len);
    if (pools != NULL && chosen.buf != NULL) {
      memcpy(pools, chosen.buf, (size_t)chosen.len);
    }
  }
  PyBuffer_Release(&offsets);
  if (chosen.buf != NULL) PyBuffer_Release(&chosen);
  return failed ? -1 : 0;
}

PyObject* call_with_problem(PyObject* function,
                            const stowage_problem* problem) {
  PyObject* capsule = PyCapsule_New((void*)problem, PROBLEM_CAPSULE, NULL);
  if (capsule == NULL) return NULL;
  PyObject* answer = PyObject_CallFunctionObjArgs(function, capsule, NULL);
  // Invalidates the capsule, because Python code may keep it, but the problem
  // exists only during the call.
  PyCapsule_SetName(capsule, ENDED_CAPSULE);
  Py_DECREF(capsule);
  return answer;
}

int copy_places(PyObject* answer, const stowage_problem* problem,
                uint64_t* places, uint32_t* pools) {
  stowage_problem_info info;
  info.struct_size = sizeof(info);
  if (!PyTuple_Check(answer)) {
    PyErr_SetString(PyExc_TypeError, "strategy: expected a tuple");
    return -1;
  }
  stowage_problem_get_info(problem, &info, NULL);
  return copy_answer(answer, info.count, places, pools);
}

static int ask_strategy(search* self, const stowage_problem* problem,
                        uint64_t* places, uint32_t* pools) {
  PyObject* answer = call_with_problem(self->strategy, problem);
  if (answer == NULL) return -1;
  const int failed = copy_places(answer, problem, places, pools);
  Py_DECREF(answer);
  return failed;
}

static stowage_code on_strategy(void* context, const stowage_problem* problem,
                                uint64_t* places, uint32_t* pools) {
  search* self = context;
  enter_python(self);
  stowage_code code = STOWAGE_OK;
  if (self->state->is_closing) {
    code = STOWAGE_CANCELLED;
  } else if (ask_strategy(self, problem, places, pools)) {
    keep_exception(self);
    code = STOWAGE_ABORTED;
  }
  leave_python(self);
  return code;
}

// The indices of the arguments of a search.
enum {
  PROBLEM,
  STRATEGY,  // is a name, a function, or None
  FEATURES,  // the features of the function
  TIME_LIMIT,
  NODE_BUDGET,
  SEED,
  THREADS,
  DECIDE,
  RELAX,
  INCUMBENT,
  PROGRESS,
};
_Static_assert(PROGRESS + 1 == SEARCH_ARGUMENTS, "native.h has the number");

// Sets *out to a time limit in nanoseconds. None means that there is no limit.
static int read_time_limit(PyObject* seconds, int64_t* out) {
  *out = INT64_MAX;
  if (seconds == Py_None) return 0;
  const double given = PyFloat_AsDouble(seconds);
  const int is_other = given == -1 && PyErr_Occurred() != NULL;
  if (is_other && !PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
  if (is_other || given != given) {
    PyErr_Clear();
    raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
               "time_limit: not a number; expected seconds or None");
    return -1;
  }
  const double limit = given * 1e9;
  if (limit < 9e18) *out = limit > 0 ? (int64_t)limit : 0;
  return 0;
}

static int read_budget(PyObject* nodes, uint64_t* out) {
  *out = STOWAGE_NONE;
  if (nodes == Py_None) return 0;
  return one_number(nodes, "node_budget", UINT64_MAX, out);
}

static int read_flag(PyObject* value, uint32_t* out) {
  const int flag = PyObject_IsTrue(value);
  *out = flag > 0;
  return flag < 0 ? -1 : 0;
}

static int read_options(PyObject* const* given, stowage_options* out) {
  out->struct_size = sizeof(*out);
  stowage_options_init(out, NULL);
  uint64_t threads = 0;
  if (read_time_limit(given[TIME_LIMIT], &out->time_limit_ns) ||
      read_budget(given[NODE_BUDGET], &out->node_budget) ||
      one_number(given[SEED], "seed", UINT64_MAX, &out->seed) ||
      one_number(given[THREADS], "threads", UINT32_MAX, &threads) ||
      read_flag(given[DECIDE], &out->decide) ||
      read_flag(given[RELAX], &out->relax_to_boxes)) {
    return -1;
  }
  out->threads = (uint32_t)threads;
  if (PyUnicode_Check(given[STRATEGY])) {
    const text_place at = {"strategy", SIZE_MAX, 0, STOWAGE_NOT_FOUND};
    out->strategy = text_of(given[STRATEGY], &at);
    if (out->strategy == NULL) return -1;
  }
  if (given[INCUMBENT] != Py_None) {
    out->incumbent = solution_of(given[INCUMBENT]);
    if (out->incumbent == NULL) return -1;
  }
  return 0;
}

// Returns 1 if this is the thread that handles signals, 0 if it is not, and -1,
// with an exception, on error.
static int is_main_thread(module_state* state) {
  if (state->main_thread == 0) {
    PyObject* threading = PyImport_ImportModule("threading");
    if (threading == NULL) return -1;
    PyObject* thread = PyObject_CallMethod(threading, "main_thread", NULL);
    PyObject* number =
        thread == NULL ? NULL : PyObject_GetAttrString(thread, "ident");
    if (number != NULL) state->main_thread = PyLong_AsUnsignedLong(number);
    Py_XDECREF(number);
    Py_XDECREF(thread);
    Py_DECREF(threading);
    if (PyErr_Occurred()) return -1;
  }
  return PyThread_get_thread_ident() == state->main_thread;
}

static stowage_code run(search* self, search_fn call, void* given,
                        const stowage_problem* problem,
                        const stowage_options* options,
                        stowage_solution** solution, stowage_error* error) {
  module_state* state = self->state;
  const size_t callers =
      self->strategy != NULL || self->progress != NULL ? 1 : 0;
  state->calls += 1;
  state->callers += callers;
  leave_python(self);
  const stowage_code code = call(given, problem, options, solution, error);
  enter_python(self);
  // A count may be 0 here, because the counts are reset in a child process that
  // a callback has forked.
  if (state->calls > 0) state->calls -= 1;
  if (state->callers > 0) state->callers -= callers;
  return code;
}

PyObject* native_summary(PyObject* module, PyObject* capsule) {
  (void)module;
  const stowage_solution* solution = solution_of(capsule);
  if (solution == NULL) return NULL;
  stowage_summary found;
  found.struct_size = sizeof(found);
  stowage_solution_summary(solution, &found, NULL);
  return Py_BuildValue(
      "IIIKKKKKKKLI", (unsigned)found.status, (unsigned)found.kind,
      (unsigned)found.proof, (unsigned long long)found.proof_index,
      (unsigned long long)found.total_size,
      (unsigned long long)found.lower_bound, (unsigned long long)found.cost,
      (unsigned long long)found.cost_bound, (unsigned long long)found.nodes,
      (unsigned long long)found.seed, (long long)found.time_ns,
      (unsigned)found.conflict_is_irreducible);
}

PyObject* run_search(PyObject* module, PyObject* const* arguments,
                     search_fn call, void* given) {
  search self;
  memset(&self, 0, sizeof(self));
  self.state = PyModule_GetState(module);
  stowage_options options;
  const stowage_problem* problem = NULL;
  if (arguments[PROBLEM] != Py_None) {
    problem = problem_of(arguments[PROBLEM]);
    if (problem == NULL) return NULL;
  }
  if (read_options(arguments, &options) ||
      one_number(arguments[FEATURES], "features", UINT64_MAX, &self.features)) {
    return NULL;
  }
  options.context = &self;
  options.cancel = self.state->closing;
  if (options.strategy == NULL && arguments[STRATEGY] != Py_None) {
    self.strategy = arguments[STRATEGY];
  }
  if (arguments[PROGRESS] != Py_None) {
    self.progress = arguments[PROGRESS];
    options.progress = &on_progress;
  }
  // Python handles signals only in the main thread, so only a search in the
  // main thread checks for signals.
  const int is_main = is_main_thread(self.state);
  if (is_main < 0) return NULL;
  if (is_main) options.keep_going = &on_keep_going;
  stowage_solution* solution = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  const stowage_code code =
      run(&self, call, given, problem, &options, &solution, &error);
  if (self.exception[0] != NULL) {
    stowage_solution_free(solution);
    PyErr_Restore(self.exception[0], self.exception[1], self.exception[2]);
    return NULL;
  }
  if (code) return raise_error(&error);
  return solution == NULL ? Py_NewRef(Py_None) : new_solution(solution);
}

static stowage_code solve(void* unused, const stowage_problem* problem,
                          const stowage_options* options,
                          stowage_solution** solution, stowage_error* error) {
  (void)unused;
  search* self = options->context;
  if (self->strategy == NULL) {
    return stowage_solve(problem, options, solution, error);
  }
  return stowage_solve_with(problem, self->features, &on_strategy, self,
                            options, solution, error);
}

PyObject* native_solve(PyObject* module, PyObject* const* arguments,
                       Py_ssize_t count) {
  if (count != SEARCH_ARGUMENTS) {
    return PyErr_Format(PyExc_TypeError, "solve: expected %d arguments",
                        SEARCH_ARGUMENTS);
  }
  return run_search(module, arguments, &solve, NULL);
}

// Returns the tuple (reason, strategy, found_by, conflict).
PyObject* native_texts(PyObject* module, PyObject* capsule) {
  const stowage_solution* solution = solution_of(capsule);
  if (solution == NULL) return NULL;
  size_t count = 0;
  const uint64_t* conflict = stowage_solution_conflict(solution, &count);
  PyObject* records =
      new_array(PyModule_GetState(module), capsule, conflict, count, 0, 'Q');
  return Py_BuildValue("sssN", stowage_solution_reason(solution),
                       stowage_solution_strategy(solution),
                       stowage_solution_found_by(solution), records);
}

// Returns a list of pairs: the name of each strategy and its features.
PyObject* native_strategies(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  PyObject* all = PyList_New(0);
  const char* name = NULL;
  for (size_t i = 0; all != NULL && (name = stowage_strategy_name(i)); ++i) {
    uint64_t features = 0;
    stowage_strategy_features(name, &features, NULL);
    PyObject* row = Py_BuildValue("sK", name, (unsigned long long)features);
    if (row == NULL || PyList_Append(all, row)) Py_CLEAR(all);
    Py_XDECREF(row);
  }
  return all;
}
