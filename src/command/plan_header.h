// SPDX-License-Identifier: Apache-2.0
// A plan as a C header, which needs stdint.h alone. The plan itself comes from
// stowage/tflm/offline_check.h.
#ifndef STOWAGE_SRC_COMMAND_PLAN_HEADER_H_
#define STOWAGE_SRC_COMMAND_PLAN_HEADER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"

namespace stowage::cli {

// Returns the text. `name` is what names begin with, in small letters; the
// verdict is that of a sound plan, and `arena` what is predicted for it, with
// pointers of `word`.
std::string PlanHeader(absl::string_view name, const Model& model,
                       const OfflineVerdict& verdict, const MicroArena& arena,
                       MicroWord word);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_HEADER_H_
