// Unification: which types stand for the type variables of overloads and of empty literals.
// Upstream: github.com/google/cel-go v0.26 checker/types.go, checker/mapping.go.
import type { Overload } from "../functions/declarations.ts";
import { dynType, sameType, type Type } from "../types/type.ts";

/** Bindings of type variables by name, which can return to where an attempt began. */
class Bindings {
  readonly #types = new Map<string, Type>();
  /** What the current attempt replaced, in order. */
  readonly #replaced: (readonly [name: string, before: Type | undefined])[] = [];

  get(name: string): Type | undefined {
    return this.#types.get(name);
  }

  set(name: string, type: Type): void {
    this.#replaced.push([name, this.#types.get(name)]);
    this.#types.set(name, type);
  }

  /** Keeps the bindings that `run` makes when it returns true, and drops them otherwise. */
  attempt(run: () => boolean): boolean {
    const done = run();
    if (!done)
      for (const [name, before] of this.#replaced.reverse()) {
        if (before) this.#types.set(name, before);
        else this.#types.delete(name);
      }
    this.#replaced.length = 0;
    return done;
  }
}

const isDyn = (type: Type): boolean => type.kind === "dyn";
const isDynOrError = (type: Type): boolean => type.kind === "dyn" || type.kind === "error";

/** The types of an overload. */
type Signature = Pick<Overload, "args" | "result">;

/** The bindings of one check. Failed attempts leave them as they were. */
export class TypeBindings {
  readonly #bindings = new Bindings();
  #fresh = 0;

  /** A new, unbound type variable. */
  newVariable(): Type {
    return { kind: "param", name: `_var${this.#fresh++}`, params: [] };
  }

  /** An overload's arguments and result, with new type variables for one call. */
  instantiate(overload: Signature): Signature {
    if (!hasParam(overload.result) && !overload.args.some(hasParam)) return overload;
    const local = new Map<string, Type>();
    const rename = (type: Type): Type => {
      if (type.kind === "param") {
        let bound = local.get(type.name);
        if (!bound) local.set(type.name, (bound = this.newVariable()));
        return bound;
      }
      return type.params.length ? { ...type, params: type.params.map(rename) } : type;
    };
    return { result: rename(overload.result), args: overload.args.map(rename) };
  }

  /** Whether `from` is assignable to `to`; binds type variables when it is. */
  assign(from: Type, to: Type): boolean {
    return this.assignAll([from], [to]);
  }

  assignAll(from: readonly Type[], to: readonly Type[]): boolean {
    return this.#bindings.attempt(() => assignableList(this.#bindings, from, to));
  }

  /**
   * The type with its variables replaced as far as they are bound; the rest stay, or become dyn.
   */
  resolve(type: Type, unbound: "keep" | "dyn"): Type {
    const bound = type.kind === "param" ? this.#bindings.get(type.name) : undefined;
    if (bound) return this.resolve(bound, unbound);
    if (type.kind === "param") return unbound === "dyn" ? dynType : type;
    if (type.params.length === 0) return type;
    const params = type.params.map((param) => this.resolve(param, unbound));
    const unchanged = params.every((param, i) => param === type.params[i]);
    return unchanged ? type : { ...type, params };
  }
}

const hasParam = (type: Type): boolean =>
  type.kind === "param" || (type.params.length > 0 && type.params.some(hasParam));

function assignable(bindings: Bindings, a: Type, b: Type): boolean {
  if (b.kind === "param") {
    const outcome = substitutes(bindings, a, b);
    if (outcome === "fits") return true;
    if (outcome === "bound otherwise") return false;
  }
  if (a.kind === "param") return substitutes(bindings, b, a) === "fits";
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "list":
    case "map":
    case "opaque":
      return a.kind === b.kind && a.name === b.name && assignableList(bindings, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

function assignableList(bindings: Bindings, a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, i) => assignable(bindings, type, b[i]!));
}

/** null is assignable to these types. */
const isNullable = (type: Type): boolean =>
  type.nullable === true ||
  ["null", "opaque", "struct", "duration", "timestamp"].includes(type.kind);

/** Whether `type` may stand for the variable; binds it, or widens its binding, when so. */
function substitutes(
  bindings: Bindings,
  type: Type,
  variable: Type,
): "fits" | "bound otherwise" | "occurs within" {
  if (type.kind === "param" && type.name === variable.name) return "fits";
  const bound = bindings.get(variable.name);
  if (bound) {
    if (sameType(type, bound)) return "fits";
    if (!assignable(bindings, type, bound)) return "bound otherwise";
    const wider = mostGeneral(type, bound);
    if (!occursIn(bindings, variable, wider)) bindings.set(variable.name, wider);
    return "fits";
  }
  if (occursIn(bindings, variable, type)) return "occurs within";
  bindings.set(variable.name, type);
  return "fits";
}

function occursIn(bindings: Bindings, variable: Type, type: Type): boolean {
  if (type.kind === "param") {
    if (type.name === variable.name) return true;
    const bound = bindings.get(type.name);
    return bound !== undefined && occursIn(bindings, variable, bound);
  }
  return type.params.some((param) => occursIn(bindings, variable, param));
}

/** The wider of two types that unify. */
export function mostGeneral(a: Type, b: Type): Type {
  return isNoMoreSpecific(a, b) ? a : b;
}

function isNoMoreSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isNoMoreSpecific(param, b.params[i]!));
}
