// SPDX-License-Identifier: Apache-2.0
// Implements the functions for stacks and for problems with parameters.
#include <stdlib.h>

#include "src/python/native/native.h"

#define STACK_CAPSULE "stowage.stack"
#define DYNAMIC_CAPSULE "stowage.dynamic"

static void free_stack(PyObject* capsule) {
  stowage_stack_free(PyCapsule_GetPointer(capsule, STACK_CAPSULE));
}
static void free_dynamic(PyObject* capsule) {
  stowage_dynamic_free(PyCapsule_GetPointer(capsule, DYNAMIC_CAPSULE));
}

static PyObject* new_stack(stowage_stack* stack) {
  PyObject* capsule = PyCapsule_New(stack, STACK_CAPSULE, free_stack);
  if (capsule == NULL) stowage_stack_free(stack);
  return capsule;
}

static stowage_stack* stack_of(PyObject* capsule) {
  return PyCapsule_GetPointer(capsule, STACK_CAPSULE);
}
static stowage_dynamic* dynamic_of(PyObject* capsule) {
  return PyCapsule_GetPointer(capsule, DYNAMIC_CAPSULE);
}

// Creates a stack from the `count` records of a problem.
static stowage_code create_stack(const stowage_problem* problem, size_t count,
                                 const uint64_t* order, uint64_t alignment,
                                 stowage_stack** stack, stowage_error* error) {
  const size_t room = count == 0 ? 1 : count;
  stowage_record* records = malloc(room * sizeof(stowage_record));
  if (records == NULL) {
    error->code = STOWAGE_RESOURCE_EXHAUSTED;
    error->record = error->other_record = STOWAGE_NONE;
    error->missing_features = 0;
    error->message[0] = '\0';
    return error->code;
  }
  stowage_code code = stowage_problem_records(problem, records, count, error);
  if (!code) {
    code = stowage_stack_create(records, count, alignment, order, stack, error);
  }
  free(records);
  return code;
}

PyObject* native_stack(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* capsule;
  PyObject* list;
  PyObject* number;
  if (!PyArg_ParseTuple(arguments, "OOO", &capsule, &list, &number)) {
    return NULL;
  }
  const stowage_problem* problem = problem_of(capsule);
  uint64_t alignment;
  numbers order;
  if (problem == NULL ||
      one_number(number, "alignment", UINT64_MAX, &alignment) ||
      copy_numbers(list, "order", 1, 0, &order)) {
    return NULL;
  }
  stowage_problem_info info;
  info.struct_size = sizeof(info);
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_stack* stack = NULL;
  stowage_code code = stowage_problem_get_info(problem, &info, &error);
  if (!code && info.count != order.count) {
    PyMem_Free(order.data);
    return raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
                      "order: %llu entries; expected %llu, one per record",
                      (unsigned long long)order.count,
                      (unsigned long long)info.count);
  }
  if (!code) {
    Py_BEGIN_ALLOW_THREADS;
    code = create_stack(problem, order.count, order.data, alignment, &stack,
                        &error);
    Py_END_ALLOW_THREADS;
  }
  PyMem_Free(order.data);
  return code ? raise_error(&error) : new_stack(stack);
}

// Returns the tuple (count, edges, order, reserve, bound).
PyObject* native_stack_info(PyObject* module, PyObject* capsule) {
  const stowage_stack* stack = stack_of(capsule);
  if (stack == NULL) return NULL;
  stowage_stack_info info;
  info.struct_size = sizeof(info);
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_stack_get_info(stack, &info, &error)) return raise_error(&error);
  PyObject* order = new_array(PyModule_GetState(module), capsule, info.order,
                              (size_t)info.count, 0, 'Q');
  if (order == NULL) return NULL;
  return Py_BuildValue("KKNKKI", (unsigned long long)info.count,
                       (unsigned long long)info.edges, order,
                       (unsigned long long)info.reserve,
                       (unsigned long long)info.bound,
                       (unsigned int)info.status);
}

