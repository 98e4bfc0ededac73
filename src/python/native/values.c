// SPDX-License-Identifier: Apache-2.0
// Reads integers from Python buffers and sequences.
#include "src/python/native/values.h"

#include <string.h>

int refuse(const place* at, size_t index, stowage_code code, const char* found,
           const char* expected) {
  const uint64_t record = at->per_record ? (uint64_t)index : STOWAGE_NONE;
  raise_text(code, record, "%s[%zu]%s%s: %.80s; expected %s", at->name, index,
             at->field == NULL ? "" : ".", at->field == NULL ? "" : at->field,
             found, expected);
  return -1;
}

// Raises an error about a Python value. The message shows the value.
int refuse_object(const place* at, size_t index, stowage_code code,
                  PyObject* value, const char* expected) {
  PyErr_Clear();
  PyObject* shown = PyObject_Repr(value);
  PyObject* text = shown == NULL
                       ? NULL
                       : PyUnicode_AsEncodedString(shown, "utf-8", "replace");
  Py_XDECREF(shown);
  if (text == NULL) {
    // Some values cannot be printed. For example, Python does not print an
    // integer of thousands of digits.
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return -1;
    PyErr_Clear();
    return refuse(at, index, code, "a value that cannot be shown", expected);
  }
  refuse(at, index, code, PyBytes_AsString(text), expected);
  Py_DECREF(text);
  return -1;
}

static int number_of_integer(PyObject* value, const place* at, size_t index,
                             uint64_t* out) {
  const unsigned long long number = PyLong_AsUnsignedLongLong(value);
  if (number != (unsigned long long)-1 || !PyErr_Occurred()) {
    *out = number;
    return 0;
  }
  PyErr_Clear();
  int overflow = 0;
  const long long sign = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow < 0 || (overflow == 0 && sign < 0)) {
    return refuse_object(at, index, STOWAGE_INVALID_ARGUMENT, value,
                         "0 or more");
  }
  return refuse_object(at, index, STOWAGE_OUT_OF_RANGE, value,
                       "at most 2^64 - 1");
}

// Returns whether a value is a boolean of Python or of NumPy. PyIndex_Check()
// cannot distinguish booleans from integers.
static int is_truth_value(PyObject* value) {
  if (PyLong_CheckExact(value)) return 0;
  if (PyBool_Check(value)) return 1;
  PyObject* name = PyType_GetName(Py_TYPE(value));
  const int found =
      name != NULL && (PyUnicode_CompareWithASCIIString(name, "bool_") == 0 ||
                       PyUnicode_CompareWithASCIIString(name, "bool") == 0);
  if (name == NULL) PyErr_Clear();
  Py_XDECREF(name);
  return found;
}

int number_of(PyObject* value, const place* at, size_t index, uint64_t* out) {
  if (PyLong_CheckExact(value)) {
    return number_of_integer(value, at, index, out);
  }
  if (!PyIndex_Check(value) || is_truth_value(value)) {
    return refuse_object(at, index, STOWAGE_INVALID_ARGUMENT, value,
                         "an integer");
  }
  PyObject* integer = PyNumber_Index(value);
  if (integer == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    return refuse_object(at, index, STOWAGE_INVALID_ARGUMENT, value,
                         "an integer");
  }
  const int failed = number_of_integer(integer, at, index, out);
  Py_DECREF(integer);
  return failed;
}

int one_number(PyObject* value, const char* name, uint64_t max, uint64_t* out) {
  if (PyIndex_Check(value) && !is_truth_value(value)) {
    PyObject* integer = PyNumber_Index(value);
    if (integer == NULL) return -1;
    const unsigned long long number = PyLong_AsUnsignedLongLong(integer);
    Py_DECREF(integer);
    if ((number != (unsigned long long)-1 || !PyErr_Occurred()) &&
        number <= max) {
      *out = number;
      return 0;
    }
    PyErr_Clear();
  }
  raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
             "%s: not an integer from 0 to %llu; expected one", name,
             (unsigned long long)max);
  return -1;
}

// ---- Buffers

int layout_of(const Py_buffer* view, const char* name, layout* out) {
  const char* format = view->format == NULL ? "B" : view->format;
  const uint16_t probe = 1;
  const int little = *(const unsigned char*)&probe == 1;
  out->swapped = 0;
  if (*format != '\0' && strchr("@=<>!", *format) != NULL) {
    const int big = *format == '>' || *format == '!';
    out->swapped = *format == '<' ? !little : big && little;
    ++format;
  }
  out->size = (size_t)view->itemsize;
  const int is_integer = *format != '\0' && format[1] == '\0' &&
                         strchr("bBhHiIlLqQnN", *format) != NULL;
  const int fits =
      out->size == 1 || out->size == 2 || out->size == 4 || out->size == 8;
  if (!is_integer || !fits) {
    raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
               "%s: a buffer of '%.20s'; expected integers of 1, 2, 4 or 8 "
               "bytes",
               name, view->format == NULL ? "" : view->format);
    return -1;
  }
  out->is_signed = strchr("bhilqn", *format) != NULL;
  return 0;
}

