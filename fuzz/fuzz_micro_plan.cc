// SPDX-License-Identifier: Apache-2.0
// Calls the planner for microcontrollers with any records, workspaces and
// alignments. If the planner refuses, it must leave the records unchanged.
// Otherwise its own checker and the library's verifier must accept the plan,
// and the library's strategy must make the same plan. The planner must not
// write outside of the arrays.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "stowage/assignment.h"
#include "stowage/micro/plan.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/support/plan_request.h"

namespace stowage {
namespace {

using Buffers = std::vector<stowage_micro_buffer>;

constexpr size_t kMaxBuffers = 40;
constexpr uint32_t kGuard = 0xABCDEF01;

struct Request {
  Buffers buffers;
  uint32_t count = 0;
  uint32_t alignment = 1;
  std::vector<uint32_t> workspace;  // between two guards
  size_t skipped_bytes = 0;         // bytes skipped at its start
  uint32_t workspace_bytes = 0;
  bool has_workspace = true;
};

uint32_t TakeWord(Input* input) {
  return static_cast<uint32_t>(input->Number());
}

Request TakeRequest(Input* input) {
  Request request;
  const uint8_t asks = input->Byte();
  request.alignment =
      (asks & 7) == 7 ? TakeWord(input) : uint32_t{1} << (asks & 7);
  request.buffers.resize(input->UpTo(kMaxBuffers));
  for (stowage_micro_buffer& buffer : request.buffers) {
    const uint8_t kind = input->Byte();
    const uint32_t size = TakeWord(input);
    const uint32_t first = TakeWord(input);
    buffer = {size, first, first + TakeWord(input), STOWAGE_MICRO_UNPLACED};
    if ((kind & 3) == 1) buffer.offset = TakeWord(input) * request.alignment;
    if (kind == 0xFF) buffer.offset = TakeWord(input);
  }
  request.count = static_cast<uint32_t>(request.buffers.size());
  request.workspace_bytes = STOWAGE_MICRO_WORKSPACE_BYTES(request.count);
  // In some inputs the workspace violates its requirements.
  const uint8_t fault = asks >> 3;
  if (fault == 1) request.has_workspace = false;
  if (fault == 2) request.skipped_bytes = 1 + input->UpTo(2);
  if (fault == 3 && request.count > 0) --request.workspace_bytes;
  if (fault == 4) {
    request.count = STOWAGE_MICRO_MAX_BUFFERS + 1 + TakeWord(input) / 2;
  }
  request.workspace.assign(request.buffers.size() + 3, kGuard);
  return request;
}

bool AreEqual(const Buffers& a, const Buffers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) {
                      return x.size == y.size && x.first_task == y.first_task &&
                             x.last_task == y.last_task && x.offset == y.offset;
                    });
}

struct Outcome {
  stowage_micro_status status;
  Buffers buffers;
  uint32_t total = 7;
};

Outcome Call(decltype(stowage_micro_plan)* plan, const Request& request) {
  Outcome outcome = {STOWAGE_MICRO_OK, request.buffers};
  std::vector<uint32_t> workspace = request.workspace;
  auto* const first = reinterpret_cast<unsigned char*>(&workspace[1]);
  outcome.status =
      plan(outcome.buffers.data(), request.count, request.alignment,
           request.has_workspace ? first + request.skipped_bytes : nullptr,
           request.workspace_bytes, &outcome.total);
  Check(workspace.front() == kGuard &&
            workspace[request.buffers.size() + 1] == kGuard,
        "guards of the workspace are written");
  if (outcome.status != STOWAGE_MICRO_OK) {
    Check(AreEqual(outcome.buffers, request.buffers) && outcome.total == 7,
          absl::StrCat("refused with ", outcome.status, ", but changed"));
    return outcome;
  }
  Buffers unplanned = outcome.buffers;
  stowage_micro_unplan(unplanned.data(), request.count, first);
  Check(AreEqual(unplanned, request.buffers), "unplanned is not as before");
  return outcome;
}

std::vector<ByteRecord> RecordsOf(const Buffers& buffers) {
  std::vector<ByteRecord> records;
  for (const stowage_micro_buffer& buffer : buffers) {
    records.emplace_back(buffer.size, buffer.first_task, buffer.last_task);
  }
  return records;
}

void CheckPlan(const Request& request, const Outcome& outcome) {
  uint32_t witness[2] = {};
  Check(stowage_micro_check(outcome.buffers.data(), request.count,
                            request.alignment, outcome.total,
                            witness) == STOWAGE_MICRO_OK,
        absl::StrCat("the checker refuses buffers ", witness[0], " and ",
                     witness[1]));
  OffsetsAssignment assignment;
  for (const stowage_micro_buffer& buffer : outcome.buffers) {
    assignment.offsets.push_back(buffer.offset);
  }
  assignment.total_size = outcome.total;
  const auto violation = FindViolation(RecordsOf(outcome.buffers), assignment,
                                       size_t{request.alignment});
  Check(!violation, violation ? Describe(*violation) : "");
}

// Checks that the library's strategy makes the same plan. Skips the check if
// the strategy's 64-bit sums do not fit 32 bits.
void CheckAgainstStrategy(const Request& request, const Outcome& outcome) {
  std::vector<absl::optional<size_t>> fixed(request.buffers.size());
  for (size_t i = 0; i < fixed.size(); ++i) {
    const uint32_t offset = request.buffers[i].offset;
    if (offset != STOWAGE_MICRO_UNPLACED) fixed[i] = offset;
  }
  support::PlanRequest asked;
  asked.strategy = "micro_first_fit";
  asked.alignments = size_t{request.alignment};
  asked.fixed_offsets = fixed;
  const auto plan = support::Plan(RecordsOf(request.buffers), asked);
  if (outcome.status != STOWAGE_MICRO_OK) {
    Check(!plan.ok() || !plan->has_plan() ||
              outcome.status == STOWAGE_MICRO_OVERFLOW,
          absl::StrCat("only ours refuses, with ", outcome.status));
    return;
  }
  Check(plan.ok(), "only the strategy refuses: " + plan.status().ToString());
  Check(plan->has_plan(), "only the strategy has no plan: " + plan->reason);
  for (size_t i = 0; i < outcome.buffers.size(); ++i) {
    Check(plan->offsets()->offsets[i] == outcome.buffers[i].offset,
          absl::StrCat("buffer ", i, " lies elsewhere than by the strategy"));
  }
  Check(plan->total_size == outcome.total, "another total");
}

void Fuzz(Input* input) {
  const Request request = TakeRequest(input);
  const Outcome outcome = Call(stowage_micro_plan, request);
  const Outcome best = Call(stowage_micro_plan_best, request);
  const bool is_refused = outcome.status != STOWAGE_MICRO_OK;
  if (is_refused && outcome.status != STOWAGE_MICRO_OVERFLOW) {
    Check(best.status == outcome.status, "the best plan is refused otherwise");
  } else if (!is_refused) {
    Check(best.status == STOWAGE_MICRO_OK && best.total <= outcome.total,
          "the best plan is larger");
    CheckPlan(request, outcome);
  }
  if (best.status == STOWAGE_MICRO_OK) CheckPlan(request, best);
  const bool is_called_well = outcome.status != STOWAGE_MICRO_BAD_WORKSPACE &&
                              outcome.status != STOWAGE_MICRO_BAD_ALIGNMENT &&
                              outcome.status != STOWAGE_MICRO_TOO_MANY_BUFFERS;
  if (is_called_well) CheckAgainstStrategy(request, outcome);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::Fuzz(&input);
  return 0;
}
