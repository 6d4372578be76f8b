// Negotiates the representation of a response: media type, and the object itself, a Table or
// metadata.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go, handlers/rest.go
// (AllowsMediaTypeTransform).
import type { ApiStatusError } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import { type AcceptClause, parseAccept } from "./accept-header.ts";

export type MediaType =
  | "application/json"
  | "application/yaml"
  | "application/vnd.kubernetes.protobuf";

/** The negotiated representation. */
export interface Accepted {
  readonly mediaType: MediaType;
  /** `as=…`: another kind than the object's own. */
  readonly transform:
    | {
        readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
        readonly version: string;
      }
    | undefined;
  /** `pretty=1` as a parameter of the media type. */
  readonly pretty: boolean;
}

/** The representations that an endpoint offers. */
export interface Offer {
  /** What the server can write in protobuf: an object, its metadata only, or neither. */
  readonly protobuf: "objects" | "metadata" | "none";
  /** False for kinds that cannot be shown as Tables. */
  readonly table: boolean;
  /** `own`: the response has no other form; clauses that ask for one are skipped. */
  readonly forms?: "own";
}

/** In upstream's order, as error messages list them. */
export const mediaTypes: readonly MediaType[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

export const plainJson: Accepted = {
  mediaType: "application/json",
  transform: undefined,
  pretty: false,
};

/** The best representation that both sides support; throws 406. */
export function negotiate(header: string, offer: Offer): Accepted {
  if (header === "" || header === "application/json" || header === "*/*") return plainJson;
  for (const clause of parseAccept(header)) {
    for (const mediaType of mediaTypes) {
      const accepted = matches(clause, mediaType)
        ? acceptClause(clause, mediaType, offer)
        : undefined;
      if (accepted) return accepted;
    }
  }
  throw notAcceptableError(`only the following media types are accepted: ${mediaTypes.join(", ")}`);
}

/** The 406 of installed routes, which compare media types by name and know `*` only in pairs. */
export function assertRoutable(header: string, offered: readonly string[]): void {
  if (header === "") return;
  const named = header.split(",").map((clause) => clause.split(";", 1)[0]!.replace(/^ +| +$/g, ""));
  if (named.some((name) => name === "*/*" || offered.includes(name))) return;
  throw notAcceptableError(
    `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`,
    {},
  );
}

/** 406; the router's own error carries empty details. */
export function notAcceptableError(
  message: string,
  details?: Record<string, never>,
): ApiStatusError {
  return failure(406, "NotAcceptable", message, details);
}

function matches({ type, subtype }: AcceptClause, mediaType: MediaType): boolean {
  return (
    (type === "application" && (subtype === "*" || mediaType === `application/${subtype}`)) ||
    (type === "*" && subtype === "*")
  );
}

function acceptClause(
  { parameters }: AcceptClause,
  mediaType: MediaType,
  offer: Offer,
): Accepted | undefined {
  const protobuf = mediaType === "application/vnd.kubernetes.protobuf";
  if (protobuf && offer.protobuf === "none") return undefined;
  const stream = parameters.get("stream");
  if (stream && (stream !== "watch" || mediaType === "application/yaml")) return undefined;
  const serverVersion = parameters.get("sv");
  if (serverVersion && serverVersion !== "v1") return undefined;
  const pretty = parameters.get("pretty") === "1";
  if (!parameters.get("as") && !parameters.get("g") && !parameters.get("v"))
    return protobuf && offer.protobuf === "metadata"
      ? undefined
      : { mediaType, transform: undefined, pretty };
  const transform = offer.forms ? undefined : readTransform(parameters);
  if (!transform || (transform.kind === "Table" && (protobuf || !offer.table))) return undefined;
  return { mediaType, transform, pretty };
}

function readTransform(parameters: ReadonlyMap<string, string>): Accepted["transform"] {
  const kind = parameters.get("as");
  const version = parameters.get("v");
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return undefined;
  if (kind !== "Table" && kind !== "PartialObjectMetadata" && kind !== "PartialObjectMetadataList")
    return undefined;
  return { kind, version };
}

/** True if the response is indented: requested in the query, or for an interactive client. */
export function wantsPretty(
  query: { readonly raw: string; first(name: string): string | undefined },
  userAgent: string,
): boolean {
  const pretty = query.raw.includes("pretty") ? query.first("pretty") : undefined;
  if (pretty) return ["1", "t", "T", "true", "TRUE", "True"].includes(pretty);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
