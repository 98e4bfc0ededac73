// SPDX-License-Identifier: Apache-2.0
// Defines a delegate for tests. It runs the kernels of the graph's resolver as
// its own kernels, has hooks to plant faults, and records every call, kernel
// and buffer. To test with whole models, use the delegate `reference`.
//
//   FakeSpec spec;
//   spec.claims = {1, 2};
//   spec.after_invoke = [](PartitionContext& context) { ...a fault... };
//   const auto log = std::make_shared<FakeLog>();
//   graph.ApplyDelegate(std::make_shared<FakeDelegate>(spec, log));
//   EXPECT_EQ(log->kernels_created, log->kernels_destroyed);
#ifndef STOWAGE_TESTS_HARNESS_FAKE_DELEGATE_H_
#define STOWAGE_TESTS_HARNESS_FAKE_DELEGATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// Counts the calls of all delegates that share the log. The log outlives the
// delegates.
struct FakeLog {
  size_t graphs_prepared = 0;
  std::map<int, size_t> asked;  // by node: how often CanRun was called
  size_t kernels_created = 0;
  size_t kernels_destroyed = 0;
  size_t kernels_prepared = 0;   // calls
  size_t invocations = 0;        // of kernels, or steps of them
  std::vector<std::string> run;  // operators, in the order in which they ran
  size_t buffers_created = 0;
  std::map<int, size_t> freed;  // by handle: how often FreeBuffer was called
  size_t copies_from = 0;
  size_t copies_to = 0;
  size_t delegates_destroyed = 0;

  // Returns whether every kernel has been destroyed and every buffer has been
  // freed exactly once.
  bool IsClean() const;
};

// Describes what a fake delegate does. An empty hook does nothing. If a hook
// returns an error, the function that calls the hook fails. Hooks may also
// throw exceptions.
struct FakeSpec {
  FakeSpec() { info.name = "fake"; }

  DelegateInfo info;
  bool is_transparent = false;
  // If true, the outputs are computed in buffers that only the delegate can
  // read.
  bool has_buffers = false;
  // The nodes to claim. If not set, the delegate claims every operator of the
  // model.
  absl::optional<std::vector<int>> claims;
  size_t workspace_alignment = 16;

  std::function<void()> in_info;
  std::function<absl::Status(const DelegateGraph&)> prepare;
  std::function<bool(int node)> can_run;
  // If set, this hook returns the nodes to claim, and `claims` is ignored.
  std::function<absl::StatusOr<std::vector<int>>(const DelegateGraph&)> claim;
  std::function<absl::Status(const DelegatePartition&)> create;
  bool creates_null = false;
  std::function<void(std::vector<PartitionStep>*)> steps;
  // If set, this hook is called in Prepare, after the kernel has prepared its
  // operators.
  std::function<absl::Status(PartitionContext&)> kernel_prepare;
  std::function<absl::Status(PartitionContext&)> before_invoke;
  std::function<absl::Status(PartitionContext&)> after_invoke;
  std::function<absl::Status(int handle)> copy_from;
  std::function<absl::Status(int handle)> copy_to;
  std::function<void(int handle)> free_buffer;
  std::function<void()> memory;
};

// Provides pages that can be accessed only between Open and Close.
class DeviceMemory;

class FakeDelegate : public Delegate {
 public:
  explicit FakeDelegate(FakeSpec spec, std::shared_ptr<FakeLog> log = nullptr);
  ~FakeDelegate() override;

  DelegateInfo info() const override;
  absl::Status Prepare(const DelegateGraph& graph) override;
  bool CanRun(const DelegateGraph& graph, int node) override;
  absl::StatusOr<std::vector<int>> ClaimNodes(
      const DelegateGraph& graph) override;
  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override;
  absl::Status CopyFromBuffer(int handle, Tensor* tensor) override;
  absl::Status CopyToBuffer(int handle, const Tensor& tensor) override;
  void FreeBuffer(int handle) override;
  std::vector<DelegateMemory> Memory() const override;

  // Creates a zeroed buffer of `bytes` bytes and returns its handle.
  int CreateBuffer(size_t bytes);
  // Returns the buffer with that handle, or null if there is no such buffer.
  DeviceMemory* buffer(int handle);
  const FakeSpec& spec() const { return spec_; }
  FakeLog& log() { return *log_; }

 private:
  FakeSpec spec_;
  std::shared_ptr<FakeLog> log_;
  std::map<int, std::unique_ptr<DeviceMemory>> buffers_;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  size_t size() const { return size_; }
  uint8_t* Open();
  void Close();

 private:
  size_t size_;
  size_t pages_;  // bytes
  uint8_t* data_ = nullptr;
};

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_FAKE_DELEGATE_H_
