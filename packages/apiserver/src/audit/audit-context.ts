// What is recorded of one request: the event that grows while the request is served, and the stages
// at which it is handed on. Before the user is known annotations are kept; then the policy decides.
// Upstream: k8s.io/apiserver/pkg/audit (context.go, request.go),
// pkg/endpoints/filters/{audit,authn_audit,request_deadline}.go.
import type { JsonObject } from "homeostat/api";
import type { Clock } from "homeostat/runtime";
import {
  type AuditedPhase,
  type AuditLevel,
  auditLevels,
  type RequestAudit,
} from "../apimachinery/audit.ts";
import { type ApiResponse, isStream, maxBodyBytes } from "../apimachinery/handler.ts";
import { reviewedUser, type UserInfo } from "../apimachinery/user-info.ts";
import { isLongRunning } from "../registry/request/is-long-running.ts";
import type { RequestInfo } from "../registry/request/request-info.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { isAdmissionKey } from "./admission-key.ts";
import type { AuditedReference, AuditRecord, AuditStage } from "./audit-event.ts";
import type { AuditEvaluator, AuditScope } from "./audit-policy.ts";
import { compactJson } from "./compact-json.ts";
import { type Latencies, latencyAnnotations } from "./latency-annotations.ts";
import { jsonWithoutManagedFields, withoutManagedFields } from "./managed-fields.ts";
import { sourceAddresses } from "./source-addresses.ts";

/** What auditing works with. */
export interface AuditServices {
  readonly evaluate: AuditEvaluator;
  readonly clock: Clock;
  /** Takes a record at one of its stages; it changes later. */
  process(record: AuditRecord): void;
}

/** From a request before its authentication to the response. */
export class AuditContext implements RequestAudit {
  readonly #request: ServerRequest;
  readonly #services: AuditServices;
  readonly #id: string;
  readonly #annotations = new Map<string, string>();
  readonly #latencies: Latencies = new Map();
  #scope: AuditScope | undefined;
  #record: AuditRecord | undefined;
  #isReceived = false;
  #isDeprecated = false;

  constructor(request: ServerRequest, id: string, services: AuditServices) {
    this.#request = request;
    this.#services = services;
    this.#id = id;
  }

  receive(user: UserInfo): void {
    this.#isReceived = true;
    if (this.#open(user)) this.#process("RequestReceived");
  }

  /** A request that gets its response before it is received fails before or at authentication. */
  #isOpen(): boolean {
    return this.#record !== undefined || this.#open(undefined);
  }

