// The page of operators is what the library has.
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {
namespace {

// The first two columns of the operator's row.
std::string RowOf(const OperatorRegistration& op) {
  return absl::StrCat(
      "| `", op.name, "`", op.is_custom ? " (custom)" : "", " | ",
      op.min_version,
      op.min_version == op.max_version ? "" : absl::StrCat("-", op.max_version),
      " | ", op.in_place == InPlace::kNever ? "" : "yes", " | ");
}

TEST(OperatorsPage, HasARowForEach) {
  std::ifstream file(STOWAGE_SOURCE_DIR "/docs/operators.md");
  std::stringstream page;
  page << file.rdbuf();
  std::set<std::string> rows;
  const OperatorResolver resolver = BuiltinOperators();
  for (const auto& [key, op] : resolver.all()) {
    EXPECT_NE(page.str().find(RowOf(op)), std::string::npos) << RowOf(op);
    rows.insert(op.name);
  }
  size_t count = 0;
  for (std::string line; std::getline(page, line);) {
    count += line.rfind("| `", 0) == 0 ? 1 : 0;
  }
  EXPECT_EQ(count, rows.size());
}

}  // namespace
}  // namespace stowage::harness
