// SPDX-License-Identifier: Apache-2.0
// Gives access to the tables of a TensorFlow Lite model file, after checking
// the structure of the file. Use this header only to read tables without
// further checks, for example those of a damaged model. For all other purposes,
// use model.h, which also checks indices.
//
//   const auto file = ModelFile::Open(bytes, "net.tflite");
//   if (!file.ok()) return file.status();
//   const bool has_graphs = file->model().subgraphs() != nullptr;
//
// `tflite::Model` and its tables are declared in the header that flatc
// generates from the schema (src/tflite/model.fbs). Only code that reads the
// tables needs that header.
#ifndef STOWAGE_TFLITE_MODEL_FILE_H_
#define STOWAGE_TFLITE_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {

namespace tflite {
struct Metadata;
struct Model;
}  // namespace tflite

// Returns whether a file that begins with `start` has the mark of a model:
// bytes 4 to 7 are "TFL3". The model may still be invalid. To recognize other
// formats, use OtherFormat (io/other_format.h), which needs the first
// kFormatStartBytes bytes of the file.
bool IsModel(absl::string_view start);

// Returns whether the metadata entry has the name `name`. O(1).
bool IsNamed(const tflite::Metadata& entry, absl::string_view name);

// A model file with a checked structure: no accessor of tflite::Model can read
// bytes outside of the file. The indices in the file are not checked.
class ModelFile {
 public:
  // Checks the structure of a file. `bytes` must outlive the result. Error
  // messages refer to the file as `name`. Error: InvalidArgument if the file is
  // not a model; the message names the actual format of the file, if known.
  // O(bytes).
  static absl::StatusOr<ModelFile> Open(absl::string_view bytes,
                                        absl::string_view name);

  // Returns the root of the file.
  const tflite::Model& model() const;
  size_t size() const { return bytes_.size(); }

 private:
  explicit ModelFile(absl::string_view bytes);

  const void* data() const;

  absl::string_view bytes_;
  std::vector<uint64_t> aligned_;  // a copy, if `bytes_` are not aligned
};

}  // namespace stowage

#endif  // STOWAGE_TFLITE_MODEL_FILE_H_
