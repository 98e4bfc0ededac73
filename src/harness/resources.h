// SPDX-License-Identifier: Apache-2.0
// The resource variables of an interpreter.
#ifndef STOWAGE_SRC_HARNESS_RESOURCES_H_
#define STOWAGE_SRC_HARNESS_RESOURCES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/memory.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class OwnedResources : public ResourceVariables {
 public:
  // The budget must outlive this.
  explicit OwnedResources(MemoryBudget* budget) : budget_(budget) {}

  int32_t Find(const std::string& container, const std::string& name) override;
  const Tensor* Get(int32_t number) const override;
  absl::Status Assign(int32_t number, const Tensor& value) override;

  // Forgets all values; names keep their numbers.
  void Clear();

  // A copy of the value of a variable, or the fact that it had none.
  struct Saved {
    bool is_assigned = false;
    Tensor value;  // its data is `bytes`
    std::vector<uint8_t> bytes;
  };
  std::vector<Saved> Save() const;
  // Restores saved values. Variables that are not in `saved` have no value
  // then. Error: ResourceExhausted above the memory limit.
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
