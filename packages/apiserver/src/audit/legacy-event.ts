// An event as one line of text, the older format of audit logs.
// Upstream: k8s.io/apiserver/pkg/audit/format.go (EventString).
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { AuditRecord } from "./audit-event.ts";

/** E.g. `2026-11-21T10:00:00.123Z AUDIT: id="…" stage="ResponseComplete" … response="200"`. */
export function formatLegacyEvent(record: AuditRecord): string {
  const { user, impersonatedUser: as, responseStatus, objectRef } = record;
  const parts: Readonly<Record<string, string>> = {
    id: record.auditID,
    stage: record.stage,
    ip: record.sourceIPs[0] ?? "<unknown>",
    method: record.verb,
    user: user.username ?? "<none>",
    groups: (user.username && listed(user.groups)) || "<none>",
    as: as ? (as.username ?? "") : "<self>",
    asgroups: as?.groups ? listed(as.groups) : "<lookup>",
    "user-agent": record.userAgent,
    namespace: objectRef?.namespace || "<none>",
    uri: record.requestURI,
    response: responseStatus ? String(responseStatus.code ?? 0) : "<deferred>",
  };
  const texts = Object.entries(parts).map(([name, text]) => `${name}=${quoteGo(text)}`);
  return `${formatTime(record.receivedMs)} AUDIT: ${texts.join(" ")}`;
}

const listed = (texts: readonly string[] = []): string => texts.map(quoteGo).join(",");

/** RFC 3339 with as many digits of the second as it has. */
const formatTime = (ms: number): string => new Date(ms).toISOString().replace(/\.?0+Z$/, "Z");
