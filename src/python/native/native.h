// SPDX-License-Identifier: Apache-2.0
// The native part of the Python package: functions that take buffers, integers
// and capsules and call stowage/c/stowage.h. They use the stable ABI of Python
// 3.11. Users see only the Python modules of the package, not these functions.
// There is no static state, so every interpreter has its own module.
#ifndef STOWAGE_SRC_PYTHON_NATIVE_NATIVE_H_
#define STOWAGE_SRC_PYTHON_NATIVE_NATIVE_H_

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <stdint.h>

#include "stowage/c/stowage.h"
#include "stowage/c/testing.h"

// ---- The module (module.c)

// The state of a module object. There is one module object for each
// interpreter. The state is protected by the GIL.
typedef struct {
  PyObject* array_type;
  stowage_cancel_token* closing;  // ends every search when Python ends
  int is_closing;
  // The thread that receives signals, or 0 while it is unknown.
  unsigned long main_thread;
  size_t calls;    // the number of searches that are running
  size_t callers;  // the number of these searches that call functions of Python
} module_state;

// Returns a read-only memoryview of numbers that `owner` keeps alive. `format`
// is 'Q' or 'I' for numbers of 8 or 4 bytes, or 'B' for bytes. If `columns` is
// above 0, the view has two dimensions, with rows of `columns` numbers.
PyObject* new_array(module_state* state, PyObject* owner, const void* data,
                    size_t count, size_t columns, char format);

// ---- Errors (errors.c)

// Set the exception that stowage._errors creates for an error, and return null.
PyObject* raise_error(const stowage_error* error);
PyObject* raise_text(stowage_code code, uint64_t record, const char* format,
                     ...);

// ---- Texts (texts.c)

// The origin of a text, for messages such as "names[5]".
typedef struct {
  const char* name;
  size_t index;          // may be SIZE_MAX
  int per_record;        // says whether the index is that of a record
  stowage_code refused;  // the code of errors about the text
} text_place;

// Returns a text in UTF-8 that is valid as long as the text object exists.
// Returns null, with an exception, if the object is not a text, or if the text
// cannot be a C string because it contains a zero or one half of a surrogate
// pair.
const char* text_of(PyObject* value, const text_place* at);
// Returns an array with the texts of a tuple. The caller frees the array with
// PyMem_Free(). Returns null, with an exception, if one of the texts cannot be
// converted.
const char** texts_of(PyObject* tuple, const char* name, int per_record);

// ---- Handles (handles.c), in capsules that free the handles

#define PROBLEM_CAPSULE "stowage.problem"
// The name of the capsule of a problem after the end of the call for which the
// capsule was created.
#define ENDED_CAPSULE "stowage.problem of a call that has ended"
#define SOLUTION_CAPSULE "stowage.solution"
#define FILE_CAPSULE "stowage.file"

PyObject* new_problem(stowage_problem* problem);
PyObject* new_solution(stowage_solution* solution);
PyObject* new_file(stowage_file* file);
// Return the handle of a capsule, or null with an exception.
stowage_problem* problem_of(PyObject* capsule);
stowage_solution* solution_of(PyObject* capsule);
stowage_file* file_of(PyObject* capsule);

// ---- Numbers (values.c)

// Numbers that were copied from Python. The owner frees `data` with
// PyMem_Free().
typedef struct {
  uint64_t* data;
  size_t count;
} numbers;

// Copies the integers of a sequence or of a one-dimensional buffer. Returns -1,
// with an exception, if an item is not an unsigned 64-bit integer. The message
// contains `name` and the index of the row, where a row has `width` numbers. If
// `per_record` is set, the index is also the record of the exception.
int copy_numbers(PyObject* values, const char* name, size_t width,
                 int per_record, numbers* out);

// Sets *out to the value of an integer. Returns -1, with an exception, if the
// value is above `max` or if the object is not an integer. Floats and booleans
// are not accepted as integers.
int one_number(PyObject* value, const char* name, uint64_t max, uint64_t* out);

// ---- Records (records.c)

// Sets the records of a builder. `source` must be a buffer of three columns, a
// tuple of three one-dimensional buffers, or a sequence of rows. If `half_open`
// is set, the third number of a record is one past its last task.
int set_records(stowage_builder* builder, PyObject* source, int half_open);

// ---- Requests (requests.c)

// Sets one alignment for all records if `alignment` is an integer, otherwise
// one alignment for each record. The integer 1 has no effect.
int add_alignment(stowage_builder* builder, PyObject* alignment);

// Adds requests to a builder. Each entry of the tuple is itself a tuple: (name,
// integers, texts).
int add_requests(stowage_builder* builder, PyObject* requests);

// ---- Plans (plans.c)

// A plan with lists that are views of Python objects. Must be released with
// release_plan().
enum { PLAN_LISTS = 6 };
typedef struct {
  stowage_plan plan;
  Py_buffer views[PLAN_LISTS];
  int used;
} plan_view;

