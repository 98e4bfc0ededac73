// SPDX-License-Identifier: Apache-2.0
// Compares the verifier of shared objects, for every type of size, with a
// second verifier, which checks every pair of tensors.
#include <cstddef>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

template <typename TensorSizeT>
using RecordsOf = std::vector<TensorUsageRecord<TensorSizeT>>;

// Returns whether two tensors are live at the same task. Returns false if
// either tensor has no elements, because it then holds nothing that could be
// overwritten.
template <typename TensorSizeT>
bool ShareATask(const RecordsOf<TensorSizeT>& records, size_t i, size_t j) {
  if (*ElementCount(records[i].tensor_size) == 0) return false;
  if (*ElementCount(records[j].tensor_size) == 0) return false;
  return !(records[i].last_task < records[j].first_task ||
           records[j].last_task < records[i].first_task);
}

template <typename TensorSizeT>
bool IsSafe(const RecordsOf<TensorSizeT>& records,
            const ObjectsAssignment<TensorSizeT>& plan) {
  if (plan.object_ids.size() != records.size()) return false;
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t id = plan.object_ids[i];
    if (id >= plan.object_sizes.size()) return false;
    if (!Covers(plan.object_sizes[id], records[i].tensor_size)) return false;
    for (size_t j = 0; j < i; ++j) {
      if (plan.object_ids[j] == id && ShareATask(records, i, j)) return false;
    }
  }
  return true;
}

template <typename TensorSizeT>
bool IsGenuine(const RecordsOf<TensorSizeT>& records,
               const ObjectsAssignment<TensorSizeT>& plan, const Violation& v) {
  const auto is_live = [&](size_t i) {
    return records[i].first_task <= v.task && v.task <= records[i].last_task;
  };
  switch (v.kind) {
    case Violation::Kind::kCountMismatch:
      return v.found == plan.object_ids.size() &&
             v.expected == records.size() && v.found != v.expected;
    case Violation::Kind::kUnknownObject:
      return v.object == plan.object_ids[v.first_tensor] &&
             v.expected == plan.object_sizes.size() && v.object >= v.expected;
    case Violation::Kind::kObjectTooSmall:
      return v.object == plan.object_ids[v.first_tensor] &&
             !Covers(plan.object_sizes[v.object],
                     records[v.first_tensor].tensor_size);
    case Violation::Kind::kSharedObject:
      return v.first_tensor < v.second_tensor &&
             plan.object_ids[v.first_tensor] == v.object &&
             plan.object_ids[v.second_tensor] == v.object &&
             is_live(v.first_tensor) && is_live(v.second_tensor) &&
             ShareATask(records, v.first_tensor, v.second_tensor);
    default:
      return false;  // a plan of objects has no other kind of violation
  }
}

// Returns a plan that assigns each record to the first object that is free and
// large enough for it.
template <typename TensorSizeT>
ObjectsAssignment<TensorSizeT> FirstFit(const RecordsOf<TensorSizeT>& records) {
  ObjectsAssignment<TensorSizeT> plan;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto is_free = [&](size_t id) {
      for (size_t j = 0; j < i; ++j) {
        if (plan.object_ids[j] == id && ShareATask(records, i, j)) return false;
      }
      return Covers(plan.object_sizes[id], records[i].tensor_size);
    };
    size_t id = 0;
    while (id < plan.object_sizes.size() && !is_free(id)) ++id;
    if (id == plan.object_sizes.size()) {
      plan.object_sizes.push_back(records[i].tensor_size);
    }
    plan.object_ids.push_back(id);
  }
  return plan;
}

template <typename TensorSizeT>
void Break(ObjectsAssignment<TensorSizeT>* plan) {
  std::vector<size_t>& ids = plan->object_ids;
  const auto any = [&] { return *rc::gen::inRange<size_t>(0, ids.size()); };
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      std::swap(ids[any()], ids[any()]);
      return;
    case 1:
      ids[any()] = *rc::gen::inRange<size_t>(0, plan->object_sizes.size() + 1);
      return;
    case 2:
      plan->object_sizes[ids[any()] % plan->object_sizes.size()] =
          TensorSizeT{};
      return;
    case 3:
      ids.pop_back();
      return;
    case 4:
      ids[any()] = *rc::gen::elementOf(ids);
      return;
  }
}

template <typename TensorSizeT>
void Agree(const RecordsOf<TensorSizeT>& records) {
  ObjectsAssignment<TensorSizeT> plan = FirstFit(records);
  RC_ASSERT(IsSafe(records, plan));
  const int damages = *rc::gen::inRange(0, 3);
  for (int i = 0; i < damages && !plan.object_ids.empty(); ++i) Break(&plan);
  const bool safe = IsSafe(records, plan);
  RC_CLASSIFY(safe, "safe");
  RC_CLASSIFY(!safe, "unsafe");

  const auto violation = FindViolation(records, plan);
  RC_ASSERT(violation.has_value() == !safe);
  if (violation) {
    RC_LOG() << Describe(*violation);
    RC_ASSERT(IsGenuine(records, plan, *violation));
  }
}

RC_GTEST_PROP(VerifyObjectsPropertyTest, AgreesWithTheCheckOfEveryPair, ()) {
  Agree(*rc::gen::scale(0.5, testing::AnyRecords()));
}
RC_GTEST_PROP(VerifyObjectsPropertyTest, AgreesOn2DExtents, ()) {
  Agree(*testing::ExtentRecords<uint2>());
}
RC_GTEST_PROP(VerifyObjectsPropertyTest, AgreesOn3DExtents, ()) {
  Agree(*testing::ExtentRecords<uint3>());
}
RC_GTEST_PROP(VerifyObjectsPropertyTest, AgreesOnShapes, ()) {
  Agree(*testing::ExtentRecords<BHWC>());
}

}  // namespace
}  // namespace stowage
