// SPDX-License-Identifier: Apache-2.0
#include "tests/support/unprivileged.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace stowage::support {
namespace {

constexpr uid_t kNobody = 65534;

bool CanUse(const std::string& folder) {
  return access(folder.c_str(), R_OK | W_OK | X_OK) == 0;
}

}  // namespace

// Changes both the real and the effective user, because shells switch back to
// the real user.
Unprivileged::Unprivileged(const std::vector<std::string>& folders)
    : was_root_(geteuid() == 0) {
  if (was_root_) {
    for (const std::string& folder : folders) {
      if (chown(folder.c_str(), kNobody, static_cast<gid_t>(-1)) != 0) {
        std::perror(folder.c_str());
      }
    }
    if (setresuid(kNobody, kNobody, 0) != 0) std::perror("setresuid");
  }
  is_in_effect_ =
      geteuid() != 0 && std::all_of(folders.begin(), folders.end(), CanUse);
}

Unprivileged::~Unprivileged() {
  if (!was_root_ || setresuid(0, 0, 0) == 0) return;
  std::perror("setresuid");
  std::abort();
}

}  // namespace stowage::support
