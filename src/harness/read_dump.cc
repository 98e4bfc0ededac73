// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/base/text.h"
#include "src/harness/sha256.h"
#include "src/io/read_file.h"
#include "src/json/document.h"
#include "stowage/harness/dump.h"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;
using json::Json;

// Reads an entry of a manifest. Unknown keys are ignored, because other
// programs write keys of their own.
absl::StatusOr<DumpedTensor> ReadEntry(const Json& entry,
                                       const std::string& folder,
                                       const std::string& place) {
  json::ObjectReader reader(entry, [&](absl::string_view key, bool is_missing,
                                       absl::string_view expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ": \"", key, "\" is ", is_missing ? "missing" : "invalid",
        "; expected ", expected));
  });
  constexpr absl::string_view kText = "a string";
  constexpr absl::string_view kNumber = "a number of 0 or more";
  DumpedTensor tensor;
  size_t bytes = 0;
  reader.Read("role", kText, &tensor.role);
  reader.Read("invocation", kNumber, &tensor.invocation);
  reader.Read("tensor", kNumber, &tensor.tensor);
  reader.Read("name", kText, &tensor.name);
  reader.Read("dtype", kText, &tensor.dtype);
  reader.Read("shape", "a list of numbers", &tensor.shape);
  reader.Read("bytes", kNumber, &bytes);
  reader.Read("sha256", kText, &tensor.sha256);
  std::string file;
  if (reader.Has("file")) reader.Read("file", kText, &file);
  if (fs::path(file).has_parent_path() || file == "..") {
    reader.Fail("file", "the name of a file in the folder");
  }
  if (!reader.status().ok()) return reader.status();
  if (!reader.Has("file")) return tensor;
  const std::string path = absl::StrCat(folder, "/", file);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path), ": not a regular file; expected one"));
  }
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return content.status();
  if (content->size() != bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path), ": it has ", content->size(),
                     " bytes; expected ", bytes, ", as in the manifest"));
  }
  if (Sha256(*content) != tensor.sha256) {
    return absl::InvalidArgumentError(absl::StrCat(
        Quoted(path),
        ": its bytes have another hash; expected the sha256 of the "
        "manifest"));
  }
  tensor.has_bytes = true;
  tensor.bytes = *std::move(content);
  return tensor;
}

}  // namespace

absl::StatusOr<std::vector<DumpedTensor>> ReadDump(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/manifest.json");
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  Json manifest;
  const json::Flaw flaw = json::ParseDocument(*text, &manifest);
  if (flaw.kind == json::Flaw::Kind::kRepeatedKey) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path), ": not a manifest: key ", Quoted(flaw.key),
                     " twice; expected it once"));
  }
  if (!manifest.is_object() || !manifest.contains("tensors") ||
      !manifest["tensors"].is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path),
                     ": not a manifest; expected a JSON object with a list "
                     "\"tensors\""));
  }
  std::vector<DumpedTensor> tensors;
  std::set<std::tuple<std::string, size_t, size_t>> known;
  for (const Json& entry : manifest["tensors"]) {
    const std::string place = absl::StrCat(Quoted(path), ": entry ",
                                           tensors.size(), " of \"tensors\"");
    absl::StatusOr<DumpedTensor> tensor = ReadEntry(entry, folder, place);
    if (!tensor.ok()) return tensor.status();
    if (!known.insert({tensor->role, tensor->invocation, tensor->tensor})
             .second) {
      return absl::InvalidArgumentError(absl::StrCat(
          place, ": ", tensor->role, " ", tensor->tensor, " of invocation ",
          tensor->invocation, " is listed twice; expected each tensor once"));
    }
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

}  // namespace stowage::harness
