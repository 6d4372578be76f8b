// The objects of a request in the version that a webhook or policy wants to see.
// Upstream: k8s.io/apiserver/pkg/admission/conversion.go.
import { cloneJson, formatApiVersion, type Json, type JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";

/** The objects of a request in one version; must not be mutated. */
export interface VersionedObjects {
  readonly resource: ServedResource;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/**
 * Both objects of a request as `to`, another version of its resource, has them. Rejects if a
 * conversion webhook fails.
 */
export async function convertedObjects(
  request: AdmissionRequest,
  to: ServedResource,
): Promise<VersionedObjects> {
  const { resource, object, old } = request;
  const before = old && (await convertAnyObject(old, resource, to));
  const after = object && (await convertAnyObject(object, resource, to));
  return { resource: to, object: after, old: before };
}

/** {@link convertObject}, by a webhook where the definition says so. */
export async function convertAnyObject(
  object: JsonObject,
  from: ServedResource,
  to: ServedResource,
): Promise<JsonObject> {
  const { remote } = from.codec;
  return remote && isOtherVersion(object, from, to)
    ? await remote.convert(cloneJson(object), formatApiVersion(to))
    : convertObject(object, from, to);
}

/**
 * The object of one version of a resource as another one has it. Objects of other kinds, as some
 * subresources have them, are the same in all versions.
 */
export const convertObject = (
  object: JsonObject,
  from: ServedResource,
  to: ServedResource,
): JsonObject =>
  isOtherVersion(object, from, to) ? inVersion(cloneJson(object), from, to) : object;

/** Custom objects keep the fields that the other version lacks. */
const inVersion = (object: JsonObject, from: ServedResource, to: ServedResource): JsonObject =>
  to.codec.goType === "unstructured"
    ? { ...object, apiVersion: formatApiVersion(to) }
    : to.codec.fromStorage(from.codec.toStorage(object));

/** Gives `object`, which other steps hold too, the members of `next`. */
export function replaceObject(object: JsonObject, next: JsonObject): void {
  const members = cloneJson(next);
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, members);
}

/**
 * The codec of the objects of a kind that the resource or its subresource takes; undefined for
 * bodies that admission cannot decode.
 */
export function codecOf(
  resource: ServedResource,
  subresource: string,
  kind: Json | undefined,
): VersionCodec | undefined {
  const endpoint = subresource ? resource.subresources.get(subresource) : undefined;
  const own = endpoint && "codec" in endpoint ? endpoint.codec : undefined;
  return own ?? (kind === resource.kind ? resource.codec : undefined);
}

const isOtherVersion = (object: JsonObject, from: ServedResource, to: ServedResource): boolean =>
  from !== to && object.kind === from.kind && object.apiVersion === formatApiVersion(from);
