// SPDX-License-Identifier: Apache-2.0
// Changes the metadata of a model by putting a new root in front of the file,
// without changing the existing bytes. This is possible because the references
// in a flatbuffer are relative and point forward, so the new root can refer to
// the old tables. Weights keep their bytes and alignment, and tables keep
// fields that the schema of this library does not know. To write and remove
// plans for a device, use tflm/offline_plan.h; to read metadata, use model.h.
//
//   const absl::StatusOr<std::string> prefix =
//       PrefixOf(model, "net.tflite", {"my_notes", bytes});
//   if (!prefix.ok()) return prefix.status();
//   return WriteFile("out.tflite", absl::StrCat(*prefix, model));
#ifndef STOWAGE_TFLITE_PREPEND_ROOT_H_
#define STOWAGE_TFLITE_PREPEND_ROOT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace stowage {

// The number of bytes that are put in front of a model is a multiple of this
// number, so that every byte of the model keeps its alignment.
constexpr size_t kPrefixAlignment = 64;

// A change of the metadata: all entries named `name` are removed, and if `data`
// has a value, a new entry with this name and value is added.
struct MetadataChange {
  absl::string_view name;
  absl::optional<absl::Span<const uint8_t>> data;
};

// Returns the bytes to put in front of `model` to make the change. Error
// messages refer to the file as `name`. The result depends only on the model
// and the change. Error: InvalidArgument
//
// - if `model` is not a model,
// - if its root has fields that the schema of this library does not know,
// - if it has buffers outside of the flatbuffer, since their offsets count from
//   the start of the file and would be wrong, or
// - if the new file would exceed the maximum size of a flatbuffer.
//
// O(bytes).
absl::StatusOr<std::string> PrefixOf(absl::string_view model,
                                     absl::string_view name,
                                     const MetadataChange& change);

// Returns the number of bytes that PrefixOf put in front of an older file in
// order to add the metadata `name`, or 0 if `model` was not made in this way.
// O(bytes).
size_t PrefixBytes(absl::string_view model, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_PREPEND_ROOT_H_
