// The judge: the server's own audit log. From the moment at which the server has let another take
// the Lease, no write of the former holder may arrive, accepted or not, until it holds the Lease
// again. After a release only Events may follow. Replicas are told apart by their user agents.
import { readFileSync } from "node:fs";

interface AuditLine {
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource: string };
  readonly responseStatus?: { readonly code: number };
  readonly requestObject?: { readonly spec?: { readonly holderIdentity?: string } };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** What is recorded: writes, those of Leases with what was sent. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Request
  verbs: [create, update, patch, delete, deletecollection]
  resources: [{ group: coordination.k8s.io, resources: [leases] }]
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`;

/** Since when the Lease is held by `holder`, or by no one. */
interface Term {
  readonly since: bigint;
  readonly holder: string | undefined;
}

/** What the log says. */
export interface Verdict {
  /** Writes of replicas that were judged. */
  readonly writes: number;
  readonly terms: number;
  readonly faults: readonly string[];
}

/** Reads the log. */
export function judgeAuditLog(path: string, replicas: ReadonlySet<string>): Verdict {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as AuditLine]))
    .filter(({ userAgent }) => userAgent !== undefined && replicas.has(userAgent));
  const terms = termsOf(lines);
  const writes = lines.filter(({ objectRef }) => objectRef?.resource !== "leases");
  const faults = writes.flatMap((write) => {
    const at = micros(write.requestReceivedTimestamp);
    const term = terms.findLast(({ since }) => since < at);
    if (term?.holder === write.userAgent) return [];
    if (write.objectRef?.resource === "events" && hasReleased(terms, write.userAgent!, at))
      return [];
    const { userAgent, verb, requestURI } = write;
    return [
      `${userAgent} ${verb} ${requestURI} at ${at} while ${term?.holder ?? "no one"} holds it`,
    ];
  });
  return { writes: writes.length, terms: terms.length, faults };
}

/** True when its last term has ended with a release. */
function hasReleased(terms: readonly Term[], replica: string, at: bigint): boolean {
  const last = terms.findLastIndex(({ since, holder }) => since < at && holder === replica);
  const next = terms[last + 1];
  return next !== undefined && next.holder === undefined && next.since < at;
}

/** A term begins when its first write is answered, and ends when a release arrives. */
function termsOf(lines: readonly AuditLine[]): readonly Term[] {
  const leases = lines
    .filter(({ objectRef, responseStatus }) => {
      return objectRef?.resource === "leases" && (responseStatus?.code ?? 500) < 300;
    })
    .toSorted((a, b) => Number(micros(a.stageTimestamp) - micros(b.stageTimestamp)));
  const terms: Term[] = [];
  for (const { requestObject, requestReceivedTimestamp, stageTimestamp } of leases) {
    const holder = requestObject?.spec?.holderIdentity || undefined;
    if (holder === terms.at(-1)?.holder) continue;
    const since = micros(holder === undefined ? requestReceivedTimestamp : stageTimestamp);
    terms.push({ since, holder });
  }
  return terms;
}

/** `2026-01-01T00:00:00.123456Z` in microseconds. */
function micros(time: string): bigint {
  const fraction = /\.(\d+)Z$/.exec(time)?.[1] ?? "";
  const seconds = Date.parse(time.replace(/\.\d+Z$/, "Z")) / 1000;
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}
