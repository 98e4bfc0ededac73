// SPDX-License-Identifier: Apache-2.0
// Defines a delegate that claims no nodes, for tests of how delegates are found
// by name. To test with a delegate that runs nodes, use fake_delegate.h.
#ifndef STOWAGE_TESTS_HARNESS_DELEGATE_LIBRARIES_IDLE_DELEGATE_H_
#define STOWAGE_TESTS_HARNESS_DELEGATE_LIBRARIES_IDLE_DELEGATE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness {

class IdleDelegate : public Delegate {
 public:
  explicit IdleDelegate(absl::string_view name) : name_(name) {}

  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = name_;
    return info;
  }
  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& /*graph*/,
      const DelegatePartition& /*partition*/) override {
    return absl::InternalError("asked for a kernel");
  }

 private:
  std::string name_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_DELEGATE_LIBRARIES_IDLE_DELEGATE_H_
