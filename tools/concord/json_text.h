// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_JSON_TEXT_H_
#define CONCORD_TOOLS_CONCORD_JSON_TEXT_H_

#include <string>

#include "nlohmann/json.hpp"

namespace concord {

// Indented, with a line end. File names and reasons may be any bytes; what is
// no UTF-8 in them is replaced.
inline std::string JsonText(const nlohmann::ordered_json& json) {
  using Json = nlohmann::ordered_json;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_JSON_TEXT_H_
