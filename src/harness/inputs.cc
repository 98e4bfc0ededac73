// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/base/random.h"
#include "stowage/base/text.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/io/read_file.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Fills the tensor with elements that `element` computes from random numbers.
template <typename T, typename Element>
absl::Status FillWith(Tensor* tensor, Random* random, Element element) {
  T* data = tensor->as<T>();
  for (size_t i = 0; i < tensor->bytes / sizeof(T); ++i) {
    data[i] = static_cast<T>(element(random->Next()));
  }
  return absl::OkStatus();
}

absl::Status FillFrom(Random* random, Tensor* tensor) {
  const auto small = [](uint64_t x) { return (x >> 32) % 10; };
  switch (tensor->type) {
    case ElementType::kFloat32:
      return FillWith<float>(tensor, random, [](uint64_t x) {
        return static_cast<float>(x >> 40) * 0x1p-23F - 1.0F;
      });
    case ElementType::kInt8:
      return FillWith<int8_t>(tensor, random,
                              [](uint64_t x) { return x >> 56; });
    case ElementType::kUint8:
      return FillWith<uint8_t>(tensor, random,
                               [](uint64_t x) { return x >> 56; });
    case ElementType::kInt16:
      return FillWith<int16_t>(tensor, random,
                               [](uint64_t x) { return x >> 48; });
    case ElementType::kInt32:
      return FillWith<int32_t>(tensor, random, small);
    case ElementType::kInt64:
      return FillWith<int64_t>(tensor, random, small);
    case ElementType::kBool:
      return FillWith<bool>(tensor, random,
                            [](uint64_t x) { return (x >> 63) != 0; });
    case ElementType::kString:
      // Text has no bytes in this library, because the operators that read text
      // run as shadows. Only its digest is set.
      tensor->digest = random->Next();
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          "input ", Quoted(tensor->name), ": type ",
          ElementTypeName(tensor->type),
          " cannot be drawn from a seed; expected FLOAT32, INT8, UINT8, INT16, "
          "INT32, INT64, BOOL or STRING"));
  }
}

absl::Status InputSizeError(const std::string& key, absl::string_view file,
                            ElementType type, const Shape& shape, size_t bytes,
                            absl::string_view file_bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("input ", Quoted(key), ": ", file, " has ", file_bytes,
                   " bytes; expected ", bytes, " for ", ElementTypeName(type),
                   " ", ShapeText(shape), ", or as many for each invocation"));
}

// Returns whether a file has the bytes of one or more invocations.
bool HasWholeInputs(size_t file_bytes, size_t bytes) {
  return bytes == 0 ? file_bytes == 0
                    : file_bytes > 0 && file_bytes % bytes == 0;
}

// Returns the position of the input whose name or number is `key`.
absl::StatusOr<size_t> FindInput(const SubgraphSpec& graph,
                                 const std::string& key) {
  std::string names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.tensors[graph.inputs[i]].name;
    if (key == name) return i;
    absl::StrAppend(&names, i > 0 ? ", " : "", Quoted(name));
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (key == absl::StrCat(i)) return i;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no input ", Quoted(key), "; expected ", names, ", or a number from 0"));
}

absl::Status CopyFrom(const std::string& key, const std::string& file,
                      size_t invocation, Tensor* tensor) {
  const size_t bytes = tensor->bytes;
  if (bytes == 0 && file.empty()) return absl::OkStatus();
  const size_t count = bytes > 0 ? file.size() / bytes : 0;
  if (!HasWholeInputs(file.size(), bytes) ||
      (count > 1 && invocation >= count)) {
    return InputSizeError(key, "its file", tensor->type, tensor->shape, bytes,
                          absl::StrCat(file.size()));
  }
  const size_t first = count > 1 ? invocation * bytes : 0;
  std::memcpy(tensor->data, file.data() + first, bytes);
  return absl::OkStatus();
}

// Points to the entry of an input in the list of files; null if the input has
// no file.
using FileOfInput = const InputFiles::value_type*;

