// Which secrets a pod refers to, and whether its service account lets it.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go
// (limitSecretReferences), pkg/api/pod/util.go (VisitPodSecretNames).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { isSet, itemsAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";

const nameOf = (each: JsonObject): string => stringAt(each, "name");

/** Titles of the container lists in refusals. */
const titles: Readonly<Record<string, string>> = {
  initContainers: "init container",
  containers: "container",
  ephemeralContainers: "ephemeral container",
};

/**
 * Why the account forbids a secret that the pod's volumes, the containers of `lists` or its pulls
 * name; undefined if it does not.
 */
export function unmountableSecret(
  spec: JsonObject,
  account: JsonObject,
  lists: readonly string[],
): string | undefined {
  const owner = nameOf(metadataOf(account));
  const own = new Set(itemsAt(account, "secrets").map(nameOf));
  const isNew = !lists.includes("ephemeralContainers");
  const volume =
    isNew &&
    itemsAt(spec, "volumes").find((each) => isSet(each["secret"]) && !own.has(secretOf(each)));
  if (volume)
    return `volume with secret.secretName="${secretOf(volume)}" is not allowed because service account ${owner} does not reference that secret`;
  for (const list of lists)
    for (const container of itemsAt(spec, list)) {
      const fault = containerFault(container, own);
      if (fault)
        return `${titles[list]} ${nameOf(container)} with ${fault} is not allowed because service account ${owner} does not reference that secret`;
    }
  return isNew ? pullFault(spec, account, owner) : undefined;
}

const secretOf = (volume: JsonObject): string => stringAt(objectAt(volume, "secret"), "secretName");

function containerFault(container: JsonObject, own: ReadonlySet<string>): string | undefined {
  for (const variable of itemsAt(container, "env")) {
    const key = objectAt(variable, "valueFrom")["secretKeyRef"];
    if (isObject(key) && !own.has(nameOf(key)))
      return `envVar ${nameOf(variable)} referencing secret.secretName="${nameOf(key)}"`;
  }
  const source = itemsAt(container, "envFrom").find(
    (each) => isObject(each["secretRef"]) && !own.has(nameOf(each["secretRef"])),
  );
  return (
    source && `envFrom referencing secret.secretName="${nameOf(objectAt(source, "secretRef"))}"`
  );
}

function pullFault(spec: JsonObject, account: JsonObject, owner: string): string | undefined {
  const own = new Set(itemsAt(account, "imagePullSecrets").map(nameOf));
  const pulls = itemsAt(spec, "imagePullSecrets").map(nameOf);
  const at = pulls.findIndex((each) => !own.has(each));
  return at < 0
    ? undefined
    : `imagePullSecrets[${at}].name="${pulls[at]}" is not allowed because service account ${owner} does not reference that imagePullSecret`;
}

/** Fields that name a secret: in environments, pulls and volumes. */
const secretFields = new Set([
  "secretKeyRef",
  "secretRef",
  "imagePullSecrets",
  "nodePublishSecretRef",
  "secret",
]);

/** Whether the pod names any secret. */
export function usesSecrets(spec: JsonObject): boolean {
  const names = (value: Json | undefined): boolean => {
    if (Array.isArray(value)) return value.some(names);
    if (!isObject(value)) return false;
    return Object.entries(value).some(
      ([field, inner]) =>
        (secretFields.has(field) && (Array.isArray(inner) ? inner.length > 0 : isObject(inner))) ||
        names(inner),
    );
  };
  return (
    names(spec) ||
    itemsAt(spec, "volumes").some(
      (volume) => stringAt(objectAt(volume, "azureFile"), "secretName") !== "",
    )
  );
}
