// SPDX-License-Identifier: Apache-2.0
#include "stowage/verify.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/plans.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/c/verify.h"
#include "stowage/problem.h"

namespace stowage::c_api {
namespace {

stowage_violation ViolationInC(const Violation& violation) {
  stowage_violation out = {};
  out.kind = static_cast<uint32_t>(violation.kind) + 1;
  out.first_tensor = violation.first_tensor;
  out.second_tensor = violation.second_tensor;
  out.task = violation.task;
  out.begin = violation.begin;
  out.end = violation.end;
  out.object = violation.object;
  out.hole = violation.hole;
  out.pool = violation.pool;
  out.second_task = violation.second_task;
  out.third_task = violation.third_task;
  out.expected = violation.expected;
  out.found = violation.found;
  return out;
}

// Verifies a plan. Writes the violation to *out unless `out` is null.
Status VerifyPlan(const Problem& problem, const stowage_plan* plan,
                  stowage_violation* out) {
  Status s = out == nullptr ? OkStatus() : CheckSized(out, "violation");
  if (!s.ok()) return s;
  const auto given = SolutionOf(problem, plan);
  if (!given.ok()) return given.status();
  s = Verify(problem, *given);
  const optional<Violation> violation = ViolationOf(s);
  if (out != nullptr && (s.ok() || violation)) {
    WriteSized(violation ? ViolationInC(*violation) : stowage_violation(), out);
  }
  return s;
}

Status VerifyOffsets(const stowage_record* records, size_t count,
                     uint64_t alignment, const uint64_t* offsets,
                     uint64_t total, stowage_violation* violation) {
  Status s = CheckArray(records, count, "records");
  if (s.ok()) s = CheckArray(offsets, count, "offsets");
  if (!s.ok()) return s;
  ProblemSpec spec;
  spec.records = RecordsOf(records, count);
  spec.alignment = alignment;
  const auto problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  stowage_plan plan = {};
  plan.struct_size = sizeof(plan);
  plan.count = count;
  plan.offsets = offsets;
  plan.total_size = total;
  return VerifyPlan(*problem, &plan, violation);
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

stowage_code stowage_verify(const stowage_problem* problem,
                            const stowage_plan* plan,
                            stowage_violation* violation,
                            stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckHandle(problem, "problem");
    return s.ok() ? c_api::VerifyPlan(problem->problem, plan, violation) : s;
  });
}

stowage_code stowage_verify_offsets(const stowage_record* records, size_t count,
                                    uint64_t alignment, const uint64_t* offsets,
                                    uint64_t total,
                                    stowage_violation* violation,
                                    stowage_error* error) {
  return c_api::AtBorder(error, [&] {
    return c_api::VerifyOffsets(records, count, alignment, offsets, total,
                                violation);
  });
}

}  // extern "C"
