// Certificate signing requests: created by a user, approved through the approval subresource,
// issued through the status subresource.
// Upstream: k8s.io/kubernetes/pkg/registry/certificates/certificates/strategy.go,
// pkg/apis/certificates/validation.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { formatDuration } from "../../apimachinery/values/human-duration.ts";
import type { Decoded, Json } from "homeostat/api";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet, withoutFields } from "../../apimachinery/meta/read-fields.ts";
import { keepOld } from "../definition/default-strategy.ts";
import { validateRequest, validateRequestChange } from "./validate-signing-request.ts";

type Request = Decoded<CertificateSigningRequest>;

export const certificateSigningRequest: KindDefinition<Request> = {
  ...gvk("certificates.k8s.io/v1", "CertificateSigningRequest"),
  strategy: {
    // Upstream accepts any name here.
    validateName: () => [],
    resetFields: [["f:spec"], ["f:status"]],
    prepareForCreate(object, context) {
      setRequester(object, context);
      object.status = {};
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "spec");
      keepOld(object, old, "status");
    },
    validateCreate: (object) => validateRequest(object, undefined),
    validateUpdate: (object, old) => validateRequestChange(object, old, "main"),
  },
  withoutTables: ["approval"],
  subresources: {
    status: {
      resetFields: [["f:spec"], ["f:status", "f:conditions"]],
      prepareForUpdate(object, old, { now }) {
        keepOld(object, old, "spec");
        for (const type of ["Approved", "Denied"]) keepConditions(object, old, type);
        dateConditions(object, old, now);
      },
      validateUpdate: (object, old) => validateRequestChange(object, old, "status"),
    },
    approval: {
      resetFields: [["f:spec"], ["f:status", "f:certificate"]],
      prepareForUpdate(object, old, { now }) {
        dateConditions(object, old, now);
        const { conditions } = object.status ?? {};
        keepOld(object, old, "spec");
        object.status = {
          ...withoutFields(old.status ?? {}, "conditions"),
          ...(isSet(conditions) ? { conditions } : {}),
        };
      },
      validateUpdate: (object, old) => validateRequestChange(object, old, "approval"),
    },
  },
  selectable: {
    names: ["spec.signerName"],
    extract: (object) => ({ "spec.signerName": object.spec?.signerName ?? "" }),
  },
  cells,
};

/** The requester is the authenticated user, whatever the body says. */
function setRequester(object: Request, { user, caller }: WriteContext): void {
  const spec = object.spec ?? {};
  for (const field of ["username", "uid", "groups", "extra"] as const) delete spec[field];
  if (user) spec.username = user;
  if (caller?.uid) spec.uid = caller.uid;
  if (caller?.groups.length) spec.groups = [...caller.groups];
  if (caller?.extra && Object.keys(caller.extra).length)
    spec.extra = Object.fromEntries(
      Object.entries(caller.extra).map(([key, values]) => [key, [...values]]),
    );
}

/** The status subresource cannot change the approval conditions. */
function keepConditions({ status }: Request, old: Request, type: string): void {
  const before = (old.status?.conditions ?? []).filter((condition) => condition.type === type);
  const now = status?.conditions ?? [];
  if (now.filter((condition) => condition.type === type).length !== before.length) return;
  let next = 0;
  if (status && before.length)
    status.conditions = now.map((condition) =>
      condition.type === type ? before[next++]! : condition,
    );
}

function dateConditions({ status }: Request, { status: old }: Request, now: string): void {
  for (const condition of status?.conditions ?? []) {
    if (!isSet(condition.lastUpdateTime)) condition.lastUpdateTime = now;
    if (isSet(condition.lastTransitionTime)) continue;
    const before = (old?.conditions ?? []).find(
      (each) =>
        each.type === condition.type &&
        each.status === condition.status &&
        isSet(each.lastTransitionTime),
    );
    condition.lastTransitionTime = before?.lastTransitionTime ?? now;
  }
}

function cells(object: Request, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const seconds = spec.expirationSeconds;
  return [
    nameOf(object),
    ageOf(object, ages),
    spec.signerName || "<none>",
    spec.username ?? "",
    isSet(seconds) ? formatDuration(seconds * 1000) : "<none>",
    stateOf(object),
  ];
}

function stateOf({ status }: Request): string {
  const has = (type: string): boolean =>
    (status?.conditions ?? []).some((condition) => condition.type === type);
  const approval = ["Denied", "Approved"].find(has) ?? "Pending";
  return `${approval}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}
