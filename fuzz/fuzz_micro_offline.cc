// SPDX-License-Identifier: Apache-2.0
// Parses any bytes as a model with a plan, and as the plan itself. The parser
// must refuse the bytes with a reason, or agree with the library's reader of
// models and with a check that follows the definition.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "fuzz/model_input.h"
#include "fuzz/model_mutator.h"
#include "stowage/micro/offline.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

using Bytes = absl::Span<const uint8_t>;

constexpr uint32_t kMaxBuffers = 24;

uint32_t WordAt(Bytes bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 4; i > 0; --i) word = word << 8 | bytes[at + i - 1];
  return word;
}

// Returns the status that the definition of the format requires for metadata.
stowage_micro_status ExpectedStatus(Bytes data, uint32_t subgraphs,
                                    uint64_t tensors) {
  if (data.empty()) return STOWAGE_MICRO_OFFLINE_EMPTY;
  if (data.size() < 12) return STOWAGE_MICRO_OFFLINE_TRUNCATED;
  if (data.size() % 4 != 0) return STOWAGE_MICRO_OFFLINE_ODD_BYTES;
  if (WordAt(data, 0) != 0) return STOWAGE_MICRO_OFFLINE_VERSION;
  // Older writers store the index of the only subgraph here.
  const bool is_index = subgraphs == 1 && WordAt(data, 4) == 0;
  if (WordAt(data, 4) != subgraphs && !is_index) {
    return STOWAGE_MICRO_OFFLINE_SUBGRAPHS;
  }
  const uint32_t count = WordAt(data, 8);
  if (count < tensors) return STOWAGE_MICRO_OFFLINE_TOO_FEW;
  if (count > tensors) return STOWAGE_MICRO_OFFLINE_TOO_MANY;
  const size_t words = data.size() / 4 - 3;
  if (words < count) return STOWAGE_MICRO_OFFLINE_SHORT;
  return words == count ? STOWAGE_MICRO_OK : STOWAGE_MICRO_OFFLINE_TRAILING;
}

// Returns the status that is required for a model that the library's reader
// accepts.
stowage_micro_status ExpectedStatus(const Model& model) {
  const MetadataSpec* plan = nullptr;
  for (const MetadataSpec& metadata : model.metadata()) {
    if (metadata.name != "OfflineMemoryAllocation") continue;
    if (plan != nullptr) return STOWAGE_MICRO_OFFLINE_TWICE;
    plan = &metadata;
  }
  if (plan == nullptr) return STOWAGE_MICRO_OFFLINE_NOT_FOUND;
  uint64_t tensors = 0;
  for (const SubgraphSpec& graph : model.subgraphs()) {
    tensors += graph.tensors.size();
  }
  return ExpectedStatus(
      plan->data, static_cast<uint32_t>(model.subgraphs().size()), tensors);
}

void FuzzFile(Bytes bytes) {
  stowage_micro_offline plan = {nullptr, 7};
  const stowage_micro_status status = stowage_micro_offline_find(
      bytes.data(), static_cast<uint32_t>(bytes.size()), &plan);
  if (status == STOWAGE_MICRO_OK) {
    Check(plan.offsets >= bytes.data() &&
              plan.offsets + size_t{4} * plan.count <= bytes.end(),
          "a plan outside of its file");
  } else {
    Check(plan.offsets == nullptr && plan.count == 7, "a refusal wrote");
  }
  const std::unique_ptr<const Model> model =
      ParseModelInput(bytes.data(), bytes.size());
  if (model == nullptr) return;
  stowage_micro_status expected = ExpectedStatus(*model);
  // The library does not distinguish missing data from empty data, because both
  // are zero bytes.
  if (status == STOWAGE_MICRO_OFFLINE_NO_DATA &&
      expected == STOWAGE_MICRO_OFFLINE_EMPTY) {
    expected = status;
  }
  Check(status == expected, "a model, but another status");
}

std::vector<stowage_micro_buffer> AnyBuffers(Input* input, uint32_t count) {
  std::vector<stowage_micro_buffer> buffers(count);
  for (stowage_micro_buffer& buffer : buffers) {
    buffer.size = static_cast<uint32_t>(input->Number());
    buffer.first_task = static_cast<uint32_t>(input->UpTo(7));
    buffer.last_task = static_cast<uint32_t>(input->UpTo(7)) +
                       (input->UpTo(15) == 0 ? 0 : buffer.first_task);
    buffer.offset = 77;
  }
  return buffers;
}

// Returns the end of a buffer that begins at `offset`. Rounds the size of the
// buffer up to the alignment.
uint64_t EndOf(const stowage_micro_buffer& buffer, uint32_t offset,
               const stowage_micro_offline_rules& rules) {
  const uint64_t units =
      (uint64_t{buffer.size} + rules.alignment - 1) / rules.alignment;
  return offset + units * rules.alignment;
}

// Returns why buffer i cannot be at its offset in the plan, regardless of other
// buffers.
stowage_micro_status StatusOfOne(const stowage_micro_buffer& buffer,
                                 uint32_t offset,
                                 const stowage_micro_offline_rules& rules) {
  if (buffer.first_task > buffer.last_task) {
    return STOWAGE_MICRO_REVERSED_LIFETIME;
  }
  if (offset == STOWAGE_MICRO_UNPLACED) return STOWAGE_MICRO_OK;
  if (static_cast<int32_t>(offset) < 0) return STOWAGE_MICRO_OFFLINE_NEGATIVE;
  if (offset % rules.alignment != 0) return STOWAGE_MICRO_MISALIGNED_OFFSET;
  return EndOf(buffer, offset, rules) > rules.capacity
             ? STOWAGE_MICRO_CAPACITY_EXCEEDED
             : STOWAGE_MICRO_OK;
}

