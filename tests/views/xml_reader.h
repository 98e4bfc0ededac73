// SPDX-License-Identifier: Apache-2.0
// Checks whether a document is well-formed XML 1.0, and reads its elements.
// Tests use it to check the SVG pictures that the library writes, so it shares
// no code with the library. Declarations, comments and processing instructions
// are not supported, because these pictures have none.
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
  // The text that is directly in the element, with references replaced.
  std::string text;
};

// Returns all elements in the order in which they begin. Error: InvalidArgument
// if the document is not well-formed; the message gives the offset of the byte.
absl::StatusOr<std::vector<XmlElement>> ReadXml(absl::string_view document);

// Returns the data of each path of a class and the text of each other element
// of the class. If the document is not well-formed, the calling test fails.
std::vector<std::string> DataOfClass(absl::string_view document,
                                     absl::string_view name);

}  // namespace stowage::views

#endif  // STOWAGE_TESTS_VIEWS_XML_READER_H_
