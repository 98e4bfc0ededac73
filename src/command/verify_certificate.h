// SPDX-License-Identifier: Apache-2.0
// The other half of stowage verify: --certificate.
#ifndef STOWAGE_SRC_COMMAND_VERIFY_CERTIFICATE_H_
#define STOWAGE_SRC_COMMAND_VERIFY_CERTIFICATE_H_

#include <cstddef>
#include <string>

#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/verb.h"

namespace stowage::cli {

// Checks a certificate against a trace: exit code 1 if something is refuted.
// The alignments are those of the trace unless one for all is given.
Outcome VerifyCertificate(const std::string& trace_path,
                          const std::string& path,
                          absl::optional<size_t> alignment, Format format,
                          const InputOptions& options);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_VERIFY_CERTIFICATE_H_
