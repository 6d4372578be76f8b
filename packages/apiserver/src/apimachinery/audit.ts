// The contract of auditing: what filters, handlers and admission record about a request. A request
// that is not audited carries none of this.
// Upstream: k8s.io/apiserver/pkg/audit (context.go, request.go).
import type { JsonObject, Status } from "homeostat/api";
import type { ApiResponse } from "./handler.ts";
import type { UserInfo } from "./user-info.ts";

/** How much of a request is recorded, from nothing to its bodies. */
export const auditLevels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** Phases of a request whose duration slow requests state. */
export type AuditedPhase = "mutating-webhook" | "validating-webhook";

/** What admission plug-ins record. */
export interface AdmissionAudit {
  /**
   * Sets an annotation of the event, unless it is set or its key is no qualified name with a
   * prefix. Events below `level` do without it; default Metadata.
   */
  annotate(key: string, value: string, level?: AuditLevel): void;
  /** Mutating phases add up; of validating ones, which run side by side, the longest counts. */
  addLatency(phase: AuditedPhase, ms: number): void;
}

/** What one audited request records. */
export interface RequestAudit extends AdmissionAudit {
  /** Begins the first stage, once the user is known. */
  receive(user: UserInfo): void;
  /** `constraint` is the verb that allowed it; "" for the verb `impersonate`. */
  impersonate(user: UserInfo, constraint: string): void;
  /** A handler serves a deprecated version. */
  deprecate(): void;
  /** Takes the object of a create or an update, as it was decoded; `encode` writes it as JSON. */
  takeRequestObject(object: JsonObject, encode: (object: JsonObject) => string): void;
  /** Takes the body of a patch. */
  takePatch(body: Uint8Array): void;
  /** Whether objects of responses are recorded, which then have to be there as JSON. */
  readonly wantsResponseObject: boolean;
  takeResponseObject(json: Uint8Array): void;
  takeStatus(status: Pick<Status, "status" | "message" | "reason" | "details" | "code">): void;
  /** Records the last stages. Returns the response to send, whose stream ends the last stage. */
  complete(response: ApiResponse): ApiResponse;
}
