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

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "nlohmann/json.hpp"
#include "src/harness/sha256.h"
#include "stowage/base/text.h"
#include "stowage/harness/dump.h"
#include "stowage/io/read_file.h"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Parses a manifest. Returns a value that is not an object if the text is not
// JSON. If an object contains a key twice, sets `*repeated` to this key,
// because one of the two values would be ignored.
Json ParseManifest(const std::string& text,
                   absl::optional<std::string>* repeated) {
  std::vector<std::set<std::string>> keys;  // has one set for each open object
  const auto note = [&](int /*depth*/, Json::parse_event_t event,
                        const Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys.back().insert(key).second && !*repeated) *repeated = key;
    }
    return true;
  };
  return Json::parse(text, note, /*allow_exceptions=*/false);
}

// Copy a value of the manifest to `*value`. Return false, and copy nothing, if
// the value has a different type.
bool Get(const Json& json, std::string* value) {
  if (json.is_string()) *value = json.get<std::string>();
  return json.is_string();
}
bool Get(const Json& json, size_t* value) {
  if (json.is_number_unsigned()) *value = json.get<size_t>();
  return json.is_number_unsigned();
}
bool Get(const Json& json, std::vector<int64_t>* values) {
  const bool is_list =
      json.is_array() && absl::c_all_of(json, [](const Json& number) {
        return number.is_number_integer();
      });
  if (is_list) *values = json.get<std::vector<int64_t>>();
  return is_list;
}

// Reads the values of an entry. Keeps only the first error.
class EntryReader {
 public:
  // Requires that `entry` outlives the reader. `place` identifies the entry in
  // messages.
  EntryReader(const Json& entry, std::string place)
      : entry_(entry), place_(std::move(place)) {}

  const absl::Status& status() const { return status_; }

  bool Has(const char* key) const { return entry_.contains(key); }

  void Fail(absl::string_view key, absl::string_view problem,
            absl::string_view expected) {
    status_.Update(absl::InvalidArgumentError(absl::StrCat(
        place_, ": \"", key, "\" is ", problem, "; expected ", expected)));
  }

  template <typename T>
  void Read(const char* key, absl::string_view expected, T* value) {
    if (!Has(key)) return Fail(key, "missing", expected);
    if (!Get(entry_.at(key), value)) Fail(key, "invalid", expected);
  }

 private:
  const Json& entry_;
  std::string place_;
  absl::Status status_;
};

// Reads an entry of a manifest. Unknown keys are ignored, because other
// programs may write additional keys.
absl::StatusOr<DumpedTensor> ReadEntry(const Json& entry,
                                       const std::string& folder,
                                       const std::string& place) {
  EntryReader reader(entry, place);
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
    reader.Fail("file", "invalid", "the name of a file in the folder");
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
  absl::optional<std::string> repeated;
  const Json manifest = ParseManifest(*text, &repeated);
  if (repeated) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path), ": not a manifest: key ", Quoted(*repeated),
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
