// SPDX-License-Identifier: Apache-2.0
// Runs stowage verify --certificate, which checks a certificate instead of a
// plan.
#ifndef STOWAGE_SRC_COMMAND_VERIFY_CERTIFICATE_H_
#define STOWAGE_SRC_COMMAND_VERIFY_CERTIFICATE_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/verb.h"

namespace stowage::cli {

// Checks a certificate against a trace. The exit code is 1 if something is
// refuted. `alignment`, if given, replaces the alignments of the trace.
Outcome VerifyCertificate(const std::string& trace_path,
                          const std::string& path,
                          absl::optional<size_t> alignment, Format format,
                          const InputOptions& options);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_VERIFY_CERTIFICATE_H_
