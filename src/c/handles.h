// SPDX-License-Identifier: Apache-2.0
// Defines the types behind the handles of the C interface.
#ifndef STOWAGE_SRC_C_HANDLES_H_
#define STOWAGE_SRC_C_HANDLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/c/cache.h"
#include "stowage/c/dynamic.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"
#include "stowage/c/verify.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/dynamic/stack_table.h"
#include "stowage/io/problem_file.h"
#include "stowage/plan_cache.h"
#include "stowage/problem.h"
#include "stowage/replan.h"
#include "stowage/solution.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::c_api {

// The first member of every handle. It stores the kind of the handle. The
// destructor erases the kind, so the use of a freed handle is usually detected.
class HandleTag {
 public:
  explicit HandleTag(uint32_t kind) : kind_(kind) {}
  ~HandleTag() { kind_.store(0, std::memory_order_relaxed); }
  HandleTag(const HandleTag&) = delete;
  HandleTag& operator=(const HandleTag&) = delete;

  bool Is(uint32_t kind) const {
    return kind_.load(std::memory_order_relaxed) == kind;
  }

 private:
  std::atomic<uint32_t> kind_;
};

// Returns whether `handle` points to a handle of its type. Allocates nothing.
template <typename Handle>
bool IsHandle(const Handle* handle) {
  return handle != nullptr && handle->tag.Is(Handle::kKind);
}

// Checks that `handle` points to a handle of its type. Error: InvalidArgument.
template <typename Handle>
Status CheckHandle(const Handle* handle, string_view name) {
  if (handle == nullptr) {
    return InvalidArgumentError(StrCat(name, ": null; expected a handle"));
  }
  if (IsHandle(handle)) return OkStatus();
  return InvalidArgumentError(
      StrCat(name, ": a handle of another kind, or one that was freed"));
}

// Where a builder gets the order of its tasks from.
enum class OrderKind {
  kSequence,  // the intervals of the records give the order
  kEdges,
  kStreams,
  kFree,
  kFromFile,  // Constraints::order already has the order
};

}  // namespace stowage::c_api

struct stowage_builder {
  static constexpr uint32_t kKind = 0x53744275;
  stowage::c_api::HandleTag tag{kKind};
  // The problem without the order of its tasks and the users of its records.
  // The fields below hold these two until the problem is created.
  stowage::ProblemSpec spec;
  bool has_records = false;
  stowage::c_api::OrderKind order = stowage::c_api::OrderKind::kSequence;
  size_t tasks = 0;
  std::vector<stowage::TaskEdge> edges;
  std::vector<std::vector<stowage::TaskId>> streams;
  // The users of each record; may be empty.
  std::vector<std::vector<stowage::TaskId>> users;
};

struct stowage_problem {
  static constexpr uint32_t kKind = 0x53745072;
  explicit stowage_problem(stowage::Problem checked)
      : problem(std::move(checked)) {}
  stowage::c_api::HandleTag tag{kKind};
  stowage::Problem problem;
};

struct stowage_solution {
  static constexpr uint32_t kKind = 0x5374536f;
  stowage_solution(stowage::Problem solved,
                   std::shared_ptr<const stowage::Solution> found);
  explicit stowage_solution(std::shared_ptr<const stowage::Replanned> changed);
  stowage::c_api::HandleTag tag{kKind};
  stowage::Problem problem;  // the problem that was solved
  std::shared_ptr<const stowage::Solution> solution;
  std::vector<stowage_place> places;  // the places of the solution
  // The result of stowage_replan(), which owns `solution`. Null if another
  // function has made the solution.
  std::shared_ptr<const stowage::Replanned> replanned;
};

struct stowage_cancel_token {
  static constexpr uint32_t kKind = 0x53744361;
  stowage::c_api::HandleTag tag{kKind};
  // Shared: a search keeps a copy of this pointer, so a callback may free the
  // token.
  std::shared_ptr<std::atomic<bool>> is_cancelled =
      std::make_shared<std::atomic<bool>>(false);
};
static_assert(std::atomic<bool>::is_always_lock_free,
              "signal handlers cancel searches");

struct stowage_plan_cache {
  static constexpr uint32_t kKind = 0x53744368;
  stowage_plan_cache(size_t max_bytes, const char* strategy)
      : plans(std::make_shared<stowage::PlanCache>(max_bytes, strategy)) {}
  stowage::c_api::HandleTag tag{kKind};
  // Shared: a call keeps a copy of this pointer, so a callback may free the
  // cache.
  std::shared_ptr<stowage::PlanCache> plans;
};

struct stowage_file {
  static constexpr uint32_t kKind = 0x53744669;
  explicit stowage_file(stowage::ProblemFile read);
  stowage::c_api::HandleTag tag{kKind};
  stowage::ProblemFile file;
  stowage::StatusOr<stowage::OffsetsAssignment> offsets;
  stowage::StatusOr<stowage::ObjectsAssignment<size_t>> objects;
};

struct stowage_stack {
  static constexpr uint32_t kKind = 0x5374536b;
  explicit stowage_stack(stowage::DynamicPlan made)
      : plan(std::move(made.stack)),
        table(stowage::EncodeStack(plan)),
        reserve(made.reserve),
        bound(made.reserve_bound),
        status(made.status) {}
  stowage::c_api::HandleTag tag{kKind};
  stowage::StackPlan plan;
  stowage::StatusOr<std::vector<uint8_t>> table;
  uint64_t reserve;
  uint64_t bound;
  stowage::SolutionStatus status;
};

struct stowage_dynamic {
  static constexpr uint32_t kKind = 0x53744479;
  stowage_dynamic(stowage::DynamicProblem checked, stowage::DynamicFile read)
      : problem(std::move(checked)), file(std::move(read)) {}
  stowage::c_api::HandleTag tag{kKind};
  stowage::DynamicProblem problem;
  stowage::DynamicFile file;
};

#endif  // STOWAGE_SRC_C_HANDLES_H_
