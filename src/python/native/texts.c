// SPDX-License-Identifier: Apache-2.0
// Reads Python texts as C strings.
#include <stdio.h>
#include <string.h>

#include "src/python/native/native.h"

static const char* refuse(const text_place* at, const char* found) {
  char index[32] = "";
  const int has_index = at->index != SIZE_MAX;
  if (has_index) snprintf(index, sizeof(index), "[%zu]", at->index);
  raise_text(at->refused,
             has_index && at->per_record ? (uint64_t)at->index : STOWAGE_NONE,
             "%s%s: %s; expected text", at->name, index, found);
  return NULL;
}

const char* text_of(PyObject* value, const text_place* at) {
  if (!PyUnicode_Check(value)) return refuse(at, "not a str");
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
    PyErr_Clear();
    return refuse(at, "half of a surrogate pair");
  }
  return strlen(text) == (size_t)size ? text : refuse(at, "contains a zero");
}

const char** texts_of(PyObject* tuple, const char* name, int per_record) {
  const Py_ssize_t size = PyTuple_Size(tuple);
  const char** texts = PyMem_Calloc((size_t)size + 1, sizeof(*texts));
  if (texts == NULL) PyErr_NoMemory();
  for (Py_ssize_t i = 0; texts != NULL && i < size; ++i) {
    const text_place at = {name, (size_t)i, per_record,
                           STOWAGE_INVALID_ARGUMENT};
    texts[i] = text_of(PyTuple_GetItem(tuple, i), &at);
    if (texts[i] != NULL) continue;
    PyMem_Free((void*)texts);
    return NULL;
  }
  return texts;
}
