// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as a model that contains a plan. The functions that read,
// check, write and remove the plan must keep their promises.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/model_input.h"
#include "fuzz/model_mutator.h"
#include "stowage/assignment.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

bool IsExpected(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status);
}

// Checks with the library's verifier a plan that was found to be sound.
void CheckSound(const OfflineVerdict& verdict) {
  std::vector<TensorUsageRecord<size_t>> records;
  OffsetsAssignment plan;
  plan.total_size = *verdict.head_bytes;
  for (const OfflineBuffer& buffer : verdict.buffers) {
    records.push_back(buffer.buffer.record);
    plan.offsets.push_back(buffer.offset);
    if (buffer.given) {
      Check(*buffer.given == static_cast<int64_t>(buffer.offset), "moved");
    }
  }
  if (!verdict.overlaps().empty()) return;
  const absl::optional<Violation> violation =
      FindViolation(records, plan, Alignments(kMicroAlignment));
  Check(!violation, violation ? Describe(*violation) : "");
}

void CheckVerdict(const Model& model, const absl::optional<OfflinePlan>& plan,
                  bool allow_custom_overlap) {
  OfflineCheckOptions options;
  options.allow_custom_overlap = allow_custom_overlap;
  const auto verdict = CheckOfflinePlan(model, plan, options);
  if (!verdict.ok()) {
    Check(IsExpected(verdict.status()), verdict.status().ToString());
    return;
  }
  Check(verdict->head_bytes.has_value() == verdict->violations.empty(),
        "a head of a plan that is not sound");
  for (const OfflineViolation& violation : verdict->violations) {
    Describe(model, *verdict, violation);
  }
  if (verdict->head_bytes) CheckSound(*verdict);
}

void CheckWriting(const Model& model) {
  const auto planning = PlanOffline(model, "micro_first_fit");
  if (!planning.ok()) {
    Check(IsExpected(planning.status()), planning.status().ToString());
    return;
  }
  CheckVerdict(model, planning->plan, false);
  const auto file = AddOfflinePlan(model.bytes(), "fuzz", planning->plan);
  if (!file.ok()) {
    Check(absl::IsInvalidArgument(file.status()), file.status().ToString());
    return;
  }
  Check(absl::EndsWith(*file, model.bytes()), "the old file has changed");
  const auto plan = ReadOfflinePlan(*file, "fuzz");
  Check(plan.ok() && plan->has_value(), plan.status().ToString());
  Check((*plan)->offsets == planning->plan.offsets, "another plan");
  Check(Model::Parse(*file, "fuzz").ok(), "no longer a model");
  const auto stripped = StripOfflinePlan(*file, "fuzz");
  Check(stripped.ok(), stripped.status().ToString());
  Check(absl::EndsWith(model.bytes(), *stripped) ||
            absl::EndsWith(*stripped, model.bytes()),
        "not the model as it was");
  const auto none = ReadOfflinePlan(*stripped, "fuzz");
  // `none` may be an error, because devices refuse some files that flatbuffers
  // accepts.
  Check(!none.ok() || !none->has_value(), "still a plan");
}

void Fuzz(absl::string_view bytes) {
  const auto plan = ReadOfflinePlan(bytes, "fuzz");
  if (!plan.ok()) {
    Check(absl::IsInvalidArgument(plan.status()), plan.status().ToString());
  }
  const std::unique_ptr<const Model> model = ParseModelInput(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (model == nullptr) return;
  if (plan.ok()) {
    CheckVerdict(*model, *plan, false);
    CheckVerdict(*model, *plan, true);
  }
  CheckWriting(*model);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Usually changes bytes instead of the model, because packing the changed model
// would lose the position of the plan.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return stowage::MutateModelOrBytes(data, size, max_size, seed, 4);
}
