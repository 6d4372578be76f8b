// The AdmissionReview that is sent to a webhook, in the order of upstream's encoder.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go,
// k8s.io/api/admission/v1/types.go.
import { encodeJson, type JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { encodeObjectText } from "../../registry/revisions/stored-json.ts";
import { admissionRequestValue } from "../cel/versioned-request.ts";
import { kindOf } from "../matching/equivalent-resources.ts";
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
    const kind = kindOf(served, request.subresource);
    const encoded: Readonly<Record<string, string>> = {
      uid: encodeJson(uid),
      object: this.#object(object, served, request),
      oldObject: this.#object(old, served, request),
    };
    const members = Object.entries(admissionRequestValue({ request }, kind, served)).map(
      ([name, value]) => `"${name}":${encoded[name] ?? encodeJson(value)}`,
    );
    return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":{${members.join(",")}}}\n`;
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
