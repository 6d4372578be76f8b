// What a webhook answers: its AdmissionReview decoded, and checked against what was asked.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go
// (VerifyAdmissionResponse),
// k8s.io/apimachinery/pkg/runtime/serializer/{json,recognizer,versioning},
// k8s.io/api/admission/{v1,v1beta1}/types.go.
import { type Decoded, formatApiVersion, isObject, type Json, type Status } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { fillClaim, notRegistered } from "../../registry/body/claimed-kind.ts";
import { parseUntyped } from "../../registry/body/parse-body.ts";
import type { ReviewVersion } from "./admission-review.ts";
import { decodeStatus } from "./decode-status.ts";
import { readMembers } from "../go-members.ts";

/** The decision of a webhook. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status: Decoded<Status> | undefined;
  /** JSON; "" without a patch. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: ReadonlyMap<string, string>;
}

/** Which kind of webhook answered: only mutating ones may patch. */
export type WebhookType = "mutating" | "validating";

/** What the answer must fit. */
export interface Asked {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly type: WebhookType;
}

/** A review that was decoded and not checked. */
export interface DecodedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: DecodedResponse | undefined;
}

interface DecodedResponse extends Omit<AdmissionResponse, "patchType"> {
  readonly uid: string;
  readonly patchType: string | undefined;
}

const group = "admission.k8s.io";
/** The kinds that upstream's scheme for reviews knows beside them. */
const otherKinds = new Set([
  "Status",
  "APIVersions",
  "APIGroupList",
  "APIGroup",
  "APIResourceList",
]);

/** Decodes the body of an answer: JSON, or YAML. Throws an Error with upstream's message. */
export async function decodeReview(
  body: Uint8Array,
  version: ReviewVersion,
): Promise<DecodedReview> {
  const parsed = await parseUntyped(body);
  const expected = { group, version, kind: "AdmissionReview" };
  const actual = fillClaim(parsed, expected);
  const isReview = actual.group === group && actual.kind === "AdmissionReview";
  const isOther = actual.group === "" && actual.version === "v1" && otherKinds.has(actual.kind);
  if (isOther || (isReview && actual.version !== version && knows(actual.version)))
    throw new Error(
      `converting (${actual.version}.${actual.kind}) to (${version}.AdmissionReview): unknown conversion`,
    );
  if (!isReview || actual.version !== version)
    throw new Error(notRegistered(actual.kind, formatApiVersion(actual)));
  return {
    apiVersion: parsed.apiVersion,
    kind: parsed.kind,
    response: decodeResponse(parsed.value["response"] ?? null, version),
  };
}

const knows = (version: string): boolean => version === "v1" || version === "v1beta1";

function decodeResponse(response: Json, version: ReviewVersion): DecodedResponse | undefined {
  if (response === null) return undefined;
  if (!isObject(response))
    throw new Error(
      `json: cannot unmarshal ${goKindOf(response)} into Go struct field AdmissionReview.response of type ${version}.AdmissionResponse`,
    );
  const read = readMembers(response, "AdmissionResponse.response");
  return {
    uid: read.text("uid", "types.UID") ?? "",
    allowed: read.bool("allowed") ?? false,
    status: decodeStatus(response["status"] ?? null),
    patch: read.bytes("patch") ?? "",
    patchType: read.text("patchType", `${version}.PatchType`),
    warnings: read.texts("warnings"),
    auditAnnotations: read.textMap("auditAnnotations"),
  };
}

/** Checks a decoded review. Throws an Error with upstream's message. */
export function verifyReview(
  { apiVersion, kind, response }: DecodedReview,
  asked: Asked,
): AdmissionResponse {
  if (!response) throw new Error("webhook response was absent");
  const { uid, patch, patchType } = response;
  if (asked.version === "v1beta1") return { ...response, ...looselyPatched(patch, asked) };
  if (uid !== asked.uid)
    throw new Error(`expected response.uid=${quoteGo(asked.uid)}, got ${quoteGo(uid)}`);
  if (apiVersion !== `${group}/v1` || kind !== "AdmissionReview")
    throw new Error(
      `expected webhook response of ${group}/v1, Kind=AdmissionReview, got ${apiVersion || "/"}, Kind=${kind}`,
    );
  assertPatch(patch, patchType, asked.type);
  return { ...response, patchType: patchType ?? "" };
}

/** The old version checked neither, and knew one type of patch. */
const looselyPatched = (
  patch: string,
  { type }: Asked,
): Pick<AdmissionResponse, "patch" | "patchType"> =>
  type === "mutating" && patch ? { patch, patchType: "JSONPatch" } : { patch: "", patchType: "" };

function assertPatch(patch: string, patchType: string | undefined, type: WebhookType): void {
  if (type === "validating") {
    if (patch) throw new Error("validating webhook may not return response.patch");
    if (patchType !== undefined)
      throw new Error("validating webhook may not return response.patchType");
    return;
  }
  if (patch && patchType === undefined)
    throw new Error("webhook returned response.patch but not response.patchType");
  if (!patch && patchType !== undefined)
    throw new Error("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
}
