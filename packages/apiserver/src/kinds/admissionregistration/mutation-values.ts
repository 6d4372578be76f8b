// The values that expressions of mutating policies construct: `Object.spec{…}` and `JSONPatch{…}`.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/mutation/jsonpatch.go,
// pkg/cel/mutation/dynamic/objects.go.
import {
  CelError,
  CelList,
  CelMap,
  CelObject,
  type CelValue,
  Double,
  Duration,
  equalValues,
  structType,
  Timestamp,
  type Type,
  Uint,
} from "@homeostat/cel";

export const jsonPatchType = structType("JSONPatch");

/** An object without a schema, e.g. `Object.spec{replicas: 1}`. */
export class ObjectValue extends CelObject {
  readonly type: Type;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(type: Type, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === "string" ? this.fields.get(key) : undefined;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof ObjectValue) || other.type.name !== this.type.name) return false;
    return (
      other.fields.size === this.fields.size &&
      [...this.fields].every(([name, value]) => {
        const theirs = other.fields.get(name);
        return theirs !== undefined && equalValues(value, theirs);
      })
    );
  }

  override isZero(): boolean {
    return this.fields.size === 0;
  }

  toString(): string {
    return this.type.name;
  }
}

/** One operation of a JSON patch; absent texts are "". */
export class JsonPatchValue extends CelObject {
  readonly type = jsonPatchType;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: CelValue | undefined;

  constructor(texts: Readonly<Record<"op" | "path" | "from", string>>, value?: CelValue) {
    super();
    this.op = texts.op;
    this.path = texts.path;
    this.from = texts.from;
    this.value = value;
  }

  get(key: CelValue): CelValue | undefined {
    switch (key) {
      case "op":
      case "path":
      case "from":
      case "value":
        return this[key];
      default:
        return undefined;
    }
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof JsonPatchValue)) return false;
    if (this.op !== other.op || this.path !== other.path || this.from !== other.from) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equalValues(this.value, other.value);
  }

  toString(): string {
    return this.type.name;
  }
}

/** Throws a CelError for texts of another type, which only dynamic values can be. */
export function createJsonPatchValue(fields: ReadonlyMap<string, CelValue>): JsonPatchValue {
  const text = (name: string): string => {
    const value = fields.get(name) ?? "";
    if (typeof value === "string") return value;
    throw new CelError(`unexpected type ${goTypeOf(value)} for JSONPatchType '${name}' field`);
  };
  const texts = { op: text("op"), path: text("path"), from: text("from") };
  return new JsonPatchValue(texts, fields.get("value"));
}

/** The Go type of what cel-go holds for a value. */
export function goTypeOf(value: CelValue): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return "int64";
    case "string":
      return "string";
    case "boolean":
      return "bool";
    default:
      return goTypes.find(([is]) => is(value))?.[1] ?? "ref.Val";
  }
}

const goTypes: readonly (readonly [(value: CelValue) => boolean, string])[] = [
  [(value) => value === null, "structpb.NullValue"],
  [(value) => value instanceof Uint8Array, "[]uint8"],
  [(value) => value instanceof Double, "float64"],
  [(value) => value instanceof Uint, "uint64"],
  [(value) => value instanceof Duration, "time.Duration"],
  [(value) => value instanceof Timestamp, "time.Time"],
  [(value) => value instanceof CelList, "[]ref.Val"],
  [(value) => value instanceof CelMap, "map[ref.Val]ref.Val"],
  [(value) => value instanceof ObjectValue, "map[string]interface {}"],
];
