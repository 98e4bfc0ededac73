// SPDX-License-Identifier: Apache-2.0
#include "src/report/dump.h"

// What it would have us use instead ends the program when memory runs out.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

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
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "src/trace/read_file.h"
#include "src/trace/text.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/trace.h"

namespace stowage::report {
namespace {

namespace fs = std::filesystem;
using harness::Subgraph;
using harness::Tensor;
using nlohmann::ordered_json;

absl::string_view BytesOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.data), tensor.bytes};
}

// Reads the fields of one entry of a manifest.
class EntryReader {
 public:
  EntryReader(const ordered_json& entry, std::string place)
      : entry_(entry), place_(std::move(place)) {}

  absl::Status Text(const char* key, std::string* value) const {
    const auto found = entry_.find(key);
    if (found == entry_.end() || !found->is_string()) {
      return Error(key, "a text");
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
    return absl::InvalidArgumentError(
        absl::StrCat(place_, ": \"", key, "\": expected ", expected));
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
        absl::StrCat(path, ": expected a regular file"));
  }
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return content.status();
  if (content->size() != bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": it has ", content->size(), " bytes: expected ",
                     bytes, " as the manifest says"));
  }
  if (Sha256(*content) != tensor.sha256) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": its sha256 is not the one that the manifest says"));
  }
  tensor.has_bytes = true;
  tensor.bytes = *std::move(content);
  return tensor;
}

}  // namespace

std::string Sha256(absl::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return absl::BytesToHexString(digest);
}

std::string DtypeName(ElementType type) {
  return absl::AsciiStrToLower(ElementTypeName(type));
}

absl::StatusOr<Dump> Dump::Create(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(absl::StrCat(
        Quoted(folder), ": cannot make the folder: ", error.message()));
  }
  // What it says would not be true while tensors are written.
  fs::remove(folder + "/manifest.json", error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(Quoted(folder + "/manifest.json"),
                     ": cannot remove it: ", error.message()));
  }
  return Dump(folder);
}

absl::Status Dump::AddInputs(const Subgraph& graph, size_t invocation) {
  for (size_t i = 0; i < graph.input_count(); ++i) {
    const size_t tensor = graph.spec().inputs[i];
    absl::Status status =
        Add("input", invocation, tensor, graph.tensor(tensor),
            absl::StrCat("inv", invocation, "_input", i, ".bin"));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Dump::AddOutputs(const Subgraph& graph, size_t invocation,
                              bool preserved) {
  for (size_t i = 0; i < graph.output_count(); ++i) {
    absl::Status status =
        Add("output", invocation, graph.spec().outputs[i], graph.output(i),
            absl::StrCat("inv", invocation, "_output", i, ".bin"));
    if (!status.ok()) return status;
  }
  if (!preserved) return absl::OkStatus();
  for (size_t t = 0; t < graph.spec().tensors.size(); ++t) {
    const Tensor& tensor = graph.tensor(t);
    if (tensor.is_constant() || tensor.data == nullptr) continue;
    absl::Status status =
        Add(tensor.is_variable ? "variable" : "intermediate", invocation, t,
            tensor, absl::StrCat("inv", invocation, "_t", t, ".bin"));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Dump::Add(absl::string_view role, size_t invocation, size_t tensor,
                       const Tensor& value, const std::string& file) {
  const absl::string_view bytes = BytesOf(value);
  absl::Status status = WriteFile(absl::StrCat(folder_, "/", file), bytes);
  if (!status.ok()) return status;
  tensors_.push_back({{"role", std::string(role)},
                      {"invocation", invocation},
                      {"tensor", tensor},
                      {"name", value.name},
                      {"dtype", DtypeName(value.type)},
                      {"shape", value.shape},
                      {"bytes", value.bytes},
                      {"scale", value.quantization.scale()},
                      {"zero_point", value.quantization.zero_point()},
                      {"n_scales", value.quantization.scales.size()},
                      {"sha256", Sha256(bytes)},
                      {"file", file}});
  return absl::OkStatus();
}

absl::Status Dump::Finish(ordered_json run) {
  run["tensors"] = std::move(tensors_);
  return WriteFile(
      absl::StrCat(folder_, "/manifest.json"),
      absl::StrCat(
          run.dump(1, ' ', false, ordered_json::error_handler_t::replace),
          "\n"));
}

absl::StatusOr<std::vector<DumpedTensor>> ReadDump(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/manifest.json");
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  const ordered_json manifest = ordered_json::parse(*text, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("tensors") ||
      !manifest["tensors"].is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a JSON object with a list \"tensors\""));
  }
  std::vector<DumpedTensor> tensors;
  std::set<std::tuple<std::string, size_t, size_t>> known;
  for (const ordered_json& entry : manifest["tensors"]) {
    const std::string place =
        absl::StrCat(path, ": entry ", tensors.size(), " of \"tensors\"");
    absl::StatusOr<DumpedTensor> tensor = ReadEntry(entry, folder, place);
    if (!tensor.ok()) return tensor.status();
    if (!known.insert({tensor->role, tensor->invocation, tensor->tensor})
             .second) {
      return absl::InvalidArgumentError(absl::StrCat(
          place, ": ", tensor->role, " ", tensor->tensor, " of invocation ",
          tensor->invocation, " is there already"));
    }
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

}  // namespace stowage::report
