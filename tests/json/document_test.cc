// SPDX-License-Identifier: Apache-2.0
#include "src/json/document.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace stowage::json {
namespace {

TEST(ParseDocumentTest, NamesTheFirstFlaw) {
  using Kind = Flaw::Kind;
  const struct {
    const char* text;
    Kind kind;
    size_t position;
    const char* key;
  } cases[] = {
      {R"({"a": [1, {"a": null}], "b": {"a": 2}})", Kind::kNone, 0, ""},
      {R"({"a": 1, "b": {"c": 1, "d": 2, "c": 3}})", Kind::kRepeatedKey, 0,
       "c"},
      {R"({"a": 1, "b": 2, "\u0061": 3})", Kind::kRepeatedKey, 0, "a"},
      {R"({"a": 1)", Kind::kSyntax, 8, ""},
      {R"({"a": 1}})", Kind::kSyntax, 9, ""},
      {"", Kind::kSyntax, 1, ""},
      {"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", Kind::kTooManyValues, 0, ""},
  };
  for (const auto& c : cases) {
    Json document;
    const Flaw flaw = ParseDocument(c.text, &document, /*max_values=*/10);
    EXPECT_EQ(flaw.kind, c.kind) << c.text;
    EXPECT_EQ(flaw.position, c.position) << c.text;
    EXPECT_EQ(flaw.key, c.key) << c.text;
    EXPECT_EQ(document.is_null(), c.kind != Kind::kNone) << c.text;
  }
}

absl::Status KeyError(absl::string_view key, bool is_missing,
                      absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(key, is_missing ? " missing: " : " wrong: ", expected));
}

TEST(ObjectReaderTest, ReadsEveryTypeAndNoOther) {
  const Json object = Json::parse(R"({
      "text": "a", "yes": true, "count": 18446744073709551615, "below": -1,
      "numbers": [1, 2], "lists": [[1], []], "some": [null, 3], "real": 1.5})");
  ObjectReader reader(object, KeyError);
  std::string text;
  bool yes = false;
  size_t count = 0;
  int64_t below = 0;
  std::vector<size_t> numbers;
  std::vector<std::vector<size_t>> lists;
  std::vector<absl::optional<size_t>> some;
  reader.Read("text", "", &text);
  reader.Read("yes", "", &yes);
  reader.Read("count", "", &count);
  reader.Read("below", "", &below);
  reader.Read("numbers", "", &numbers);
  reader.Read("lists", "", &lists);
  reader.Read("some", "", &some);
  EXPECT_EQ(reader.status(), absl::OkStatus());
  EXPECT_EQ(text, "a");
  EXPECT_TRUE(yes);
  EXPECT_EQ(count, SIZE_MAX);
  EXPECT_EQ(below, -1);
  EXPECT_EQ(numbers, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(lists, (std::vector<std::vector<size_t>>{{1}, {}}));
  EXPECT_EQ(some, (std::vector<absl::optional<size_t>>{absl::nullopt, 3}));
  EXPECT_EQ(reader.UnreadKey(), "real");

  for (const char* key : {"yes", "below", "numbers", "real", "some"}) {
    ObjectReader wrong(object, KeyError);
    wrong.Read(key, "a count", &count);
    wrong.Read("text", "a string", &text);  // the first error stays
    EXPECT_EQ(wrong.status().message(), absl::StrCat(key, " wrong: a count"));
  }
}

TEST(ObjectReaderTest, SaysThatAKeyIsMissing) {
  const Json object = Json::object();
  ObjectReader reader(object, KeyError);
  EXPECT_FALSE(reader.Has("ids"));
  EXPECT_EQ(reader.UnreadKey(), absl::nullopt);
  EXPECT_EQ(reader.Find("ids", "a list"), nullptr);
  EXPECT_EQ(reader.status().message(), "ids missing: a list");
}

}  // namespace
}  // namespace stowage::json
