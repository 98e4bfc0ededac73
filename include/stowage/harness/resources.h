// SPDX-License-Identifier: Apache-2.0
// Variables that outlive an invocation and are shared by all subgraphs: what
// VAR_HANDLE names and READ_VARIABLE and ASSIGN_VARIABLE use. For kernels
// only: programs that run models use interpreter.h.
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

class ResourceVariables {
 public:
  virtual ~ResourceVariables() = default;

  // The number of the variable of that name, a new one if there is none.
  virtual int32_t Find(const std::string& container,
                       const std::string& name) = 0;

  // What was last assigned to it; null if nothing was, or for no such number.
  // Valid until the next Assign.
  virtual const Tensor* Get(int32_t number) const = 0;

  // Copies type, shape and bytes. Error: InvalidArgument for no such number;
  // ResourceExhausted above the memory limit.
  virtual absl::Status Assign(int32_t number, const Tensor& value) = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_RESOURCES_H_
