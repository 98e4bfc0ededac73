// SPDX-License-Identifier: Apache-2.0
#include "src/command/delegate_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/command/number_list.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/partition.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

absl::StatusOr<int> ParseLimit(absl::string_view text) {
  const absl::StatusOr<uint64_t> number = ParsePositive(text);
  if (!number.ok()) return number.status();
  // Reduces larger numbers to the largest int, since no model has more nodes.
  return static_cast<int>(
      std::min<uint64_t>(*number, std::numeric_limits<int>::max()));
}

void AddLimit(CLI::App* verb, const std::string& name, const std::string& help,
              int harness::PartitionLimits::*limit, DelegateArgs* args) {
  AddValue(verb, name, "N", help, [limit, args](const std::string& text) {
    const absl::StatusOr<int> value = ParseLimit(text);
    if (!value.ok()) return value.status();
    if (!args->limits) args->limits.emplace();
    *args->limits.*limit = *value;
    return absl::OkStatus();
  })->needs("--delegate");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseDelegates(
    absl::string_view text) {
  std::vector<std::string> delegates;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const size_t special = part.find_first_of("=:/");
    const bool is_option =
        special != absl::string_view::npos && part[special] == '=';
    if (part.empty() ||
        (is_option &&
         (delegates.empty() || !absl::StrContains(delegates.back(), ':')))) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", part,
                       "'; expected NAME or NAME:KEY=VALUE,..., and commas "
                       "between delegates"));
    }
    if (is_option) {
      absl::StrAppend(&delegates.back(), ",", part);
    } else {
      delegates.emplace_back(part);
    }
  }
  return delegates;
}

void AddDelegateOptions(CLI::App* verb, DelegateArgs* args) {
  AddRepeated(verb, "--delegate", "NAME[:OPTIONS],...",
              "Let these delegates, in this order, run the operators that they "
              "can run; NAME is the name of a delegate or the path of a shared "
              "library; may be repeated",
              [args](const std::string& text) {
                const absl::StatusOr<std::vector<std::string>> delegates =
                    ParseDelegates(text);
                if (!delegates.ok()) return delegates.status();
                args->delegates.insert(args->delegates.end(),
                                       delegates->begin(), delegates->end());
                return absl::OkStatus();
              });
  AddParsed(verb, "--claim", "LIST",
            "Delegates run only these nodes, as in 0,3,5-9", ParseNumberList,
            &args->claim)
      ->needs("--delegate");
  AddLimit(verb, "--max-partitions",
           "Each delegate runs at most this many partitions, the largest ones",
           &harness::PartitionLimits::max_partitions, args);
  AddLimit(verb, "--min-nodes",
           "Delegates run only partitions of at least this many nodes",
           &harness::PartitionLimits::min_nodes_per_partition, args);
}

absl::StatusOr<std::vector<harness::DelegateRequest>> RequestDelegates(
    const DelegateArgs& args) {
  std::vector<harness::DelegateRequest> requests;
  for (const std::string& text : args.delegates) {
    absl::StatusOr<harness::DelegateRequest> request =
        harness::RequestDelegate(text);
    const absl::string_view name =
        absl::string_view(text).substr(0, text.find(':'));
    if (absl::IsNotFound(request.status()) && absl::StrContains(name, '/')) {
      return absl::FailedPreconditionError(request.status().message());
    }
    if (!request.ok()) return request.status();
    request->options.limits = args.limits;
    requests.push_back(*std::move(request));
  }
  return requests;
}

Outcome FailedRequest(absl::string_view verb, const absl::Status& status) {
  if (absl::IsInvalidArgument(status) || absl::IsNotFound(status)) {
    return Misuse(verb, absl::StrCat("--delegate: ", status.message()));
  }
  return BadInput(status);
}

absl::Status ClaimNodes(const DelegateArgs& args, const Model& model,
                        size_t subgraph,
                        absl::Span<harness::DelegateRequest> requests) {
  if (args.claim.empty()) return absl::OkStatus();
  if (absl::Status s = model.CheckSubgraph(subgraph); !s.ok()) return s;
  const size_t count = model.subgraphs()[subgraph].operators.size();
  const absl::StatusOr<std::vector<size_t>> nodes =
      NumbersOf(args.claim, count);
  if (!nodes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": subgraph ", subgraph,
                     ": --claim: ", nodes.status().message()));
  }
  for (harness::DelegateRequest& request : requests) {
    request.options.claim.emplace(nodes->begin(), nodes->end());
    request.subgraph = subgraph;
  }
  return absl::OkStatus();
}

}  // namespace stowage::cli
