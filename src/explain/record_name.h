// SPDX-License-Identifier: Apache-2.0
// Names a record in sentences.
#ifndef STOWAGE_SRC_EXPLAIN_RECORD_NAME_H_
#define STOWAGE_SRC_EXPLAIN_RECORD_NAME_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/base/text.h"
#include "stowage/trace.h"

namespace stowage::views {

// Returns the id of the record in quotes, "12". If the tensor has a name, the
// name follows: "12" ("conv1/Relu"). Names are escaped and cut to a length that
// fits a message.
inline std::string RecordName(const Trace& trace, size_t record) {
  std::string name = record < trace.ids.size()
                         ? Quoted(trace.ids[record])
                         : absl::StrCat("record ", record);
  if (record < trace.tensors.size() && !trace.tensors[record].name.empty()) {
    absl::StrAppend(&name, " (", Quoted(trace.tensors[record].name), ")");
  }
  return name;
}

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_RECORD_NAME_H_
