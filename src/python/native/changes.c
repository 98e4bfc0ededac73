// SPDX-License-Identifier: Apache-2.0
// Plans changed problems, and keeps plans in a cache.
#include "src/python/native/native.h"

// Checks the number of arguments: those of a search, and `others` more.
static int check_count(const char* name, Py_ssize_t count, int others) {
  if (count == SEARCH_ARGUMENTS + others) return 0;
  PyErr_Format(PyExc_TypeError, "%s: expected %d arguments", name,
               SEARCH_ARGUMENTS + others);
  return -1;
}

// ---- Changed problems

typedef struct {
  const stowage_solution* previous;
  stowage_replan_options options;
} replanning;

static stowage_code replan(void* given, const stowage_problem* problem,
                           const stowage_options* options,
                           stowage_solution** solution, stowage_error* error) {
  replanning* self = given;
  self->options.solve = options;
  return stowage_replan(problem, self->previous, &self->options, solution,
                        error);
}

// Returns the tuple (solution, was_valid, moved_bytes, moved).
static PyObject* with_changes(PyObject* module, PyObject* capsule) {
  stowage_changes changes;
  changes.struct_size = sizeof(changes);
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_solution_changes(solution_of(capsule), &changes, &error)) {
    Py_DECREF(capsule);
    return raise_error(&error);
  }
  PyObject* moved = new_array(PyModule_GetState(module), capsule, changes.moved,
                              (size_t)changes.moved_count, 0, 'Q');
  return Py_BuildValue("NIKN", capsule, (unsigned)changes.was_valid,
                       (unsigned long long)changes.moved_bytes, moved);
}

// The arguments after those of a search: a capsule of the previous plan, the
// records that may move or None, and the cost of a moved byte.
PyObject* native_replan(PyObject* module, PyObject* const* arguments,
                        Py_ssize_t count) {
  if (check_count("replan", count, 3)) return NULL;
  PyObject* const* others = arguments + SEARCH_ARGUMENTS;
  replanning self = {solution_of(others[0]), {0}};
  if (self.previous == NULL) return NULL;
  self.options.struct_size = sizeof(self.options);
  if (one_number(others[2], "cost_per_moved_byte", UINT64_MAX,
                 &self.options.cost_per_moved_byte)) {
    return NULL;
  }
  numbers movable = {0};
  if (others[1] != Py_None) {
    if (copy_numbers(others[1], "movable", 1, 0, &movable)) return NULL;
    self.options.movable = movable.data;
    self.options.movable_count = movable.count;
  }
  PyObject* capsule = run_search(module, arguments, &replan, &self);
  PyMem_Free(movable.data);
  return capsule == NULL ? NULL : with_changes(module, capsule);
}

// ---- A cache of plans

#define CACHE_CAPSULE "stowage.cache"

static void free_cache(PyObject* capsule) {
  stowage_plan_cache_free(PyCapsule_GetPointer(capsule, CACHE_CAPSULE));
}

static stowage_plan_cache* cache_of(PyObject* capsule) {
  return PyCapsule_GetPointer(capsule, CACHE_CAPSULE);
}

PyObject* native_cache(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* bytes;
  PyObject* name;
  uint64_t max_bytes = 0;
  const char* strategy = NULL;
  if (!PyArg_ParseTuple(arguments, "OO", &bytes, &name) ||
      one_number(bytes, "max_bytes", UINT64_MAX, &max_bytes)) {
    return NULL;
  }
  if (name != Py_None) {
    const text_place at = {"strategy", SIZE_MAX, 0, STOWAGE_NOT_FOUND};
    strategy = text_of(name, &at);
    if (strategy == NULL) return NULL;
  }
  stowage_plan_cache* cache = stowage_plan_cache_new(max_bytes, strategy);
  if (cache == NULL) return PyErr_NoMemory();
  PyObject* capsule = PyCapsule_New(cache, CACHE_CAPSULE, free_cache);
  if (capsule == NULL) stowage_plan_cache_free(cache);
  return capsule;
}

static stowage_code get(void* given, const stowage_problem* problem,
                        const stowage_options* options,
                        stowage_solution** solution, stowage_error* error) {
  return stowage_plan_cache_get(given, problem, options, solution, error);
}

// The argument after those of a search is a capsule of the cache.
PyObject* native_cache_get(PyObject* module, PyObject* const* arguments,
                           Py_ssize_t count) {
  if (check_count("cache_get", count, 1)) return NULL;
  stowage_plan_cache* cache = cache_of(arguments[SEARCH_ARGUMENTS]);
  return cache == NULL ? NULL : run_search(module, arguments, &get, cache);
}

typedef struct {
  stowage_plan_cache* cache;
  uint64_t improved;
} improving;

static stowage_code improve(void* given, const stowage_problem* problem,
                            const stowage_options* options,
                            stowage_solution** solution, stowage_error* error) {
  (void)problem;
  (void)solution;
  improving* self = given;
  return stowage_plan_cache_improve(self->cache, options, &self->improved,
                                    error);
}

// Returns the number of improved plans. The argument after those of a search,
// which have no problem, is a capsule of the cache.
PyObject* native_cache_improve(PyObject* module, PyObject* const* arguments,
                               Py_ssize_t count) {
  if (check_count("cache_improve", count, 1)) return NULL;
  improving self = {cache_of(arguments[SEARCH_ARGUMENTS]), 0};
  if (self.cache == NULL) return NULL;
  PyObject* none = run_search(module, arguments, &improve, &self);
  if (none == NULL) return NULL;
  Py_DECREF(none);
  return PyLong_FromUnsignedLongLong(self.improved);
}

// Returns the cache of a tuple (cache, path), and sets *path. Returns null,
// with an exception, if the tuple has another form.
static stowage_plan_cache* cache_and_path(PyObject* arguments,
                                          const char** path) {
  PyObject* capsule;
  if (!PyArg_ParseTuple(arguments, "Oy", &capsule, path)) return NULL;
  return cache_of(capsule);
}

// Returns the number of damaged lines of a file.
PyObject* native_cache_load(PyObject* module, PyObject* arguments) {
  (void)module;
  const char* path;
  stowage_plan_cache* cache = cache_and_path(arguments, &path);
  if (cache == NULL) return NULL;
  uint64_t damaged = 0;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_plan_cache_load(cache, path, &damaged, &error);
  Py_END_ALLOW_THREADS;
  return code ? raise_error(&error) : PyLong_FromUnsignedLongLong(damaged);
}

PyObject* native_cache_save(PyObject* module, PyObject* arguments) {
  (void)module;
  const char* path;
  const stowage_plan_cache* cache = cache_and_path(arguments, &path);
  if (cache == NULL) return NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_plan_cache_save(cache, path, &error);
  Py_END_ALLOW_THREADS;
  return code ? raise_error(&error) : Py_NewRef(Py_None);
}

// Returns the tuple (plans, bytes, hits, misses, evicted, refused).
PyObject* native_cache_stats(PyObject* module, PyObject* capsule) {
  (void)module;
  const stowage_plan_cache* cache = cache_of(capsule);
  if (cache == NULL) return NULL;
  stowage_plan_cache_stats found;
  found.struct_size = sizeof(found);
  stowage_plan_cache_get_stats(cache, &found, NULL);
  return Py_BuildValue(
      "KKKKKK", (unsigned long long)found.plans,
      (unsigned long long)found.bytes, (unsigned long long)found.hits,
      (unsigned long long)found.misses, (unsigned long long)found.evicted,
      (unsigned long long)found.refused);
}
