// SPDX-License-Identifier: Apache-2.0
// The bytes of a TensorFlow Lite model, checked before anything is read.
#ifndef STOWAGE_SRC_TFLITE_MODEL_FILE_H_
#define STOWAGE_SRC_TFLITE_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/tflite/model_generated.h"

namespace stowage {

// The number of first bytes of a file that show whether it is a model and, if
// it is not, what it looks like.
constexpr size_t kModelStartBytes = 64;

// Returns whether a file that begins with `start` is a model, valid or not:
// bytes 4 to 7 are "TFL3".
bool IsModel(absl::string_view start);

// Returns whether the metadata has that name.
bool IsNamed(const tflite::Metadata& entry, absl::string_view name);

// A model file that every accessor of model_generated.h can read without
// leaving its bytes. Indices in it are not checked.
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
  std::vector<uint64_t> aligned_;  // a copy, if `bytes_` is not aligned
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_MODEL_FILE_H_
