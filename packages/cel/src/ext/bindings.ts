// Names for parts of an expression: cel.bind. Kubernetes has it in the selectors of devices only.
// Upstream: github.com/google/cel-go v0.26 ext/bindings.go.
import type { Library } from "../environment/environment.ts";
import { bindValue, type Macro, memberCall } from "../parser/macros.ts";

/** `cel.bind(name, value, body)`; a `bind` of anything else is a call like any other. */
const bind: Macro = (at, target, args) => {
  const [variable, value, body] = args;
  if (target?.kind !== "ident" || target.name !== "cel")
    return memberCall(at, "bind", target!, ...args);
  if (variable!.kind !== "ident")
    return { at: variable!.at, message: "cel.bind() variable names must be simple identifiers" };
  return bindValue(at, variable!.name, value!, body!);
};

/** The macro, and nothing else. */
export const bindingLibrary: Library = { name: "bindings", macros: new Map([[".bind/3", bind]]) };