static int number_at(const char* at, const layout* how, uint64_t* out) {
  unsigned char bytes[8];
  memcpy(bytes, at, how->size);
  for (size_t i = 0; how->swapped && i < how->size / 2; ++i) {
    const unsigned char other = bytes[how->size - 1 - i];
    bytes[how->size - 1 - i] = bytes[i];
    bytes[i] = other;
  }
  uint8_t one;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (how->size) {
    case 1:
      memcpy(&one, bytes, sizeof(one));
      *out = one;
      return how->is_signed && one > INT8_MAX;
    case 2:
      memcpy(&two, bytes, sizeof(two));
      *out = two;
      return how->is_signed && two > INT16_MAX;
    case 4:
      memcpy(&four, bytes, sizeof(four));
      *out = four;
      return how->is_signed && four > INT32_MAX;
    default:
      memcpy(&eight, bytes, sizeof(eight));
      *out = eight;
      return how->is_signed && eight > INT64_MAX;
  }
}

int is_plain(const column* from) {
  if (from->how.size != sizeof(uint64_t) || from->how.swapped) return 0;
  if (!from->how.is_signed) return 1;
  uint64_t any = 0;
  for (size_t i = 0; i < from->count; ++i) {
    uint64_t number;
    memcpy(&number, from->start + from->stride * (Py_ssize_t)i, sizeof(number));
    any |= number;
  }
  return any <= INT64_MAX;
}

int copy_column(const column* from, const place* at, size_t width,
                uint64_t* out, size_t step) {
  for (size_t i = 0; i < from->count; ++i) {
    const char* item = from->start + from->stride * (Py_ssize_t)i;
    if (number_at(item, &from->how, &out[i * step])) {
      return refuse(at, i / width, STOWAGE_INVALID_ARGUMENT,
                    "a negative number", "0 or more");
    }
  }
  return 0;
}

int allocate(size_t count, numbers* out) {
  out->count = count;
  out->data = PyMem_Malloc(count == 0 ? 1 : count * sizeof(uint64_t));
  if (out->data != NULL) return 0;
  PyErr_NoMemory();
  return -1;
}

int release(numbers* out) {
  PyMem_Free(out->data);
  out->data = NULL;
  return -1;
}

int wrong_dimension(const char* name, int found, const char* expected) {
  raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
             "%s: a buffer of %d dimensions; expected %s", name, found,
             expected);
  return -1;
}

int view_buffer(PyObject* values, const char* name, Py_buffer* view) {
  PyObject* memory = Py_IS_TYPE(values, &PyMemoryView_Type)
                         ? Py_NewRef(values)
                         : PyMemoryView_FromObject(values);
  const int failed =
      memory == NULL || PyObject_GetBuffer(memory, view, PyBUF_RECORDS_RO) != 0;
  Py_XDECREF(memory);
  if (!failed) return 0;
  PyErr_Clear();
  raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
             "%s: not a buffer that can be read; expected one of integers",
             name);
  return -1;
}

int column_of(const Py_buffer* view, const char* name, column* out) {
  if (view->ndim != 1) return wrong_dimension(name, view->ndim, "one");
  out->start = view->buf;
  out->stride = view->strides[0];
  out->count = (size_t)view->shape[0];
  return layout_of(view, name, &out->how);
}

static int copy_buffer(const Py_buffer* view, const place* at, size_t width,
                       numbers* out) {
  column from;
  if (column_of(view, at->name, &from) || allocate(from.count, out)) return -1;
  return copy_column(&from, at, width, out->data, 1) ? release(out) : 0;
}

// ---- Sequences

int is_no_list(PyObject* values) {
  return PyUnicode_Check(values) || PyDict_Check(values) ||
         PyAnySet_Check(values);
}

PyObject* items_of(PyObject* values, const char* name) {
  if (PyTuple_Check(values)) return Py_NewRef(values);
  PyObject* items = is_no_list(values) ? NULL : PySequence_Tuple(values);
  if (items != NULL) return items;
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
  PyErr_Clear();
  return raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
                    "%s: not a sequence; expected a buffer or a sequence of "
                    "integers",
                    name);
}

static int copy_sequence(PyObject* values, const place* at, size_t width,
                         numbers* out) {
  PyObject* items = items_of(values, at->name);
  if (items == NULL) return -1;
  int failed = allocate((size_t)PyTuple_Size(items), out);
  for (size_t i = 0; !failed && i < out->count; ++i) {
    failed = number_of(PyTuple_GetItem(items, (Py_ssize_t)i), at, i / width,
                       &out->data[i]);
    if (failed) release(out);
  }
  Py_DECREF(items);
  return failed ? -1 : 0;
}

int copy_numbers(PyObject* values, const char* name, size_t width,
                 int per_record, numbers* out) {
  const place at = {name, NULL, per_record};
  out->data = NULL;
  out->count = 0;
  if (!PyObject_CheckBuffer(values)) {
    return copy_sequence(values, &at, width, out);
  }
  Py_buffer view;
  if (view_buffer(values, name, &view)) return -1;
  const int failed = copy_buffer(&view, &at, width, out);
  PyBuffer_Release(&view);
  return failed;
}

PyObject* native_pack(PyObject* module, PyObject* arguments) {
  (void)module;
  PyObject* values;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "Os", &values, &name)) return NULL;
  numbers list;
  if (copy_numbers(values, name, 1, 1, &list)) return NULL;
  PyObject* packed = PyBytes_FromStringAndSize(
      (const char*)list.data, (Py_ssize_t)(list.count * sizeof(uint64_t)));
  PyMem_Free(list.data);
  return packed;
}
