// SPDX-License-Identifier: Apache-2.0
// Root may read and write what others may not; this is for tests of what
// happens to the others.
#ifndef STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
#define STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_

#include <string>
#include <vector>

namespace stowage::support {

// Where root runs the tests, makes the process one of nobody's for a time, and
// what it starts meanwhile. Without effect for others.
class Unprivileged {
 public:
  // The folders are given to nobody, to make files in.
  explicit Unprivileged(const std::vector<std::string>& folders);
  ~Unprivileged();
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

  // Returns whether the process is not root's now, and can get at the folders.
  bool is_in_effect() const { return is_in_effect_; }

 private:
  bool was_root_;
  bool is_in_effect_;
};

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
