// SPDX-License-Identifier: Apache-2.0
#include "src/harness/fit_sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/fraction.h"
#include "stowage/dynamic/dynamic_problem.h"

namespace stowage::harness {
namespace {

// The exponent of each variable of a product.
using Exponents = std::vector<size_t>;
// A sum of products, as a map from the exponents of each product to its factor.
using Polynomial = std::map<Exponents, Fraction>;
using Row = std::vector<Fraction>;

// A variable of the polynomials: the whole number (v - first)/unit, where v is
// a quotient of a parameter. Its values are 0, 1, 2 and so on, which keeps the
// numbers in an interpolation small.
struct FitVariable {
  ScaledParameter scale;
  uint64_t first = 0;
  uint64_t unit = 1;

  uint64_t At(uint64_t parameter) const {
    return ((parameter + scale.shift) / scale.divisor - first) / unit;
  }
};

FitVariable VariableOf(const SizeParameter& parameter,
                       const ScaledParameter& scale) {
  FitVariable variable;
  variable.scale = scale;
  variable.first = (parameter.min + scale.shift) / scale.divisor;
  if (scale.divisor == 1) variable.unit = parameter.step;
  return variable;
}

// Appends the exponents of all products that have the first exponents `*begin`
// and further exponents with the sum `degree`.
void AppendProducts(size_t variables, size_t degree, Exponents* begin,
                    std::vector<Exponents>* products) {
  if (begin->size() + 1 == variables) {
    begin->push_back(degree);
    products->push_back(*begin);
    begin->pop_back();
    return;
  }
  for (size_t exponent = degree + 1; exponent-- > 0;) {
    begin->push_back(exponent);
    AppendProducts(variables, degree - exponent, begin, products);
    begin->pop_back();
  }
}

// Returns the exponents of all products of a degree of at most `degree`, by
// rising degree.
std::vector<Exponents> ProductsUpTo(size_t variables, size_t degree) {
  std::vector<Exponents> products;
  for (size_t d = 0; d <= degree; ++d) {
    Exponents begin;
    AppendProducts(variables, d, &begin, &products);
  }
  return products;
}

// Returns a size as a fraction. A size above 2^63 - 1, which no expression can
// yield, is returned as "not a number".
Fraction OfSize(size_t size) {
  constexpr size_t kMax = std::numeric_limits<int64_t>::max();
  return size > kMax ? Fraction(0, 0) : Fraction(static_cast<int64_t>(size));
}

// Returns the value of a product of variables at `point`, which contains a
// value for each variable.
Fraction ValueOf(const Exponents& product, absl::Span<const uint64_t> point) {
  Fraction value = 1;
  for (size_t k = 0; k < product.size(); ++k) {
    for (size_t e = 0; e < product[k]; ++e) {
      value = value * static_cast<int64_t>(point[k]);
    }
  }
  return value;
}

// Solves linear equations, which are added one at a time. If the equations do
// not determine all unknowns, the undetermined ones are 0, and earlier unknowns
// are determined rather than later ones.
class Equations {
 public:
  explicit Equations(size_t unknowns) : unknowns_(unknowns) {}

  bool AreComplete() const { return rows_.size() == unknowns_; }

  // Adds an equation: the factors of the unknowns, followed by any number of
  // right-hand sides.
  void Add(Row row) {
    for (const auto& [pivot, known] : rows_) Subtract(known, pivot, &row);
    const auto end = row.begin() + static_cast<ptrdiff_t>(unknowns_);
    if (!std::all_of(row.begin(), end,
                     [](const Fraction& f) { return f.is_number(); })) {
      return;
    }
    const auto pivot = std::find_if(
        row.begin(), end, [](const Fraction& f) { return !f.is_zero(); });
    if (pivot == end) return;
    const auto column = static_cast<size_t>(pivot - row.begin());
    const Fraction factor = *pivot;
    for (Fraction& each : row) each = each / factor;
    for (auto& [other, known] : rows_) Subtract(row, column, &known);
    rows_.emplace(column, std::move(row));
  }

  // Returns the value of an unknown for right-hand side `side`.
  Fraction Solution(size_t unknown, size_t side) const {
    const auto found = rows_.find(unknown);
    return found == rows_.end() ? Fraction(0) : found->second[unknowns_ + side];
  }

