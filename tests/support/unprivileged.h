// SPDX-License-Identifier: Apache-2.0
// Drops the rights of root for a time. Root may read and write files that other
// users may not, so some tests have to run as another user.
#ifndef STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
#define STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_

#include <string>
#include <vector>

namespace stowage::support {

// Runs tests as a user other than root. If root runs the tests, the process and
// the processes that it starts run as the user nobody while an object of this
// class exists. If another user runs the tests, the object has no effect.
class Unprivileged {
 public:
  // Gives the folders to the user nobody, so that files can be made in them.
  explicit Unprivileged(const std::vector<std::string>& folders);
  ~Unprivileged();
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

  // Returns whether both hold: the process now runs as a user other than root,
  // and this user has access to the folders that the constructor got.
  bool is_in_effect() const { return is_in_effect_; }

 private:
  bool was_root_;
  bool is_in_effect_;
};

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_UNPRIVILEGED_H_
