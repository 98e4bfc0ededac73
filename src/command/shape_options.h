// SPDX-License-Identifier: Apache-2.0
// Declares the options for the shapes of a model's tensors, and the notes about
// extents that stay open.
#ifndef STOWAGE_SRC_COMMAND_SHAPE_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_SHAPE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

struct ShapeArgs {
  std::vector<harness::GivenShape> shapes;
  // The same shapes, except that an extent may be the name of a parameter. Also
  // lists the parameters.
  harness::ShapeParameters open;
  // Says whether an extent that would be planned as 1 is an error.
  bool is_strict = false;
};

// Add --shape and --strict. In both options, the help text begins with `begin`:
// "The" and "Refuse", or "Models: the" and "Models: refuse". If `open` is not
// null, extents may be names of parameters. Such an extent is 0 in `shapes`,
// and `open` has the names.
CLI::Option* AddShape(CLI::App* verb, const std::string& begin,
                      std::vector<harness::GivenShape>* shapes,
                      harness::ShapeParameters* open = nullptr);
CLI::Option* AddStrict(CLI::App* verb, const std::string& begin,
                       bool* is_strict);

// Add --parameter and --where.
CLI::Option* AddParameter(CLI::App* verb, const std::string& begin,
                          harness::ShapeParameters* open);
CLI::Option* AddWhere(CLI::App* verb, const std::string& begin,
                      harness::ShapeParameters* open);

// Returns whether an extent is the name of a parameter, or whether parameters
// or limits are given.
bool HasParameters(const harness::ShapeParameters& open);

// Returns the error of harness::ValuesOf, if there are parameters.
absl::Status CheckParameters(const harness::ShapeParameters& open);

// If the model has open extents, adds a note about them and counts them for
// JSON. Error: InvalidArgument, naming the first open extent, if `is_strict` is
// true. `takes_shapes` says whether the verb has --shape.
absl::Status NoteOpenShapes(const std::string& path, const OpenShapes& open,
                            bool is_strict, bool takes_shapes = true);

// Returns the model with the given shapes for `subgraph`, and with the shapes
// that operators compute from them. Without given shapes, the model stays as it
// is. Errors: those of ResolveShapes and FindKnownShapes.
absl::StatusOr<std::unique_ptr<const Model>> WithGivenShapes(
    std::unique_ptr<const Model> model, size_t subgraph,
    const std::vector<harness::GivenShape>& shapes);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SHAPE_OPTIONS_H_
