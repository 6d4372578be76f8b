// Values as the server stores them: differences of spelling that are no differences. What is known
// of built-in kinds is written here; everything else (webhooks, other kinds) is learned from the
// answer to an apply.
import { createHash } from "node:crypto";
import { parseApiVersion } from "../../api/gvk.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";

/**
 * Moves `stringData` of a Secret to `data`, as the server does on every write: the applied fields
 * then stay comparable.
 * Upstream: k8s.io/kubernetes/pkg/apis/core/v1/conversion.go (Convert_v1_Secret_To_core_Secret).
 */
export function toStoredFields<M extends { readonly apiVersion: string; readonly kind: string }>(
  manifest: M,
): M {
  const { stringData, ...rest } = manifest as M & { readonly stringData?: unknown };
  if (manifest.apiVersion !== "v1" || manifest.kind !== "Secret" || !isObject(stringData as Json))
    return manifest;
  const added = Object.entries(stringData as Readonly<Record<string, string>>).map(
    ([key, text]) => [key, Buffer.from(String(text), "utf8").toString("base64")] as const,
  );
  const { data = {} } = rest as { readonly data?: object };
  return { ...rest, data: { ...data, ...Object.fromEntries(added) } } as unknown as M;
}

/** Maps of quantities in built-in kinds. */
const quantityMaps = new Set(["limits", "requests", "hard", "capacity", "overhead", "podFixed"]);
const quantityPattern = /^([+-]?\d+(?:\.\d+)?|[+-]?\.\d+)([EPTGMkmun]|[EPTGMK]i|[eE][+-]?\d+)?$/;
const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Replaces quantities of built-in kinds by their amounts, so that `1000m` equals `1`. */
export function withAmounts(apiVersion: string, value: JsonObject): JsonObject {
  const group = parseApiVersion(apiVersion)?.group ?? "";
  const isBuiltIn = !group.includes(".") || group.endsWith(".k8s.io");
  return isBuiltIn ? (replaceAmounts(value) as JsonObject) : value;
}

function replaceAmounts(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => replaceAmounts(item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    quantityMaps.has(key) && isObject(child) ? toAmounts(child) : replaceAmounts(child),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

function toAmounts(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, toAmount(value) ?? value]),
  );
}

function toAmount(value: Json): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const [, digits, suffix = ""] = quantityPattern.exec(String(value)) ?? [];
  if (digits === undefined) return undefined;
  const factor = suffixes[suffix] ?? Number(`1${suffix}`);
  return (Number(digits) * factor).toPrecision(15);
}

/** A short name for a value. */
export function fingerprint(value: Json): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}
