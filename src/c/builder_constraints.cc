// SPDX-License-Identifier: Apache-2.0
// Adds the constraints of a problem, except for the order of its tasks.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/c/border.h"
#include "src/c/builder.h"
#include "src/c/handles.h"
#include "stowage/base/status.h"
#include "stowage/c/problem.h"
#include "stowage/constraints.h"

namespace stowage::c_api {
namespace {

// Returns the place of a record. If necessary, extends the list of places so
// that it has an entry for every record.
RecordPlace& PlaceOf(stowage_builder* builder, uint64_t record) {
  std::vector<RecordPlace>& places = builder->spec.constraints.places;
  places.resize(builder->spec.records.size());
  return places[record];
}

Status CheckBoth(const stowage_builder* builder, uint64_t first,
                 uint64_t second) {
  if (Status s = CheckRecord(builder, first); !s.ok()) return s;
  return CheckRecord(builder, second);
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_builder_range(stowage_builder* builder, uint64_t record,
                                   uint64_t min, uint64_t max,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecord(builder, record);
    if (!s.ok()) return s;
    stowage::RecordPlace& place = c_api::PlaceOf(builder, record);
    place.min = min;
    place.max.reset();
    if (max != STOWAGE_NONE) place.max = max;
    return s;
  });
}

stowage_code stowage_builder_group(stowage_builder* builder, uint64_t record,
                                   uint32_t group, uint64_t at,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecord(builder, record);
    if (!s.ok()) return s;
    if (group == STOWAGE_NO_GROUP && at != 0) {
      return stowage::InvalidArgumentError(
          "group: STOWAGE_NO_GROUP with a displacement; expected 0 without a "
          "group");
    }
    stowage::RecordPlace& place = c_api::PlaceOf(builder, record);
    place.group = group;
    place.at = at;
    return s;
  });
}

stowage_code stowage_builder_groups_optional(stowage_builder* builder,
                                             uint32_t optional,
                                             stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) s = c_api::CheckFlag(optional, "optional");
    if (s.ok()) builder->spec.groups_are_optional = optional == 1;
    return s;
  });
}

stowage_code stowage_builder_group_word(stowage_builder* builder,
                                        const char* word,
                                        stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) s = c_api::CheckPointer(word, "word");
    if (s.ok()) builder->spec.constraints.group_word = word;
    return s;
  });
}

stowage_code stowage_builder_hole(stowage_builder* builder, uint64_t begin,
                                  uint64_t end, uint64_t first_task,
                                  uint64_t last_task, uint32_t pool,
                                  stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) {
      builder->spec.constraints.holes.push_back(
          {begin, end, first_task, last_task, pool});
    }
    return s;
  });
}

stowage_code stowage_builder_apart(stowage_builder* builder,
                                   const uint64_t* records, size_t count,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecords(builder, records, count);
    if (s.ok()) {
      builder->spec.constraints.apart.emplace_back(records, records + count);
    }
    return s;
  });
}

stowage_code stowage_builder_never(stowage_builder* builder, uint64_t first,
                                   uint64_t second, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckBoth(builder, first, second);
    if (s.ok()) builder->spec.constraints.never.emplace_back(first, second);
    return s;
  });
}

stowage_code stowage_builder_prefer_apart(stowage_builder* builder,
                                          uint64_t first, uint64_t second,
                                          uint64_t cost, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckBoth(builder, first, second);
    if (s.ok()) {
      builder->spec.constraints.prefer_apart.push_back({first, second, cost});
    }
    return s;
  });
}

stowage_code stowage_builder_same_or_apart(stowage_builder* builder,
                                           uint64_t first, uint64_t second,
                                           uint64_t copied,
                                           stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckBoth(builder, first, second);
    if (s.ok()) {
      builder->spec.constraints.same_or_apart.push_back(
          {first, second, copied});
    }
    return s;
  });
}

stowage_code stowage_builder_pool(stowage_builder* builder, const char* name,
                                  uint64_t capacity, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(builder, "builder");
    if (s.ok()) s = c_api::CheckPointer(name, "name");
    if (!s.ok()) return s;
    stowage::MemoryPool pool;
    pool.name = name;
    if (capacity != STOWAGE_NONE) pool.capacity = capacity;
    builder->spec.constraints.pools.push_back(pool);
    return s;
  });
}

stowage_code stowage_builder_choice(stowage_builder* builder, uint64_t record,
                                    uint32_t pool, uint64_t cost,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckRecord(builder, record);
    if (!s.ok()) return s;
    auto& choices = builder->spec.constraints.choices;
    choices.resize(builder->spec.records.size());
    choices[record].push_back({pool, cost});
    return s;
  });
}

}  // extern "C"
