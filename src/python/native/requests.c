// SPDX-License-Identifier: Apache-2.0
// Adds requests to a builder. Requests state what a problem requires in
// addition to its records. A table has one row for each kind of request.
#include <string.h>

#include "src/python/native/native.h"

// The integers and the texts of one request.
typedef struct {
  const uint64_t* at;
  size_t count;
  const char* const* texts;
  size_t text_count;
} request;

typedef stowage_code (*add_fn)(stowage_builder* builder, const request* given,
                               stowage_error* error);

typedef struct {
  const char* name;
  size_t width;    // the number of integers in a row
  size_t head;     // the number of integers before the first row
  int per_record;  // says whether the rows are the records
  add_fn add;
} kind_of_request;

static const stowage_edge* edges_of(const uint64_t* at) {
  return (const stowage_edge*)at;
}

static uint32_t narrow(uint64_t number) {
  return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static stowage_code add_kind(stowage_builder* builder, const request* given,
                             stowage_error* error) {
  return stowage_builder_kind(builder, narrow(given->at[0]), error);
}

static stowage_code add_capacity(stowage_builder* builder, const request* given,
                                 stowage_error* error) {
  return stowage_builder_capacity(builder, given->at[0], error);
}

// fixed: rows of record, offset
static stowage_code add_fixed(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  for (size_t i = 0; i + 2 <= given->count; i += 2) {
    const stowage_code code =
        stowage_builder_fixed(builder, given->at[i], given->at[i + 1], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// ranges: rows of record, min, max
static stowage_code add_ranges(stowage_builder* builder, const request* given,
                               stowage_error* error) {
  for (size_t i = 0; i + 3 <= given->count; i += 3) {
    const uint64_t* row = given->at + i;
    const stowage_code code =
        stowage_builder_range(builder, row[0], row[1], row[2], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// groups: rows of record, group, at
static stowage_code add_groups(stowage_builder* builder, const request* given,
                               stowage_error* error) {
  for (size_t i = 0; i + 3 <= given->count; i += 3) {
    const uint64_t* row = given->at + i;
    const stowage_code code =
        stowage_builder_group(builder, row[0], narrow(row[1]), row[2], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

static stowage_code add_groups_optional(stowage_builder* builder,
                                        const request* given,
                                        stowage_error* error) {
  return stowage_builder_groups_optional(builder, narrow(given->at[0]), error);
}

// holes: rows of begin, end, first_task, last_task, pool
static stowage_code add_holes(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  for (size_t i = 0; i + 5 <= given->count; i += 5) {
    const uint64_t* row = given->at + i;
    const stowage_code code = stowage_builder_hole(
        builder, row[0], row[1], row[2], row[3], narrow(row[4]), error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

static stowage_code add_apart(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  return stowage_builder_apart(builder, given->at, given->count, error);
}

static stowage_code add_never(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  for (size_t i = 0; i + 2 <= given->count; i += 2) {
    const stowage_code code =
        stowage_builder_never(builder, given->at[i], given->at[i + 1], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// prefer_apart: rows of first, second, cost
static stowage_code add_prefer_apart(stowage_builder* builder,
                                     const request* given,
                                     stowage_error* error) {
  for (size_t i = 0; i + 3 <= given->count; i += 3) {
    const uint64_t* row = given->at + i;
    const stowage_code code =
        stowage_builder_prefer_apart(builder, row[0], row[1], row[2], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// same_or_apart: rows of first, second, copied
static stowage_code add_same_or_apart(stowage_builder* builder,
                                      const request* given,
                                      stowage_error* error) {
  for (size_t i = 0; i + 3 <= given->count; i += 3) {
    const uint64_t* row = given->at + i;
    const stowage_code code =
        stowage_builder_same_or_apart(builder, row[0], row[1], row[2], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// pools: for each pool, a capacity and a name
static stowage_code add_pools(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  for (size_t i = 0; i < given->count && i < given->text_count; ++i) {
    const stowage_code code =
        stowage_builder_pool(builder, given->texts[i], given->at[i], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// choices: rows of record, pool, cost
static stowage_code add_choices(stowage_builder* builder, const request* given,
                                stowage_error* error) {
  for (size_t i = 0; i + 3 <= given->count; i += 3) {
    const uint64_t* row = given->at + i;
    const stowage_code code =
        stowage_builder_choice(builder, row[0], narrow(row[1]), row[2], error);
    if (code) return code;
  }
  return STOWAGE_OK;
}

// edges, free_order: the number of tasks, then rows of before, after
static stowage_code add_edges(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  return stowage_builder_order(builder, given->at[0], edges_of(given->at + 1),
                               given->count / 2, error);
}

static stowage_code add_free_order(stowage_builder* builder,
                                   const request* given, stowage_error* error) {
  return stowage_builder_free_order(
      builder, given->at[0], edges_of(given->at + 1), given->count / 2, error);
}

static stowage_code add_stream(stowage_builder* builder, const request* given,
                               stowage_error* error) {
  return stowage_builder_stream(builder, given->at, given->count, error);
}

static stowage_code add_waits(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  return stowage_builder_waits(builder, edges_of(given->at), given->count / 2,
                               error);
}

// users: a record, then its tasks
static stowage_code add_users(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  return stowage_builder_users(builder, given->at[0], given->at + 1,
                               given->count - 1, error);
}

static stowage_code add_reallocation(stowage_builder* builder,
                                     const request* given,
                                     stowage_error* error) {
  return stowage_builder_reallocation(builder, edges_of(given->at),
                                      given->count / 2, error);
}

static stowage_code add_place_first(stowage_builder* builder,
                                    const request* given,
                                    stowage_error* error) {
  return stowage_builder_place_first(builder, given->at, given->count, error);
}

static stowage_code add_names(stowage_builder* builder, const request* given,
                              stowage_error* error) {
  return stowage_builder_names(builder, given->texts, given->text_count, error);
}

static stowage_code add_operators(stowage_builder* builder,
                                  const request* given, stowage_error* error) {
  return stowage_builder_operators(builder, given->texts, given->text_count,
                                   error);
}

static stowage_code add_group_names(stowage_builder* builder,
                                    const request* given,
                                    stowage_error* error) {
  return stowage_builder_group_names(builder, given->texts, given->text_count,
                                     error);
}

static const kind_of_request kKinds[] = {
    {"kind", 1, 1, 0, &add_kind},
    {"capacity", 1, 1, 0, &add_capacity},
    {"fixed", 2, 0, 0, &add_fixed},
    {"ranges", 3, 0, 0, &add_ranges},
    {"groups", 3, 0, 0, &add_groups},
    {"groups_optional", 1, 1, 0, &add_groups_optional},
    {"holes", 5, 0, 0, &add_holes},
    {"apart", 1, 0, 0, &add_apart},
    {"never", 2, 0, 0, &add_never},
    {"prefer_apart", 3, 0, 0, &add_prefer_apart},
    {"same_or_apart", 3, 0, 0, &add_same_or_apart},
    {"pools", 1, 0, 0, &add_pools},
    {"choices", 3, 0, 0, &add_choices},
    {"edges", 2, 1, 0, &add_edges},
    {"free_order", 2, 1, 0, &add_free_order},
    {"streams", 1, 0, 0, &add_stream},
    {"waits", 2, 0, 0, &add_waits},
    {"users", 1, 1, 0, &add_users},
    {"reallocation", 2, 0, 0, &add_reallocation},
    {"place_first", 1, 0, 0, &add_place_first},
    {"names", 1, 0, 1, &add_names},
    {"operators", 1, 0, 0, &add_operators},
    {"group_names", 1, 0, 0, &add_group_names},
};

static const kind_of_request* kind_named(const char* name) {
  for (size_t i = 0; i < sizeof(kKinds) / sizeof(kKinds[0]); ++i) {
    if (strcmp(kKinds[i].name, name) == 0) return &kKinds[i];
  }
  raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
             "requests: '%.40s'; expected one that the builder has", name);
  return NULL;
}

static int check_shape(const kind_of_request* kind, const request* given) {
  if (given->count >= kind->head &&
      (given->count - kind->head) % kind->width == 0) {
    return 0;
  }
  raise_text(STOWAGE_INVALID_ARGUMENT, STOWAGE_NONE,
             "%s: %zu integers; expected %zu and rows of %zu", kind->name,
             given->count, kind->head, kind->width);
  return -1;
}

static int add_to(stowage_builder* builder, const kind_of_request* kind,
                  PyObject* integers, PyObject* texts) {
  numbers list;
  if (copy_numbers(integers, kind->name, kind->width, kind->per_record,
                   &list)) {
    return -1;
  }
  request given = {list.data, list.count, NULL, 0};
  int failed = check_shape(kind, &given);
  const char** read = NULL;
  if (!failed && PyTuple_Size(texts) > 0) {
    given.text_count = (size_t)PyTuple_Size(texts);
    read = texts_of(texts, kind->name, kind->per_record);
    failed = read == NULL;
    given.texts = read;
  }
  if (!failed) {
    stowage_error error;
    error.struct_size = sizeof(error);
    failed = kind->add(builder, &given, &error) != STOWAGE_OK;
    if (failed) raise_error(&error);
  }
  PyMem_Free((void*)read);
  PyMem_Free(list.data);
  return failed ? -1 : 0;
}

int add_alignment(stowage_builder* builder, PyObject* alignment) {
  stowage_error error;
  error.struct_size = sizeof(error);
  stowage_code code = STOWAGE_OK;
  if (PyLong_Check(alignment)) {
    uint64_t one = 0;
    if (one_number(alignment, "alignment", UINT64_MAX, &one)) return -1;
    if (one != 1) code = stowage_builder_alignment(builder, one, &error);
  } else {
    numbers list;
    if (copy_numbers(alignment, "alignments", 1, 1, &list)) return -1;
    code = stowage_builder_alignments(builder, list.data, list.count, &error);
    PyMem_Free(list.data);
  }
  if (code) raise_error(&error);
  return code ? -1 : 0;
}

int add_requests(stowage_builder* builder, PyObject* requests) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(requests); ++i) {
    const char* name;
    PyObject* integers;
    PyObject* texts;
    if (!PyArg_ParseTuple(PyTuple_GetItem(requests, i), "sOO!", &name,
                          &integers, &PyTuple_Type, &texts)) {
      return -1;
    }
    const kind_of_request* kind = kind_named(name);
    if (kind == NULL || add_to(builder, kind, integers, texts)) return -1;
  }
  return 0;
}
