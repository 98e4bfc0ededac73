// SPDX-License-Identifier: Apache-2.0
// Names a record in sentences.
#ifndef STOWAGE_SRC_EXPLAIN_RECORD_NAME_H_
#define STOWAGE_SRC_EXPLAIN_RECORD_NAME_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "stowage/base/text.h"
#include "stowage/problem.h"

namespace stowage::views {

// Returns the id of the record in quotes, "12", followed by the name of the
// tensor if there is one: "12" ("conv1/Relu"). Names are escaped, and are
// shortened to a length that fits in a message.
inline std::string RecordName(const ProblemSpec& problem, size_t record) {
  std::string name = record < problem.names.size()
                         ? Quoted(problem.names[record])
                         : absl::StrCat("record ", record);
  if (record < problem.labels.tensors.size() &&
      !problem.labels.tensors[record].name.empty()) {
    absl::StrAppend(&name, " (", Quoted(problem.labels.tensors[record].name),
                    ")");
  }
  return name;
}

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_RECORD_NAME_H_