// Returns the file of each input, by the position of the input. The entry is
// null if the input has no file.
absl::StatusOr<std::vector<FileOfInput>> AssignFiles(const SubgraphSpec& graph,
                                                     const InputFiles& files) {
  std::vector<FileOfInput> assigned(graph.inputs.size(), nullptr);
  for (const InputFiles::value_type& file : files) {
    const absl::StatusOr<size_t> input = FindInput(graph, file.first);
    if (!input.ok()) return input.status();
    FileOfInput& place = assigned[*input];
    if (place != nullptr) {
      return absl::AlreadyExistsError(absl::StrCat(
          "input ", Quoted(graph.tensors[graph.inputs[*input]].name),
          " is given twice, as ", Quoted(place->first), " and as ",
          Quoted(file.first), "; expected one file for each input"));
    }
    place = &file;
  }
  return assigned;
}

}  // namespace

absl::Status RandomInputs::Fill(Tensor* tensor) {
  Random random(state_);
  absl::Status status = FillFrom(&random, tensor);
  state_ = random.state();
  return status;
}

void InputSource::Restart() {
  random_ = RandomInputs(seed_);
  next_ = 0;
}

absl::Status InputSource::operator()(Subgraph& graph, size_t invocation) {
  if (invocation < next_) Restart();
  const auto files = AssignFiles(graph.spec(), files_);
  if (!files.ok()) return files.status();
  // Filling may have to generate the numbers of earlier invocations first,
  // which overwrites carried inputs. The carried inputs are therefore saved
  // here and restored below.
  std::map<size_t, std::vector<uint8_t>> held;
  for (const size_t i : carried_) {
    if (invocation == 0 || i >= graph.input_count()) continue;
    const auto* const data = graph.input(i).as<uint8_t>();
    held[i].assign(data, data + graph.input(i).bytes);
  }
  absl::Status status = absl::OkStatus();
  for (; status.ok() && next_ <= invocation; ++next_) {
    status = FillNext(graph, *files);
  }
  for (const auto& [i, bytes] : held) {
    std::copy(bytes.begin(), bytes.end(), graph.input(i).as<uint8_t>());
  }
  // After an error, some inputs may already have been generated. The stream of
  // random numbers is reset, so that the next call generates the same inputs
  // again.
  if (!status.ok()) Restart();
  return status;
}

absl::Status InputSource::FillNext(
    Subgraph& graph, absl::Span<const InputFiles::value_type* const> files) {
  absl::Status status = absl::OkStatus();
  for (size_t i = 0; status.ok() && i < graph.input_count(); ++i) {
    if (next_ > 0 && carried_.count(i) > 0) continue;
    Tensor& tensor = graph.input(i);
    status = files[i] == nullptr
                 ? random_.Fill(&tensor)
                 : CopyFrom(files[i]->first, files[i]->second, next_, &tensor);
  }
  return status;
}

absl::StatusOr<InputFiles> ReadInputFiles(
    const Model& model, size_t subgraph, size_t invocations,
    const std::map<std::string, std::string>& paths) {
  if (absl::Status s = model.CheckSubgraph(subgraph); !s.ok()) return s;
  const SubgraphSpec& graph = model.subgraphs()[subgraph];
  const auto assigned = AssignFiles(graph, paths);
  if (!assigned.ok()) return assigned.status();
  InputFiles files;
  for (size_t i = 0; i < assigned->size(); ++i) {
    if ((*assigned)[i] == nullptr) continue;
    const auto& [key, path] = *(*assigned)[i];
    const TensorSpec& tensor = graph.tensors[graph.inputs[i]];
    const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, tensor.shape);
    if (!bytes.ok()) return bytes.status();
    const size_t limit = CheckedMultiply(*bytes, invocations)
                             .value_or(std::numeric_limits<size_t>::max());
    absl::StatusOr<std::string> content = ReadFile(path, limit);
    const bool is_longer = absl::IsOutOfRange(content.status());
    if (!is_longer && !content.ok()) return content.status();
    if (is_longer || !HasWholeInputs(content->size(), *bytes)) {
      return InputSizeError(key, absl::StrCat("its file ", path), tensor.type,
                            tensor.shape, *bytes,
                            is_longer ? absl::StrCat("more than ", limit)
                                      : absl::StrCat(content->size()));
    }
    files[key] = *std::move(content);
  }
  return files;
}

}  // namespace stowage::harness
