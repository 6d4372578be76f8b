// Certificate signing requests: asked by a user, approved through one endpoint, answered through
// another.
// Upstream: k8s.io/kubernetes/pkg/registry/certificates/certificates/strategy.go,
// pkg/apis/certificates/validation.
import type { Json, JsonObject } from "homeostat/api";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, formatDuration, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  numberAt,
  withoutFields,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { keepOld } from "../definition/default-strategy.ts";
import { validateRequest, validateRequestChange } from "./validate-signing-request.ts";

export const certificateSigningRequest: KindDefinition = {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  strategy: {
    // Upstream does not care about names here.
    validateName: () => [],
    resetFields: [["f:spec"], ["f:status"]],
    prepareForCreate(object, context) {
      setRequester(objectAt(object, "spec"), context);
      object["status"] = {};
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "spec");
      keepOld(object, old, "status");
    },
    validateCreate: (object) => validateRequest(object, undefined),
    validateUpdate: (object, old) => validateRequestChange(object, old, "main"),
  },
  subresources: {
    status: {
      resetFields: [["f:spec"], ["f:status", "f:conditions"]],
      prepareForUpdate(object, old, { now }) {
        keepOld(object, old, "spec");
        for (const type of ["Approved", "Denied"])
          keepConditions(objectAt(object, "status"), objectAt(old, "status"), type);
        dateConditions(objectAt(object, "status"), objectAt(old, "status"), now);
      },
      validateUpdate: (object, old) => validateRequestChange(object, old, "status"),
    },
    approval: {
      resetFields: [["f:spec"], ["f:status", "f:certificate"]],
      prepareForUpdate(object, old, { now }) {
        dateConditions(objectAt(object, "status"), objectAt(old, "status"), now);
        const { conditions } = objectAt(object, "status");
        keepOld(object, old, "spec");
        object["status"] = {
          ...withoutFields(objectAt(old, "status"), "conditions"),
          ...(isSet(conditions) ? { conditions } : {}),
        };
      },
      validateUpdate: (object, old) => validateRequestChange(object, old, "approval"),
    },
  },
  selectable: {
    names: ["spec.signerName"],
    extract: (object) => ({ "spec.signerName": stringAt(objectAt(object, "spec"), "signerName") }),
  },
  cells,
};

/** Who asks is what authentication found out, whatever the body says. */
function setRequester(spec: JsonObject, { user, caller }: WriteContext): void {
  for (const field of ["username", "uid", "groups", "extra"]) delete spec[field];
  if (user) spec["username"] = user;
  if (caller?.uid) spec["uid"] = caller.uid;
  if (caller?.groups.length) spec["groups"] = [...caller.groups];
  if (caller?.extra && Object.keys(caller.extra).length)
    spec["extra"] = Object.fromEntries(
      Object.entries(caller.extra).map(([key, values]) => [key, [...values]]),
    );
}

/** Verdicts are not this endpoint's to change. */
function keepConditions(status: JsonObject, old: JsonObject, type: string): void {
  const before = itemsAt(old, "conditions").filter(
    (condition) => stringAt(condition, "type") === type,
  );
  const now = itemsAt(status, "conditions");
  if (now.filter((condition) => stringAt(condition, "type") === type).length !== before.length)
    return;
  let next = 0;
  if (before.length)
    status["conditions"] = now.map((condition) =>
      stringAt(condition, "type") === type ? before[next++]! : condition,
    );
}

function dateConditions(status: JsonObject, old: JsonObject, now: string): void {
  for (const condition of itemsAt(status, "conditions")) {
    if (!isSet(condition["lastUpdateTime"])) condition["lastUpdateTime"] = now;
    if (isSet(condition["lastTransitionTime"])) continue;
    const before = itemsAt(old, "conditions").find(
      (each) =>
        each["type"] === condition["type"] &&
        each["status"] === condition["status"] &&
        isSet(each["lastTransitionTime"]),
    );
    condition["lastTransitionTime"] = before?.["lastTransitionTime"] ?? now;
  }
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const seconds = spec["expirationSeconds"];
  return [
    nameOf(object),
    ageOf(object, nowMs),
    stringAt(spec, "signerName") || "<none>",
    stringAt(spec, "username"),
    isSet(seconds) ? formatDuration(numberAt(spec, "expirationSeconds") * 1000) : "<none>",
    stateOf(objectAt(object, "status")),
  ];
}

function stateOf(status: JsonObject): string {
  const has = (type: string): boolean =>
    itemsAt(status, "conditions").some((condition) => stringAt(condition, "type") === type);
  const verdict = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${verdict}${has("Failed") ? ",Failed" : ""}${stringAt(status, "certificate") ? ",Issued" : ""}`;
}
