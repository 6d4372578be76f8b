// Opens the audit of a server: its policy, its log and its stream. Loaded only by servers that are
// asked for it.
// Upstream: k8s.io/apiserver/pkg/server/options/audit.go (ApplyTo),
// pkg/endpoints/filters/audit_init.go.
import { type Runtime, uuid } from "homeostat/runtime";
import type { AuditLevel } from "../apimachinery/audit.ts";
import { optionError, reasonOf } from "../apimachinery/errors/server-error.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { AuditContext } from "./audit-context.ts";
import { type AuditPolicy, createAuditEvaluator } from "./audit-policy.ts";
import { type AuditStream, openAuditStream } from "./audit-stream.ts";
import { type LogBackend, openLog } from "./log-backend.ts";
import { readAuditPolicyFile, validated } from "./read-audit-policy.ts";

/** What of its requests a server records, and where. */
export interface AuditOptions {
  /** File with a Policy of audit.k8s.io/v1; without a policy nothing is recorded. */
  readonly policyFile?: string;
  /** In the place of a file: a policy, or the level of all requests. */
  readonly policy?: AuditPolicy | AuditLevel;
  /** Also writes events to this file, or to standard output for `-`. */
  readonly logPath?: string;
  /** Default `json`. */
  readonly logFormat?: "json" | "legacy";
  /** Days after which old log files are removed; 0 keeps them. Default 366. */
  readonly logMaxAgeDays?: number;
  /** Number of old log files; 0 keeps all. Default 100. */
  readonly logMaxBackups?: number;
  /** Megabytes before a log file is rotated; 0 never rotates it. Default 100. */
  readonly logMaxSizeMegabytes?: number;
  /** Compresses old log files. Default false. */
  readonly logCompress?: boolean;
  /** Events with more bytes are logged without their bodies. Default: no limit. */
  readonly logMaxEventBytes?: number;
}

/** Begins to record a request, which it is set on. */
export type Auditor = (request: ServerRequest) => void;

export interface OpenAudit {
  /** Undefined without a policy. */
  readonly auditor: Auditor | undefined;
  readonly stream: AuditStream | undefined;
  /** Ends the stream, then closes the log. */
  close(): Promise<void>;
}

interface AuditParts {
  readonly runtime: Runtime;
  readonly warn: (message: string, error: unknown) => void;
}

const bytesInMegabyte = 1024 * 1024;
/** How a log is written. Upstream ignores them where it has no path. */
const logSettings = [
  "logFormat",
  "logMaxAgeDays",
  "logMaxBackups",
  "logMaxSizeMegabytes",
  "logCompress",
  "logMaxEventBytes",
] as const satisfies readonly (keyof AuditOptions)[];

/** Reads the policy and opens the log. Throws a ServerError. */
export async function openAudit(options: AuditOptions, parts: AuditParts): Promise<OpenAudit> {
  const policy = await policyOf(options, parts);
  const log = openLogOf(options, parts);
  const settings = log ? [] : logSettings.filter((name) => options[name] !== undefined);
  if (settings.length) {
    const names = settings.map((name) => `audit.${name}`).join(", ");
    parts.warn(`${names} without audit.logPath: no audit log is written`, null);
  }
  if (!policy) {
    if (log) parts.warn("there is an audit log and no audit policy: no events are recorded", null);
    return { auditor: undefined, stream: undefined, close: async () => await log?.close() };
  }
  const stream = openAuditStream();
  const { clock, entropy } = parts.runtime;
  const services = {
    clock,
    evaluate: createAuditEvaluator(policy),
    process(record: Parameters<LogBackend["process"]>[0]) {
      log?.process(record);
      stream.process(record);
    },
  };
  return {
    auditor(request) {
      const id = request.api.headers["audit-id"] || uuid(entropy);
      request.audit = new AuditContext(request, id, services);
    },
    stream: stream.stream,
    async close() {
      stream.close();
      await log?.close();
    },
  };
}

async function policyOf(
  { policyFile, policy }: AuditOptions,
  { warn }: AuditParts,
): Promise<AuditPolicy | undefined> {
  const option = policyFile === undefined ? "audit.policy" : "audit.policyFile";
  try {
    if (policyFile !== undefined)
      return await readAuditPolicyFile(policyFile, (message) => warn(message, undefined));
    return (
      policy && validated(typeof policy === "string" ? { rules: [{ level: policy }] } : policy)
    );
  } catch (error) {
    throw optionError("ERR_SERVER_AUDIT", [{ option, problem: reasonOf(error) }], { cause: error });
  }
}

function openLogOf(
  {
    logPath: path,
    logFormat: format = "json",
    logMaxAgeDays: maxAgeDays = 366,
    logMaxBackups: maxBackups = 100,
    logMaxSizeMegabytes: megabytes = 100,
    logCompress: compress = false,
    logMaxEventBytes: maxEventBytes,
  }: AuditOptions,
  { runtime, warn }: AuditParts,
): LogBackend | undefined {
  if (path === undefined) return undefined;
  const maxBytes = megabytes * bytesInMegabyte;
  const rotation = { maxBytes, maxBackups, maxAgeDays, compress };
  const now = (): number => runtime.clock.now();
  try {
    return openLog({ path, format, rotation, maxEventBytes, now, warn });
  } catch (error) {
    const problem = `${reasonOf(error)}; name a file that this user can write`;
    throw optionError("ERR_SERVER_AUDIT", [{ option: "audit.logPath", problem }], { cause: error });
  }
}