bool MayBeTogether(const std::vector<stowage_micro_buffer>& buffers,
                   const std::vector<uint32_t>& offsets, const uint8_t* custom,
                   size_t i, size_t j) {
  const stowage_micro_buffer& a = buffers[i];
  const stowage_micro_buffer& b = buffers[j];
  if (a.size == 0 || b.size == 0) return true;
  if (offsets[i] == STOWAGE_MICRO_UNPLACED ||
      offsets[j] == STOWAGE_MICRO_UNPLACED) {
    return true;
  }
  if (custom != nullptr && custom[i] != 0 && custom[i] == custom[j]) {
    return true;
  }
  return a.last_task < b.first_task || b.last_task < a.first_task ||
         uint64_t{offsets[i]} + a.size <= offsets[j] ||
         uint64_t{offsets[j]} + b.size <= offsets[i];
}

void CheckPlaced(const std::vector<stowage_micro_buffer>& buffers,
                 const std::vector<uint32_t>& offsets,
                 const stowage_micro_offline_rules& rules, uint32_t total) {
  uint64_t end = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const stowage_micro_buffer& it = buffers[i];
    Check(it.offset == (it.size == 0 ? 0 : offsets[i]), "another offset");
    if (it.size == 0) continue;
    Check(StatusOfOne(it, offsets[i], rules) == STOWAGE_MICRO_OK,
          "a bad offset");
    if (it.offset != STOWAGE_MICRO_UNPLACED) {
      end = std::max(end, EndOf(it, it.offset, rules));
    }
    for (size_t j = 0; j < i; ++j) {
      Check(MayBeTogether(buffers, offsets, rules.custom, j, i), "an overlap");
    }
  }
  Check(total == end, "another total");
}

void CheckRefused(const std::vector<stowage_micro_buffer>& buffers,
                  const std::vector<uint32_t>& offsets,
                  const stowage_micro_offline_rules& rules,
                  stowage_micro_status status, const uint32_t* witness) {
  for (const stowage_micro_buffer& it : buffers) {
    Check(it.offset == 77, "a refusal wrote");
  }
  const uint32_t i = witness[0];
  const uint32_t j = witness[1];
  Check(i <= j && j < buffers.size(), "a witness that is none");
  if (status == STOWAGE_MICRO_OVERLAP) {
    Check(i != j && !MayBeTogether(buffers, offsets, rules.custom, i, j),
          "no overlap");
  } else {
    Check(i == j && StatusOfOne(buffers[i], offsets[i], rules) == status,
          "another status");
  }
}

void FuzzPlace(Input* input) {
  const auto count = static_cast<uint32_t>(input->UpTo(kMaxBuffers));
  std::vector<stowage_micro_buffer> buffers = AnyBuffers(input, count);
  std::vector<uint8_t> words = {0, 0, 0, 0, 1, 0, 0, 0};
  std::vector<uint32_t> offsets;
  const auto add_word = [&](uint32_t word) {
    for (int shift = 0; shift < 32; shift += 8) {
      words.push_back(static_cast<uint8_t>(word >> shift));
    }
  };
  add_word(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t kind = input->Byte();
    const auto number = static_cast<uint32_t>(input->Number());
    offsets.push_back(kind % 4 == 0 ? STOWAGE_MICRO_UNPLACED
                      : kind < 224  ? number % 64 * 16
                                    : number);
    add_word(offsets.back());
  }
  std::vector<uint8_t> custom(count);
  for (uint8_t& it : custom) it = static_cast<uint8_t>(input->UpTo(2));
  const stowage_micro_offline_rules rules = {
      1u << input->UpTo(6),
      input->Flag() ? UINT32_MAX : static_cast<uint32_t>(input->Number()),
      input->Flag() ? custom.data() : nullptr};

  stowage_micro_offline plan = {};
  Check(stowage_micro_offline_read(words.data(),
                                   static_cast<uint32_t>(words.size()), 1,
                                   count, &plan) == STOWAGE_MICRO_OK,
        "a sound plan is refused");
  uint32_t total = 0;
  uint32_t witness[2] = {};
  const stowage_micro_status status = stowage_micro_offline_place(
      &plan, buffers.data(), count, &rules, &total, witness);
  if (status == STOWAGE_MICRO_OK) {
    CheckPlaced(buffers, offsets, rules, total);
  } else {
    CheckRefused(buffers, offsets, rules, status, witness);
  }
}

void FuzzMetadata(Bytes bytes) {
  Input input(bytes.data(), bytes.size());
  const auto subgraphs = static_cast<uint32_t>(input.Number());
  const auto tensors = static_cast<uint32_t>(input.Number());
  stowage_micro_offline plan = {};
  Check(stowage_micro_offline_read(
            bytes.data(), static_cast<uint32_t>(bytes.size()), subgraphs,
            tensors, &plan) == ExpectedStatus(bytes, subgraphs, tensors),
        "metadata, but another status");
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const stowage::Bytes bytes(data, size);
  stowage::FuzzFile(bytes);
  if (size > 0) stowage::FuzzMetadata(bytes);
  stowage::Input input(data, size);
  stowage::FuzzPlace(&input);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return stowage::MutateModelOrBytes(data, size, max_size, seed, 2);
}
