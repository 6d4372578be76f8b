// Kubernetes' vocabulary for schemas that zod lacks. Every function appends to the schema's
// metadata, because zod's `.meta()` replaces it and would silently lose rules.
import * as z from "zod";
import { argumentError } from "../../util/argument-error.ts";
import { checkArgument, checkOptions, type KnownOptions } from "../../util/call-options.ts";
import type { ValidationRule } from "./json-schema.ts";

interface RuleOptions extends Omit<ValidationRule, "rule" | "message"> {}

/** @throws ERR_ARGUMENT for what is no zod schema */
function checkSchema(call: string, schema: unknown): void {
  if (typeof (schema as Partial<z.ZodType> | null | undefined)?.meta === "function") return;
  throw argumentError(call, schema, "a schema such as z.string()");
}

const ofRule = {
  messageExpression: "a string",
  reason: "a string",
  fieldPath: "a string",
  optionalOldSelf: "true or false",
} as const satisfies KnownOptions<RuleOptions>;

function toRule(rule: string, message: string | undefined, options: RuleOptions): ValidationRule {
  const call = "k.rule(…)";
  checkArgument(call, ["its first argument", rule], "a string");
  if (message !== undefined) checkArgument(call, ["its message", message], "a string");
  checkOptions(call, options, ofRule);
  return { rule, ...(message === undefined ? {} : { message }), ...options };
}

/** Appends metadata: lists of rules grow, other values are set. */
function extend<S extends z.ZodType>(
  call: string,
  schema: S,
  meta: Readonly<Record<string, unknown>>,
): S {
  checkSchema(call, schema);
  const before = (schema.meta() ?? {}) as Record<string, unknown>;
  const rules = [
    ...((before["x-kubernetes-validations"] as ValidationRule[] | undefined) ?? []),
    ...((meta["x-kubernetes-validations"] as ValidationRule[] | undefined) ?? []),
  ];
  return schema.meta({
    ...before,
    ...meta,
    ...(rules.length ? { "x-kubernetes-validations": rules } : {}),
  }) as S;
}

/** Schemas and rules in Kubernetes' vocabulary. */
export const k = {
  /** A duration as Go writes it, e.g. `1h30m`, `500ms`. */
  duration: () => z.string().meta({ format: "duration" }),
  /** A point in time, RFC 3339, e.g. `2026-11-21T10:00:00Z`. */
  time: () => z.string().meta({ format: "date-time" }),
  /**
   * A 64-bit integer. Values beyond 2^53 lose precision when read as numbers; use a string if that
   * matters.
   */
  int64: () => z.number().meta({ type: "integer", format: "int64" }),
  /**
   * A name that can be part of an object's name: a DNS label, e.g. `window-2` (RFC 1123, at most 63
   * characters).
   */
  dnsLabel: () =>
    z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
  /** A quantity, e.g. `500m`, `2Gi`: a string or an integer. */
  quantity: () =>
    z.union([z.int(), z.string()]).meta({
      "x-kubernetes-int-or-string": true,
      pattern:
        "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    }),
  /** An integer or a string, e.g. a port `80` or `"http"`. */
  intOrString: () => z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true }),
  /** The value cannot change once it is set. */
  immutable: <S extends z.ZodType>(schema: S): S =>
    extend("k.immutable(…)", schema, {
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "immutable" }],
    }),
  /**
   * A CEL rule over `self` (and `oldSelf`), checked by the server. Use with `.apply(k.rule("self.a
   * < self.b", "a must be below b"))`.
   */
  rule: (rule: string, message?: string, options: RuleOptions = {}) => {
    const meta = { "x-kubernetes-validations": [toRule(rule, message, options)] };
    return <S extends z.ZodType>(schema: S): S => extend("k.rule(…)", schema, meta);
  },
  /** A list with items identified by `keys`; server-side apply merges it item by item. */
  listMap: <I extends z.ZodObject, const Key extends keyof z.output<I> & string>(
    item: I,
    ...keys: [Key, ...Key[]]
  ) => {
    checkSchema("k.listMap(…)", item);
    for (const key of [keys[0], ...keys]) checkArgument("k.listMap(…)", ["a key", key], "a string");
    const meta = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
    return z.array(item).meta(meta);
  },
  /** A list of distinct scalars; server-side apply merges it value by value. */
  set: <I extends z.ZodType<string | number | boolean>>(item: I) => {
    checkSchema("k.set(…)", item);
    return z.array(item).meta({ "x-kubernetes-list-type": "set" });
  },
  /** A list or object with a single owner. */
  atomic: <S extends z.ZodType>(schema: S): S =>
    extend(
      "k.atomic(…)",
      schema,
      schema instanceof z.ZodArray
        ? { "x-kubernetes-list-type": "atomic" }
        : { "x-kubernetes-map-type": "atomic" },
    ),
  /**
   * The rule for `metadata.name` in `defineResource({ name })`, to limit names from which names of
   * children are built.
   */
  name: (rule: { readonly maxLength?: number; readonly pattern?: string }) => {
    checkArgument("k.name(…)", ["its argument", rule], "an object");
    checkOptions("k.name(…)", rule, { maxLength: "a number", pattern: "a string" });
    return rule;
  },
} as const;
