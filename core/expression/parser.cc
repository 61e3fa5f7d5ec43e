// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/builder.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/value_parser.h"
#include "concord/core/guarded.h"

namespace concord::expression {
namespace {

struct Name {
  absl::string_view text;
  std::size_t place;
};
// What stands before "->": groups of names, those in parentheses apart.
struct Head {
  std::size_t place = 0;
  std::vector<std::vector<Name>> groups;
};

// Whether "->" comes before anything that cannot stand before it. A name there
// is the first, or stands behind a comma or a parenthesis that opens: other
// words, such as those of a program, end the function.
bool HasHead(const Cursor& cursor) {
  bool may_be_name = true;
  for (std::size_t k = 0;; ++k) {
    if (cursor.Is("->", k)) return true;
    const bool opens = cursor.Is("(", k) || cursor.Is(",", k);
    const bool is_name = may_be_name && cursor.Peek(k).kind == Token::kWord;
    if (!is_name && !opens && !cursor.Is(")", k)) return false;
    may_be_name = opens;
  }
}

// Whether the parenthesis at the cursor is that of a tuple: there is a comma
// directly in it.
bool IsTuple(const Cursor& cursor) {
  int depth = 0;
  for (std::size_t k = 0; cursor.Peek(k).kind != Token::kEnd; ++k) {
    if (cursor.Is("(", k) || cursor.Is("[", k)) ++depth;
    if (cursor.Is(")", k) || cursor.Is("]", k)) --depth;
    if (depth == 0) return false;
    if (depth == 1 && cursor.Is(",", k)) return true;
  }
  return false;
}

Name ParseName(Cursor& cursor) {
  if (cursor.Peek().kind != Token::kWord) {
    cursor.FailExpecting("a name");
    return {"", cursor.place()};
  }
  const Token& token = cursor.Next();
  return {token.text, token.place};
}

Head ParseHead(Cursor& cursor) {
  Head head{cursor.place(), {}};
  do {
    std::vector<Name> group;
    if (cursor.Take("(")) {
      do {
        group.push_back(ParseName(cursor));
      } while (cursor.Take(","));
      cursor.Expect(")");
    } else {
      group.push_back(ParseName(cursor));
    }
    head.groups.push_back(std::move(group));
  } while (cursor.Take(","));
  cursor.Expect("->");
  return head;
}

std::string Count(std::size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

class FunctionParser {
 public:
  FunctionParser(Cursor* cursor, const FunctionForm& form)
      : cursor_(*cursor), form_(form) {}

  std::optional<Function> Run() {
    const std::size_t begin = cursor_.place();
    bool braces = cursor_.Take("{");
    Builder builder(WithTables(ParseScope()), &cursor_.error());
    if (!braces) braces = cursor_.Take("{");
    ValueParser values(&cursor_, &builder);
    DeclareParameters(builder, values);
    ParseNames(builder, values, braces);
    std::vector<int> results = ParseResults(builder, values);
    if (braces) cursor_.Expect("}");
    if (!cursor_.ok()) return std::nullopt;
    absl::StatusOr<Function> function = builder.Build(std::move(results));
    if (function.ok()) return *std::move(function);
    cursor_.error().Set(begin, std::string(function.status().message()));
    return std::nullopt;
  }

 private:
  // The parameters with the names that the text gives them.
  Scope ParseScope() {
    Scope scope = Scope::OfColumns(form_.parameters);
    places_.assign(form_.parameters.size(), cursor_.place());
    if (!HasHead(cursor_)) {
      if (form_.tuple_size > 0) NameOperands(scope);
      return scope;
    }
    const Head head = ParseHead(cursor_);
    if (!cursor_.ok()) return scope;
    CheckHead(head);
    std::size_t k = 0;
    for (const std::vector<Name>& group : head.groups) {
      for (const Name& name : group) {
        if (k == places_.size()) return scope;
        scope.parameters[k].name = std::string(name.text);
        places_[k++] = name.place;
      }
    }
    return scope;
  }

  Scope WithTables(Scope scope) const {
    for (const Table& table : form_.tables) {
      const auto has_its_name = [&table](const Parameter& parameter) {
        return parameter.name == table.name;
      };
      if (std::none_of(scope.parameters.begin(), scope.parameters.end(),
                       has_its_name)) {
        scope.tables.push_back(table);
      }
    }
    return scope;
  }

  void NameOperands(Scope& scope) {
    if (form_.tuple_size != 1) {
      cursor_.error().Set(cursor_.place(),
                          "name both tuples before the function, as in (a, "
                          "b), (c, d) -> (a + c, max(b, d))");
      return;
    }
    scope.parameters[0].name = "a";
    scope.parameters[1].name = "b";
  }

  void CheckHead(const Head& head) {
    const std::size_t wanted = form_.parameters.size();
    if (form_.tuple_size > 0) {
      const std::size_t size = form_.tuple_size;
      bool fits = head.groups.size() == 2;
      for (const std::vector<Name>& group : head.groups) {
        fits = fits && group.size() == size;
      }
      if (fits) return;
      cursor_.error().Set(head.place,
                          absl::StrCat("expected two tuples of ",
                                       Count(size, "name"), " each"));
      return;
    }
    std::size_t names = 0;
    for (const std::vector<Name>& group : head.groups) names += group.size();
    if (names == wanted) return;
    cursor_.error().Set(head.place, absl::StrCat(Count(names, "name"), " for ",
                                                 Count(wanted, "value")));
  }

  void DeclareParameters(Builder& builder, ValueParser& values) {
    if (!cursor_.ok()) return;
    bool names_index = false;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const std::string& name = builder.scope().parameters[k].name;
      names_index = names_index || name == "i";
      values.Declare(name, places_[k],
                     builder.Parameter(static_cast<int>(k), places_[k]));
    }
    for (const Table& table : builder.scope().tables) {
      names_index = names_index || table.name == "i";
    }
    if (form_.has_index && !names_index) {
      values.Declare("i", cursor_.place(), builder.Index(cursor_.place()));
    }
  }

  void ParseNames(Builder& builder, ValueParser& values, bool braces) {
    while (cursor_.Peek().kind == Token::kWord && cursor_.Is("=", 1)) {
      const Token& name = cursor_.Next();
      if (form_.braces && !braces) {
        cursor_.error().Set(name.place,
                            absl::StrCat("a function with ",
                                         Quoted(absl::StrCat(name.text, " =")),
                                         " stands in braces: { ... }"));
      }
      cursor_.Expect("=");
      const std::size_t place = cursor_.place();
      const int node = builder.Resolve(values.Value(), std::nullopt);
      cursor_.Expect(";");
      values.Declare(name.text, name.place, {place, node});
    }
  }

  std::vector<int> ParseResults(Builder& builder, ValueParser& values) {
    const std::size_t begin = cursor_.place();
    std::vector<int> results;
    const bool tuple = IsTuple(cursor_);
    if (tuple) cursor_.Expect("(");
    do {
      results.push_back(ParseResult(builder, values, results.size()));
    } while (tuple && cursor_.Take(","));
    if (tuple) cursor_.Expect(")");
    if (!form_.results.empty() && results.size() != form_.results.size()) {
      cursor_.error().Set(
          begin, absl::StrCat("expected ", Count(form_.results.size(), "value"),
                              ", this has ", results.size()));
    }
    return results;
  }

  int ParseResult(Builder& builder, ValueParser& values, std::size_t number) {
    const std::size_t place = cursor_.place();
    std::optional<Type> wanted;
    if (!form_.results.empty()) {
      wanted = form_.results[std::min(number, form_.results.size() - 1)];
    }
    const int node = builder.Resolve(values.Value(), wanted);
    if (cursor_.ok() && wanted.has_value() && builder.TypeOf(node) != *wanted) {
      cursor_.error().Set(
          place, absl::StrCat("expected ", WithArticle(*wanted), ", this is ",
                              WithArticle(builder.TypeOf(node))));
    }
    return node;
  }

  Cursor& cursor_;
  const FunctionForm& form_;
  std::vector<std::size_t> places_;
};

absl::StatusOr<Function> ParseWhole(absl::string_view text,
                                    const FunctionForm& form) {
  Cursor cursor(text);
  std::optional<Function> function = ParseFunctionAt(cursor, form);
  if (cursor.ok() && cursor.Peek().kind != Token::kEnd) {
    cursor.FailExpecting("an operator or the end");
  }
  if (!cursor.ok()) return cursor.status();
  return *std::move(function);
}

}  // namespace

std::optional<Function> ParseFunctionAt(Cursor& cursor,
                                        const FunctionForm& form) {
  return FunctionParser(&cursor, form).Run();
}

FunctionForm FunctionForm::Map(std::vector<Type> types) {
  FunctionForm form;
  form.parameters = std::move(types);
  form.has_index = true;
  return form;
}

FunctionForm FunctionForm::Operator(std::vector<Type> types) {
  FunctionForm form;
  form.tuple_size = types.size();
  form.parameters = types;
  form.parameters.insert(form.parameters.end(), types.begin(), types.end());
  form.results = std::move(types);
  return form;
}

FunctionForm FunctionForm::Constants(std::vector<Type> types) {
  FunctionForm form;
  form.results = std::move(types);
  return form;
}

std::vector<Word> ValuesOf(const Function& constants) {
  return Evaluate(constants, {}).results;
}

absl::StatusOr<Function> ParseFunction(absl::string_view text,
                                       absl::Span<const Type> types,
                                       absl::Span<const Table> tables) {
  return Guarded([&] {
    FunctionForm form = FunctionForm::Map({types.begin(), types.end()});
    form.tables.assign(tables.begin(), tables.end());
    return ParseWhole(text, form);
  });
}

absl::StatusOr<Function> ParseOperator(absl::string_view text,
                                       absl::Span<const Type> types) {
  return Guarded([&] {
    return ParseWhole(text,
                      FunctionForm::Operator({types.begin(), types.end()}));
  });
}

absl::StatusOr<std::vector<Word>> ParseConstants(absl::string_view text,
                                                 absl::Span<const Type> types) {
  return Guarded([&]() -> absl::StatusOr<std::vector<Word>> {
    absl::StatusOr<Function> constants =
        ParseWhole(text, FunctionForm::Constants({types.begin(), types.end()}));
    if (!constants.ok()) return constants.status();
    return ValuesOf(*constants);
  });
}

}  // namespace concord::expression
