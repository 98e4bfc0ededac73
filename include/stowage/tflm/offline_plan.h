// SPDX-License-Identifier: Apache-2.0
// A plan that travels inside a model: the metadata "OfflineMemoryAllocation" of
// TensorFlow Lite Micro, with an offset for every tensor. To plan a model and
// to check the plan of one use harness/offline.h; to read one on the device,
// micro/offline.h.
//
//   absl::StatusOr<absl::optional<OfflinePlan>> plan =
//       ReadOfflinePlan(bytes, "net.tflite");
//   absl::StatusOr<std::string> file =
//       AddOfflinePlan(bytes, "net.tflite", **plan);
//
// The metadata are words of 32 bits, little-endian: version 0, the number of
// subgraphs, the number of tensors, and an offset for each tensor of all
// subgraphs in turn, constants included.
#ifndef STOWAGE_TFLM_OFFLINE_PLAN_H_
#define STOWAGE_TFLM_OFFLINE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage {

inline constexpr absl::string_view kOfflinePlanName = "OfflineMemoryAllocation";

// In the place of an offset: the device places the tensor when it loads the
// model. Entries of constants mean nothing, and are written so.
inline constexpr int32_t kPlacedOnDevice = -1;

struct OfflinePlan {
  // The value in the metadata: the number of subgraphs, or 0 where an older
  // writer has put the index of the only one.
  size_t subgraphs = 1;
  // Bytes from the start of the arena. Any value can stand in a file.
  std::vector<int32_t> offsets;
};

// Says in one phrase what is odd about a plan though it is accepted: that an
// index is in the place of the number of subgraphs. Nothing for other plans.
std::string OfflinePlanNote(const OfflinePlan& plan);

// The plan of a model, or none if it has none. `name` stands for the file in
// messages. Error: InvalidArgument for what is not a model, and for metadata
// that cannot be read: truncated, with more or fewer words than they say, of
// another version, there more than once, or for another number of tensors or
// subgraphs than the model has. Of a model with one subgraph 0 is accepted for
// that number: devices ignore it, and older writers put the index of the
// subgraph there. The offsets are not checked. O(bytes).
absl::StatusOr<absl::optional<OfflinePlan>> ReadOfflinePlan(
    absl::string_view model, absl::string_view name);

// The bytes of a file with the plan, in the place of any that `model` has:
// new metadata and then `model` as it is, so that weights keep bytes and
// alignment and tables keep what our schema does not know. A zip archive that
// follows the model stays readable to programs that look for its end. Error:
// InvalidArgument for what is not a model, if there is not one offset for each
// tensor, for a root with unknown fields, for buffers that lie outside the
// flatbuffer, if the file would be too large for the format, and if a device
// could not read the plan. O(bytes).
absl::StatusOr<std::string> AddOfflinePlan(absl::string_view model,
                                           absl::string_view name,
                                           const OfflinePlan& plan);

// The bytes of a file without a plan: what AddOfflinePlan was given first, byte
// for byte, if that has made it, once or several times; else with new metadata
// and then `model` as it is. A model without a plan as it is. Error: as
// AddOfflinePlan. O(bytes).
absl::StatusOr<std::string> StripOfflinePlan(absl::string_view model,
                                             absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_TFLM_OFFLINE_PLAN_H_
