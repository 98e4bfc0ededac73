// SPDX-License-Identifier: Apache-2.0
#include "src/testing/plan_file.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "src/io/csv_reader.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_source.h"

namespace stowage::program {
namespace {

constexpr absl::string_view kId = "id";

// The positions of the two columns in each row.
struct Positions {
  size_t count = 0;  // the number of all columns
  size_t id = 0;
  size_t number = 0;
};

absl::StatusOr<size_t> FindColumn(const CsvReader& reader, const CsvRow& header,
                                  absl::string_view name) {
  const auto begin = header.fields.begin();
  const auto found = std::find(begin, header.fields.end(), name);
  if (found == header.fields.end()) {
    return reader.ErrorAt(header.line,
                          absl::StrCat("no column ", Quoted(name)));
  }
  if (std::find(found + 1, header.fields.end(), name) != header.fields.end()) {
    return reader.ErrorAt(header.line,
                          absl::StrCat("column ", Quoted(name),
                                       " appears twice; expected it once"));
  }
  return static_cast<size_t>(found - begin);
}

absl::StatusOr<Positions> FindColumns(const CsvReader& reader,
                                      const CsvRow& header,
                                      absl::string_view column) {
  const auto has = [&](absl::string_view name) {
    return std::find(header.fields.begin(), header.fields.end(), name) !=
           header.fields.end();
  };
  if (!has(kId) && !has(column)) {
    return reader.ErrorAt(
        header.line, absl::StrCat("no header: the first row starts with ",
                                  Quoted(header.fields[0]),
                                  "; expected the columns id and ", column));
  }
  const absl::StatusOr<size_t> id = FindColumn(reader, header, kId);
  if (!id.ok()) return id.status();
  const absl::StatusOr<size_t> number = FindColumn(reader, header, column);
  if (!number.ok()) return number.status();
  return Positions{header.fields.size(), *id, *number};
}

// Returns the number that a field represents, or an error that describes what
// is wrong.
using ParseField =
    std::function<absl::StatusOr<size_t>(const std::string& field)>;

absl::StatusOr<size_t> ParseNumber(const std::string& text) {
  size_t number = 0;
  // SimpleAtoi alone would also accept a sign and spaces.
  if (std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
      absl::SimpleAtoi(text, &number)) {
    return number;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a whole number from 0 to ",
                   std::numeric_limits<size_t>::max(), " in digits"));
}

absl::Status AddRow(const CsvReader& reader, const CsvRow& row,
                    const Positions& positions, absl::string_view column,
                    const ParseField& parse, PlanColumn* numbers) {
  const auto error = [&](const std::string& message) {
    return reader.ErrorAt(row.line, message);
  };
  if (row.fields.size() != positions.count) {
    return error(absl::StrCat(row.fields.size(), " fields; expected ",
                              positions.count, " as in the header"));
  }
  const std::string& text = row.fields[positions.number];
  const absl::StatusOr<size_t> number = parse(text);
  if (!number.ok()) {
    return error(absl::StrCat(column, " is ", Quoted(text), "; expected ",
                              number.status().message()));
  }
  const std::string& id = row.fields[positions.id];
  if (!numbers->try_emplace(id, *number).second) {
    return error(absl::StrCat("id ", Quoted(id),
                              " appears twice; expected one row for each id"));
  }
  return absl::OkStatus();
}

absl::StatusOr<PlanColumn> ParseColumn(absl::string_view csv,
                                       absl::string_view name,
                                       absl::string_view column,
                                       const ParseField& parse) {
  StringSource source(csv);
  CsvReader reader(&source, name);
  CsvRow row;
  PlanColumn numbers;
  absl::StatusOr<bool> more = reader.Next(&row);
  if (!more.ok()) return more.status();
  if (!*more) return numbers;
  const absl::StatusOr<Positions> positions = FindColumns(reader, row, column);
  const bool has_id =
      std::find(row.fields.begin(), row.fields.end(), kId) != row.fields.end();
  if (!positions.ok() && !has_id) return positions.status();
  for (more = reader.Next(&row); more.ok() && *more; more = reader.Next(&row)) {
    if (!positions.ok()) return positions.status();
    const absl::Status status =
        AddRow(reader, row, *positions, column, parse, &numbers);
    if (!status.ok()) return status;
  }
  if (!more.ok()) return more.status();
  return numbers;
}

}  // namespace

absl::StatusOr<PlanColumn> ParsePlanColumn(absl::string_view csv,
                                           absl::string_view name,
                                           absl::string_view column) {
  return ParseColumn(csv, name, column, ParseNumber);
}

absl::StatusOr<PlanColumn> ParseNamesColumn(
    absl::string_view csv, absl::string_view name, absl::string_view column,
    const std::vector<std::string>& names) {
  return ParseColumn(csv, name, column,
                     [&](const std::string& field) -> absl::StatusOr<size_t> {
                       const auto found =
                           std::find(names.begin(), names.end(), field);
                       if (found != names.end()) {
                         return static_cast<size_t>(found - names.begin());
                       }
                       return absl::InvalidArgumentError(
                           absl::StrCat("one of ", absl::StrJoin(names, ", ")));
                     });
}

absl::StatusOr<std::vector<size_t>> InOrderOfIds(
    const PlanColumn& numbers, absl::string_view name,
    const std::vector<std::string>& ids) {
  std::vector<size_t> ordered;
  ordered.reserve(ids.size());
  for (const std::string& id : ids) {
    const auto found = numbers.find(id);
    if (found == numbers.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": no row for id ", Quoted(id),
                       "; expected one for each of the trace"));
    }
    ordered.push_back(found->second);
  }
  if (numbers.size() == ids.size()) return ordered;
  const absl::flat_hash_set<absl::string_view> known(ids.begin(), ids.end());
  // Report the least of the unknown ids, because the iteration order of a hash
  // table varies.
  absl::string_view unknown;
  for (const auto& [id, number] : numbers) {
    if (known.contains(id)) continue;
    if (unknown.data() == nullptr || id < unknown) unknown = id;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": id ", Quoted(unknown),
                   " is not in the trace; expected its ids alone"));
}

}  // namespace stowage::program
