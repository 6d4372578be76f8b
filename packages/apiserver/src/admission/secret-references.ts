// Which secrets a pod refers to, and whether its service account allows them.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go
// (limitSecretReferences), pkg/api/pod/util.go (VisitPodSecretNames).
import { type Decoded, isObject, type Json } from "homeostat/api";
import type {
  Container,
  EphemeralContainer,
  PodSpec,
  ServiceAccount,
  Volume,
} from "homeostat/k8s/core/v1";

/** A list of containers in a pod spec. */
export type ContainerList = "initContainers" | "containers" | "ephemeralContainers";

const nameOf = (each: { readonly name?: string | null }): string => each.name ?? "";

/** What refusals call a container of each list. */
const titles: Readonly<Record<ContainerList, string>> = {
  initContainers: "init container",
  containers: "container",
  ephemeralContainers: "ephemeral container",
};

/**
 * Why the account forbids a secret that the pod's volumes, the containers of `lists` or its
 * imagePullSecrets name; undefined if it does not.
 */
export function unmountableSecret(
  spec: Decoded<PodSpec>,
  account: Decoded<ServiceAccount>,
  lists: readonly ContainerList[],
): string | undefined {
  const owner = account.metadata?.name ?? "";
  const own = new Set((account.secrets ?? []).map(nameOf));
  const isNew = !lists.includes("ephemeralContainers");
  const volume = isNew && spec.volumes?.find((each) => each.secret && !own.has(secretOf(each)));
  if (volume)
    return `volume with secret.secretName="${secretOf(volume)}" is not allowed because service account ${owner} does not reference that secret`;
  for (const list of lists)
    for (const container of spec[list] ?? []) {
      const fault = containerFault(container, own);
      if (fault)
        return `${titles[list]} ${nameOf(container)} with ${fault} is not allowed because service account ${owner} does not reference that secret`;
    }
  return isNew ? pullSecretFault(spec, account) : undefined;
}

const secretOf = (volume: Decoded<Volume>): string => volume.secret?.secretName ?? "";

function containerFault(
  { env, envFrom }: Decoded<Container> | Decoded<EphemeralContainer>,
  own: ReadonlySet<string>,
): string | undefined {
  for (const variable of env ?? []) {
    const key = variable.valueFrom?.secretKeyRef;
    if (key && !own.has(nameOf(key)))
      return `envVar ${nameOf(variable)} referencing secret.secretName="${nameOf(key)}"`;
  }
  for (const { secretRef } of envFrom ?? [])
    if (secretRef && !own.has(nameOf(secretRef)))
      return `envFrom referencing secret.secretName="${nameOf(secretRef)}"`;
  return undefined;
}

function pullSecretFault(
  spec: Decoded<PodSpec>,
  account: Decoded<ServiceAccount>,
): string | undefined {
  const own = new Set((account.imagePullSecrets ?? []).map(nameOf));
  const pulls = (spec.imagePullSecrets ?? []).map(nameOf);
  const at = pulls.findIndex((each) => !own.has(each));
  return at < 0
    ? undefined
    : `imagePullSecrets[${at}].name="${pulls[at]}" is not allowed because service account ${account.metadata?.name ?? ""} does not reference that imagePullSecret`;
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
export function usesSecrets(spec: Decoded<PodSpec>): boolean {
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
    names(spec) || (spec.volumes ?? []).some(({ azureFile }) => Boolean(azureFile?.secretName))
  );
}
