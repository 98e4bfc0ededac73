// SPDX-License-Identifier: Apache-2.0
// Numbers the names in a file, such as those of groups and pools.
#ifndef STOWAGE_SRC_IO_NAME_TABLE_H_
#define STOWAGE_SRC_IO_NAME_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/string_view.h"

namespace stowage {

// Numbers names from 0 in the order of their first appearance. A file may use
// the name of an object before it defines the object.
class NameTable {
 public:
  static constexpr size_t kNothing = static_cast<size_t>(-1);

  uint32_t NumberOf(string_view name) {
    const auto [found, is_new] = numbers_.try_emplace(
        std::string(name), static_cast<uint32_t>(names_.size()));
    if (is_new) {
      names_.emplace_back(name);
      meanings_.push_back(kNothing);
    }
    return found->second;
  }
  // Returns the index of the object with this name, or kNothing if the file has
  // not defined it yet.
  size_t MeaningOf(size_t number) const { return meanings_[number]; }
  void SetMeaning(size_t number, size_t meaning) {
    meanings_[number] = meaning;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  flat_hash_map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<size_t> meanings_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_NAME_TABLE_H_
