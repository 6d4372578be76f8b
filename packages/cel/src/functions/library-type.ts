// A type that a library adds: how its values are parsed, compared and printed, and the functions
// that read them.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/{url,semver,quantity,ip,cidr,format}.go.
import { boolType, intType, type Type } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { type CelValue, Wrapper } from "../values/value.ts";
import { type FunctionDeclaration, type Implementation, member } from "./declarations.ts";

/** A parsed text, or why it does not parse. */
export type Parsed<T> = T | ParseFault;

interface ParseFault {
  readonly error: string;
}

const isFault = (parsed: object): parsed is ParseFault => "error" in parsed;

/** Whether a text was parsed. */
export const isParsed = (parsed: Parsed<object>): boolean => !isFault(parsed);

/** What a library says about its type. */
export interface TypeDefinition<T> {
  readonly type: Type;
  /** CEL's `==` of two values; may throw a CelError. Absent where upstream compares none. */
  readonly equal?: (a: T, b: T) => boolean;
  /** How error messages show a value; by the name of its type when absent. */
  readonly print?: (value: T) => string;
  /** The size that prices count; 1 when absent. */
  readonly costSize?: (value: T) => number;
}

/** One value of a library's type. */
class LibraryValue<T> extends Wrapper<T> {
  readonly type: Type;
  readonly definition: TypeDefinition<T>;

  constructor(value: T, definition: TypeDefinition<T>) {
    super(value);
    this.type = definition.type;
    this.definition = definition;
  }

  override get costSize(): number {
    return this.definition.costSize?.(this.value) ?? 1;
  }

  equals(other: CelValue): boolean {
    const { definition } = this;
    if (!definition.equal || !isOf(definition, other)) throw noSuchOverload();
    return definition.equal(this.value, other.value);
  }

  toString(): string {
    return this.definition.print?.(this.value) ?? this.type.name;
  }
}

const isOf = <T>(
  definition: TypeDefinition<T>,
  value: CelValue | undefined,
): value is LibraryValue<T> => value instanceof LibraryValue && value.definition === definition;

/** A library's type: wraps values for expressions, and unwraps them for functions. */
export class LibraryType<T extends object> {
  readonly type: Type;
  readonly #definition: TypeDefinition<T>;

  constructor(definition: TypeDefinition<T>) {
    this.type = definition.type;
    this.#definition = definition;
  }

  wrap(value: T): CelValue {
    return new LibraryValue(value, this.#definition);
  }

  /** What a value holds; undefined for values of other types. */
  find(value: CelValue | undefined): T | undefined {
    return isOf(this.#definition, value) ? value.value : undefined;
  }

  /** What a value holds. Throws a CelError for values of other types. */
  unwrap(value: CelValue | undefined): T {
    const held = this.find(value);
    if (held === undefined) throw noSuchOverload();
    return held;
  }

  /** Wraps what was parsed. Throws a CelError for what did not parse. */
  wrapParsed(parsed: Parsed<T>): CelValue {
    if (isFault(parsed)) throw new CelError(parsed.error);
    return this.wrap(parsed);
  }

  /** `value.name()`: a function of the value alone. */
  reader(
    name: string,
    id: string,
    result: Type,
    read: (value: T) => CelValue,
  ): FunctionDeclaration {
    const implementation: Implementation = (value) => read(this.unwrap(value));
    return { name, overloads: [member(id, [this.type], result, implementation)] };
  }

  /** isGreaterThan, isLessThan and compareTo. */
  ordering(prefix: string, compare: (a: T, b: T) => number): readonly FunctionDeclaration[] {
    const declare = (
      name: string,
      id: string,
      result: Type,
      pick: (order: number) => CelValue,
    ): FunctionDeclaration => ({
      name,
      overloads: [
        member(`${prefix}_${id}`, [this.type, this.type], result, (a, b) =>
          pick(compare(this.unwrap(a), this.unwrap(b))),
        ),
      ],
    });
    return [
      declare("isGreaterThan", "is_greater_than", boolType, (order) => order > 0),
      declare("isLessThan", "is_less_than", boolType, (order) => order < 0),
      declare("compareTo", "compare_to", intType, (order) => order),
    ];
  }
}
