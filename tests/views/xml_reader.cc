// SPDX-License-Identifier: Apache-2.0
#include "tests/views/xml_reader.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/base/text.h"

namespace stowage::views {
namespace {

class XmlReader {
 public:
  explicit XmlReader(absl::string_view document) : text_(document) {}

  absl::StatusOr<std::vector<XmlElement>> Read() {
    if (!IsUtf8(text_)) return Error("not UTF-8");
    for (const char c : text_) {
      const bool is_control =
          absl::ascii_iscntrl(static_cast<unsigned char>(c));
      if (is_control && c != '\n') return Error("a control character");
    }
    while (at_ < text_.size()) {
      const absl::Status status = Peek() == '<' ? Tag() : Content();
      if (!status.ok()) return status;
    }
    if (!open_.empty()) return Error("an element that does not end");
    if (elements_.empty()) return Error("no element");
    return std::move(elements_);
  }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", at_, ": ", what));
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Consume(absl::string_view token) {
    if (!absl::StartsWith(text_.substr(at_), token)) return false;
    at_ += token.size();
    return true;
  }
  std::string Name() {
    const size_t start = at_;
    while (absl::ascii_isalnum(static_cast<unsigned char>(Peek())) ||
           Peek() == '-' || Peek() == '_') {
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }
  void Space() {
    while (Peek() == ' ' || Peek() == '\n') ++at_;
  }

  // Reads a character or a reference and appends it to `to`.
  absl::Status Character(std::string* to) {
    static constexpr std::pair<const char*, char> kReferences[] = {
        {"&amp;", '&'},
        {"&lt;", '<'},
        {"&gt;", '>'},
        {"&quot;", '"'},
        {"&#39;", '\''}};
    for (const auto& [reference, c] : kReferences) {
      if (Consume(reference)) {
        *to += c;
        return absl::OkStatus();
      }
    }
    if (Peek() == '&' || Peek() == '<') return Error("a bare & or <");
    *to += text_[at_++];
    return absl::OkStatus();
  }

  absl::Status Content() {
    std::string content;
    while (at_ < text_.size() && Peek() != '<') {
      if (absl::Status s = Character(&content); !s.ok()) return s;
    }
    if (!open_.empty()) {
      elements_[open_.back()].text += content;
      return absl::OkStatus();
    }
    for (const char c : content) {
      if (c != '\n') return Error("text outside of the document");
    }
    return absl::OkStatus();
  }

  absl::Status Tag() {
    if (Consume("</")) {
      const std::string name = Name();
      if (open_.empty() || elements_[open_.back()].name != name) {
        return Error("the end of another element");
      }
      open_.pop_back();
      return Consume(">") ? absl::OkStatus() : Error("no >");
    }
    if (open_.empty() && !elements_.empty()) return Error("a second root");
    Consume("<");
    XmlElement element;
    element.name = Name();
    if (element.name.empty()) return Error("no name");
    for (Space(); Peek() != '>' && Peek() != '/'; Space()) {
      if (absl::Status s = Attribute(&element.attributes); !s.ok()) return s;
    }
    elements_.push_back(std::move(element));
    if (Consume("/>")) return absl::OkStatus();
    open_.push_back(elements_.size() - 1);
    return Consume(">") ? absl::OkStatus() : Error("no >");
  }

  absl::Status Attribute(std::map<std::string, std::string>* attributes) {
    const std::string name = Name();
    if (name.empty() || !Consume("=\"")) return Error("no attribute");
    std::string value;
    while (Peek() != '"') {
      if (at_ >= text_.size()) return Error("a value that does not end");
      if (absl::Status s = Character(&value); !s.ok()) return s;
    }
    Consume("\"");
    const bool is_new = attributes->emplace(name, value).second;
    return is_new ? absl::OkStatus() : Error("an attribute twice");
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::vector<XmlElement> elements_;
  std::vector<size_t> open_;  // indices of elements that have not ended
};

}  // namespace

absl::StatusOr<std::vector<XmlElement>> ReadXml(absl::string_view document) {
  return XmlReader(document).Read();
}

std::vector<std::string> DataOfClass(absl::string_view document,
                                     absl::string_view name) {
  const absl::StatusOr<std::vector<XmlElement>> elements = ReadXml(document);
  EXPECT_TRUE(elements.ok()) << elements.status();
  std::vector<std::string> data;
  if (!elements.ok()) return data;
  for (const XmlElement& element : *elements) {
    const auto found = element.attributes.find("class");
    if (found == element.attributes.end() || found->second != name) continue;
    const auto path = element.attributes.find("d");
    data.push_back(path == element.attributes.end() ? element.text
                                                    : path->second);
  }
  return data;
}

}  // namespace stowage::views
