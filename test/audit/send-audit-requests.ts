// Sends requests to a server and formats their audit events for comparison.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { auditRequests } from "./audit-requests.ts";
import type { AuditRequest } from "./request-builders.ts";

/** Where to send them, as an administrator. */
export interface AuditTarget {
  readonly url: string;
  readonly token: string;
  /** Takes notice of policies a moment later. */
  readonly isSlow?: boolean;
}

/** Sends all requests, one after the other; only watches run beside those that follow. */
export async function sendAuditRequests(target: AuditTarget): Promise<void> {
  let account = "";
  const watches: Promise<string>[] = [];
  for (const each of auditRequests) {
    const answer = send(target, each, account);
    if (each.path.includes("timeoutSeconds")) {
      watches.push(answer);
      continue;
    }
    const text = await answer;
    if (each.name === "token") account = /"token":"([^"]+)"/.exec(text)?.[1] ?? "";
    if (each.pauseMs !== undefined && target.isSlow) await pause(each.pauseMs);
  }
  await Promise.all(watches);
}

async function send(target: AuditTarget, each: AuditRequest, account: string): Promise<string> {
  const { url, token: own } = target;
  const token = each.token === "account" ? account : (each.token ?? own);
  const body = typeof each.body === "object" ? JSON.stringify(each.body) : each.body;
  const headers = {
    accept: "application/json",
    "user-agent": "probe",
    "audit-id": each.name,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    ...each.headers,
  };
  const open = url.startsWith("https") ? httpsRequest : httpRequest;
  const options = { method: each.method, headers, rejectUnauthorized: false };
  return await new Promise((resolve, reject) => {
    const sent = open(new URL(each.path, url), options as object, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text)).on("error", reject);
    });
    sent.on("error", reject).end(body);
  });
}

const names = new Set(auditRequests.map(({ name }) => name));

/** What differs from run to run, and what stands for it; texts are JSON. */
const chance: readonly (readonly [RegExp, string])[] = [
  [/"(?:requestReceived|stage)Timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z",?/g, ""],
  [/"apiserver\.latency\.k8s\.io\/[^"]*":"[^"]*",?/g, ""],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID"],
  [/("resourceVersion":|resource version: )"?\d+"?/g, '$1"RV"'],
  [/"continue":"[^"]+"/g, '"continue":"NEXT"'],
  [/"remainingItemCount":\d+/g, '"remainingItemCount":0'],
  [/"storageVersionHash":"[^"]+"/g, '"storageVersionHash":"HASH"'],
  [/127\.0\.0\.1:\d+/g, "HOST"],
  [/eyJ[\w-]+\.[\w.-]+/g, "TOKEN"],
  [/gen-[a-z0-9]{5}/g, "gen-XXXXX"],
  [/"cells":\[[^\]]*\]/g, '"cells":[]'],
];

/** The events of a log that belong to the requests, in their order, one a line. */
export function comparableEvents(log: string): readonly string[] {
  const order = [...names];
  return log
    .trimEnd()
    .split("\n")
    .map((line) => ({ line, id: (JSON.parse(line) as { auditID: string }).auditID }))
    .filter(({ id }) => names.has(id))
    .toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
    .map(({ line }) => chance.reduce((text, [from, to]) => text.replace(from, to), line));
}
