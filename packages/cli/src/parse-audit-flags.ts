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
} as const;

type AuditFlag = (typeof auditFlags)[keyof typeof auditFlags];

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
  };
  return Object.keys(audit).length ? { audit } : {};
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