// Returns a view of `count` numbers, and sets *data to their memory.
static PyObject* new_numbers(PyObject* module, size_t count, uint64_t** data) {
  PyObject* bytes =
      PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(uint64_t)));
  if (bytes == NULL) return NULL;
  // This cast is safe, because the data of a bytes object has the alignment of
  // memory from the allocator.
  *data = (uint64_t*)(void*)PyBytes_AsString(bytes);
  PyObject* view =
      new_array(PyModule_GetState(module), bytes, *data, count, 0, 'Q');
  Py_DECREF(bytes);
  return view;
}

// Returns the tuple (total, offsets).
PyObject* native_stack_offsets(PyObject* module, PyObject* arguments) {
  PyObject* capsule;
  PyObject* list;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &list)) return NULL;
  const stowage_stack* stack = stack_of(capsule);
  numbers sizes;
  if (stack == NULL || copy_numbers(list, "sizes", 1, 1, &sizes)) return NULL;
  uint64_t* data;
  PyObject* offsets = new_numbers(module, sizes.count, &data);
  stowage_error error;
  error.struct_size = sizeof(error);
  uint64_t total = 0;
  stowage_code code = STOWAGE_OK;
  if (offsets != NULL) {
    code = stowage_stack_offsets(stack, sizes.data, sizes.count, data, &total,
                                 &error);
  }
  PyMem_Free(sizes.data);
  if (offsets == NULL) return NULL;
  if (code) {
    Py_DECREF(offsets);
    return raise_error(&error);
  }
  return Py_BuildValue("KN", (unsigned long long)total, offsets);
}

PyObject* native_stack_table(PyObject* module, PyObject* capsule) {
  (void)module;
  const stowage_stack* stack = stack_of(capsule);
  if (stack == NULL) return NULL;
  const uint8_t* table = NULL;
  size_t size = 0;
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_stack_table(stack, &table, &size, &error)) {
    return raise_error(&error);
  }
  return PyBytes_FromStringAndSize((const char*)table, (Py_ssize_t)size);
}

PyObject* native_dynamic(PyObject* module, PyObject* arguments) {
  (void)module;
  Py_buffer source;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "y*s", &source, &name)) return NULL;
  stowage_dynamic* dynamic = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = stowage_dynamic_parse(source.buf, (size_t)source.len, name, &dynamic,
                               &error);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&source);
  if (code) return raise_error(&error);
  PyObject* capsule = PyCapsule_New(dynamic, DYNAMIC_CAPSULE, free_dynamic);
  if (capsule == NULL) stowage_dynamic_free(dynamic);
  return capsule;
}

// Returns a view of the sizes for one value of the parameters.
PyObject* native_dynamic_sizes(PyObject* module, PyObject* arguments) {
  static const text_place at = {"at", SIZE_MAX, 0, STOWAGE_INVALID_ARGUMENT};
  PyObject* capsule;
  PyObject* text;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &text)) return NULL;
  const stowage_dynamic* dynamic = dynamic_of(capsule);
  const char* values = dynamic == NULL ? NULL : text_of(text, &at);
  if (values == NULL) return NULL;
  uint64_t count = 0;
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_dynamic_count(dynamic, &count, &error)) {
    return raise_error(&error);
  }
  uint64_t* data;
  PyObject* sizes = new_numbers(module, (size_t)count, &data);
  if (sizes == NULL) return NULL;
  if (!stowage_dynamic_sizes(dynamic, values, data, (size_t)count, &error)) {
    return sizes;
  }
  Py_DECREF(sizes);
  return raise_error(&error);
}

// Searches for an order that is suitable for all values, and returns the stack
// of this order. If the number of orders is None, does not search, and returns
// the stack of the order that the text of the problem contains.
PyObject* native_dynamic_plan(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* capsule;
  PyObject* number;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &number)) return NULL;
  const stowage_dynamic* dynamic = dynamic_of(capsule);
  uint64_t max_orders = 0;
  if (dynamic == NULL ||
      (number != Py_None &&
       one_number(number, "max_orders", UINT64_MAX, &max_orders))) {
    return NULL;
  }
  const int searches = number != Py_None;
  stowage_stack* stack = NULL;
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = searches ? stowage_dynamic_plan(dynamic, max_orders, &stack, &error)
                  : stowage_dynamic_stack(dynamic, &stack, &error);
  Py_END_ALLOW_THREADS;
  return code ? raise_error(&error) : new_stack(stack);
}
