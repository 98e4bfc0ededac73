// SPDX-License-Identifier: Apache-2.0
// Implements the functions of stowage/c/dynamic.h, which plan for sizes that
// are known only at run time.
#include "stowage/c/dynamic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/usage_record.h"

namespace stowage::c_api {
namespace {

// Returns a plan with a stack of these records and nothing else.
StatusOr<DynamicPlan> StackOf(const stowage_record* records, size_t count,
                              uint64_t alignment, const uint64_t* order) {
  Status s = CheckArray(records, count, "records");
  if (s.ok()) s = CheckArray(order, count, "order");
  if (!s.ok()) return s;
  std::vector<ByteRecord> list;
  list.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    list.emplace_back(0, records[i].first_task, records[i].last_task);
  }
  s = CheckUsageRecords(MakeConstSpan(list));
  if (!s.ok()) return s;
  StatusOr<StackPlan> stack =
      StackPlan::Create(MakeConstSpan(list), alignment,
                        std::vector<size_t>(order, order + count));
  if (!stack.ok()) return stack.status();
  DynamicPlan plan;
  plan.stack = *std::move(stack);
  plan.reserve = STOWAGE_NONE;
  plan.reserve_bound = STOWAGE_NONE;
  return plan;
}

Status HandOver(StatusOr<DynamicPlan> plan, stowage_stack** stack) {
  if (!plan.ok()) return plan.status();
  *stack = new stowage_stack(*std::move(plan));
  return OkStatus();
}

stowage_stack_info InfoOf(const stowage_stack& stack) {
  stowage_stack_info info = {};
  info.status = static_cast<uint32_t>(stack.status);
  info.count = stack.plan.size();
  info.edges = stack.plan.edges();
  info.order = stack.plan.order().data();
  info.reserve = stack.reserve;
  info.bound = stack.bound;
  return info;
}

// Checks a list that must have one entry per record.
Status CheckPerRecord(const void* list, size_t count, size_t records,
                      string_view name) {
  if (count != records) {
    return InvalidArgumentError(StrCat("count: ", count, "; expected ", records,
                                       ", the number of records"));
  }
  return CheckArray(list, count, name);
}

Status WriteOffsets(const stowage_stack* stack, const uint64_t* sizes,
                    size_t count, uint64_t* offsets, uint64_t* total) {
  Status s = CheckHandle(stack, "stack");
  if (!s.ok()) return s;
  s = CheckPerRecord(sizes, count, stack->plan.size(), "sizes");
  if (s.ok()) s = CheckPerRecord(offsets, count, count, "offsets");
  if (s.ok()) s = CheckPointer(total, "total");
  if (!s.ok()) return s;
  const StatusOr<size_t> height = stack->plan.Offsets(
      Span<const size_t>(sizes, count), Span<size_t>(offsets, count));
  if (height.ok()) *total = *height;
  return height.status();
}

Status Parse(const char* text, size_t size, const char* name,
             stowage_dynamic** dynamic) {
  Status s = CheckArray(text, size, "text");
  if (s.ok()) s = CheckPointer(name, "name");
  if (s.ok()) s = CheckPointer(dynamic, "dynamic");
  if (!s.ok()) return s;
  DynamicFile file;
  StatusOr<DynamicProblem> problem =
      ReadDynamicProblem(string_view(size == 0 ? "" : text, size), name, &file);
  if (!problem.ok()) return problem.status();
  *dynamic = new stowage_dynamic(*std::move(problem), std::move(file));
  return s;
}

Status WriteSizes(const stowage_dynamic* dynamic, const char* at,
                  uint64_t* sizes, size_t count) {
  Status s = CheckHandle(dynamic, "dynamic");
  if (s.ok()) s = CheckPointer(at, "at");
  if (s.ok()) {
    s = CheckPerRecord(sizes, count, dynamic->problem.size(), "sizes");
  }
  if (!s.ok()) return s;
  const StatusOr<ParameterValues> values = dynamic->problem.ParseValues(at);
  if (!values.ok()) return values.status();
  const StatusOr<std::vector<size_t>> found = dynamic->problem.SizesAt(*values);
  if (!found.ok()) return found.status();
  std::copy(found->begin(), found->end(), sizes);
  return s;
}

Status Plan(const stowage_dynamic* dynamic, uint64_t max_orders,
            stowage_stack** stack) {
  Status s = CheckHandle(dynamic, "dynamic");
  if (s.ok()) s = CheckPointer(stack, "stack");
  if (!s.ok()) return s;
  DynamicOptions options;
  if (max_orders != STOWAGE_NONE) options.max_orders = max_orders;
  return HandOver(PlanForAllValues(dynamic->problem, options), stack);
}

Status StackInFile(const stowage_dynamic* dynamic, stowage_stack** stack) {
  Status s = CheckHandle(dynamic, "dynamic");
  if (s.ok()) s = CheckPointer(stack, "stack");
  if (!s.ok()) return s;
  if (dynamic->file.order.empty() && dynamic->problem.size() > 0) {
    return FailedPreconditionError(
        "the problem has no order; expected the field stack in its text, or "
        "stowage_dynamic_plan()");
  }
  return HandOver(EvaluateOrder(dynamic->problem, dynamic->file.order), stack);
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_stack_create(const stowage_record* records, size_t count,
                                  uint64_t alignment, const uint64_t* order,
                                  stowage_stack** stack, stowage_error* error) {
  if (stack != nullptr) *stack = nullptr;
  return c_api::AtBorder(error, [&] {
    const stowage::Status s = c_api::CheckPointer(stack, "stack");
    return s.ok() ? c_api::HandOver(
                        c_api::StackOf(records, count, alignment, order), stack)
                  : s;
  });
}

void stowage_stack_free(stowage_stack* stack) { delete stack; }

stowage_code stowage_stack_get_info(const stowage_stack* stack,
                                    stowage_stack_info* info,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(stack, "stack");
    if (s.ok()) s = c_api::CheckSized(info, "info");
    if (s.ok()) c_api::WriteSized(c_api::InfoOf(*stack), info);
    return s;
  });
}

