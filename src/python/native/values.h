// SPDX-License-Identifier: Apache-2.0
// Functions that read integers of Python, in lists and in records.
#ifndef STOWAGE_SRC_PYTHON_NATIVE_VALUES_H_
#define STOWAGE_SRC_PYTHON_NATIVE_VALUES_H_

#include "src/python/native/native.h"

// Where a value stands, for messages: "records[5].size".
typedef struct {
  const char* name;
  const char* field;  // may be null
  int per_record;     // says whether the index is that of a record
} place;

// Set an exception that names the place, and return -1. The second one shows a
// value of Python.
int refuse(const place* at, size_t index, stowage_code code, const char* found,
           const char* expected);
int refuse_object(const place* at, size_t index, stowage_code code,
                  PyObject* value, const char* expected);
int wrong_dimension(const char* name, int found, const char* expected);

// Sets *out to an integer of Python, which is not a float or a truth value.
int number_of(PyObject* value, const place* at, size_t index, uint64_t* out);

// Returns whether an object is a text or has no order of its own, so that its
// elements are not the numbers that were meant.
int is_no_list(PyObject* values);

// Returns a new tuple of what can be iterated, if it is a list of some kind.
PyObject* items_of(PyObject* values, const char* name);

// Sets out->data to memory for `count` numbers.
int allocate(size_t count, numbers* out);
// Frees it. Returns -1.
int release(numbers* out);

// How a buffer has its integers.
typedef struct {
  size_t size;  // is in bytes: 1, 2, 4 or 8
  int is_signed;
  int swapped;  // says whether the byte order is that of other machines
} layout;

// Begins to read a buffer. Objects refuse in many ways to be one. A memoryview
// has strides even where its object, such as an array of ctypes, gives none.
int view_buffer(PyObject* values, const char* name, Py_buffer* view);

// Reads the format of a buffer. Returns -1 with an exception if its elements
// are no integers.
int layout_of(const Py_buffer* view, const char* name, layout* out);

// A column of `count` integers, `stride` bytes apart.
typedef struct {
  const char* start;
  Py_ssize_t stride;
  size_t count;
  layout how;
} column;

// Returns whether a column can be read where it is: it has integers of 64 bits
// of this machine, none of which is negative.
int is_plain(const column* from);

// Sets *out to the column of a buffer of one dimension.
int column_of(const Py_buffer* view, const char* name, column* out);

// Copies the numbers of a column, so that they are `step` numbers apart. A
// message counts rows of `width` numbers.
int copy_column(const column* from, const place* at, size_t width,
                uint64_t* out, size_t step);

#endif  // STOWAGE_SRC_PYTHON_NATIVE_VALUES_H_
