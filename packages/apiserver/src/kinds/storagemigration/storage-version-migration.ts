// Storage version migrations: rewrite the objects of a resource in its storage version. Served
// behind a feature gate.
// Upstream: k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration/strategy.go,
// pkg/apis/storagemigration/validation/validation.go.
import { type Decoded, dns1035LabelFaults, dnsSubdomainFaults } from "homeostat/api";
import type { StorageVersionMigration } from "homeostat/k8s/storagemigration/v1beta1";
import { formatGroupResource, type GroupResource } from "../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isStatusConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { nameOf } from "../printers/cells.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { statusOnlyStrategy, statusResetStrategy } from "../definition/default-strategy.ts";
import { immutableSpec } from "../validation/validate-object.ts";
import { validateConditions } from "../validation/validate-conditions.ts";

type Migration = Decoded<StorageVersionMigration>;

export const storageVersionMigration: KindDefinition<Migration> = {
  ...gvk("storagemigration.k8s.io/v1beta1", "StorageVersionMigration"),
  strategy: {
    ...statusResetStrategy,
    allowUnconditionalUpdate: false,
    validateCreate: validate,
    validateUpdate: (object, old) => [
      ...validate(object),
      ...immutableSpec("storagemigration.StorageVersionMigrationSpec", object, old),
    ],
  },
  subresources: { status: { ...statusOnlyStrategy, validateUpdate: validateStatus } },
  cells: (object) => [
    nameOf(object),
    formatGroupResource(resourceOf(object.spec)),
    statusOf(object),
  ],
};

function validate({ spec }: Migration): FieldError[] {
  const { group, resource } = resourceOf(spec);
  const path = "spec.resource";
  const resourceFaults = dns1035LabelFaults(resource);
  const groupFaults = group === "" ? [] : dnsSubdomainFaults(group);
  return [
    ...(resource === ""
      ? [fieldError.required(`${path}.resource`, "resource is required to be set")]
      : errorIf(resourceFaults.length, () =>
          fieldError.invalid(`${path}.resource`, resource, resourceFaults.join(",")),
        )),
    ...errorIf(groupFaults.length, () =>
      fieldError.invalid(`${path}.group`, group, groupFaults.join(",")),
    ),
  ];
}

/** A revision is set once, and an outcome stays. */
function validateStatus(object: Migration, old: Migration): FieldError[] {
  const conditions = object.status?.conditions ?? [];
  const revision = object.status?.resourceVersion ?? "";
  const oldRevision = old.status?.resourceVersion ?? "";
  const path = "status.resourceVersion";
  const fault = (message: string): FieldError =>
    fieldError.invalidInternal("status.conditions", ["[]v1.Condition", conditions], message);
  return [
    ...errorIf(revision && !/^[1-9]\d*$/.test(revision), () =>
      fieldError.invalid(path, revision, `resource version is not well formed: ${revision}`),
    ),
    ...validateConditions(conditions, "status.conditions"),
    ...errorIf(oldRevision && oldRevision !== revision, () =>
      fieldError.invalid(path, revision, "field is immutable"),
    ),
    ...errorIf(isTrue(object, "Succeeded") && isTrue(object, "Failed"), () =>
      fault("Both success and failed conditions cannot be true at the same time"),
    ),
    ...errorIf(isTrue(old, "Succeeded") && !isTrue(object, "Succeeded"), () =>
      fault("Success condition cannot be set to false once it is true"),
    ),
    ...errorIf(isTrue(old, "Failed") && !isTrue(object, "Failed"), () =>
      fault("Failed condition cannot be set to false once it is true"),
    ),
  ];
}

const isTrue = ({ status }: Migration, type: string): boolean =>
  isStatusConditionTrue(status?.conditions, type);

const resourceOf = (spec: Migration["spec"]): GroupResource => ({
  group: spec?.resource?.group ?? "",
  resource: spec?.resource?.resource ?? "",
});

const outcomes: readonly string[] = ["Running", "Failed", "Succeeded"];

/** The last condition that holds. */
const statusOf = ({ status }: Migration): string =>
  (status?.conditions ?? []).findLast(
    (condition) => condition.status === "True" && outcomes.includes(condition.type ?? ""),
  )?.type ?? "Unknown";
