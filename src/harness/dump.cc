// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/dump.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "src/harness/sha256.h"
#include "stowage/base/text.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/io/write_file.h"

namespace stowage::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr char kManifest[] = "/manifest.json";

}  // namespace

// A wrapper that keeps the JSON library out of the header.
struct ManifestEntries {
  ordered_json list = ordered_json::array();
};

std::string DtypeName(ElementType type) {
  return absl::AsciiStrToLower(ElementTypeName(type));
}

DumpWriter::DumpWriter(std::string folder)
    : folder_(std::move(folder)),
      entries_(std::make_unique<ManifestEntries>()) {}
DumpWriter::DumpWriter(DumpWriter&& other) noexcept = default;
DumpWriter& DumpWriter::operator=(DumpWriter&& other) noexcept = default;
DumpWriter::~DumpWriter() = default;

absl::StatusOr<DumpWriter> DumpWriter::Create(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::ErrnoToStatus(
        error.value(),
        absl::StrCat(Quoted(folder), ": cannot create the folder"));
  }
  // The manifest of an earlier dump is removed first, because it would be wrong
  // while the new tensors are being written.
  fs::remove(folder + kManifest, error);
  if (error) {
    return absl::ErrnoToStatus(
        error.value(),
        absl::StrCat(Quoted(folder + kManifest), ": cannot remove it"));
  }
  return DumpWriter(folder);
}

absl::Status DumpWriter::AddInputs(const Subgraph& graph, size_t invocation) {
  for (size_t i = 0; i < graph.input_count(); ++i) {
    const size_t tensor = graph.spec().inputs[i];
    absl::Status status =
        Add("input", invocation, tensor, graph.tensor(tensor),
            absl::StrCat("inv", invocation, "_input", i, ".bin"));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DumpWriter::AddOutputs(const Subgraph& graph, size_t invocation,
                                    bool all_tensors) {
  for (size_t i = 0; i < graph.output_count(); ++i) {
    absl::Status status =
        Add("output", invocation, graph.spec().outputs[i], graph.output(i),
            absl::StrCat("inv", invocation, "_output", i, ".bin"));
    if (!status.ok()) return status;
  }
  if (!all_tensors) return absl::OkStatus();
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

absl::Status DumpWriter::Add(absl::string_view role, size_t invocation,
                             size_t tensor, const Tensor& value,
                             const std::string& file) {
  const absl::string_view bytes(static_cast<const char*>(value.data),
                                value.bytes);
  absl::Status status = WriteFile(absl::StrCat(folder_, "/", file), bytes);
  if (!status.ok()) return status;
  entries_->list.push_back({{"role", std::string(role)},
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

absl::Status DumpWriter::Finish(const DumpHeader& header) {
  ordered_json manifest = {{"runtime", "stowage"},
                           {"model", header.model},
                           {"seed", header.seed},
                           {"invocations", header.invocations}};
  if (header.shadow != ShadowMode::kNone) {
    manifest["shadow"] = header.shadow == ShadowMode::kAll ? "all" : "missing";
  }
  manifest["tensors"] = std::move(entries_->list);
  return WriteFile(
      folder_ + kManifest,
      absl::StrCat(
          manifest.dump(1, ' ', false, ordered_json::error_handler_t::replace),
          "\n"));
}

}  // namespace stowage::harness
