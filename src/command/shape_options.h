// SPDX-License-Identifier: Apache-2.0
// Declares the options for the shapes of a model's tensors, and the notes about
// extents that remain open.
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
  // The parameters, and the same shapes, except that an extent may be the name
  // of a parameter.
  harness::ShapeParameters open;
  // If true, an extent that would be planned as 1 is an error.
  bool is_strict = false;
};

// Add --shape and --strict. If `open` is not null, extents may be names of
// parameters; `shapes` then has 0 for such an extent, and `open` has the name.
CLI::Option* AddShape(CLI::App* verb, std::vector<harness::GivenShape>* shapes,
                      harness::ShapeParameters* open = nullptr);
CLI::Option* AddStrict(CLI::App* verb, bool* is_strict);

// Add --parameter and --where.
CLI::Option* AddParameter(CLI::App* verb, harness::ShapeParameters* open);
CLI::Option* AddWhere(CLI::App* verb, harness::ShapeParameters* open);

// Returns whether any extent is the name of a parameter, or any parameters or
// limits are given.
bool HasParameters(const harness::ShapeParameters& open);

// Returns the error of harness::ValuesOf, or OK if there are no parameters.
absl::Status CheckParameters(const harness::ShapeParameters& open);

// If the model has open extents, adds a note about them and counts them for
// JSON. Error: InvalidArgument if there are open extents and `is_strict` is
// true; the message names the first of them. `takes_shapes` is true if the verb
// has --shape.
absl::Status NoteOpenShapes(const std::string& path, const OpenShapes& open,
                            bool is_strict, bool takes_shapes = true);

// Returns the model with the given shapes for `subgraph`, and with the shapes
// that operators compute from them. Without given shapes, returns the model
// unchanged. Errors: those of ResolveShapes and FindKnownShapes.
absl::StatusOr<std::unique_ptr<const Model>> WithGivenShapes(
    std::unique_ptr<const Model> model, size_t subgraph,
    const std::vector<harness::GivenShape>& shapes);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SHAPE_OPTIONS_H_
