// IPAddresses: one object for each address allocated in the cluster; its name is the address.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ipaddress/strategy.go,
// pkg/apis/networking/validation/validation.go.
import { type Decoded, dnsSubdomainFaults, equalJson, pathSegmentFaults } from "homeostat/api";
import type { IPAddress, ParentReference } from "homeostat/k8s/networking/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { type NameRule } from "../../apimachinery/meta/validate-object-meta.ts";
import { type CommittedHook, gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ipErrors } from "../validation/ip-addresses.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { validateWholeObject } from "../validation/validate-object.ts";

/** A name that is a canonical address; the error of a name repeats the detail of an address's. */
const nameIsAddress: NameRule = (name) =>
  ipErrors(name, "").map(({ body }) =>
    body.slice(`Invalid value: ${JSON.stringify(name)}: `.length),
  );

/** The definition of IPAddress; `committed` is called for each that is created or deleted. */
export const ipAddressKind = (committed: CommittedHook): KindDefinition<Decoded<IPAddress>> => ({
  ...gvk("networking.k8s.io/v1", "IPAddress"),
  committed,
  strategy: validateWholeObject({
    namespaced: false,
    validateName: nameIsAddress,
    validate: parentErrors,
    validateChange: parentChangeErrors,
  }),
  cells: (object, ages) => [
    nameOf(object),
    formatParent(object.spec?.parentRef),
    ageOf(object, ages),
  ],
});

function parentErrors(object: Decoded<IPAddress>): FieldError[] {
  const parent = object.spec?.parentRef;
  const path = "spec.parentRef";
  if (!parent) return [fieldError.required(path, "")];
  const group = parent.group ?? "";
  const segment = (field: keyof ParentReference): FieldError[] =>
    pathSegmentFaults(parent[field] ?? "").map((fault) =>
      fieldError.invalid(`${path}.${field}`, parent[field] ?? "", fault),
    );
  const needed = (field: "resource" | "name"): FieldError[] =>
    parent[field] ? segment(field) : [fieldError.required(`${path}.${field}`, "")];
  return [
    ...(group
      ? dnsSubdomainFaults(group).map((fault) => fieldError.invalid(`${path}.group`, group, fault))
      : []),
    ...needed("resource"),
    ...needed("name"),
    ...segment("namespace"),
  ];
}

function parentChangeErrors(object: Decoded<IPAddress>, old: Decoded<IPAddress>): FieldError[] {
  const parent = object.spec?.parentRef;
  if (equalJson(parent ?? null, old.spec?.parentRef ?? null)) return [];
  return [
    fieldError.invalidInternal(
      "spec.parentRef",
      ["*networking.ParentReference", parent],
      "field is immutable",
    ),
  ];
}

function formatParent(parent: Decoded<ParentReference> | null | undefined): string {
  if (!parent) return "<none>";
  const group = parent.group ?? "";
  const namespace = parent.namespace ?? "";
  const resource = group ? `${parent.resource ?? ""}.${group}` : (parent.resource ?? "");
  return `${resource.toLowerCase()}${namespace ? `/${namespace}` : ""}/${parent.name ?? ""}`;
}
