// Decodes parsed JSON as Go decodes it into a struct: unknown fields dropped and reported, nulls
// ignored or zeroed by type, Go's type errors, and the result written as Go would write
// that struct back (omitempty, zero structs, canonical times). Knows nothing of defaults, versions
// or HTTP.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/decode.go and kubernetes_patch.go;
// UnmarshalJSON of the special types.
import { isObject, type Json, type JsonObject, type ParsedJson, setOwn } from "homeostat/api";
import type { DecodeSource, EmptiedMember } from "../../apimachinery/rest/version-codec.ts";
import { isStruct } from "../../apimachinery/kind-data/zero-value.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import type { GoField, KindData, TypeRef } from "../../apimachinery/kind-data/kind-data.ts";
import { convertInteger } from "../../apimachinery/values/go-integer.ts";
import { checkGoBase64 } from "./go-base64.ts";
import { DecodeError, type TypeMismatch } from "./decode-error.ts";
import { decodeSpecial, UnmarshalerError } from "./go-specials.ts";
import { createStrictErrors, type StrictErrors } from "./strict-errors.ts";
import {
  createStructPlans,
  elementGoType,
  type MemberPlan,
  type StructPlan,
  type StructPlans,
} from "./struct-plans.ts";

/** Lists whose empty value has another error than an absent one: they are never stored empty. */
export const refusedWhenEmpty: ReadonlySet<string> = new Set(["[]v2.HPAScalingPolicy", "[]int32"]);

/** The object as a Go program holds it, and the errors of strict decoding. */
export interface GoDecoded {
  readonly object: JsonObject;
  /** `unknown field "spec.a"`, `duplicate field "spec.b"`, in the order of the document. */
  readonly strictErrors: readonly string[];
  readonly emptied: readonly EmptiedMember[];
}

/**
 * The value does not fit the type; `message` is Go's, e.g. `json: cannot unmarshal string into Go
 * struct field ConfigMap.data of type map[string]string`.
 */
export class GoDecodeError extends DecodeError {
  override readonly name = "GoDecodeError";
}

/** How empty lists are stored: protobuf does not tell them from absent ones. */
export type EmptyLists = "kept" | "null";

/** Decodes into one type. */
export interface GoDecoder {
  /** Throws {@link GoDecodeError}. `source` is `text` by default. */
  decode(body: ParsedJson, source?: DecodeSource): GoDecoded;
}

/** `emptyLists: "null"` for kinds that upstream stores as protobuf. */
export function createGoDecoder(
  data: KindData,
  model: string,
  { emptyLists }: { readonly emptyLists: EmptyLists },
): GoDecoder {
  const plans = createStructPlans(data);
  return {
    decode(body, source = "text") {
      const strict = createStrictErrors(body);
      const decoding = new Decoding({ data, plans, emptyLists, source }, body, strict);
      const object = decoding.root(plans.plan(model));
      return { object, strictErrors: strict.texts(), emptied: decoding.emptied };
    },
  };
}

const nothing = { duplicates: [], floatLiterals: new Map<string, string>() };

interface DecodingOptions {
  readonly data: KindData;
  readonly plans: StructPlans;
  readonly emptyLists: EmptyLists;
  readonly source: DecodeSource;
}

class Decoding {
  readonly #options: DecodingOptions;
  readonly #data: KindData;
  readonly #plans: StructPlans;
  readonly #body: ParsedJson;
  readonly #strict: StrictErrors | undefined;
  readonly #emptyLists: EmptyLists;
  /** The path of the current value: members, list indices, map keys. */
  readonly #trail: (MemberPlan | number | string)[] = [];
  readonly emptied: EmptiedMember[] = [];
  #saved: GoDecodeError | undefined;

  constructor(options: DecodingOptions, body: ParsedJson, strict: StrictErrors | undefined) {
    this.#options = options;
    this.#data = options.data;
    this.#plans = options.plans;
    this.#emptyLists = options.emptyLists;
    this.#body = body;
    this.#strict = strict;
  }