stowage_code stowage_stack_offsets(const stowage_stack* stack,
                                   const uint64_t* sizes, size_t count,
                                   uint64_t* offsets, uint64_t* total,
                                   stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    return c_api::WriteOffsets(stack, sizes, count, offsets, total);
  });
}

stowage_code stowage_stack_table(const stowage_stack* stack,
                                 const uint8_t** table, size_t* size,
                                 stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(stack, "stack");
    if (s.ok()) s = c_api::CheckPointer(table, "table");
    if (s.ok()) s = c_api::CheckPointer(size, "size");
    if (s.ok()) s = stack->table.status();
    if (!s.ok()) return s;
    *table = stack->table->data();
    *size = stack->table->size();
    return s;
  });
}

stowage_code stowage_dynamic_parse(const char* text, size_t size,
                                   const char* name, stowage_dynamic** dynamic,
                                   stowage_error* error) {
  if (dynamic != nullptr) *dynamic = nullptr;
  return c_api::AtBorder(
      error, [&] { return c_api::Parse(text, size, name, dynamic); });
}

void stowage_dynamic_free(stowage_dynamic* dynamic) { delete dynamic; }

stowage_code stowage_dynamic_count(const stowage_dynamic* dynamic,
                                   uint64_t* count, stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(dynamic, "dynamic");
    if (s.ok()) s = c_api::CheckPointer(count, "count");
    if (s.ok()) *count = dynamic->problem.size();
    return s;
  });
}

stowage_code stowage_dynamic_sizes(const stowage_dynamic* dynamic,
                                   const char* at, uint64_t* sizes,
                                   size_t count, stowage_error* error) {
  return c_api::AtBorder(
      error, [&] { return c_api::WriteSizes(dynamic, at, sizes, count); });
}

stowage_code stowage_dynamic_plan(const stowage_dynamic* dynamic,
                                  uint64_t max_orders, stowage_stack** stack,
                                  stowage_error* error) {
  if (stack != nullptr) *stack = nullptr;
  return c_api::AtBorder(
      error, [&] { return c_api::Plan(dynamic, max_orders, stack); });
}

stowage_code stowage_dynamic_stack(const stowage_dynamic* dynamic,
                                   stowage_stack** stack,
                                   stowage_error* error) {
  if (stack != nullptr) *stack = nullptr;
  return c_api::AtBorder(error,
                         [&] { return c_api::StackInFile(dynamic, stack); });
}

}  // extern "C"
