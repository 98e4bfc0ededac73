// SPDX-License-Identifier: Apache-2.0
// Changes the metadata of a model without changing its bytes, by a new root in
// front of the untouched file. References of a flatbuffer are relative and lead
// forward, so weights keep their bytes and alignment, and tables keep the
// fields that our schema does not know. To write a model anew, which keeps
// neither, use model_draft.h.
#ifndef STOWAGE_SRC_TFLITE_PREPEND_ROOT_H_
#define STOWAGE_SRC_TFLITE_PREPEND_ROOT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace stowage {

// The bytes that are put before a model are a multiple of this number, so that
// every byte of the model keeps its alignment.
constexpr size_t kPrefixAlignment = 64;

// A change that leaves out the metadata entries `name`, and adds one with
// `data` if there is any.
struct MetadataChange {
  absl::string_view name;
  absl::optional<absl::Span<const uint8_t>> data;
};

// Returns the bytes to put before those of `model`, a file that messages call
// `name`. The result depends on the model and the change only. Error:
// InvalidArgument for bytes that are not a model, for a root with fields that
// our schema does not know, for buffers outside the flatbuffer, which the file
// gives as offsets from its start, and if the new file would be larger than a
// flatbuffer can be. O(bytes).
absl::StatusOr<std::string> PrefixOf(absl::string_view model,
                                     absl::string_view name,
                                     const MetadataChange& change);

// Returns the number of bytes that PrefixOf has put before an older file to add
// metadata `name`, with `model` as the result; 0 if it has not. O(bytes).
size_t PrefixBytes(absl::string_view model, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_PREPEND_ROOT_H_
