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
#include "nlohmann/json.hpp"
#include "src/base/text.h"
#include "src/harness/sha256.h"
#include "src/io/read_file.h"
#include "stowage/harness/dump.h"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Reads the fields of one entry of a manifest.
class EntryReader {
 public:
  EntryReader(const ordered_json& entry, std::string place)
      : entry_(entry), place_(std::move(place)) {}

  absl::Status Text(const char* key, std::string* value) const {
    const auto found = entry_.find(key);
    if (found == entry_.end() || !found->is_string()) {
      return Error(key, "a string");
    }
    *value = found->get<std::string>();
    return absl::OkStatus();
  }

  absl::Status Number(const char* key, size_t* value) const {
    const auto found = entry_.find(key);
    if (found == entry_.end() || !found->is_number_unsigned()) {
      return Error(key, "a number of 0 or more");
    }
    *value = found->get<size_t>();
    return absl::OkStatus();
  }

  absl::Status Shape(std::vector<int64_t>* shape) const {
    const auto found = entry_.find("shape");
    if (found == entry_.end() || !found->is_array()) {
      return Error("shape", "a list of numbers");
    }
    for (const ordered_json& dim : *found) {
      if (!dim.is_number_integer()) return Error("shape", "a list of numbers");
      shape->push_back(dim.get<int64_t>());
    }
    return absl::OkStatus();
  }

  absl::Status Error(const char* key, absl::string_view expected) const {
    return absl::InvalidArgumentError(absl::StrCat(
        place_, ": \"", key, "\" is ",
        entry_.contains(key) ? "invalid" : "missing", "; expected ", expected));
  }

 private:
  const ordered_json& entry_;
  std::string place_;
};

absl::StatusOr<DumpedTensor> ReadEntry(const ordered_json& entry,
                                       const std::string& folder,
                                       const std::string& place) {
  const EntryReader reader(entry, place);
  DumpedTensor tensor;
  size_t bytes = 0;
  absl::Status status = reader.Text("role", &tensor.role);
  if (status.ok()) status = reader.Number("invocation", &tensor.invocation);
  if (status.ok()) status = reader.Number("tensor", &tensor.tensor);
  if (status.ok()) status = reader.Text("name", &tensor.name);
  if (status.ok()) status = reader.Text("dtype", &tensor.dtype);
  if (status.ok()) status = reader.Shape(&tensor.shape);
  if (status.ok()) status = reader.Number("bytes", &bytes);
  if (status.ok()) status = reader.Text("sha256", &tensor.sha256);
  if (!status.ok()) return status;
  if (!entry.contains("file")) return tensor;
  std::string file;
  status = reader.Text("file", &file);
  if (!status.ok()) return status;
  if (fs::path(file).has_parent_path() || file == "..") {
    return reader.Error("file", "the name of a file in the folder");
  }
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
  const ordered_json manifest = ordered_json::parse(*text, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("tensors") ||
      !manifest["tensors"].is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path),
                     ": not a manifest; expected a JSON object with a list "
                     "\"tensors\""));
  }
  std::vector<DumpedTensor> tensors;
  std::set<std::tuple<std::string, size_t, size_t>> known;
  for (const ordered_json& entry : manifest["tensors"]) {
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
