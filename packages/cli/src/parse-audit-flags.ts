// Parses kube-apiserver's flags of the audit log.
// Upstream: k8s.io/apiserver/pkg/server/options/audit.go.
import type { ApiServerOptions } from "@homeostat/apiserver";
import { usageError } from "./command-error.ts";

/** The flags, for errors about the options that they set. */
export const auditFlags = {
  "audit.policyFile": "--audit-policy-file",
  "audit.logPath": "--audit-log-path",
  "audit.logFormat": "--audit-log-format",
  "audit.logMaxAgeDays": "--audit-log-maxage",
  "audit.logMaxBackups": "--audit-log-maxbackup",
  "audit.logMaxSizeMegabytes": "--audit-log-maxsize",
  "audit.logCompress": "--audit-log-compress",
  "audit.logMaxEventBytes": "--audit-log-truncate-max-event-size",
} as const;

/** Without it `--audit-log-truncate-max-event-size` has no effect, as upstream. */
const truncateEnabled = "--audit-log-truncate-enabled";
const defaultEventBytes = 100 * 1024;

type AuditFlag = (typeof auditFlags)[keyof typeof auditFlags] | typeof truncateEnabled;

/** The options, if a flag is given. Throws a usage error. */
export function parseAuditFlags(
  value: (flag: AuditFlag) => string | undefined,
): Pick<ApiServerOptions, "audit"> {
  const policyFile = value("--audit-policy-file");
  const logPath = value("--audit-log-path");
  const format = value("--audit-log-format");
  const audit = {
    ...(policyFile === undefined ? {} : { policyFile }),
    ...(logPath === undefined ? {} : { logPath }),
    ...(format === undefined ? {} : { logFormat: format as "json" }),
    ...countOf("logMaxAgeDays", "--audit-log-maxage", value),
    ...countOf("logMaxBackups", "--audit-log-maxbackup", value),
    ...countOf("logMaxSizeMegabytes", "--audit-log-maxsize", value),
    ...(isSet("--audit-log-compress", value) ? { logCompress: true } : {}),
    ...(isSet(truncateEnabled, value)
      ? {
          logMaxEventBytes: defaultEventBytes,
          ...countOf("logMaxEventBytes", "--audit-log-truncate-max-event-size", value),
        }
      : {}),
  };
  return Object.keys(audit).length ? { audit } : {};
}

/** `true` and `false` as of a flag that may stand alone. */
function isSet(flag: AuditFlag, value: (flag: AuditFlag) => string | undefined): boolean {
  const text = value(flag) ?? "false";
  if (text === "true" || text === "false") return text === "true";
  throw usageError(`${flag}: expected true or false, got ${JSON.stringify(text)}`);
}

function countOf<K extends string>(
  option: K,
  flag: AuditFlag,
  value: (flag: AuditFlag) => string | undefined,
): { readonly [P in K]?: number } {
  const text = value(flag);
  if (text === undefined) return {};
  if (/^\d{1,9}$/.test(text)) return { [option]: Number(text) } as { readonly [P in K]: number };
  throw usageError(`${flag}: expected a whole number from 0, got ${JSON.stringify(text)}`);
}
