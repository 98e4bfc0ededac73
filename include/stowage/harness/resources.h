// SPDX-License-Identifier: Apache-2.0
// Defines the variables that persist between invocations and are shared by all
// subgraphs: VAR_HANDLE names a variable, and READ_VARIABLE and ASSIGN_VARIABLE
// use it. Only kernels need this header; programs that run models should use
// interpreter.h.
#ifndef STOWAGE_HARNESS_RESOURCES_H_
#define STOWAGE_HARNESS_RESOURCES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// The resource variables of one interpreter.
class ResourceVariables {
 public:
  virtual ~ResourceVariables() = default;

  // Returns the number of the variable with this name. Creates the variable if
  // it does not exist.
  virtual int32_t Find(const std::string& container,
                       const std::string& name) = 0;

  // Returns the value that was last assigned to the variable. Returns null if
  // no value was assigned, or if no variable has this number. The pointer is
  // valid until the next Assign.
  virtual const Tensor* Get(int32_t number) const = 0;

  // Assigns a copy of `value`, with its type, shape and bytes, to the variable.
  // Errors: InvalidArgument if no variable has this number; ResourceExhausted
  // above the memory limit.
  virtual absl::Status Assign(int32_t number, const Tensor& value) = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_RESOURCES_H_
