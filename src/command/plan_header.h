// SPDX-License-Identifier: Apache-2.0
// Formats a plan as a C header that needs only stdint.h.
// stowage/tflm/offline_check.h provides the plan itself.
#ifndef STOWAGE_SRC_COMMAND_PLAN_HEADER_H_
#define STOWAGE_SRC_COMMAND_PLAN_HEADER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"

namespace stowage::cli {

// Returns the name for the header of the model at `path`: the name of its file
// as a C identifier of small letters, digits and single underscores. If
// characters had to be replaced, a hash of the name of the file is appended, so
// that the headers of `a-b.tflite` and `a_b.tflite` have different names.
// Returns "model" for standard input.
std::string HeaderName(const std::string& path);

// Returns the name of the file at `path` in a form that can neither end nor
// begin a comment of C. The folder is left out, so that a header does not
// depend on where the file is stored.
std::string HeaderComment(absl::string_view path);

// Returns the text of the header. All names in the header begin with `name`, or
// with `name` in capital letters; `name` must have no capital letters. A
// program that includes the headers of two models with the same name does not
// compile. `verdict` must be the verdict on a sound plan. `arena` must be the
// arena that is predicted for this plan on a device with pointers of the size
// `word`.
std::string PlanHeader(absl::string_view name, const Model& model,
                       const OfflineVerdict& verdict, const MicroArena& arena,
                       MicroWord word);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_HEADER_H_
