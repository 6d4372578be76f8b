// Writes documents and failures in the form that a request accepts.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go (ErrorNegotiated).
import type { JsonObject, Status } from "homeostat/api";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { indentJson } from "../registry/negotiation/indent-json.ts";
import { formatYaml } from "../registry/response/format-yaml.ts";
import { type AcceptedDiscovery, acceptDiscovery } from "./accept-discovery.ts";
import type { DiscoveryRequest } from "./discovery-request.ts";

/** Encodes a document in the protobuf envelope; undefined if it has no protobuf form. */
export type EncodeProtobuf = (document: JsonObject) => Uint8Array | undefined;

export interface Written {
  readonly mediaType: string;
  readonly body: Uint8Array;
}

const encoder = new TextEncoder();

/**
 * Encodes the document in the negotiated form; as JSON if it has no protobuf form here, which
 * clients of protobuf read too.
 */
export function writeDocument(
  document: JsonObject,
  { mediaType, pretty }: Pick<AcceptedDiscovery, "mediaType" | "pretty">,
  request: DiscoveryRequest,
  protobuf: EncodeProtobuf | undefined,
): Written {
  if (request.audit?.wantsResponseObject)
    request.audit.takeResponseObject(encoder.encode(JSON.stringify(document)));
  const envelope =
    mediaType === "application/vnd.kubernetes.protobuf" ? protobuf?.(document) : undefined;
  if (envelope) return { mediaType, body: envelope };
  if (mediaType === "application/yaml")
    return { mediaType, body: encoder.encode(formatYaml(document)) };
  const text = JSON.stringify(document);
  return {
    mediaType: "application/json",
    body: encoder.encode(pretty || request.pretty ? indentJson(text) : `${text}\n`),
  };
}

/** A failure in the form that the request accepts; as indented JSON if it accepts none. */
export function writeStatus(
  status: Status,
  request: DiscoveryRequest,
  protobuf: EncodeProtobuf | undefined,
): ApiResponse {
  request.audit?.takeStatus(status);
  const negotiated = acceptDiscovery(request.accept, false);
  const isWritable =
    negotiated && (protobuf || negotiated.mediaType !== "application/vnd.kubernetes.protobuf");
  const accepted = isWritable
    ? negotiated
    : ({ mediaType: "application/json", pretty: true } as const);
  const { mediaType, body } = writeDocument(
    status as unknown as JsonObject,
    accepted,
    request,
    protobuf,
  );
  return { status: status.code, headers: { "content-type": mediaType }, body };
}
