// SPDX-License-Identifier: Apache-2.0
// Decodes columns that src/views/columns.h has encoded, in the same way as the
// scripts of a page. If the input is not such a column, the calling test fails.
#ifndef STOWAGE_TESTS_VIEWS_COLUMN_READER_H_
#define STOWAGE_TESTS_VIEWS_COLUMN_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/views/columns.h"

namespace stowage::views {

// Returns the values of an encoded column.
std::vector<size_t> DecodeColumn(absl::string_view bytes, ColumnCoding coding);

// Inverts PackBlock.
std::string UnpackBlock(absl::string_view text);

}  // namespace stowage::views

#endif  // STOWAGE_TESTS_VIEWS_COLUMN_READER_H_
