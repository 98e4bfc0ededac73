// SPDX-License-Identifier: Apache-2.0
// Temporarily drops the privileges of root. Root may read and write files that
// other users may not, so some tests have to run as another user.
#ifndef STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
#define STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_

#include <string>
#include <vector>

namespace stowage::support {

// Runs tests as a user other than root. If root runs the tests, the process and
// its child processes run as the user nobody during the lifetime of the object.
// If another user runs the tests, the object has no effect.
class Unprivileged {
 public:
  // Gives the folders to the user nobody, so that files can be created in them.
  explicit Unprivileged(const std::vector<std::string>& folders);
  ~Unprivileged();
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

  // Returns whether the process now runs as a user other than root that has
  // access to the folders passed to the constructor.
  bool is_in_effect() const { return is_in_effect_; }

 private:
  bool was_root_;
  bool is_in_effect_;
};

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
