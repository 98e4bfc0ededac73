// SPDX-License-Identifier: Apache-2.0
// Fills the inputs of a run before each invocation: from files or, for inputs
// without a file, with numbers generated from a seed. If the inputs of an
// invocation depend on earlier outputs, write to Subgraph::input instead.
//
//   CheckOptions options;   // checks.h
//   options.feed = InputSource(/*seed=*/1);
//
// Numbers generated from a seed are the same on every machine, so that two
// runtimes can be compared without exchanging files. SplitMix64 generates one
// stream of 64-bit numbers x, which is never reset. Each element takes the next
// x: invocation by invocation, input by input in the graph's order, element by
// element. The element is computed from x:
//
//   FLOAT32              (x >> 40) * 2^-23 - 1: in [-1, 1)
//   INT8, UINT8, INT16   the top 8, 8 and 16 bits
//   INT32, INT64         (x >> 32) % 10
//   BOOL                 the top bit
//   STRING               x stands for the whole tensor (Tensor::digest)
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

// The stream of random numbers that a seed determines. To fill the inputs of
// whole invocations, use InputSource.
class RandomInputs {
 public:
  explicit RandomInputs(uint64_t seed) : state_(seed) {}

  // Generates every element of `tensor`, which must have memory unless its type
  // is STRING. Error: InvalidArgument for a type that is not in the table
  // above. O(elements).
  absl::Status Fill(Tensor* tensor);

 private:
  uint64_t state_;
};

// Maps the name of an input, or its position such as "0", to raw bytes. A key
// that is both the name of an input and a position stands for the name. The
// bytes are either those of a single invocation, which every invocation then
// uses, or those of several invocations, one after the other.
using InputFiles = std::map<std::string, std::string>;

// Fills the inputs of a subgraph before each invocation. The same invocation
// always gets the same inputs. A copy of this object continues independently of
// the original.
class InputSource {
 public:
  // The inputs at the positions in `carried` are filled only for invocation 0.
  // In a later invocation, these inputs hold what the previous invocation has
  // left there (InterpreterOptions::carried).
  explicit InputSource(uint64_t seed, InputFiles files = {},
                       std::set<size_t> carried = {})
      : seed_(seed),
        random_(seed),
        files_(std::move(files)),
        carried_(std::move(carried)) {}

  // Fills all inputs of `graph`, which must be allocated. Invocations may come
  // in any order. A call for the invocation after the previous one generates
  // only the inputs of that invocation. A call for a later invocation also
  // generates the inputs of the skipped invocations, and any other call starts
  // again at invocation 0. Errors: InvalidArgument if a file belongs to no
  // input, has a length that is not a multiple of the size of its input, or
  // ends before `invocation`; AlreadyExists if one input has two files; the
  // error of RandomInputs::Fill.
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
// of bytes that its input has with the shape in the model. Errors:
// InvalidArgument if there is no such subgraph or input, or if a file is
// longer; AlreadyExists if one input has two paths; the errors that the system
// reports.
absl::StatusOr<InputFiles> ReadInputFiles(
    const Model& model, size_t subgraph, size_t invocations,
    const std::map<std::string, std::string>& paths);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INPUTS_H_
