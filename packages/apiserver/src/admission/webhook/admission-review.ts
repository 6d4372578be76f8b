// The AdmissionReview that is sent to a webhook, in the order of upstream's encoder.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go,
// k8s.io/api/admission/v1/types.go.
import { encodeJson, type GroupVersionKind, type JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { encodeObjectText } from "../../registry/revisions/stored-json.ts";
import { kindOf } from "../matching/equivalent-resources.ts";
import type { GroupVersionResource } from "../matching/rules.ts";
import { codecOf, type VersionedObjects } from "../matching/versioned-objects.ts";

/** The versions that this server sends. */
export type ReviewVersion = "v1" | "v1beta1";

/** The first version of those that a webhook accepts which this server can send. */
export const reviewVersionOf = (
  accepted: readonly string[] | null | undefined,
): ReviewVersion | undefined =>
  accepted?.find((version): version is ReviewVersion => version === "v1" || version === "v1beta1");

/** Encodes the objects of one request once for each version. */
export class ReviewEncoder {
  readonly #texts = new WeakMap<JsonObject, string>();

  /** The body of a call. */
  encode(
    version: ReviewVersion,
    uid: string,
    request: AdmissionRequest,
    versioned: VersionedObjects,
  ): string {
    const { resource: served, object, old } = versioned;
    const fields = [
      `"uid":${encodeJson(uid)}`,
      `"kind":${gvk(kindOf(served, request.subresource))}`,
      `"resource":${gvr(served)}`,
      text("subResource", request.subresource),
      `"requestKind":${gvk(request.kind)}`,
      `"requestResource":${gvr(request.resource)}`,
      text("requestSubResource", request.subresource),
      text("name", request.name),
      text("namespace", request.namespace),
      `"operation":"${request.operation}"`,
      `"userInfo":${userInfo(request)}`,
      `"object":${this.#object(object, served, request)}`,
      `"oldObject":${this.#object(old, served, request)}`,
      `"dryRun":${request.dryRun}`,
      `"options":${request.options ? encodeJson(request.options) : "null"}`,
    ];
    const body = fields.filter(Boolean).join(",");
    return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":{${body}}}\n`;
  }

  #object(
    object: JsonObject | undefined,
    served: ServedResource,
    { subresource }: AdmissionRequest,
  ): string {
    if (!object) return "null";
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const codec = codecOf(served, subresource, object.kind);
    const encoded = (codec?.encode ?? encodeObjectText)(object);
    this.#texts.set(object, encoded);
    return encoded;
  }
}

const text = (field: string, value: string): string =>
  value ? `"${field}":${encodeJson(value)}` : "";

const gvk = ({ group, version, kind }: GroupVersionKind): string =>
  encodeJson({ group, version, kind });

const gvr = ({ group, version, resource }: GroupVersionResource): string =>
  encodeJson({ group, version, resource });

function userInfo({ user: { name, uid, groups, extra } }: AdmissionRequest): string {
  const keys = Object.keys(extra ?? {}).sort();
  return encodeJson({
    ...(name ? { username: name } : {}),
    ...(uid ? { uid } : {}),
    ...(groups.length ? { groups: [...groups] } : {}),
    ...(keys.length
      ? { extra: Object.fromEntries(keys.map((key) => [key, [...extra![key]!]])) }
      : {}),
  });
}
