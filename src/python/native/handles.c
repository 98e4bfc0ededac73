// SPDX-License-Identifier: Apache-2.0
// Stores handles of the library in capsules.
#include "src/python/native/native.h"

static void free_problem(PyObject* capsule) {
  stowage_problem_free(PyCapsule_GetPointer(capsule, PROBLEM_CAPSULE));
}
static void free_solution(PyObject* capsule) {
  stowage_solution_free(PyCapsule_GetPointer(capsule, SOLUTION_CAPSULE));
}
static void free_file(PyObject* capsule) {
  stowage_file_free(PyCapsule_GetPointer(capsule, FILE_CAPSULE));
}

PyObject* new_problem(stowage_problem* problem) {
  PyObject* capsule = PyCapsule_New(problem, PROBLEM_CAPSULE, free_problem);
  if (capsule == NULL) stowage_problem_free(problem);
  return capsule;
}

PyObject* new_solution(stowage_solution* solution) {
  PyObject* capsule = PyCapsule_New(solution, SOLUTION_CAPSULE, free_solution);
  if (capsule == NULL) stowage_solution_free(solution);
  return capsule;
}

PyObject* new_file(stowage_file* file) {
  PyObject* capsule = PyCapsule_New(file, FILE_CAPSULE, free_file);
  if (capsule == NULL) stowage_file_free(file);
  return capsule;
}

stowage_problem* problem_of(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, ENDED_CAPSULE)) {
    raise_text(STOWAGE_FAILED_PRECONDITION, STOWAGE_NONE,
               "problem: belongs to a call that has ended; expected its use "
               "during the call");
    return NULL;
  }
  return PyCapsule_GetPointer(capsule, PROBLEM_CAPSULE);
}

stowage_solution* solution_of(PyObject* capsule) {
  return PyCapsule_GetPointer(capsule, SOLUTION_CAPSULE);
}

stowage_file* file_of(PyObject* capsule) {
  return PyCapsule_GetPointer(capsule, FILE_CAPSULE);
}
