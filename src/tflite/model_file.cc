// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/model_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/base/text.h"
#include "stowage/io/other_format.h"

namespace stowage {
namespace {

constexpr uint32_t kVersion = 3;

// The maximum size of a flatbuffer. A larger file has bytes after the
// flatbuffer, which are data that is not in any table.
constexpr size_t kMaxFlatbufferBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;

std::string WhyNoModel(absl::string_view bytes) {
  if (bytes.empty()) return "it is empty";
  const absl::string_view other = OtherFormat(bytes);
  if (!other.empty()) {
    return absl::StrCat("it is ", other, "; expected a .tflite file");
  }
  if (bytes.size() < 8) {
    return absl::StrCat("it has only ", bytes.size(), " bytes");
  }
  return absl::StrCat("bytes 4 to 7 are ", Quoted(bytes.substr(4, 4)),
                      "; expected \"TFL3\"");
}

}  // namespace

bool IsModel(absl::string_view start) {
  return start.size() >= 8 && start.substr(4, 4) == tflite::ModelIdentifier();
}

bool IsNamed(const tflite::Metadata& entry, absl::string_view name) {
  return entry.name() != nullptr &&
         absl::string_view(entry.name()->c_str(), entry.name()->size()) == name;
}

ModelFile::ModelFile(absl::string_view bytes) : bytes_(bytes) {
  // The accessors of flatbuffers read eight bytes at once, from addresses that
  // must be multiples of eight. A file at any other address is copied.
  if (reinterpret_cast<uintptr_t>(bytes.data()) % sizeof(uint64_t) == 0) return;
  aligned_.resize(bytes.size() / sizeof(uint64_t) + 1);
  std::memcpy(aligned_.data(), bytes.data(), bytes.size());
}

const tflite::Model& ModelFile::model() const {
  return *tflite::GetModel(data());
}

const void* ModelFile::data() const {
  return aligned_.empty() ? static_cast<const void*>(bytes_.data())
                          : aligned_.data();
}

absl::StatusOr<ModelFile> ModelFile::Open(absl::string_view bytes,
                                          absl::string_view name) {
  if (!IsModel(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": not a TensorFlow Lite model: ", WhyNoModel(bytes)));
  }
  ModelFile file(bytes);
  const size_t size = std::min(bytes.size(), kMaxFlatbufferBytes);
  flatbuffers::Verifier::Options options;
  // A table has at least eight bytes. A file with more tables than bytes would
  // have to use the same table in many places. Such files are rejected, because
  // no writer creates them and reading them takes a long time.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(size);
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(file.data()), size,
                                 options);
  if (!tflite::VerifyModelBuffer(verifier)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        ": a TensorFlow Lite model that is truncated or damaged: not a "
        "valid flatbuffer"));
  }
  if (file.model().version() != kVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": a model of schema version ",
                     file.model().version(), "; expected ", kVersion));
  }
  return file;
}

}  // namespace stowage
