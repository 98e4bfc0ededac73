// SPDX-License-Identifier: Apache-2.0
// Adds the records of a problem, and requirements on single records.
#include "src/c/builder.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/plans.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/c/problem.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::c_api {
namespace {

Status CheckBuilder(const stowage_builder* builder) {
  return CheckHandle(builder, "builder");
}

// Checks that the builder is valid and does not have records yet.
Status CheckNewRecords(const stowage_builder* builder) {
  if (Status s = CheckBuilder(builder); !s.ok()) return s;
  if (!builder->has_records) return OkStatus();
  return FailedPreconditionError(
      "records: already set in this builder; expected one call");
}

// Returns the entry of a column in row `row`. The column need not be aligned in
// memory.
uint64_t EntryOf(const void* column, ptrdiff_t stride, size_t row) {
  uint64_t value = 0;
  std::memcpy(
      &value,
      static_cast<const char*>(column) + stride * static_cast<ptrdiff_t>(row),
      sizeof(value));
  return value;
}

Status SetAlignments(stowage_builder* builder, const uint64_t* alignments,
                     size_t count) {
  Status s = CheckPerRecord(builder, alignments, count, "alignments");
  if (!s.ok()) return s;
  builder->spec.alignments.assign(alignments, alignments + count);
  return OkStatus();
}

}  // namespace

Status CheckRecord(const stowage_builder* builder, uint64_t record) {
  if (Status s = CheckBuilder(builder); !s.ok()) return s;
  const size_t count = builder->spec.records.size();
  if (record < count) return OkStatus();
  const size_t named = record;
  return WithRecords(
      InvalidArgumentError(StrCat("record ", record,
                                  ": does not exist; expected one of the ",
                                  count, " records that were set before")),
      MakeConstSpan(&named, 1));
}

Status CheckPerRecord(const stowage_builder* builder, const void* array,
                      size_t count, string_view name) {
  if (Status s = CheckBuilder(builder); !s.ok()) return s;
  if (Status s = CheckArray(array, count, name); !s.ok()) return s;
  const size_t records = builder->spec.records.size();
  if (count == records) return OkStatus();
  return InvalidArgumentError(StrCat(name, ": ", count, " entries; expected ",
                                     records, ", one per record"));
}

Status CheckRecords(const stowage_builder* builder, const uint64_t* records,
                    size_t count) {
  if (Status s = CheckBuilder(builder); !s.ok()) return s;
  if (Status s = CheckArray(records, count, "records"); !s.ok()) return s;
  for (size_t i = 0; i < count; ++i) {
    if (Status s = CheckRecord(builder, records[i]); !s.ok()) return s;
  }
  return OkStatus();
}

Status CopyNames(const char* const* names, size_t count,
                 std::vector<std::string>* copied) {
  if (Status s = CheckArray(names, count, "names"); !s.ok()) return s;
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) {
    Status s = CheckPointer(names[i], StrCat("names[", i, "]"));
    if (!s.ok()) return s;
    list.emplace_back(names[i]);
  }
  *copied = std::move(list);
  return OkStatus();
}

}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_builder* stowage_builder_new(void) {
  return c_api::NewOrNull<stowage_builder>();
}

void stowage_builder_free(stowage_builder* builder) { delete builder; }

stowage_code stowage_builder_records(stowage_builder* builder,
                                     const stowage_record* records,
                                     size_t count, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckNewRecords(builder);
    if (s.ok()) s = c_api::CheckArray(records, count, "records");
    if (!s.ok()) return s;
    builder->spec.records = c_api::RecordsOf(records, count);
    builder->has_records = true;
    return s;
  });
}

stowage_code stowage_builder_columns(
    stowage_builder* builder, const void* sizes, ptrdiff_t size_stride,
    const void* first_tasks, ptrdiff_t first_stride, const void* last_tasks,
    ptrdiff_t last_stride, size_t count, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckNewRecords(builder);
    if (s.ok()) s = c_api::CheckArray(sizes, count, "sizes");
    if (s.ok()) s = c_api::CheckArray(first_tasks, count, "first_tasks");
    if (s.ok()) s = c_api::CheckArray(last_tasks, count, "last_tasks");
    if (!s.ok()) return s;
    std::vector<stowage::ByteRecord> records(count);
    for (size_t i = 0; i < count; ++i) {
      records[i] = {c_api::EntryOf(sizes, size_stride, i),
                    c_api::EntryOf(first_tasks, first_stride, i),
                    c_api::EntryOf(last_tasks, last_stride, i)};
    }
    builder->spec.records = std::move(records);
    builder->has_records = true;
    return s;
  });
}

stowage_code stowage_builder_kind(stowage_builder* builder, uint32_t kind,
                                  stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) s = c_api::CheckFlag(kind, "kind");
    if (s.ok()) {
      builder->spec.kind = kind == STOWAGE_OBJECTS
                               ? stowage::PlanKind::kObjects
                               : stowage::PlanKind::kOffsets;
    }
    return s;
  });
}

stowage_code stowage_builder_alignment(stowage_builder* builder,
                                       uint64_t alignment,
                                       stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (!s.ok()) return s;
    builder->spec.alignment = alignment;
    builder->spec.alignments.clear();
    return s;
  });
}

stowage_code stowage_builder_alignments(stowage_builder* builder,
                                        const uint64_t* alignments,
                                        size_t count, stowage_error* error) {
  return c_api::AtBorder(
      error, [&] { return c_api::SetAlignments(builder, alignments, count); });
}

stowage_code stowage_builder_capacity(stowage_builder* builder, uint64_t bytes,
                                      stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (!s.ok()) return s;
    builder->spec.capacity.reset();
    if (bytes != STOWAGE_NONE) builder->spec.capacity = bytes;
    return s;
  });
}

stowage_code stowage_builder_fixed(stowage_builder* builder, uint64_t record,
                                   uint64_t offset, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecord(builder, record);
    if (!s.ok()) return s;
    builder->spec.fixed_offsets.resize(builder->spec.records.size());
    builder->spec.fixed_offsets[record].reset();
    if (offset != STOWAGE_NONE) builder->spec.fixed_offsets[record] = offset;
    return s;
  });
}

stowage_code stowage_builder_reallocation(stowage_builder* builder,
                                          const stowage_edge* edges,
                                          size_t count, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) s = c_api::CheckArray(edges, count, "edges");
    if (!s.ok()) return s;
    stowage::UsageGraph graph(builder->spec.records.size());
    for (size_t i = 0; i < count; ++i) {
      for (const uint64_t end : {edges[i].before, edges[i].after}) {
        if (s = c_api::CheckRecord(builder, end); !s.ok()) return s;
      }
      graph[edges[i].before].push_back(edges[i].after);
    }
    builder->spec.reallocation_graph = std::move(graph);
    return s;
  });
}

stowage_code stowage_builder_place_first(stowage_builder* builder,
                                         const uint64_t* records, size_t count,
                                         stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecords(builder, records, count);
    if (s.ok()) builder->spec.place_first.assign(records, records + count);
    return s;
  });
}

}  // extern "C"
