// Negotiates the form of discovery from an Accept header. Aggregated discovery is version v2 only:
// v2beta1 is gone in 1.36.
// Upstream: k8s.io/apiserver/pkg/endpoints/discovery/aggregated (negotiation.go, wrapper.go),
// handlers/negotiation/negotiate.go.
import { type AcceptClause, parseAccept } from "../registry/negotiation/accept-header.ts";

export const discoveryMediaTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
] as const;
export type DiscoveryMediaType = (typeof discoveryMediaTypes)[number];

/** The negotiated form. */
export interface AcceptedDiscovery {
  readonly mediaType: DiscoveryMediaType;
  readonly aggregated: boolean;
  /** `pretty=1` as a parameter of the media type. */
  readonly pretty: boolean;
}

/**
 * The form to serve; undefined means 406. At /api and /apis, which have aggregated discovery, a
 * clause that asks for it wins over all others.
 */
export function acceptDiscovery(
  header: string,
  aggregatable: boolean,
): AcceptedDiscovery | undefined {
  if (!header) return { mediaType: "application/json", aggregated: false, pretty: false };
  const clauses = parseAccept(header);
  const first = (aggregated: boolean): AcceptedDiscovery | undefined =>
    clauses.map((clause) => agreed(clause, aggregated)).find((accepted) => accepted !== undefined);
  return (aggregatable ? first(true) : undefined) ?? first(false);
}

/** With `aggregated` upstream accepts only that conversion, without it no conversion. */
function agreed(clause: AcceptClause, aggregated: boolean): AcceptedDiscovery | undefined {
  const { parameters } = clause;
  const converts = parameters.has("as") || parameters.has("g") || parameters.has("v");
  if (aggregated ? !isAggregated(clause) : converts) return undefined;
  const stream = parameters.get("stream");
  if (parameters.get("sv")) return undefined;
  const mediaType = discoveryMediaTypes.find(
    (type) =>
      matches(clause, type) && (!stream || (stream === "watch" && type !== "application/yaml")),
  );
  return mediaType && { mediaType, aggregated, pretty: parameters.get("pretty") === "1" };
}

function isAggregated({ parameters }: AcceptClause): boolean {
  return (
    parameters.get("g") === "apidiscovery.k8s.io" &&
    parameters.get("v") === "v2" &&
    parameters.get("as") === "APIGroupDiscoveryList"
  );
}

function matches({ type, subtype }: AcceptClause, mediaType: string): boolean {
  return (
    (type === "application" && (subtype === "*" || mediaType === `application/${subtype}`)) ||
    (type === "*" && subtype === "*")
  );
}
