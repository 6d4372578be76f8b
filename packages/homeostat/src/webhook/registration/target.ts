// What is registered with the API server: webhook configurations, and conversions of definitions.
// A target knows its whole manifest, and how to set the caBundle alone. Pure.
// Upstream: k8s.io/api/admissionregistration/v1/types.go, k8s.io/apiextensions-apiserver/pkg/apis/
// apiextensions/v1/types.go.
import type { Json, JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { JsonPatchOperation } from "../../client/client.ts";

/** One object of the API server that names this server. */
export interface Target {
  readonly kind: Kind;
  readonly name: string;
  /** Fields to apply; `bundle` is PEM, undefined when it is not ours to set. */
  manifest(
    bundle: string | undefined,
  ): JsonObject & { readonly metadata: { readonly name: string } };
  /** What an object lacks although the manifest has it; undefined when it is complete. */
  fault(object: JsonObject): string | undefined;
  /**
   * Operations that replace addresses of the other form, a Service in place of a URL or the
   * reverse: an apply would add the second one, which the server refuses.
   */
  readdress(object: JsonObject, bundle: string | undefined): readonly JsonPatchOperation[];
  /** The places of caBundles, and what they hold as PEM. */
  bundles(object: JsonObject): readonly Bundle[];
}

/** A caBundle of an object. */
export interface Bundle {
  /** JSON pointer of the clientConfig. */
  readonly path: string;
  /** A place that must not have moved when the patch arrives. */
  readonly guard?: { readonly path: string; readonly value: Json };
  readonly pem: string;
}

/** Operations that set the caBundles of an object which differ; empty when none does. */
export function bundlePatch(
  target: Target,
  object: JsonObject,
  bundle: string,
): readonly JsonPatchOperation[] {
  const value = encodeBundle(bundle);
  return target
    .bundles(object)
    .filter(({ pem }) => pem !== bundle)
    .flatMap(({ path, guard }) => [
      ...(guard ? [{ op: "test", ...guard } as const] : []),
      { op: "add", path: `${path}/caBundle`, value } as const,
    ]);
}

export const encodeBundle = (pem: string): string => Buffer.from(pem).toString("base64");

export const decodeBundle = (value: unknown): string =>
  typeof value === "string" ? Buffer.from(value, "base64").toString() : "";
