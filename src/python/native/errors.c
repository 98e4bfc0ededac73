// SPDX-License-Identifier: Apache-2.0
// Raises errors of the library as Python exceptions of the package.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/python/native/native.h"

static PyObject* raise_with(stowage_code code, uint64_t record,
                            uint64_t other_record, uint64_t features,
                            const char* message) {
  PyObject* errors = PyImport_ImportModule("stowage._errors");
  if (errors == NULL) return NULL;
  // The message need not be valid UTF-8, because it may be truncated and may
  // contain a path in any encoding.
  PyObject* error = PyObject_CallMethod(
      errors, "error_of", "iKKKN", (int)code, (unsigned long long)record,
      (unsigned long long)other_record, (unsigned long long)features,
      PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace"));
  Py_DECREF(errors);
  if (error == NULL) return NULL;
  PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  Py_DECREF(error);
  return NULL;
}

PyObject* raise_error(const stowage_error* error) {
  return raise_with(error->code, error->record, error->other_record,
                    error->missing_features, error->message);
}

PyObject* raise_text(stowage_code code, uint64_t record, const char* format,
                     ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return raise_with(code, record, STOWAGE_NONE, 0, message);
}