// Fills a plan from the capsule of a solution, or from a tuple (total, offsets,
// pools, objects, object_sizes, order, places). In the tuple, `total` is an
// integer, and each list is either packed bytes or None.
int view_plan(PyObject* given, plan_view* view);
void release_plan(plan_view* view);

// Returns a plan as a tuple with the same entries as for view_plan(). The lists
// are views of memory that `owner` keeps alive.
PyObject* tuple_of_plan(module_state* state, PyObject* owner,
                        const stowage_plan* plan);

// ---- Searches (solve.c)

// The arguments of a search: a capsule of the problem or None, the strategy,
// its features, the limit of time, the limit of nodes, the seed, the threads,
// decide, relax, a capsule of the incumbent or None, and the function for the
// progress or None.
enum { SEARCH_ARGUMENTS = 11 };

// A function of the library that searches. `given` is the last argument of
// run_search().
typedef stowage_code (*search_fn)(void* given, const stowage_problem* problem,
                                  const stowage_options* options,
                                  stowage_solution** solution,
                                  stowage_error* error);

// Calls the function without the GIL, with the options that the arguments
// describe. The search ends if a function of Python raises an exception, and
// when Python ends. Returns a capsule of the solution, or None if the function
// makes none.
PyObject* run_search(PyObject* module, PyObject* const* arguments,
                     search_fn call, void* given);

// ---- Strategies in Python (solve.c)

// Calls a function with a capsule of the problem. The capsule becomes invalid
// when the call returns.
PyObject* call_with_problem(PyObject* function, const stowage_problem* problem);
// Copies the value returned by a function that call_with_problem() has called.
// The value must be a tuple of packed places and either packed pools or None.
// Returns -1, with an exception, if it is not, or if a list has the wrong
// length.
int copy_places(PyObject* answer, const stowage_problem* problem,
                uint64_t* places, uint32_t* pools);

// ---- Functions of the module

// These functions receive their arguments in an array, because this is the
// fastest calling convention.
PyObject* native_create(PyObject* module, PyObject* const* arguments,
                        Py_ssize_t count);
PyObject* native_solve(PyObject* module, PyObject* const* arguments,
                       Py_ssize_t count);
PyObject* native_replan(PyObject* module, PyObject* const* arguments,
                        Py_ssize_t count);
PyObject* native_cache_get(PyObject* module, PyObject* const* arguments,
                           Py_ssize_t count);
PyObject* native_cache_improve(PyObject* module, PyObject* const* arguments,
                               Py_ssize_t count);
PyObject* native_cache(PyObject* module, PyObject* arguments);
PyObject* native_cache_load(PyObject* module, PyObject* arguments);
PyObject* native_cache_save(PyObject* module, PyObject* arguments);
PyObject* native_cache_stats(PyObject* module, PyObject* capsule);
PyObject* native_pack(PyObject* module, PyObject* arguments);
PyObject* native_problem_for_all(PyObject* module, PyObject* capsules);
PyObject* native_info(PyObject* module, PyObject* capsule);
PyObject* native_lists(PyObject* module, PyObject* capsule);
PyObject* native_bound(PyObject* module, PyObject* capsule);
PyObject* native_fingerprint(PyObject* module, PyObject* capsule);
PyObject* native_describe(PyObject* module, PyObject* arguments);
PyObject* native_summary(PyObject* module, PyObject* capsule);
PyObject* native_plan(PyObject* module, PyObject* capsule);
PyObject* native_texts(PyObject* module, PyObject* capsule);
PyObject* native_solution(PyObject* module, PyObject* arguments);
PyObject* native_verify(PyObject* module, PyObject* arguments);
PyObject* native_parse(PyObject* module, PyObject* arguments);
PyObject* native_file_plan(PyObject* module, PyObject* arguments);
PyObject* native_write(PyObject* module, PyObject* arguments);
PyObject* native_certificate(PyObject* module, PyObject* arguments);
PyObject* native_check(PyObject* module, PyObject* arguments);
PyObject* native_stack(PyObject* module, PyObject* arguments);
PyObject* native_stack_info(PyObject* module, PyObject* capsule);
PyObject* native_stack_offsets(PyObject* module, PyObject* arguments);
PyObject* native_stack_table(PyObject* module, PyObject* capsule);
PyObject* native_dynamic(PyObject* module, PyObject* arguments);
PyObject* native_dynamic_sizes(PyObject* module, PyObject* arguments);
PyObject* native_dynamic_plan(PyObject* module, PyObject* arguments);
PyObject* native_strategies(PyObject* module, PyObject* unused);
PyObject* native_families(PyObject* module, PyObject* unused);
PyObject* native_sample(PyObject* module, PyObject* arguments);
PyObject* native_test(PyObject* module, PyObject* arguments);

#endif  // STOWAGE_SRC_PYTHON_NATIVE_NATIVE_H_
