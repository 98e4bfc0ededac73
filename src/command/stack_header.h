// SPDX-License-Identifier: Apache-2.0
// Formats the stacking order of a problem with parameters as a C header, which
// a device uses together with stowage/micro/stack.h. For plans of models, use
// plan_header.h.
#ifndef STOWAGE_SRC_COMMAND_STACK_HEADER_H_
#define STOWAGE_SRC_COMMAND_STACK_HEADER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"

namespace stowage::cli {

// Returns the text of the header: the table of the order, a constant for the
// position of each record, and a function that computes the sizes. All names in
// the header begin with `name`, or with `name` in capital letters. `path` is
// shown in a comment. Requires that `name` has no capital letters. Errors:
// those of EncodeStack.
absl::StatusOr<std::string> StackHeader(absl::string_view name,
                                        absl::string_view path,
                                        const DynamicProblem& problem,
                                        const DynamicPlan& plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_STACK_HEADER_H_
