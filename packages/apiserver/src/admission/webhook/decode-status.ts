// Decodes the Status in a webhook's answer: the fields that upstream's type has.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/types.go (Status).
import { type Decoded, isObject, type Json, type JsonObject, type Status } from "homeostat/api";
import { mismatch, readMembers } from "../go-members.ts";

/** The fields of a Status that upstream's type has. */
export function decodeStatus(value: Json): Decoded<Status> | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) throw mismatch(value, "AdmissionResponse.response.status", "v1.Status");
  const read = readMembers(value, "Status.response.status");
  const code = read.integer("code");
  return omitEmpty({
    metadata: isObject(value["metadata"]) ? decodeListMeta(value["metadata"]) : undefined,
    status: read.text("status"),
    message: read.text("message"),
    reason: read.text("reason", "v1.StatusReason"),
    details: isObject(value["details"]) ? decodeDetails(value["details"]) : undefined,
    code: code || undefined,
  }) as Decoded<Status>;
}

function decodeListMeta(value: JsonObject): JsonObject {
  const read = readMembers(value, "ListMeta.response.status.metadata");
  return omitEmpty({
    selfLink: read.text("selfLink"),
    resourceVersion: read.text("resourceVersion"),
    continue: read.text("continue"),
  });
}

function decodeDetails(value: JsonObject): JsonObject {
  const read = readMembers(value, "StatusDetails.response.status.details");
  const causes = (value["causes"] ?? []) as Json;
  const seconds = read.integer("retryAfterSeconds");
  return omitEmpty({
    name: read.text("name"),
    group: read.text("group"),
    kind: read.text("kind"),
    uid: read.text("uid", "types.UID"),
    causes: Array.isArray(causes) && causes.length ? causes.map(decodeCause) : undefined,
    retryAfterSeconds: seconds || undefined,
  });
}

function decodeCause(value: Json): JsonObject {
  if (!isObject(value)) return {};
  const read = readMembers(value, "StatusCause.response.status.details.causes");
  return omitEmpty({
    reason: read.text("reason", "v1.CauseType"),
    message: read.text("message"),
    field: read.text("field"),
  });
}

const omitEmpty = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => !!entry[1]));