  /** Asks the policy. False ends auditing. */
  #open(user: UserInfo | undefined): boolean {
    const scope = this.#services.evaluate(user, this.#request.info);
    if (scope.level === "None") {
      this.#request.audit = undefined;
      return false;
    }
    this.#scope = scope;
    this.#record = this.#createRecord(scope.level, user);
    return true;
  }

  #createRecord(level: AuditLevel, user: UserInfo | undefined): AuditRecord {
    const { api, info, nowMs } = this.#request;
    return {
      level,
      auditID: this.#id,
      stage: "RequestReceived",
      requestURI: api.path,
      verb: info.verb,
      user: user ? reviewedUser(user) : {},
      impersonatedUser: undefined,
      impersonationConstraint: "",
      sourceIPs: sourceAddresses(api),
      userAgent: truncated(api.headers["user-agent"] ?? ""),
      objectRef: info.isResource ? referenceTo(info) : undefined,
      responseStatus: undefined,
      requestObject: undefined,
      responseObject: undefined,
      receivedMs: nowMs,
      stageMs: nowMs,
      annotations: this.#annotations,
    };
  }

  #process(stage: AuditStage): void {
    const record = this.#record!;
    if (this.#scope!.omitStages.has(stage)) return;
    record.stage = stage;
    if (stage !== "RequestReceived") record.stageMs = this.#services.clock.now();
    this.#services.process(record);
  }

  #records(level: AuditLevel): boolean {
    return rankOf(this.#record!.level) >= rankOf(level);
  }

  annotate(key: string, value: string, level?: AuditLevel): void {
    if (level !== undefined && this.#record && !this.#records(level)) return;
    if (this.#annotations.has(key) || !isAdmissionKey(key)) return;
    this.#annotations.set(key, value);
  }

  addLatency(phase: AuditedPhase, ms: number): void {
    const before = this.#latencies.get(phase) ?? 0;
    this.#latencies.set(phase, phase === "validating-webhook" ? Math.max(before, ms) : before + ms);
  }

  impersonate(user: UserInfo, constraint: string): void {
    this.#record!.impersonatedUser = reviewedUser(user);
    this.#record!.impersonationConstraint = constraint;
  }

  deprecate(): void {
    this.#isDeprecated = true;
  }

  takeRequestObject(object: JsonObject, encode: (object: JsonObject) => string): void {
    const record = this.#record!;
    record.objectRef = completed(record.objectRef, object);
    if (!this.#records("Request")) return;
    const recorded = this.#scope!.omitManagedFields ? withoutManagedFields(object) : object;
    record.requestObject = { json: encode(recorded) };
  }

  takePatch(body: Uint8Array): void {
    if (!this.#records("Request") || body.length > maxBodyBytes) return;
    const text = Buffer.from(body).toString("utf8");
    try {
      JSON.parse(text);
      this.#record!.requestObject = { json: compactJson(text) };
    } catch (error) {
      this.#record!.requestObject = { fault: String(error), text };
    }
  }

  get wantsResponseObject(): boolean {
    return this.#isOpen() && this.#records("RequestResponse");
  }

  takeResponseObject(json: Uint8Array): void {
    if (!this.wantsResponseObject) return;
    const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
      .toString("utf8")
      .trimEnd();
    const { omitManagedFields } = this.#scope!;
    this.#record!.responseObject = {
      json: omitManagedFields ? jsonWithoutManagedFields(text) : text,
    };
  }

  takeStatus(given: Parameters<RequestAudit["takeStatus"]>[0]): void {
    if (!this.#isOpen()) return;
    const { status, message, reason, details, code } = given;
    this.#record!.responseStatus = {
      metadata: {},
      ...(status ? { status } : {}),
      ...(message ? { message } : {}),
      ...(reason ? { reason } : {}),
      ...(details ? { details } : {}),
      ...(code ? { code } : {}),
    };
  }

  complete(response: ApiResponse): ApiResponse {
    const { body, status: code } = response;
    if (!this.#isOpen()) return response;
    const record = this.#record!;
    record.responseStatus = { metadata: {}, ...record.responseStatus, code };
    const named = { ...response, headers: { ...response.headers, "audit-id": this.#id } };
    if (!this.#isReceived || isLongRunning(this.#request.info)) this.#process("ResponseStarted");
    if (!this.#isReceived) return named;
    if (!isStream(body)) this.#end();
    else return { ...named, body: this.#followed(body) };
    return named;
  }

  /** The last stage begins when the stream ends, whichever side ends it. */
  #followed(body: Extract<ApiResponse["body"], { open: unknown }>): typeof body {
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.#end();
      isOpen = false;
    };
    return {
      open: (sink) => {
        const stream = body.open({
          data: (chunk) => sink.data(chunk),
          ...(sink.change ? { change: (one) => sink.change!(one) } : {}),
          end: () => {
            end();
            sink.end();
          },
          cut: () => {
            end();
            if (sink.cut) sink.cut();
            else sink.end();
          },
          drained: () => sink.drained?.(),
        });
        return {
          resume: () => stream.resume(),
          close: () => {
            end();
            stream.close();
          },
          ...(stream.write ? { write: (chunk) => stream.write!(chunk) } : {}),
        };
      },
    };
  }

  #end(): void {
    if (this.#isDeprecated) this.annotate("k8s.io/deprecated", "true");
    const totalMs = this.#services.clock.now() - this.#record!.receivedMs;
    if (this.#request.info.verb !== "watch")
      for (const [key, value] of latencyAnnotations(totalMs, this.#latencies))
        this.annotate(key, value);
    this.#process("ResponseComplete");
  }
}

const rankOf = (level: AuditLevel): number => auditLevels.indexOf(level);

const maxUserAgent = 1024;

const truncated = (userAgent: string): string =>
  userAgent.length > maxUserAgent ? `${userAgent.slice(0, maxUserAgent)}...TRUNCATED` : userAgent;

const referenceTo = (info: RequestInfo): AuditedReference => ({
  resource: info.resource,
  namespace: info.namespace,
  name: info.name,
  apiGroup: info.group,
  apiVersion: info.version,
  subresource: info.subresource,
});

/** With what only the object says. */
function completed(
  reference: AuditedReference | undefined,
  { metadata }: JsonObject,
): AuditedReference {
  const meta = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string => (typeof meta[name] === "string" ? meta[name] : "");
  return {
    ...reference,
    namespace: reference?.namespace || text("namespace"),
    name: reference?.name || text("name"),
    uid: text("uid"),
    resourceVersion: text("resourceVersion"),
  };
}
