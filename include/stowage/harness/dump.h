// SPDX-License-Identifier: Apache-2.0
// Writes and reads dumps. A dump is a folder with the tensors of a run. Use
// dumps to compare runs under different plans or in different runtimes. To
// compare two plans of a model within one program, use CheckPlan (checks.h).
// RunModel (run_model.h) can write a dump of its run.
//
//   absl::StatusOr<std::vector<DumpedTensor>> tensors = ReadDump("folder");
//
// A folder contains raw bytes, row-major and little-endian, and manifest.json:
//
//   inv0_input0.bin inv0_output0.bin inv0_t17.bin ... manifest.json
//
// The manifest is a JSON object: a description of the run, and a list `tensors`
// of {role, invocation, tensor, name, dtype, shape, bytes, scale, zero_point,
// n_scales, sha256, file}. A role is input, output, intermediate or variable;
// `tensor` is the index in the subgraph. An entry without `file` has only the
// hash.
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

// Returns the name of a type in manifests and reports, such as "float32" or
// "int8".
std::string DtypeName(ElementType type);

// The description of the run in a manifest.
struct DumpHeader {
  std::string model;
  uint64_t seed = 1;
  size_t invocations = 1;
  ShadowMode shadow = ShadowMode::kNone;
};

// Writes a dump, invocation by invocation. Errors: those that the system
// reports, with the path.
class DumpWriter {
 public:
  DumpWriter(DumpWriter&& other) noexcept;
  DumpWriter& operator=(DumpWriter&& other) noexcept;
  ~DumpWriter();

  // Creates the folder unless it exists, and removes the manifest of an earlier
  // dump. A manifest therefore exists only if everything that it lists has been
  // written.
  static absl::StatusOr<DumpWriter> Create(const std::string& folder);

  // Writes the inputs. Must be called before each invocation.
  absl::Status AddInputs(const Subgraph& graph, size_t invocation);
  // Writes the outputs. Must be called after each invocation. If `all_tensors`
  // is true, also writes intermediate tensors and variables; their bytes are
  // intact only under InterpreterOptions::preserve_all_tensors.
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
  std::string sha256;  // the hash of the bytes, in lower-case hexadecimal
  bool has_bytes = false;
  std::string bytes;
};

// Reads a dump. Errors name the file and the entry: InvalidArgument if the
// manifest does not have the format above, lists a tensor twice or names a file
// outside of the folder; InvalidArgument if the length or the hash of a file
// differs from that in the manifest; NotFound if a file does not exist; other
// errors of the system.
absl::StatusOr<std::vector<DumpedTensor>> ReadDump(const std::string& folder);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DUMP_H_
