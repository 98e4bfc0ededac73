// SPDX-License-Identifier: Apache-2.0
// Dumps: the tensors of a run in a folder, to compare runs of different plans
// or runtimes. To compare two plans of one model in one program use CheckPlan
// (checks.h); RunModel (run_model.h) writes a dump of its run.
//
//   absl::StatusOr<std::vector<DumpedTensor>> tensors = ReadDump("folder");
//
// A folder has raw bytes, row-major and little-endian, and manifest.json:
//
//   inv0_input0.bin inv0_output0.bin inv0_t17.bin ... manifest.json
//
// The manifest is a JSON object: what was run, and a list `tensors` of {role,
// invocation, tensor, name, dtype, shape, bytes, scale, zero_point, n_scales,
// sha256, file}. A role is input, output, intermediate or variable; `tensor` is
// the index in the subgraph. Without `file` there is no more than the hash.
#ifndef STOWAGE_HARNESS_DUMP_H_
#define STOWAGE_HARNESS_DUMP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// "float32", "int8": a type as manifests and reports name it.
std::string DtypeName(ElementType type);

// What a manifest says of the run.
struct DumpHeader {
  std::string model;
  uint64_t seed = 1;
  size_t invocations = 1;
  ShadowMode shadow = ShadowMode::kNone;
};

// Writes a dump, invocation by invocation. Errors of all functions: what the
// system reports, with the path.
class DumpWriter {
 public:
  DumpWriter(DumpWriter&& other) noexcept;
  DumpWriter& operator=(DumpWriter&& other) noexcept;
  ~DumpWriter();

  // Creates the folder unless it exists, and removes the manifest of an earlier
  // dump: there is one only where all that it lists has been written.
  static absl::StatusOr<DumpWriter> Create(const std::string& folder);

  // Before an invocation.
  absl::Status AddInputs(const Subgraph& graph, size_t invocation);
  // After it. With `all_tensors` intermediate tensors and variables too; their
  // bytes are their own only under InterpreterOptions::preserve_all_tensors.
  absl::Status AddOutputs(const Subgraph& graph, size_t invocation,
                          bool all_tensors);

  // Writes the manifest.
  absl::Status Finish(const DumpHeader& header);

 private:
  explicit DumpWriter(std::string folder);

  absl::Status Add(absl::string_view role, size_t invocation, size_t tensor,
                   const Tensor& value, const std::string& file);

  std::string folder_;
  std::unique_ptr<struct ManifestEntries> entries_;
};

// A tensor of a dump.
struct DumpedTensor {
  std::string role;
  size_t invocation = 0;
  size_t tensor = 0;
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string sha256;  // of the bytes, in lower-case hexadecimal
  bool has_bytes = false;
  std::string bytes;
};

// Reads a dump. Errors, with the file and the entry: InvalidArgument if the
// manifest is not as above, lists a tensor twice or names a file outside the
// folder, or if a file has another length or hash than the manifest states;
// NotFound for a file that does not exist; what else the system reports.
absl::StatusOr<std::vector<DumpedTensor>> ReadDump(const std::string& folder);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DUMP_H_
