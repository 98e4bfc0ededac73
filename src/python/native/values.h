// SPDX-License-Identifier: Apache-2.0
// Declares functions that read Python integers, for lists and for records.
#ifndef STOWAGE_SRC_PYTHON_NATIVE_VALUES_H_
#define STOWAGE_SRC_PYTHON_NATIVE_VALUES_H_

#include "src/python/native/native.h"

// The origin of a value, for messages such as "records[5].size".
typedef struct {
  const char* name;
  const char* field;  // may be null
  int per_record;     // says whether the index is that of a record
} place;

// Set an exception that names the place, and return -1. The message of
// refuse_object() also shows the value.
int refuse(const place* at, size_t index, stowage_code code, const char* found,
           const char* expected);
int refuse_object(const place* at, size_t index, stowage_code code,
                  PyObject* value, const char* expected);
int wrong_dimension(const char* name, int found, const char* expected);

// Sets *out to the value of a Python integer. Returns -1, with an exception, if
// the value is not an unsigned 64-bit integer. Floats and booleans are not
// accepted as integers.
int number_of(PyObject* value, const place* at, size_t index, uint64_t* out);

// Returns whether an object is a text, a dictionary or a set. Such an object
// can be iterated over, but does not represent a list of numbers.
int is_no_list(PyObject* values);

// Returns a new reference to a tuple of the items of an object. Returns null,
// with an exception, if the object cannot be iterated over or if is_no_list()
// returns true for it.
PyObject* items_of(PyObject* values, const char* name);

// Allocates memory for `count` numbers and sets out->data to it.
int allocate(size_t count, numbers* out);
// Frees out->data. Returns -1.
int release(numbers* out);

// The way in which a buffer stores its integers.
typedef struct {
  size_t size;  // is in bytes: 1, 2, 4 or 8
  int is_signed;
  int swapped;  // the byte order differs from that of this machine
} layout;

// Sets *view to the buffer of an object. Returns -1, always with the same
// exception, if the object cannot be read as a buffer. The object is read
// through a memoryview, because a memoryview has strides even if the object
// itself, for example a ctypes array, does not provide them.
int view_buffer(PyObject* values, const char* name, Py_buffer* view);

// Reads the format of a buffer. Returns -1, with an exception, if the elements
// of the buffer are not integers.
int layout_of(const Py_buffer* view, const char* name, layout* out);

// A column of `count` integers that are `stride` bytes apart.
typedef struct {
  const char* start;
  Py_ssize_t stride;
  size_t count;
  layout how;
} column;

// Returns whether the library can read a column without a copy. This requires
// nonnegative 64-bit integers in the byte order of this machine.
int is_plain(const column* from);

// Sets *out to the column in a one-dimensional buffer.
int column_of(const Py_buffer* view, const char* name, column* out);

// Copies the numbers of a column to out[0], out[step], out[2 * step] and so on.
// Messages contain the index of the row, where a row has `width` numbers.
int copy_column(const column* from, const place* at, size_t width,
                uint64_t* out, size_t step);

#endif  // STOWAGE_SRC_PYTHON_NATIVE_VALUES_H_