 private:
  // Subtracts a multiple of the equation `known` from `row`, so that the factor
  // of the unknown `pivot` in `row` becomes 0.
  static void Subtract(const Row& known, size_t pivot, Row* row) {
    const Fraction factor = (*row)[pivot];
    if (factor.is_zero()) return;
    for (size_t i = 0; i < row->size(); ++i) {
      if (!known[i].is_zero()) (*row)[i] = (*row)[i] - factor * known[i];
    }
  }

  size_t unknowns_;
  std::map<size_t, Row> rows_;  // is keyed by the pivot
};

// Converts a polynomial in the variables to a polynomial in the quotients from
// which the variables are defined.
Polynomial OfQuotients(const Polynomial& polynomial,
                       absl::Span<const FitVariable> variables) {
  Polynomial result;
  for (const auto& [product, factor] : polynomial) {
    Polynomial sum = {{Exponents(variables.size(), 0), factor}};
    for (size_t k = 0; k < variables.size(); ++k) {
      const auto unit = static_cast<int64_t>(variables[k].unit);
      const Fraction slope(1, unit);
      const Fraction start(-static_cast<int64_t>(variables[k].first), unit);
      for (size_t e = 0; e < product[k]; ++e) {
        Polynomial next;
        for (const auto& [part, part_factor] : sum) {
          Fraction& same = next[part];
          same = same + part_factor * start;
          Exponents higher = part;
          ++higher[k];
          Fraction& raised = next[higher];
          raised = raised + part_factor * slope;
        }
        sum = std::move(next);
      }
    }
    for (const auto& [part, part_factor] : sum) {
      Fraction& total = result[part];
      total = total + part_factor;
    }
  }
  return result;
}

// Returns the text of a product without its factor. The text is empty for a
// constant.
std::string ProductText(const Exponents& product,
                        absl::Span<const SizeParameter> parameters,
                        absl::Span<const FitVariable> variables) {
  std::vector<std::string> parts;
  for (size_t k = 0; k < product.size(); ++k) {
    const ScaledParameter& scale = variables[k].scale;
    std::string text = parameters[k].name;
    if (scale.shift > 0) {
      text = absl::StrCat("(", text, " + ", scale.shift, ")");
    }
    if (scale.divisor > 1) {
      text = absl::StrCat("(", text, "//", scale.divisor, ")");
    }
    parts.insert(parts.end(), product[k], text);
  }
  return absl::StrJoin(parts, "*");
}

// Returns the text of a polynomial, or nullopt if a number is too large.
absl::optional<std::string> TextOf(const Polynomial& polynomial,
                                   absl::Span<const SizeParameter> parameters,
                                   absl::Span<const FitVariable> variables) {
  Fraction common = 1;
  for (const auto& [product, factor] : polynomial) {
    if (!factor.is_number()) return absl::nullopt;
    const int64_t shared = std::gcd(common.numerator(), factor.denominator());
    common = common * (factor.denominator() / shared);
    if (!common.is_number()) return absl::nullopt;
  }
  // Negative terms come last, because an expression cannot begin with a minus
  // sign.
  std::string plus;
  std::string minus;
  for (auto it = polynomial.rbegin(); it != polynomial.rend(); ++it) {
    const Fraction factor = it->second * common;
    if (!factor.is_number()) return absl::nullopt;
    if (factor.is_zero()) continue;
    const std::string text = ProductText(it->first, parameters, variables);
    const int64_t size = std::abs(factor.numerator());
    const std::string term = text.empty() ? absl::StrCat(size)
                             : size == 1  ? text
                                          : absl::StrCat(size, "*", text);
    if (factor.numerator() < 0) {
      absl::StrAppend(&minus, " - ", term);
    } else {
      absl::StrAppend(&plus, plus.empty() ? "" : " + ", term);
    }
  }
  std::string sum = absl::StrCat(plus.empty() ? "0" : plus, minus);
  if (common == Fraction(1)) return sum;
  return absl::StrCat("(", sum, ")//", common.numerator());
}

// Returns whether the polynomial has the value `value` at a point.
bool HasValue(const Polynomial& polynomial, absl::Span<const uint64_t> point,
              size_t value) {
  Fraction sum = 0;
  for (const auto& [product, factor] : polynomial) {
    sum = sum + factor * ValueOf(product, point);
  }
  return sum == OfSize(value);
}

}  // namespace

size_t MaxSizeDegree(size_t parameters) {
  return parameters <= 2 ? 4 : parameters == 3 ? 3 : 2;
}

std::vector<absl::optional<std::string>> FitSizes(
    absl::Span<const SizeParameter> parameters,
    absl::Span<const SizeSample> samples, absl::Span<const size_t> records,
    absl::Span<const ScaledParameter> scales) {
  std::vector<FitVariable> variables;
  for (size_t k = 0; k < parameters.size(); ++k) {
    variables.push_back(VariableOf(parameters[k], scales[k]));
  }
  struct Point {
    std::vector<uint64_t> at;
    const SizeSample* sample = nullptr;
    uint64_t sum = 0;
  };
  std::vector<Point> points;
  for (const SizeSample& sample : samples) {
    Point& point = points.emplace_back();
    point.sample = &sample;
    for (size_t k = 0; k < variables.size(); ++k) {
      point.at.push_back(variables[k].At(sample.values[k]));
      point.sum += point.at.back();
    }
  }
  std::stable_sort(
      points.begin(), points.end(),
      [](const Point& a, const Point& b) { return a.sum < b.sum; });
  const std::vector<Exponents> products =
      ProductsUpTo(variables.size(), MaxSizeDegree(variables.size()));
  Equations equations(products.size());
  for (const Point& point : points) {
    if (equations.AreComplete()) break;
    Row row;
    for (const Exponents& product : products) {
      row.push_back(ValueOf(product, point.at));
    }
    for (const size_t record : records) {
      row.push_back(OfSize(point.sample->sizes[record]));
    }
    equations.Add(std::move(row));
  }
  std::vector<absl::optional<std::string>> texts;
  for (size_t i = 0; i < records.size(); ++i) {
    Polynomial polynomial;
    for (size_t u = 0; u < products.size(); ++u) {
      const Fraction factor = equations.Solution(u, i);
      if (!factor.is_zero()) polynomial[products[u]] = factor;
    }
    const bool fits = absl::c_all_of(points, [&](const Point& point) {
      return HasValue(polynomial, point.at, point.sample->sizes[records[i]]);
    });
    texts.push_back(
        fits ? TextOf(OfQuotients(polynomial, variables), parameters, variables)
             : absl::nullopt);
  }
  return texts;
}

absl::optional<ScaledParameter> FindScale(absl::Span<const SizeSample> samples,
                                          size_t parameter, size_t record,
                                          size_t degree) {
  for (uint64_t divisor = 1; divisor <= kMaxSizeDivisor; ++divisor) {
    for (uint64_t shift = 0; shift < divisor; ++shift) {
      std::map<uint64_t, size_t> sizes;
      const bool is_function =
          absl::c_all_of(samples, [&](const SizeSample& sample) {
            const uint64_t at = (sample.values[parameter] + shift) / divisor;
            const size_t size = sample.sizes[record];
            return sizes.emplace(at, size).first->second == size;
          });
      // The sizes at degree + 1 different quotients determine the polynomial,
      // and at least two further quotients are needed to test it. The quotients
      // are consecutive numbers unless the step of the parameter is larger than
      // the divisor.
      if (!is_function || sizes.size() < degree + 3) continue;
      Equations equations(degree + 1);
      const uint64_t first = sizes.begin()->first;
      for (const auto& [at, size] : sizes) {
        Row row;
        for (size_t e = 0; e <= degree; ++e) {
          row.push_back(ValueOf({e}, {at - first}));
        }
        row.push_back(OfSize(size));
        equations.Add(std::move(row));
        if (equations.AreComplete()) break;
      }
      Polynomial polynomial;
      for (size_t e = 0; e <= degree; ++e) {
        polynomial[{e}] = equations.Solution(e, 0);
      }
      if (absl::c_all_of(sizes, [&](const auto& each) {
            return HasValue(polynomial, {each.first - first}, each.second);
          })) {
        return ScaledParameter{divisor, shift};
      }
    }
  }
  return absl::nullopt;
}

}  // namespace stowage::harness
