// SPDX-License-Identifier: Apache-2.0
// Formats a plan as a C header that includes nothing but stdint.h. The plan
// itself is made by stowage/tflm/offline_check.h.
#ifndef STOWAGE_SRC_COMMAND_PLAN_HEADER_H_
#define STOWAGE_SRC_COMMAND_PLAN_HEADER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"

namespace stowage::cli {

// Returns the name for the header of the model at `path`: the file name as a C
// identifier of lower-case letters, digits and single underscores. If
// characters had to be replaced, a hash of the file name is appended, so that
// the headers of `a-b.tflite` and `a_b.tflite` have different names. Returns
// "model" for standard input.
std::string HeaderName(const std::string& path);

// Returns the name of the file at `path` in a form that can neither begin nor
// end a C comment. The folder is left out, so a header does not depend on where
// the file is stored.
std::string HeaderComment(absl::string_view path);

// Returns the text of the header. All names in the header begin with `name`, or
// with `name` in capital letters. A program that includes the headers of two
// models with the same name does not compile. Requires that `name` has no
// capital letters, that `verdict` is the verdict on a sound plan, and that
// `arena` is the arena predicted for this plan on a device with pointers of the
// size `word`.
std::string PlanHeader(absl::string_view name, const Model& model,
                       const OfflineVerdict& verdict, const MicroArena& arena,
                       MicroWord word);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_HEADER_H_
