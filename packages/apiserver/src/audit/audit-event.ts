// Audit events: their public type, and the record that becomes an event at each stage.
// Upstream: k8s.io/apiserver/pkg/apis/audit/v1/types.go.
import { compareBytewise, encodeJson, type JsonObject } from "homeostat/api";
import type { AuditLevel } from "../apimachinery/audit.ts";
import { encodeStruct } from "../registry/revisions/struct-order.ts";
import type { ReviewedUser } from "../apimachinery/user-info.ts";

/** The moment at which an event is recorded. */
export const auditStages = [
  "RequestReceived",
  "ResponseStarted",
  "ResponseComplete",
  "Panic",
] as const;
export type AuditStage = (typeof auditStages)[number];

/** A user in an event. */
export interface AuditedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The object or the collection that a request is about. */
export interface AuditedReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The outcome of a request; only `code` is set where the response is no Status. */
export interface AuditedStatus {
  readonly metadata: object;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code?: number;
}

/** An Event of audit.k8s.io/v1. */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: AuditLevel;
  /** The same for all stages of a request. */
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  /** Kubernetes' verb, or the method in lower case where no resource is named. */
  readonly verb: string;
  /** Empty for requests that fail to authenticate. */
  readonly user: AuditedUser;
  readonly impersonatedUser?: AuditedUser;
  readonly authenticationMetadata?: { readonly impersonationConstraint?: string };
  /** Empty for requests of this process. */
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditedReference;
  readonly responseStatus?: AuditedStatus;
  /** From level Request on: an object, a JSON patch, or a patch that is not JSON, as text. */
  readonly requestObject?: unknown;
  /** At level RequestResponse. */
  readonly responseObject?: unknown;
  /** In microseconds, e.g. `2026-11-21T10:00:00.123000Z`. */
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** JSON, or a text that should have been JSON. */
export type RecordedBody =
  | { readonly json: string }
  | { readonly fault: string; readonly text: string };

/** What is known of a request; `annotations` and the optional members follow while it is served. */
export interface AuditRecord {
  readonly level: AuditLevel;
  readonly auditID: string;
  stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: ReviewedUser;
  impersonatedUser: ReviewedUser | undefined;
  impersonationConstraint: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  objectRef: AuditedReference | undefined;
  responseStatus: AuditedStatus | undefined;
  requestObject: RecordedBody | undefined;
  responseObject: RecordedBody | undefined;
  readonly receivedMs: number;
  stageMs: number;
  readonly annotations: Map<string, string>;
}

/**
 * The event as one line of JSON, members in upstream's order. Undefined where the request's body
 * is no JSON: upstream cannot write such an event.
 */
export function formatEvent(record: AuditRecord): string | undefined {
  const { requestObject, responseObject } = record;
  if (requestObject && "fault" in requestObject) return undefined;
  const members: readonly (readonly [name: string, json: string | undefined])[] = [
    ["kind", '"Event"'],
    ["apiVersion", '"audit.k8s.io/v1"'],
    ["level", encodeJson(record.level)],
    ["auditID", encodeJson(record.auditID)],
    ["stage", encodeJson(record.stage)],
    ["requestURI", encodeJson(record.requestURI)],
    ["verb", encodeJson(record.verb)],
    ["user", formatUser(record.user)],
    ["impersonatedUser", record.impersonatedUser && formatUser(record.impersonatedUser)],
    ["authenticationMetadata", formatConstraint(record)],
    ["sourceIPs", record.sourceIPs.length ? encodeJson([...record.sourceIPs]) : undefined],
    ["userAgent", record.userAgent ? encodeJson(record.userAgent) : undefined],
    ["objectRef", record.objectRef && formatReference(record.objectRef)],
    ["responseStatus", record.responseStatus && formatStatus(record.responseStatus)],
    ["requestObject", requestObject?.json],
    [
      "responseObject",
      responseObject && "json" in responseObject ? responseObject.json : undefined,
    ],
    ["requestReceivedTimestamp", formatMicroTime(record.receivedMs)],
    ["stageTimestamp", formatMicroTime(record.stageMs)],
    ["annotations", formatAnnotations(record.annotations)],
  ];
  return formatMembers(members);
}

function formatMembers(members: readonly (readonly [string, string | undefined])[]): string {
  let out = "";
  for (const [name, json] of members)
    if (json !== undefined) out += `${out ? "," : ""}"${name}":${json}`;
  return `{${out}}`;
}

const formatUser = ({ username, uid, groups, extra }: ReviewedUser): string =>
  formatMembers([
    ["username", username && encodeJson(username)],
    ["uid", uid && encodeJson(uid)],
    ["groups", groups && encodeJson(groups)],
    ["extra", extra && encodeJson(extra)],
  ]);

const formatConstraint = ({ impersonationConstraint: constraint }: AuditRecord) =>
  constraint ? `{"impersonationConstraint":${encodeJson(constraint)}}` : undefined;

const formatReference = (reference: AuditedReference): string =>
  formatMembers(
    referenceMembers.map((name) => {
      const text = reference[name];
      return [name, text ? encodeJson(text) : undefined];
    }),
  );

const referenceMembers = [
  "resource",
  "namespace",
  "name",
  "uid",
  "apiGroup",
  "apiVersion",
  "resourceVersion",
  "subresource",
] as const;

/** A Status without its type. */
const formatStatus = (status: AuditedStatus): string =>
  encodeStruct({ ...typeOfStatus, ...status } as JsonObject)!.replace(statusType, "{");

const typeOfStatus = { kind: "Status", apiVersion: "v1" } as const;
const statusType = '{"kind":"Status","apiVersion":"v1",';

const formatMicroTime = (ms: number): string => `"${toMicroTime(ms)}"`;

/** `2026-11-21T10:00:00.123000Z`. */
function toMicroTime(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.floor((ms - whole) * 1000);
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

function formatAnnotations(annotations: ReadonlyMap<string, string>): string | undefined {
  if (annotations.size === 0) return undefined;
  const sorted = [...annotations.keys()].toSorted(compareBytewise);
  return `{${sorted.map((key) => `${encodeJson(key)}:${encodeJson(annotations.get(key)!)}`).join(",")}}`;
}
