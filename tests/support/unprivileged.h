// SPDX-License-Identifier: Apache-2.0
// Drops the rights of root for a time, for tests of what happens to other
// users. Root may read and write what they may not.
#ifndef STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
#define STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_

#include <string>
#include <vector>

namespace stowage::support {

// If root runs the tests, makes the process, and the processes that it starts,
// run as the user nobody for a time. Has no effect for other users.
class Unprivileged {
 public:
  // Gives the folders to the user nobody, so that files can be made in them.
  explicit Unprivileged(const std::vector<std::string>& folders);
  ~Unprivileged();
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

  // Returns whether the process does not run as root now and has access to the
  // folders.
  bool is_in_effect() const { return is_in_effect_; }

 private:
  bool was_root_;
  bool is_in_effect_;
};

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