  root(plan: StructPlan): JsonObject {
    const value = this.#value(
      { at: "struct", type: plan.type.model },
      plan.type.goName,
      this.#body.value,
    );
    if (this.#saved) throw this.#saved;
    return (value ?? this.#plans.fillZeros(plan, {})) as JsonObject;
  }

  /** undefined where Go leaves the zero value or nil. */
  #value(ref: TypeRef, goType: string, input: Json, elementType?: string): Json | undefined {
    if (ref.at === "special") return this.#special(ref.name, input);
    if (input === null) return undefined;
    switch (ref.at) {
      case "struct":
        return isObject(input)
          ? this.#structValue(this.#plans.plan(ref.type), input)
          : this.#mismatch(input, goType);
      case "list":
        return Array.isArray(input)
          ? this.#list(ref, elementType ?? elementGoType(this.#data, goType, ref), input)
          : this.#mismatch(input, goType);
      case "map":
        return isObject(input)
          ? this.#map(ref, elementType ?? elementGoType(this.#data, goType, ref), input)
          : this.#mismatch(input, goType);
      case "bytes":
        return this.#bytes(goType, input);
      case "string":
        return typeof input === "string" ? input : this.#mismatch(input, goType);
      case "bool":
        return typeof input === "boolean" ? input : this.#mismatch(input, goType);
      default:
        return this.#number(ref.at, goType, input);
    }
  }

  #structValue(plan: StructPlan, input: JsonObject): JsonObject {
    const out: JsonObject = {};
    for (const key of Object.keys(input)) {
      const member = plan.byName.get(key);
      if (!member) {
        this.#strict?.unknown(this.#path(), key);
        continue;
      }
      if (this.#body.duplicates.length) this.#strict?.known(this.#path(), key);
      this.#trail.push(member);
      const value = this.#value(member.field.ref, member.goType, input[key]!, member.elementGoType);
      if (value !== undefined) {
        const isKept = keeps(member, value);
        if (isKept) out[key] = value;
        if (canBeNil(member) && !(isKept && member.field.omitEmpty) && isEmpty(value))
          this.emptied.push({ path: this.#jsonPath(), value });
      }
      this.#trail.pop();
    }
    return this.#plans.fillZeros(plan, out);
  }

  /**
   * Where the decoder is, e.g. `spec.ports[0]`; "" at the root. The converter names no map keys.
   */
  #path(): string {
    let path = "";
    for (const step of this.#trail) {
      if (typeof step === "string" && this.#options.source === "unstructured") continue;
      path +=
        typeof step === "number"
          ? `[${step}]`
          : `${path ? "." : ""}${typeof step === "string" ? step : step.field.name}`;
    }
    return path;
  }

  #jsonPath(): (string | number)[] {
    return this.#trail.map((step) => (typeof step === "object" ? step.field.name : step));
  }

  #list(ref: TypeRef & { readonly at: "list" }, itemType: string, input: readonly Json[]): Json[] {
    return input.map((item, i) => {
      this.#trail.push(i);
      const value = this.#value(ref.items, itemType, item) ?? this.#plans.zero(ref.items);
      this.#trail.pop();
      return value;
    });
  }

  #map(ref: TypeRef & { readonly at: "map" }, valueType: string, input: JsonObject): JsonObject {
    const out: JsonObject = {};
    for (const key of Object.keys(input)) {
      if (this.#body.duplicates.length) this.#strict?.known(this.#path(), key);
      this.#trail.push(key);
      // Bytes that are nil come back from protobuf as empty ones.
      setOwn(
        out,
        key,
        this.#value(ref.values, valueType, input[key]!) ??
          (ref.values.at === "bytes" && this.#emptyLists === "null"
            ? ""
            : this.#plans.zero(ref.values)),
      );
      this.#trail.pop();
    }
    return out;
  }

  #bytes(goType: string, input: Json): Json | undefined {
    if (Array.isArray(input))
      return Buffer.from(input.map((item) => this.#byte(item))).toString("base64");
    if (typeof input !== "string") return this.#mismatch(input, goType);
    const fault = checkGoBase64(input);
    if (fault === undefined) return Buffer.from(input, "base64").toString("base64");
    this.#saved ??= new GoDecodeError(fault);
    return undefined;
  }

  #byte(input: Json): number {
    if (typeof input === "number" && Number.isInteger(input) && input >= 0 && input <= 255)
      return input;
    if (input !== null)
      this.#save(typeof input === "number" ? `number ${input}` : goKindOf(input), "uint8");
    return 0;
  }

  #number(type: "int32" | "int64" | "float64", goType: string, input: Json): Json | undefined {
    if (typeof input !== "number" && typeof input !== "bigint")
      return this.#mismatch(input, goType);
    if (type === "float64") return typeof input === "bigint" ? Number(input) : input;
    if (this.#options.source === "unstructured") {
      const converted = convertInteger(type, input);
      if (converted !== undefined) return converted;
    }
    const literal = this.#literal();
    if (literal === undefined && isInteger(type, input)) return input;
    this.#save(`number ${literal ?? plainDigits(input)}`, goType);
    return undefined;
  }

