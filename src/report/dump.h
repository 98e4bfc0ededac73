// SPDX-License-Identifier: Apache-2.0
// A folder with the tensors of a run: raw bytes, and manifest.json that says
// what each is.
//
//   inv0_input0.bin inv0_output0.bin inv0_t17.bin ... manifest.json
//
// Files are row-major and little-endian. The manifest has a list `tensors` of
// {role, invocation, tensor, name, dtype, shape, bytes, scale, zero_point,
// n_scales, sha256, file}; role is input, output, intermediate or variable.
#ifndef STOWAGE_SRC_REPORT_DUMP_H_
#define STOWAGE_SRC_REPORT_DUMP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"

namespace stowage::report {

// Lower-case hexadecimal.
std::string Sha256(absl::string_view bytes);

// "float32", "int8": the name of a type in manifests.
std::string DtypeName(ElementType type);

// Collects the tensors of a run into a folder.
class Dump {
 public:
  // Creates the folder, unless it is there. Error: what the system reports.
  static absl::StatusOr<Dump> Create(const std::string& folder);

  // To be called before and after each invocation; `preserved` if every tensor
  // of the graph is still there. Error: what the system reports.
  absl::Status AddInputs(const harness::Subgraph& graph, size_t invocation);
  absl::Status AddOutputs(const harness::Subgraph& graph, size_t invocation,
                          bool preserved);

  // Writes the manifest: `run`, and `tensors`.
  absl::Status Finish(nlohmann::ordered_json run);

 private:
  explicit Dump(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Add(absl::string_view role, size_t invocation, size_t tensor,
                   const harness::Tensor& value, const std::string& file);

  std::string folder_;
  nlohmann::ordered_json tensors_ = nlohmann::ordered_json::array();
};

// A tensor of a folder.
struct DumpedTensor {
  std::string role;
  size_t invocation = 0;
  size_t tensor = 0;
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string sha256;
  bool has_bytes = false;
  std::string bytes;
};

// Reads a folder. Error: InvalidArgument or NotFound, naming file and entry, if
// the manifest is not as above, has a tensor twice, or a file has not the
// length or the hash that it says.
absl::StatusOr<std::vector<DumpedTensor>> ReadDump(const std::string& folder);

}  // namespace stowage::report

#endif  // STOWAGE_SRC_REPORT_DUMP_H_
