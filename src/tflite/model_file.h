// SPDX-License-Identifier: Apache-2.0
// Holds the bytes of a TensorFlow Lite model, which are checked before anything
// in them is read.
#ifndef STOWAGE_SRC_TFLITE_MODEL_FILE_H_
#define STOWAGE_SRC_TFLITE_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/tflite/model_generated.h"

namespace stowage {

// Returns whether a file that begins with `start` is a model, because bytes 4
// to 7 are "TFL3". The model may still be invalid. kFormatStartBytes are enough
// to describe a file that is not a model.
bool IsModel(absl::string_view start);

// Returns whether the metadata entry has the name `name`.
bool IsNamed(const tflite::Metadata& entry, absl::string_view name);

// A model file whose structure was checked: no accessor of model_generated.h
// can read bytes outside of the file. Indices that the file contains are not
// checked.
class ModelFile {
 public:
  // `bytes` must outlive this; `name` stands for the file in messages. Error:
  // InvalidArgument.
  static absl::StatusOr<ModelFile> Open(absl::string_view bytes,
                                        absl::string_view name);

  const tflite::Model& model() const { return *tflite::GetModel(data()); }
  size_t size() const { return bytes_.size(); }

 private:
  explicit ModelFile(absl::string_view bytes);

  const void* data() const;

  absl::string_view bytes_;
  std::vector<uint64_t> aligned_;  // a copy, if `bytes_` are not aligned
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_MODEL_FILE_H_
