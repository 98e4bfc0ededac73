// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/onednn/onednn_delegate.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/delegates/onednn/onednn_kernel.h"
#include "src/delegates/onednn/operation.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegate_options.h"
#include "stowage/harness/delegates.h"

namespace stowage::harness {
namespace {

constexpr int64_t kMaxThreads = 256;

class Onednn : public Delegate {
 public:
  Onednn(dnnl::engine engine, int threads)
      : engine_(std::move(engine)), threads_(threads) {}

  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = "onednn";
    info.reads_float16_constants = true;
    return info;
  }

  bool CanRun(const DelegateGraph& graph, int node) override {
    return DescribeNode(graph, node).ok();
  }

  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override {
    auto kernel = std::make_unique<onednn::OnednnKernel>(engine_, threads_);
    for (const int id : partition.nodes) {
      const OperatorSpec& spec = graph.node(id);
      absl::StatusOr<onednn::Operation> operation = DescribeNode(graph, id);
      absl::Status status = operation.status();
      if (status.ok()) {
        status = kernel->Add(spec.TypeText(), *std::move(operation));
      }
      if (!status.ok()) {
        return AtPlace(graph.spec().OperatorPlace(static_cast<size_t>(id)),
                       status);
      }
    }
    return kernel;
  }

 private:
  absl::StatusOr<onednn::Operation> DescribeNode(const DelegateGraph& graph,
                                                 int id) const {
    const onednn::ThreadScope scope(threads_);
    return onednn::Describe(onednn::Node(graph, graph.node(id), engine_));
  }

  dnnl::engine engine_;
  int threads_;
};

absl::StatusOr<std::unique_ptr<Delegate>> Create(absl::string_view text) {
  const absl::StatusOr<DelegateOptions> options =
      DelegateOptions::Parse(text, {"threads"});
  if (!options.ok()) return options.status();
  const absl::StatusOr<int64_t> threads =
      options->Number("threads", 1, 1, kMaxThreads);
  if (!threads.ok()) return threads.status();
  absl::StatusOr<dnnl::engine> engine =
      onednn::Guard([] { return dnnl::engine(dnnl::engine::kind::cpu, 0); });
  if (!engine.ok()) return absl::UnavailableError(engine.status().message());
  return std::make_unique<Onednn>(*std::move(engine),
                                  static_cast<int>(*threads));
}

}  // namespace

DelegateRegistration OnednnDelegate() {
  return {"onednn",
          "convolutions, matrix products, poolings and elementwise operators "
          "by oneDNN",
          "threads=N", nullptr, &Create};
}

}  // namespace stowage::harness
