// SPDX-License-Identifier: Apache-2.0
// Whether a document is well-formed XML 1.0, and what is in it: an oracle that
// is independent of what writes pictures. No declarations, comments or
// processing instructions: pictures have none.
#ifndef STOWAGE_TESTS_VIEWS_XML_READER_H_
#define STOWAGE_TESTS_VIEWS_XML_READER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::views {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // its own, with references replaced
};

// All elements in the order in which they begin. Error: InvalidArgument, with
// the byte at which the document is not well-formed.
absl::StatusOr<std::vector<XmlElement>> ReadXml(absl::string_view document);

}  // namespace stowage::views

#endif  // STOWAGE_TESTS_VIEWS_XML_READER_H_
