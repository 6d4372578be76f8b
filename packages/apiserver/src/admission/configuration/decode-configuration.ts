// Decodes the configuration of a plug-in as upstream's scheme does: its version and kind, and for
// strict ones the names of all fields. Pure.
// Upstream: k8s.io/apimachinery/pkg/runtime/{error.go,serializer/json/json.go}.
import { compareBytewise, isObject, type Json, type JsonObject } from "homeostat/api";
import { aggregate, formatFieldError } from "../../apimachinery/errors/aggregate.ts";
import { type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import { notRegistered } from "../../registry/body/claimed-kind.ts";
import type { PluginConfiguration } from "./plugin-configuration.ts";

/** A configuration that can be decoded and not be used. */
export class InitializationError extends Error {}

/** The fields of an object, or of the objects in a list; null for those without fields. */
export interface KnownFields {
  readonly [name: string]: KnownFields | null;
}

/** A kind that a plug-in is configured with. */
export interface ConfigurationKind {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
}

/** Throws an Error with upstream's message if `given` is of none of the kinds. */
export function assertConfigurationKind(
  { value, text }: Pick<PluginConfiguration, "value" | "text">,
  ...kinds: readonly ConfigurationKind[]
): void {
  const { apiVersion, kind: stated } = value;
  if (typeof stated !== "string" || !stated)
    throw new Error(`Object 'Kind' is missing in '${text}'`);
  if (typeof apiVersion !== "string" || !apiVersion)
    throw new Error(`Object 'apiVersion' is missing in '${text}'`);
  const isKnown = kinds.some(
    ({ group, versions, kind }) =>
      stated === kind && versions.some((version) => apiVersion === `${group}/${version}`),
  );
  if (!isKnown) throw new Error(notRegistered(stated, apiVersion));
}

/** Throws an Error with upstream's message if `value` has fields that are not known. */
export function assertKnownFields(value: JsonObject, fields: KnownFields): void {
  const unknown = unknownFields(value, { apiVersion: null, kind: null, ...fields }, "");
  if (!unknown.length) return;
  const faults = unknown.map((path) => `unknown field ${quoteGo(path)}`);
  throw new Error(`strict decoding error: ${faults.join(", ")}`);
}

function unknownFields(value: Json, fields: KnownFields, path: string): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item, at) => unknownFields(item, fields, `${path}[${at}]`));
  if (!isObject(value)) return [];
  // YAML becomes JSON with sorted names.
  const members = Object.entries(value).toSorted(([a], [b]) => compareBytewise(a, b));
  return members.flatMap(([name, inner]) => {
    const at = path ? `${path}.${name}` : name;
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) return [at];
    return known === null ? [] : unknownFields(inner!, known, at);
  });
}

/** Throws the errors as one Error, as upstream's field.ErrorList.ToAggregate does. */
export function assertNoFieldErrors(errors: readonly FieldError[]): void {
  if (errors.length) throw new Error(aggregate(errors.map(formatFieldError)));
}
