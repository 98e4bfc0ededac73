// SPDX-License-Identifier: Apache-2.0
// Changes the metadata of a model without a change to its bytes: a new root
// before the untouched file. References of a flatbuffer are relative and lead
// forward, so weights keep their bytes and alignment, and tables keep the
// fields that our schema does not know. To write a model anew, which keeps
// none of that, use model_draft.h.
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

// Where every byte of a model keeps its alignment behind the new ones: they are
// a multiple of this many.
constexpr size_t kPrefixAlignment = 64;

// One change: the entries `name` of the metadata are left out, and one with
// `data` is added, if there is any.
struct MetadataChange {
  absl::string_view name;
  absl::optional<absl::Span<const uint8_t>> data;
};

// The bytes to put before those of `model`, a file that messages call `name`.
// The same model and change always have the same. Error: InvalidArgument for
// what is not a model, for a root with fields that our schema does not know,
// for buffers outside the flatbuffer, which the file gives as offsets from its
// start, and if the new file would be larger than a flatbuffer can be.
// O(bytes).
absl::StatusOr<std::string> PrefixOf(absl::string_view model,
                                     absl::string_view name,
                                     const MetadataChange& change);

// How many bytes PrefixOf put before an older file to get `model` by adding
// metadata `name`; 0 if it did not. O(bytes).
size_t PrefixBytes(absl::string_view model, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_PREPEND_ROOT_H_