  /** The text of the current number if it is no plain integer. */
  #literal(): string | undefined {
    const { floatLiterals } = this.#body;
    return floatLiterals.size ? floatLiterals.get(this.#path()) : undefined;
  }

  #special(name: Parameters<typeof decodeSpecial>[0], input: Json): Json | undefined {
    const literal = typeof input === "number" ? this.#literal() : undefined;
    try {
      return decodeSpecial(name, input, (model, value) => this.#lenient(model, value), literal);
    } catch (error) {
      if (!(error instanceof UnmarshalerError)) throw error;
      // An UnmarshalJSON error ends decoding at once and goes before the errors saved so far.
      throw error.mismatch ? this.#typeError(error.mismatch) : new GoDecodeError(error.message);
    }
  }

  /** A nested document with its own UnmarshalJSON: no strict errors, a new error context. */
  #lenient(model: string, value: Json): Json {
    try {
      const nested = new Decoding(this.#options, { ...nothing, value }, undefined);
      return nested.root(this.#plans.plan(model));
    } catch (error) {
      throw error instanceof GoDecodeError
        ? new UnmarshalerError(error.message, error.mismatch)
        : error;
    }
  }

  #mismatch(input: Json, goType: string): undefined {
    this.#save(goKindOf(input), goType);
  }

  #save(value: string, goType: string): void {
    this.#saved ??= this.#typeError({ value, goType, stack: [] });
  }

  #typeError({ value, goType, stack: inner }: TypeMismatch): GoDecodeError {
    const members = this.#trail.filter((step) => typeof step === "object");
    const stack = [...members.flatMap((member) => member.stack), ...inner];
    const target = members.length
      ? `struct field ${members.at(-1)!.owner}.${stack.join(".")} of type ${goType}`
      : `value of type ${goType}`;
    return new GoDecodeError(`json: cannot unmarshal ${value} into Go ${target}`, {
      value,
      goType,
      stack,
    });
  }
}

function keeps({ field }: MemberPlan, value: Json): boolean {
  if (field.omitZero && value === null) return false;
  return (
    !field.omitEmpty ||
    field.pointer ||
    isRefusedWhenEmpty(field, value) ||
    isStruct(field.ref) ||
    !isEmpty(value)
  );
}

/** Types of which Go tells nil from empty. */
const canBeNil = ({ field: { ref } }: MemberPlan): boolean =>
  ref.at === "list" || ref.at === "map" || ref.at === "bytes";

const isRefusedWhenEmpty = (field: GoField, value: Json): boolean =>
  Array.isArray(value) && refusedWhenEmpty.has(field.goType);

const isEmpty = (value: Json): boolean =>
  value === null ||
  value === "" ||
  value === false ||
  value === 0 ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);

function isInteger(type: "int32" | "int64", value: number | bigint): boolean {
  if (typeof value === "bigint") return type === "int64";
  if (!Number.isInteger(value)) return false;
  return type === "int32"
    ? value >= -2147483648 && value <= 2147483647
    : Number.isSafeInteger(value);
}

const plainDigits = (value: number | bigint): string =>
  typeof value === "number" && Number.isInteger(value) ? BigInt(value).toString() : String(value);
