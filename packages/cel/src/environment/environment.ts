// Variables, functions, macros and types that expressions may use. Environments share their base:
// adding variables creates a small object and copies no library.
// Upstream: github.com/google/cel-go v0.26 cel/env.go, checker/env.go.
import type { Expr } from "../ast/ast.ts";
import { type ConstantEquality, equalityPrice } from "../cost/equality-price.ts";
import { type FunctionDeclaration, type Overload, priced } from "../functions/declarations.ts";
import { type Macro, type MacroTable, standardMacros } from "../parser/macros.ts";
import type { Issue } from "../ast/source.ts";
import type { Type } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

/** Checks a typed tree; upstream calls these AST validators. */
export type TreeCheck = (root: Expr, report: (issue: Issue) => void) => void;

/** Functions, macros, types and checks that an environment registers together. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: MacroTable;
  /** Names that stand for types in expressions, e.g. `net.IP`. */
  readonly types?: readonly Type[];
  /** Object types by name. */
  readonly structs?: ReadonlyMap<string, StructDeclaration>;
  /** Values by name. */
  readonly constants?: ReadonlyMap<string, CelValue>;
  readonly checks?: readonly TreeCheck[];
  /** Types whose values are compared in one unit; all others are compared by size. */
  readonly equality?: readonly ConstantEquality[];
}

/** The fields of an object type. */
export interface StructDeclaration {
  readonly name: string;
  /** The type of its literals, where that is not an object type. */
  readonly literalType?: Type;
  /** The type of a field; undefined when the type has no such field. */
  field(name: string): Type | undefined;
  /** Builds a value from `Name{field: value}`; absent when such literals are refused. */
  readonly create?: (fields: ReadonlyMap<string, CelValue>) => CelValue;
}

/** Everything a program may name. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: MacroTable;
  readonly types: ReadonlyMap<string, Type>;
  readonly constants: ReadonlyMap<string, CelValue>;
  readonly checks: readonly TreeCheck[];
  readonly variables: ReadonlyMap<string, Type>;
  /** Object types by name. */
  struct(name: string): StructDeclaration | undefined;
}

/**
 * An environment with the given libraries; overloads of one function in several libraries are
 * merged in order.
 */
export function createEnvironment(libraries: readonly Library[]): Environment {
  const functions = new Map<string, FunctionDeclaration>();
  const macros = new Map<string, Macro>(standardMacros);
  for (const library of libraries) {
    for (const declared of library.functions ?? [])
      functions.set(declared.name, merge(functions.get(declared.name), declared));
    for (const [key, macro] of library.macros ?? []) macros.set(key, macro);
  }
  const structs = new Map(libraries.flatMap((library) => [...(library.structs ?? [])]));
  const equals = functions.get("_==_");
  if (equals) {
    const price = equalityPrice(libraries.flatMap((library) => library.equality ?? []));
    const overloads = equals.overloads.map((each) => priced(price, each));
    functions.set(equals.name, { ...equals, overloads });
  }
  return {
    functions,
    macros,
    types: new Map(
      libraries.flatMap((library) =>
        (library.types ?? []).map((type) => [type.name, type] as const),
      ),
    ),
    checks: libraries.flatMap((library) => library.checks ?? []),
    variables: new Map(),
    constants: new Map(libraries.flatMap((library) => [...(library.constants ?? [])])),
    struct: (name) => structs.get(name),
  };
}

/** Adds variables, and the object types that they use, to an environment. */
export function withVariables(
  base: Environment,
  variables: ReadonlyMap<string, Type>,
  struct: Environment["struct"] = base.struct,
): Environment {
  return { ...base, variables, struct: (name) => struct(name) ?? base.struct(name) };
}

function merge(
  existing: FunctionDeclaration | undefined,
  added: FunctionDeclaration,
): FunctionDeclaration {
  if (!existing) return added;
  const overloads = new Map<string, Overload>(
    existing.overloads.map((overload) => [overload.id, overload]),
  );
  for (const overload of added.overloads) overloads.set(overload.id, overload);
  return { ...existing, ...added, overloads: [...overloads.values()] };
}
