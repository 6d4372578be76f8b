// Which object of the API a pod refers to: static pods refer to none. Pure.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (HasAPIObjectReference).
import { type Decoded, isObject, type Json } from "homeostat/api";
import type { PodSpec, Volume } from "homeostat/k8s/core/v1";
import { usesSecrets } from "../secret-references.ts";

type Spec = Decoded<PodSpec>;
type Source = keyof Volume;

/** `secrets`, `configmaps (via projected volumes)`; undefined if there is none. */
export function referencedKind(spec: Spec): string | undefined {
  if (spec.serviceAccountName) return "serviceaccounts";
  if (usesSecrets(spec)) return "secrets";
  if (usesConfigMaps(spec as Json)) return "configmaps";
  if (spec.resourceClaims?.length) return "resourceclaims";
  for (const volume of spec.volumes ?? []) {
    const kind = kindOf(volume);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

const configMapFields = new Set(["configMapKeyRef", "configMapRef", "configMap"]);

function usesConfigMaps(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(usesConfigMaps);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([field, inner]) => (configMapFields.has(field) && isObject(inner)) || usesConfigMaps(inner),
  );
}

/** Secrets and config maps have been found by now. */
const sources: Readonly<Partial<Record<Source, string>>> = {
  csi: "csidrivers (via CSI volumes)",
  glusterfs: "endpoints (via glusterFS volumes)",
  persistentVolumeClaim: "persistentvolumeclaims",
  ephemeral: "persistentvolumeclaims (via ephemeral volumes)",
  azureFile: "secrets (via azureFile volumes)",
};
const projected = {
  serviceAccountToken: "serviceaccounts (via projected volumes)",
  clusterTrustBundle: "clustertrustbundles",
  podCertificate: "podcertificates",
} as const;

function kindOf(volume: Decoded<Volume>): string | undefined {
  const source = (Object.keys(sources) as Source[]).find((name) => volume[name]);
  if (source) return sources[source];
  for (const item of volume.projected?.sources ?? []) {
    const found = (Object.keys(projected) as (keyof typeof projected)[]).find((name) => item[name]);
    if (found) return projected[found];
  }
  return undefined;
}
