// SPDX-License-Identifier: Apache-2.0
// Reads records from Python buffers and sequences. If a buffer contains 64-bit
// integers, the library reads them directly from the buffer and makes a copy
// before other threads can run.
#include "src/python/native/values.h"

enum { FIELDS = 3 };
static const char* const kFields[FIELDS] = {"size", "first_task", "last_task"};

static int give_columns(stowage_builder* builder, const column* columns) {
  stowage_error error;
  error.struct_size = sizeof(error);
  const stowage_code code = stowage_builder_columns(
      builder, columns[0].start, columns[0].stride, columns[1].start,
      columns[1].stride, columns[2].start, columns[2].stride, columns[0].count,
      &error);
  if (code) raise_error(&error);
  return code ? -1 : 0;
}

// Converts half-open rows to rows with an inclusive last task.
static int include_ends(uint64_t* rows, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t* row = rows + FIELDS * i;
    if (row[2] <= row[1]) {
      const place at = {"records", "upper", 1};
      return refuse(&at, i, STOWAGE_INVALID_ARGUMENT,
                    "not above its first task", "one past the last task");
    }
    --row[2];
  }
  return 0;
}

// Passes copied rows to the library, and frees the rows.
static int give_rows(stowage_builder* builder, numbers* rows, int half_open) {
  const size_t count = rows->count / FIELDS;
  int failed = half_open && include_ends(rows->data, count);
  if (!failed) {
    column columns[FIELDS];
    for (size_t k = 0; k < FIELDS; ++k) {
      columns[k].start = (const char*)(rows->data + k);
      columns[k].stride = FIELDS * sizeof(uint64_t);
      columns[k].count = count;
    }
    failed = give_columns(builder, columns);
  }
  release(rows);
  return failed ? -1 : 0;
}

static int copy_row(PyObject* given, size_t index, uint64_t* out) {
  PyObject* row = PyTuple_Check(given) ? Py_NewRef(given)
                  : is_no_list(given)  ? NULL
                                       : PySequence_Tuple(given);
  int failed = 0;
  if (row == NULL || PyTuple_Size(row) != FIELDS) {
    failed = -1;
    if (row != NULL || !PyErr_Occurred() ||
        PyErr_ExceptionMatches(PyExc_TypeError)) {
      const place whole = {"records", NULL, 1};
      refuse_object(&whole, index, STOWAGE_INVALID_ARGUMENT, given,
                    "(size, first_task, last_task)");
    }
  }
  for (int k = 0; !failed && k < FIELDS; ++k) {
    const place at = {"records", kFields[k], 1};
    failed = number_of(PyTuple_GetItem(row, k), &at, index, &out[k]);
  }
  Py_XDECREF(row);
  return failed;
}

static int set_rows(stowage_builder* builder, PyObject* source, int half_open) {
  PyObject* items = items_of(source, "records");
  if (items == NULL) return -1;
  const size_t count = (size_t)PyTuple_Size(items);
  numbers rows;
  int failed = allocate(FIELDS * count, &rows);
  for (size_t i = 0; !failed && i < count; ++i) {
    failed = copy_row(PyTuple_GetItem(items, (Py_ssize_t)i), i,
                      rows.data + FIELDS * i);
    if (failed) release(&rows);
  }
  Py_DECREF(items);
  return failed ? -1 : give_rows(builder, &rows, half_open);
}

static int set_columns(stowage_builder* builder, const column* columns,
                       int half_open) {
  if (!half_open && is_plain(&columns[0]) && is_plain(&columns[1]) &&
      is_plain(&columns[2])) {
    return give_columns(builder, columns);
  }
  numbers rows;
  if (allocate(FIELDS * columns[0].count, &rows)) return -1;
  for (size_t k = 0; k < FIELDS; ++k) {
    const place at = {"records", kFields[k], 1};
    if (copy_column(&columns[k], &at, 1, rows.data + k, FIELDS)) {
      return release(&rows);
    }
  }
  return give_rows(builder, &rows, half_open);
}

static int set_matrix(stowage_builder* builder, const Py_buffer* view,
                      int half_open) {
  if (view->ndim != 2 || view->shape[1] != FIELDS) {
    raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
               "records: a buffer of %d dimensions, the last of %zd; expected "
               "n rows of (size, first_task, last_task)",
               view->ndim, view->ndim == 0 ? 0 : view->shape[view->ndim - 1]);
    return -1;
  }
  column columns[FIELDS];
  if (layout_of(view, "records", &columns[0].how)) return -1;
  for (int k = 0; k < FIELDS; ++k) {
    columns[k].start = (const char*)view->buf + view->strides[1] * k;
    columns[k].stride = view->strides[0];
    columns[k].count = (size_t)view->shape[0];
    columns[k].how = columns[0].how;
  }
  return set_columns(builder, columns, half_open);
}

static int check_counts(const column* columns) {
  for (int k = 1; k < FIELDS; ++k) {
    if (columns[k].count == columns[0].count) continue;
    raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
               "records.%s: %zu entries; expected %zu, as of size", kFields[k],
               columns[k].count, columns[0].count);
    return -1;
  }
  return 0;
}

static int set_buffers(stowage_builder* builder, PyObject* buffers,
                       int half_open) {
  Py_buffer views[FIELDS];
  column columns[FIELDS];
  int failed = 0;
  int viewed = 0;
  while (!failed && viewed < FIELDS) {
    failed = view_buffer(PyTuple_GetItem(buffers, viewed), "records",
                         &views[viewed]);
    if (failed) break;
    failed = column_of(&views[viewed], "records", &columns[viewed]);
    ++viewed;
  }
  if (!failed) failed = check_counts(columns);
  if (!failed) failed = set_columns(builder, columns, half_open);
  while (viewed > 0) PyBuffer_Release(&views[--viewed]);
  return failed;
}

static int are_buffers(PyObject* source) {
  if (!PyTuple_Check(source) || PyTuple_Size(source) != FIELDS) return 0;
  for (Py_ssize_t k = 0; k < FIELDS; ++k) {
    if (!PyObject_CheckBuffer(PyTuple_GetItem(source, k))) return 0;
  }
  return 1;
}

int set_records(stowage_builder* builder, PyObject* source, int half_open) {
  if (are_buffers(source)) return set_buffers(builder, source, half_open);
  if (!PyObject_CheckBuffer(source)) {
    return set_rows(builder, source, half_open);
  }
  Py_buffer view;
  if (view_buffer(source, "records", &view)) return -1;
  const int failed = set_matrix(builder, &view, half_open);
  PyBuffer_Release(&view);
  return failed;
}
