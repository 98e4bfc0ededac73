// SPDX-License-Identifier: Apache-2.0
// Converts and verifies plans of solutions, of files and of Python objects.
#include <string.h>

#include "src/python/native/native.h"

// Returns a view of a list of a plan, or None if the plan does not have that
// list.
static PyObject* list_of(module_state* state, PyObject* owner, const void* data,
                         size_t count, char format) {
  if (data == NULL) return Py_NewRef(Py_None);
  return new_array(state, owner, data, count, 0, format);
}

PyObject* tuple_of_plan(module_state* state, PyObject* owner,
                        const stowage_plan* plan) {
  const size_t count = (size_t)plan->count;
  PyObject* const lists[PLAN_LISTS] = {
      list_of(state, owner, plan->offsets, count, 'Q'),
      list_of(state, owner, plan->pools, count, 'I'),
      list_of(state, owner, plan->objects, count, 'Q'),
      list_of(state, owner, plan->object_sizes, (size_t)plan->object_count,
              'Q'),
      list_of(state, owner, plan->order, (size_t)plan->order_count, 'Q'),
      list_of(state, owner, plan->places, count * sizeof(stowage_place), 'B')};
  return Py_BuildValue("KNNNNNN", (unsigned long long)plan->total_size,
                       lists[0], lists[1], lists[2], lists[3], lists[4],
                       lists[5]);
}

// Returns the lists of the plan in a solution, or None if the solution has no
// plan.
PyObject* native_plan(PyObject* module, PyObject* capsule) {
  const stowage_solution* solution = solution_of(capsule);
  if (solution == NULL) return NULL;
  stowage_plan plan;
  plan.struct_size = sizeof(plan);
  stowage_error error;
  error.struct_size = sizeof(error);
  const stowage_code code = stowage_solution_plan(solution, &plan, &error);
  if (code == STOWAGE_FAILED_PRECONDITION) Py_RETURN_NONE;
  if (code) return raise_error(&error);
  return tuple_of_plan(PyModule_GetState(module), capsule, &plan);
}

static const void* list_at(plan_view* view, int index, size_t size,
                           uint64_t* count) {
  const Py_buffer* list = &view->views[index];
  *count = list->buf == NULL ? 0 : (uint64_t)list->len / size;
  return list->buf;
}

// Checks that each list of a plan with one entry per record has the right
// length.
static int check_counts(const plan_view* view, const uint64_t* counts) {
  static const int of_records[] = {0, 1, 2, 5};
  for (size_t i = 0; i < sizeof(of_records) / sizeof(of_records[0]); ++i) {
    const int list = of_records[i];
    if (view->views[list].buf == NULL) continue;
    if (counts[list] == view->plan.count) continue;
    raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
               "plan: a list of %llu entries; expected %llu, as of the others",
               (unsigned long long)counts[list],
               (unsigned long long)view->plan.count);
    return -1;
  }
  return 0;
}

static int view_lists(PyObject* given, plan_view* view) {
  static const size_t sizes[PLAN_LISTS] = {
      sizeof(uint64_t), sizeof(uint32_t), sizeof(uint64_t),
      sizeof(uint64_t), sizeof(uint64_t), sizeof(stowage_place)};
  unsigned long long total;
  if (!PyArg_ParseTuple(given, "Kz*z*z*z*z*z*", &total, &view->views[0],
                        &view->views[1], &view->views[2], &view->views[3],
                        &view->views[4], &view->views[5])) {
    return -1;
  }
  view->used = 1;
  uint64_t counts[PLAN_LISTS];
  const void* lists[PLAN_LISTS];
  for (int i = 0; i < PLAN_LISTS; ++i) {
    lists[i] = list_at(view, i, sizes[i], &counts[i]);
  }
  stowage_plan* plan = &view->plan;
  plan->total_size = total;
  plan->offsets = lists[0];
  plan->pools = lists[1];
  plan->objects = lists[2];
  plan->object_sizes = lists[3];
  plan->order = lists[4];
  plan->places = lists[5];
  plan->count = counts[lists[2] == NULL ? 0 : 2];
  plan->object_count = counts[3];
  plan->order_count = counts[4];
  return check_counts(view, counts);
}

int view_plan(PyObject* given, plan_view* view) {
  memset(view, 0, sizeof(*view));
  view->plan.struct_size = sizeof(view->plan);
  if (!PyCapsule_IsValid(given, SOLUTION_CAPSULE)) {
    if (!PyTuple_Check(given)) {
      raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
                 "plan: not a tuple; expected one");
      return -1;
    }
    if (view_lists(given, view) == 0) return 0;
    release_plan(view);
    return -1;
  }
  stowage_error error;
  error.struct_size = sizeof(error);
  if (!stowage_solution_plan(solution_of(given), &view->plan, &error)) return 0;
  raise_error(&error);
  return -1;
}

void release_plan(plan_view* view) {
  for (int i = 0; view->used && i < PLAN_LISTS; ++i) {
    if (view->views[i].buf != NULL) PyBuffer_Release(&view->views[i]);
  }
}

PyObject* native_solution(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* capsule;
  PyObject* given;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &given)) return NULL;
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) return NULL;
  plan_view view;
  if (view_plan(given, &view)) return NULL;
  stowage_solution* solution = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_solution_create(problem, &view.plan, &solution, &error);
  Py_END_ALLOW_THREADS;
  release_plan(&view);
  return code ? raise_error(&error) : new_solution(solution);
}

// Returns None for a safe plan, otherwise the message and the numbers of the
// violation.
PyObject* native_verify(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* capsule;
  PyObject* given;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &given)) return NULL;
  const stowage_problem* problem = problem_of(capsule);
  if (problem == NULL) return NULL;
  plan_view view;
  if (view_plan(given, &view)) return NULL;
  stowage_violation found;
  memset(&found, 0, sizeof(found));
  found.struct_size = sizeof(found);
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_verify(problem, &view.plan, &found, &error);
  Py_END_ALLOW_THREADS;
  release_plan(&view);
  if (code == STOWAGE_OK) Py_RETURN_NONE;
  if (found.kind == STOWAGE_NO_VIOLATION) return raise_error(&error);
  return Py_BuildValue(
      "sIKKKKKKKKKKKK", error.message, (unsigned)found.kind,
      (unsigned long long)found.first_tensor,
      (unsigned long long)found.second_tensor, (unsigned long long)found.task,
      (unsigned long long)found.begin, (unsigned long long)found.end,
      (unsigned long long)found.object, (unsigned long long)found.hole,
      (unsigned long long)found.pool, (unsigned long long)found.second_task,
      (unsigned long long)found.third_task, (unsigned long long)found.expected,
      (unsigned long long)found.found);
}
