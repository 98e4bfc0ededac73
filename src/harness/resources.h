// SPDX-License-Identifier: Apache-2.0
// Holds the resource variables of an interpreter.
#ifndef STOWAGE_SRC_HARNESS_RESOURCES_H_
#define STOWAGE_SRC_HARNESS_RESOURCES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class OwnedResources : public ResourceVariables {
 public:
  // The budget must outlive this object.
  explicit OwnedResources(MemoryBudget* budget) : budget_(budget) {}

  int32_t Find(const std::string& container, const std::string& name) override;
  const Tensor* Get(int32_t number) const override;
  absl::Status Assign(int32_t number, const Tensor& value) override;

  // Discards the values of all variables. Their names keep their numbers.
  void Clear();

  // Holds a copy of the value of a variable, or records that the variable had
  // no value.
  struct Saved {
    bool is_assigned = false;
    Tensor value;  // `value.data` points to `bytes`
    std::vector<uint8_t> bytes;
  };
  std::vector<Saved> Save() const;
  // Restores saved values. A variable that has no entry in `saved` has no value
  // afterwards. Error: ResourceExhausted above the memory limit.
  absl::Status Restore(const std::vector<Saved>& saved);

 private:
  struct Variable {
    bool is_assigned = false;
    Tensor value;
    MemoryBlock memory;
  };

  MemoryBudget* budget_;
  std::map<std::pair<std::string, std::string>, int32_t> numbers_;
  std::vector<Variable> variables_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_RESOURCES_H_
