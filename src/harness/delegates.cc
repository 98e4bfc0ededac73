// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/delegates.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness {
namespace {

using Made = absl::StatusOr<std::unique_ptr<Delegate>>;
using CreateFunction = Made (*)(absl::string_view);

// The list of registered delegates. It is locked because a delegate in a shared
// library is registered when the library is loaded, which may happen on any
// thread. Linked delegates are registered before main begins.
struct Registry {
  std::mutex mutex;
  std::map<std::string, DelegateRegistration> delegates;
};

Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

// Calls the factory of a delegate. Converts exceptions to errors, because the
// factory may be third-party code.
Made Create(absl::string_view subject, CreateFunction create,
            absl::string_view options) {
  absl::string_view what = "something that is not a std::exception";
  std::string message;
  try {
    Made made = create(options);
    if (!made.ok()) return AtPlace(subject, made.status());
    if (*made == nullptr) {
      return absl::InternalError(absl::StrCat(
          subject, ": it created a null delegate; expected one, or an error"));
    }
    return made;
  } catch (const std::exception& exception) {
    message = exception.what();
    what = message;
  } catch (...) {
  }
  return absl::InternalError(absl::StrCat(subject, ": it threw ", what,
                                          "; expected errors as absl::Status"));
}

absl::Status NoDelegateFile(const std::string& path, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(
      "delegate file '", path, "': ", what, "; expected a shared library with ",
      kDelegateEntry, " of version ", kDelegateVersion,
      " (stowage/harness/delegate.h)"));
}

absl::StatusOr<CreateFunction> Load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const bool exists = access(path.c_str(), F_OK) == 0;
    // dlerror returns a string that belongs to the calling thread, so no other
    // thread changes it.
    const char* const why = dlerror();  // NOLINT(concurrency-mt-unsafe)
    return absl::Status(
        exists ? absl::StatusCode::kFailedPrecondition
               : absl::StatusCode::kNotFound,
        absl::StrCat("delegate file '", path, "': cannot be loaded: ", why,
                     "; expected a shared library"));
  }
  // The library is not unloaded even if it is refused, because it may have
  // registered or started something that still runs its code.
  void* const symbol = dlsym(library, kDelegateEntry);
  if (symbol == nullptr) {
    return NoDelegateFile(path, absl::StrCat("has no symbol ", kDelegateEntry));
  }
  const auto entry = reinterpret_cast<const DelegateLibrary* (*)()>(symbol);
  const DelegateLibrary* const description = entry();
  if (description == nullptr) {
    return NoDelegateFile(path, absl::StrCat(kDelegateEntry, " returns null"));
  }
  if (description->version != kDelegateVersion) {
    return NoDelegateFile(path,
                          absl::StrCat("is of version ", description->version));
  }
  if (description->create == nullptr) {
    return NoDelegateFile(path, "has no function that creates a delegate");
  }
  return description->create;
}

Made CreateLinked(absl::string_view name, absl::string_view options) {
  const std::vector<DelegateRegistration> all = AllDelegates();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const DelegateRegistration& registration) {
        return registration.name == name;
      });
  if (found == all.end()) {
    const std::string names = absl::StrJoin(
        all, ", ", [](std::string* out, const DelegateRegistration& one) {
          out->append(one.name);
        });
    return absl::NotFoundError(
        absl::StrCat("delegate '", name, "': unknown; expected ",
                     names.empty() ? "" : absl::StrCat(names, ", or "),
                     "the path of a shared library, with a '/'"));
  }
  const std::string subject = absl::StrCat("delegate '", name, "'");
  const absl::Status usable =
      found->check == nullptr ? absl::OkStatus() : found->check();
  if (!usable.ok()) return AtPlace(subject, usable);
  return Create(subject, found->create, options);
}

}  // namespace

std::vector<DelegateRegistration> AllDelegates() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<DelegateRegistration> all;
  for (const auto& [name, registration] : registry.delegates) {
    all.push_back(registration);
  }
  return all;
}

void RegisterDelegate(DelegateRegistration registration) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::string name = registration.name;
  registry.delegates.insert_or_assign(std::move(name), std::move(registration));
}

absl::StatusOr<std::unique_ptr<Delegate>> CreateDelegate(
    absl::string_view text) {
  const size_t colon = text.find(':');
  const absl::string_view name = text.substr(0, colon);
  const absl::string_view options = colon == absl::string_view::npos
                                        ? absl::string_view()
                                        : text.substr(colon + 1);
  if (!absl::StrContains(name, '/')) return CreateLinked(name, options);
  const std::string path(name);
  const absl::StatusOr<CreateFunction> create = Load(path);
  if (!create.ok()) return create.status();
  return Create(absl::StrCat("delegate file '", path, "'"), *create, options);
}

absl::StatusOr<DelegateRequest> RequestDelegate(absl::string_view text,
                                                const ApplyOptions& options) {
  Made created = CreateDelegate(text);
  if (!created.ok() && !absl::IsUnavailable(created.status())) {
    return created.status();
  }
  DelegateRequest request;
  request.options = options;
  request.name = std::string(text.substr(0, text.find(':')));
  // Only the first call of the factory returns the delegate created here, even
  // if the request is copied.
  const auto first = std::make_shared<std::shared_ptr<Delegate>>();
  if (created.ok()) *first = *std::move(created);
  request.create = [text = std::string(text),
                    first]() -> absl::StatusOr<std::shared_ptr<Delegate>> {
    if (*first != nullptr) return std::exchange(*first, nullptr);
    Made made = CreateDelegate(text);
    if (!made.ok()) return made.status();
    return std::shared_ptr<Delegate>(*std::move(made));
  };
  return request;
}

}  // namespace stowage::harness
