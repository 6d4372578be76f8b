// cel.bind: names for parts of an expression. Kubernetes allows it in device selectors only.
// Upstream: github.com/google/cel-go v0.26 ext/bindings.go.
import type { Library } from "../environment/environment.ts";
import { memberCall } from "../ast/build-expr.ts";
import { bindValue } from "../parser/fold.ts";
import type { Macro } from "../parser/macros.ts";

/** `cel.bind(name, value, body)`; a `bind` of anything else is a call like any other. */
const bind: Macro = (at, target, args) => {
  const [variable, value, body] = args;
  if (target?.kind !== "ident" || target.name !== "cel")
    return memberCall(at, "bind", target!, ...args);
  if (variable!.kind !== "ident")
    return { at: variable!.at, message: "cel.bind() variable names must be simple identifiers" };
  return bindValue(at, variable!.name, value!, body!);
};

/** The macro cel.bind. */
export const bindingLibrary: Library = { name: "bindings", macros: new Map([[".bind/3", bind]]) };
