// SPDX-License-Identifier: Apache-2.0
// Fills the inputs of a run before each invocation: from files or, for inputs
// without a file, with random numbers from a seed. If inputs depend on earlier
// outputs, write to Subgraph::input instead.
//
//   CheckOptions options;   // checks.h
//   options.feed = InputSource(/*seed=*/1);
//
// Random numbers from a seed are the same on every machine, so two runtimes can
// be compared without exchanging files. SplitMix64 generates one stream of
// 64-bit numbers, which is never reset. Each element uses the next number x of
// the stream: invocation by invocation, input by input in the graph's order,
// element by element. The element is computed from x:
//
//   FLOAT32              (x >> 40) * 2^-23 - 1: in [-1, 1)
//   INT8, UINT8, INT16   the top 8, 8 and 16 bits
//   INT32, INT64         (x >> 32) % 10
//   BOOL                 the top bit
//   STRING               x represents the whole tensor (Tensor::digest)
//
// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (2014).
#ifndef STOWAGE_HARNESS_INPUTS_H_
#define STOWAGE_HARNESS_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The stream of random numbers of a seed. To fill the inputs of whole
// invocations, use InputSource.
class RandomInputs {
 public:
  explicit RandomInputs(uint64_t seed) : state_(seed) {}

  // Generates every element of `tensor`. Requires that `tensor` has memory,
  // unless its type is STRING. Error: InvalidArgument for a type that is not in
  // the table above. O(elements).
  absl::Status Fill(Tensor* tensor);

 private:
  uint64_t state_;
};

// Raw bytes for inputs, keyed by the name of an input, or by its position such
// as "0". A key that is both a name and a position denotes the name. The bytes
// are either those of a single invocation, which every invocation then uses, or
// those of several invocations, one after another.
using InputFiles = std::map<std::string, std::string>;

// Fills the inputs of a subgraph before each invocation. An invocation always
// gets the same inputs. A copy of this object continues independently of the
// original.
class InputSource {
 public:
  // The inputs at the positions in `carried` are filled only for invocation 0.
  // In later invocations, they keep what the previous invocation has stored
  // there (InterpreterOptions::carried).
  explicit InputSource(uint64_t seed, InputFiles files = {},
                       std::set<size_t> carried = {})
      : seed_(seed),
        random_(seed),
        files_(std::move(files)),
        carried_(std::move(carried)) {}

  // Fills all inputs of `graph`, which must be allocated. Invocations may be
  // requested in any order. If `invocation` directly follows that of the
  // previous call, only its inputs are generated. If it is later, the inputs of
  // the skipped invocations are generated too. In all other cases, the
  // generation starts again at invocation 0. Errors: InvalidArgument if a file
  // belongs to no input, has a length that is not a multiple of the size of its
  // input, or has no bytes for `invocation`; AlreadyExists if one input has two
  // files; the error of RandomInputs::Fill.
  absl::Status operator()(Subgraph& graph, size_t invocation);

 private:
  void Restart();
  // `files[i]` is the file of input i, or null.
  absl::Status FillNext(Subgraph& graph,
                        absl::Span<const InputFiles::value_type* const> files);

  uint64_t seed_;
  RandomInputs random_;
  size_t next_ = 0;  // the next invocation to generate inputs for
  InputFiles files_;
  std::set<size_t> carried_;
};

// Reads the files at `paths`. The keys of `paths` are names or positions of
// inputs of `subgraph`. A file may have at most `invocations` times the number
// of bytes that its input has with its shape in the model. Errors:
// InvalidArgument if the subgraph or an input does not exist, or if a file is
// longer; AlreadyExists if one input has two paths; the errors that the system
// reports.
absl::StatusOr<InputFiles> ReadInputFiles(
    const Model& model, size_t subgraph, size_t invocations,
    const std::map<std::string, std::string>& paths);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INPUTS_H_
