// Encodes the answer to an AdmissionReview: the members that the decision has, in Go's order.
// Upstream: k8s.io/api/admission/v1/types.go (AdmissionResponse),
// sigs.k8s.io/controller-runtime/pkg/webhook/admission/{response,webhook}.go (Complete).
import { encodeJson } from "../../api/encode-json.ts";
import type { JsonObject } from "../../api/json.ts";
import type { StatusCause, StatusDetails } from "../../api/status.ts";
import type { PatchOperation } from "../json-patch/diff-json.ts";

interface Said {
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** The answer of a review, with its members in order. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status: Readonly<Record<string, unknown>>;
  readonly patch?: string;
  readonly patchType?: "JSONPatch";
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** The text of the review. */
export const encodeReview = (response: ReviewResponse): string =>
  `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":${JSON.stringify(response)}}`;

const ok = { metadata: {}, code: 200 };

/** Allows a request, with a patch if it is not empty. */
export function allowed(
  uid: string,
  said?: Said,
  patch: readonly PatchOperation[] = [],
): ReviewResponse {
  const base = { uid, allowed: true, status: ok };
  if (patch.length === 0) return said ? withSaid(base, said) : base;
  const text = Buffer.from(encodeJson(patch as readonly JsonObject[] as JsonObject[]));
  const changed = { ...base, patch: text.toString("base64"), patchType: "JSONPatch" } as const;
  return said ? withSaid(changed, said) : changed;
}

/** Refuses a request. */
export function denied(
  uid: string,
  said: Said,
  {
    message,
    reason,
    code,
    causes,
    details,
  }: {
    readonly message: string;
    readonly reason: string;
    readonly code: number;
    readonly causes: readonly StatusCause[];
    readonly details?: StatusDetails;
  },
): ReviewResponse {
  const about = { ...details, ...(causes.length > 0 ? { causes } : {}) };
  const status = {
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(Object.keys(about).length > 0 ? { details: about } : {}),
    code,
  };
  return withSaid({ uid, allowed: false, status }, said);
}

/** A request that could not be read. */
export const errored = (uid: string, code: number, message: string): ReviewResponse => ({
  uid,
  allowed: false,
  status: { metadata: {}, message, code },
});

function withSaid(response: ReviewResponse, { warnings, auditAnnotations }: Said): ReviewResponse {
  if (warnings.length === 0 && Object.keys(auditAnnotations).length === 0) return response;
  return {
    ...response,
    ...(Object.keys(auditAnnotations).length > 0 ? { auditAnnotations } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
