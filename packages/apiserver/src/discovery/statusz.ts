// /statusz: how long the server runs and what it is, as text or as an object.
// Upstream: k8s.io/apiserver/pkg/server/statusz/statusz.go, textserializer.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { goVersion, kubernetesVersion } from "../apimachinery/kubernetes-version.ts";
import { plainText } from "../apimachinery/text-response.ts";
import { type AcceptClause, parseAccept } from "../registry/negotiation/accept-header.ts";
import type { DiscoveryRequest } from "./discovery-request.ts";
import { notAcceptable } from "./installed-route.ts";
import { type EncodeProtobuf, writeDocument, writeStatus } from "./write-document.ts";

export interface StatuszOptions {
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly clock: { now(): number };
  readonly protobuf?: EncodeProtobuf;
}

/** Upstream lists /flagz too, which this server does not have. */
const paths = ["/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"];
const group = "config.k8s.io";
const binaryVersion = kubernetesVersion.slice(1);
const emulationVersion = binaryVersion.split(".", 2).join(".");

/** Serves /statusz for every method; undefined for every other path. */
export function statusz(
  request: DiscoveryRequest,
  options: StatuszOptions,
): ApiResponse | undefined {
  if (request.path !== "/statusz") return undefined;
  if (!request.accept.trim()) return plainText(200, statusText(options));
  for (const clause of parseAccept(request.accept)) {
    const form = formOf(clause);
    if (form === "text/plain") return plainText(200, statusText(options));
    if (form) return structured(form, versionOf(clause), request, options);
  }
  const offered = ["application/json", "application/yaml", "text/plain"];
  return writeStatus(notAcceptable(offered), request, options.protobuf);
}

const forms = ["application/json", "application/yaml", "text/plain"] as const;

/** The form that a clause asks for: objects by kind only, text without one. */
function formOf(clause: AcceptClause): (typeof forms)[number] | undefined {
  const { type, subtype, parameters } = clause;
  const converts = ["as", "g", "v"].some((name) => parameters.has(name));
  if (parameters.get("sv") || parameters.get("stream")) return undefined;
  return forms.find((form) => {
    const [first, second] = form.split("/");
    const named = (type === first && (subtype === second || subtype === "*")) || type === "*";
    return named && (form === "text/plain" ? !converts : isKnown(clause));
  });
}

const isKnown = (clause: AcceptClause): boolean =>
  clause.parameters.get("as") === "Statusz" &&
  clause.parameters.get("g") === group &&
  ["v1alpha1", "v1beta1"].includes(versionOf(clause));

const versionOf = ({ parameters }: AcceptClause): string => parameters.get("v") ?? "";

function structured(
  mediaType: "application/json" | "application/yaml",
  version: string,
  request: DiscoveryRequest,
  options: StatuszOptions,
): ApiResponse {
  const document: JsonObject = {
    kind: "Statusz",
    apiVersion: `${group}/${version}`,
    metadata: { name: "apiserver" },
    startTime: new Date(options.startedAtMs).toISOString().replace(/\.\d+Z$/, "Z"),
    uptimeSeconds: uptimeSeconds(options),
    goVersion,
    binaryVersion,
    emulationVersion,
    paths,
  };
  const { body } = writeDocument(document, { mediaType, pretty: false }, request, undefined);
  const warning =
    '299 - "This version of the statusz endpoint is deprecated. Please use a newer version."';
  return {
    status: 200,
    headers: {
      "content-type": `${mediaType};g=${group};v=${version};as=Statusz`,
      ...(version === "v1alpha1" ? { warning } : {}),
    },
    body,
  };
}

const uptimeSeconds = ({ clock, startedAtMs }: StatuszOptions): number =>
  Math.max(0, Math.floor((clock.now() - startedAtMs) / 1000));

/** The delimiter after each name is random upstream, so that no program parses the text. */
function statusText(options: StatuszOptions): string {
  const seconds = uptimeSeconds(options);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `
apiserver statusz
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.

Started: ${unixDate(options.startedAtMs)}
Up: ${hours} hr ${two(minutes)} min ${two(seconds % 60)} sec
Go version: ${goVersion}
Binary version: ${binaryVersion}
Emulation version: ${emulationVersion}
Paths: ${paths.join(" ")}
`;
}

const two = (part: number): string => String(part).padStart(2, "0");

/** Go's time.UnixDate, e.g. `Mon Nov 23 06:54:00 UTC 2026`. */
function unixDate(ms: number): string {
  const [weekday, day = "", month, year, time] = new Date(ms).toUTCString().split(/,? /);
  return `${weekday} ${month} ${day.replace(/^0/, " ")} ${time} UTC ${year}`;
}
