// ResourceClaims: a wish for devices, and what came of it; and the templates from which claims are
// made.
// Upstream:
// k8s.io/kubernetes/pkg/registry/resource/{resourceclaim,resourceclaimtemplate}/strategy.go,
// pkg/apis/resource/{v1/defaults.go,validation/validation.go}.
import { equalJson, isObject, type JsonObject } from "homeostat/api";
import { type FieldError, invalidInternal } from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import { validateTemplateMetadata } from "../core/pod/validate-claim-template.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { hasItems, isSet, itemsAt } from "../object/read-fields.ts";
import { keepMetadataForStatus } from "../object/status-metadata.ts";
import { finalizerErrors, keepOld, metadataOf, objectAt } from "../object/strategy.ts";
import { adminRequestErrors, adminResultErrors } from "./admin-access.ts";
import { sharedDeviceKey, validateClaimStatus } from "./validate-claim-status.ts";
import {
  setDemandDefaults,
  setTolerationDefaults,
  validateClaimRequests,
} from "./validate-device-claim.ts";

const group = "resource.k8s.io";
const unchanged = "field is immutable";
const metadataErrors = (object: JsonObject): FieldError[] => [
  ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
  ...finalizerErrors(object),
];

export const resourceClaim: BuiltinKind = {
  group,
  version: "v1",
  kind: "ResourceClaim",
  defaults(object) {
    setDemandDefaults(objectAt(object, "spec"));
    for (const result of resultsOf(object)) setTolerationDefaults(result);
  },
  rules: {
    resetFields: [["f:status"]],
    prepareForCreate: (object) => void (object["status"] = {}),
    prepareForUpdate: (object, old) => keepOld(object, old, "status"),
    validateCreate: (object, context) => [
      ...adminRequestErrors(object, objectAt(object, "spec"), context),
      ...finalizerErrors(object),
      ...validateClaimRequests(objectAt(object, "spec"), "spec"),
    ],
    validateUpdate: (object, old) => [
      ...metadataErrors(object),
      ...(equalJson(object["spec"] ?? {}, old["spec"] ?? {})
        ? []
        : [invalidInternal("spec", ["resource.ResourceClaimSpec", object["spec"]], unchanged)]),
    ],
  },
  views: {
    status: {
      resetFields: [["f:metadata"], ["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        keepMetadataForStatus(object, old);
        dropStaleReports(object, old);
      },
      validateUpdate: (object, old, context) => [
        ...adminResultErrors(object, old, context),
        ...validateClaimStatus(object, old),
      ],
    },
  },
  cells: (object, nowMs) => [nameOf(object), stateOf(object), ageOf(object, nowMs)],
};

export const resourceClaimTemplate: BuiltinKind = {
  group,
  version: "v1",
  kind: "ResourceClaimTemplate",
  defaults: (object) => setDemandDefaults(claimSpecOf(object)),
  rules: {
    validateCreate: (object, context) => [
      ...adminRequestErrors(object, claimSpecOf(object), context),
      ...finalizerErrors(object),
      ...templateErrors(object),
    ],
    validateUpdate: (object, old) => [
      ...metadataErrors(object),
      ...templateErrors(object),
      ...(equalJson(object["spec"] ?? {}, old["spec"] ?? {})
        ? []
        : [
            invalidInternal(
              "spec",
              ["resource.ResourceClaimTemplateSpec", object["spec"]],
              unchanged,
            ),
          ]),
    ],
  },
  cells: (object, nowMs) => [nameOf(object), ageOf(object, nowMs)],
};

const claimSpecOf = (template: JsonObject): JsonObject =>
  objectAt(objectAt(template, "spec"), "spec");

const templateErrors = (template: JsonObject): FieldError[] => [
  ...validateTemplateMetadata(objectAt(template, "spec"), "spec"),
  ...validateClaimRequests(claimSpecOf(template), "spec.spec"),
];

const resultsOf = (claim: JsonObject): readonly JsonObject[] =>
  itemsAt(objectAt(objectAt(objectAt(claim, "status"), "allocation"), "devices"), "results");

/** Reports about devices that were taken away go with them. */
function dropStaleReports(claim: JsonObject, old: JsonObject): void {
  const kept = new Set(resultsOf(claim).map(sharedDeviceKey));
  const gone = new Set(
    resultsOf(old)
      .map(sharedDeviceKey)
      .filter((key) => !kept.has(key)),
  );
  const status = objectAt(claim, "status");
  const reports = itemsAt(status, "devices").filter((report) => !gone.has(sharedDeviceKey(report)));
  if (reports.length) status["devices"] = [...reports];
  else delete status["devices"];
}

function stateOf(claim: JsonObject): string {
  const status = objectAt(claim, "status");
  const isDeleted = isSet(metadataOf(claim)["deletionTimestamp"]);
  const states = isDeleted ? ["deleted"] : [];
  if (!isObject(status["allocation"])) return (isDeleted ? states : ["pending"]).join(",");
  return [...states, "allocated", ...(hasItems(status["reservedFor"]) ? ["reserved"] : [])].join(
    ",",
  );
}
