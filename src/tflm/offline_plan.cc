// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/offline_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/micro/offline.h"
#include "stowage/micro/status.h"
#include "stowage/tflite/model_file.h"
#include "stowage/tflite/prepend_root.h"

namespace stowage {
namespace {

constexpr uint32_t kPlanVersion = 0;

void PutWord(uint32_t word, std::vector<uint8_t>* bytes) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes->push_back(static_cast<uint8_t>(word >> shift));
  }
}

std::vector<uint8_t> MetadataBytes(const OfflinePlan& plan) {
  std::vector<uint8_t> bytes;
  PutWord(kPlanVersion, &bytes);
  PutWord(static_cast<uint32_t>(plan.subgraphs), &bytes);
  PutWord(static_cast<uint32_t>(plan.offsets.size()), &bytes);
  for (const int32_t offset : plan.offsets) {
    PutWord(static_cast<uint32_t>(offset), &bytes);
  }
  return bytes;
}

bool HasPlan(const tflite::Model& model) {
  if (model.metadata() == nullptr) return false;
  return absl::c_any_of(*model.metadata(), [](const tflite::Metadata* entry) {
    return IsNamed(*entry, kOfflinePlanName);
  });
}

size_t CountTensors(const tflite::Model& model) {
  size_t count = 0;
  if (model.subgraphs() == nullptr) return 0;
  for (const tflite::SubGraph* graph : *model.subgraphs()) {
    if (graph->tensors() != nullptr) count += graph->tensors()->size();
  }
  return count;
}

// Returns the second half of an error message: what is wrong with the metadata,
// and what was expected instead.
absl::string_view WhyUnreadable(stowage_micro_status status) {
  switch (status) {
    case STOWAGE_MICRO_OFFLINE_TWICE:
      return "it occurs more than once; expected one";
    case STOWAGE_MICRO_OFFLINE_NO_BUFFER:
      return "its buffer does not exist; expected one of the model's";
    case STOWAGE_MICRO_OFFLINE_NO_DATA:
      return "its buffer has no data; expected words of 32 bits";
    case STOWAGE_MICRO_OFFLINE_EMPTY:
      return "it has 0 bytes; expected words of 32 bits";
    case STOWAGE_MICRO_OFFLINE_TRUNCATED:
      return "it is truncated; expected a version and two counts at least";
    case STOWAGE_MICRO_OFFLINE_ODD_BYTES:
      return "bytes follow its last whole word; expected words of 32 bits";
    case STOWAGE_MICRO_OFFLINE_SHORT:
      return "it has fewer offsets than it declares; expected as many";
    case STOWAGE_MICRO_OFFLINE_TRAILING:
      return "words follow the offsets; expected as many words as it declares";
    default:
      return "it cannot be reached; expected a valid flatbuffer";
  }
}

size_t CountSubgraphs(const tflite::Model& model) {
  return model.subgraphs() == nullptr ? 0 : model.subgraphs()->size();
}

// Returns the 32-bit word at `index` of the metadata. Requires that the
// metadata is readable.
int32_t MetadataWord(const tflite::Model& model, size_t index) {
  for (const tflite::Metadata* entry : *model.metadata()) {
    if (!IsNamed(*entry, kOfflinePlanName)) continue;
    const auto* const data = model.buffers()->Get(entry->buffer())->data();
    return flatbuffers::ReadScalar<int32_t>(data->data() +
                                            index * sizeof(int32_t));
  }
  return 0;
}

std::string Unreadable(stowage_micro_status status,
                       const tflite::Model& model) {
  switch (status) {
    case STOWAGE_MICRO_OFFLINE_VERSION:
      return absl::StrCat("it has version ", MetadataWord(model, 0),
                          "; expected version 0");
    case STOWAGE_MICRO_OFFLINE_SUBGRAPHS:
      return absl::StrCat("it is for ", MetadataWord(model, 1),
                          " subgraphs; expected ", CountSubgraphs(model),
                          ", as many as the model has");
    case STOWAGE_MICRO_OFFLINE_TOO_FEW:
    case STOWAGE_MICRO_OFFLINE_TOO_MANY:
      return absl::StrCat("it has ", MetadataWord(model, 2),
                          " offsets; expected ", CountTensors(model),
                          ", one for each tensor");
    default:
      return std::string(WhyUnreadable(status));
  }
}

}  // namespace

std::string OfflinePlanNote(const OfflinePlan& plan) {
  if (plan.subgraphs > 0) return "";
  return "the plan has 0, an index, instead of 1, the number of subgraphs; "
         "devices ignore it";
}

absl::StatusOr<absl::optional<OfflinePlan>> ReadOfflinePlan(
    absl::string_view model, absl::string_view name) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  // A file of more than 4 GiB has bytes after the flatbuffer. The plan is never
  // in those bytes, so they need not be searched.
  const size_t bytes = std::min<size_t>(model.size(), UINT32_MAX);
  stowage_micro_offline plan;
  const stowage_micro_status status = stowage_micro_offline_find(
      model.data(), static_cast<uint32_t>(bytes), &plan);
  if (status == STOWAGE_MICRO_OFFLINE_NOT_FOUND) {
    return absl::optional<OfflinePlan>();
  }
  if (status != STOWAGE_MICRO_OK) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": metadata ", kOfflinePlanName, ": ",
                     Unreadable(status, file->model())));
  }
  OfflinePlan result;
  result.subgraphs = static_cast<uint32_t>(MetadataWord(file->model(), 1));
  for (uint32_t i = 0; i < plan.count; ++i) {
    result.offsets.push_back(
        flatbuffers::ReadScalar<int32_t>(plan.offsets + i * sizeof(int32_t)));
  }
  return absl::optional<OfflinePlan>(std::move(result));
}

absl::StatusOr<std::string> AddOfflinePlan(absl::string_view model,
                                           absl::string_view name,
                                           const OfflinePlan& plan) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  const size_t tensors = CountTensors(file->model());
  if (plan.offsets.size() != tensors) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": a plan with ", plan.offsets.size(),
        " offsets; expected one for each of its ", tensors, " tensors"));
  }
  const std::vector<uint8_t> bytes = MetadataBytes(plan);
  const absl::StatusOr<std::string> prefix =
      PrefixOf(model, name, {kOfflinePlanName, bytes});
  if (!prefix.ok()) return prefix.status();
  std::string written = absl::StrCat(*prefix, model);
  // Reads the plan back from the new file, because the reader on the device
  // rejects some files that ModelFile accepts.
  const auto read = ReadOfflinePlan(written, name);
  if (!read.ok()) return read.status();
  return written;
}

absl::StatusOr<std::string> StripOfflinePlan(absl::string_view model,
                                             absl::string_view name) {
  // A file may contain several plans, because each plan may have been written
  // over an earlier one. Removing the latest plan would uncover the one before,
  // so this loop removes plans until none is left.
  while (const size_t bytes = PrefixBytes(model, kOfflinePlanName)) {
    model.remove_prefix(bytes);
  }
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  if (!HasPlan(file->model())) return std::string(model);
  const absl::StatusOr<std::string> prefix =
      PrefixOf(model, name, {kOfflinePlanName, absl::nullopt});
  if (!prefix.ok()) return prefix.status();
  return absl::StrCat(*prefix, model);
}

}  // namespace stowage
