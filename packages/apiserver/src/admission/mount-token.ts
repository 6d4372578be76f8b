// The volume that holds a service account's token, the cluster's root certificate and the
// namespace of the pod.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go
// (mountServiceAccountToken, TokenVolumeSource).
import type { Decoded } from "homeostat/api";
import type { PodSpec, VolumeProjection } from "homeostat/k8s/core/v1";
import type { Runtime } from "homeostat/runtime";
import { generateName } from "../apimachinery/meta/system-fields.ts";

const prefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour, and seven seconds by which kubelets recognize tokens that the pod did not ask for. */
const expirationSeconds = 3607;

/** Mounts it into every container that mounts nothing at that path, in place. */
export function mountToken(spec: Decoded<PodSpec>, entropy: Runtime["entropy"]): void {
  const present = spec.volumes?.find((volume) => volume.name?.startsWith(prefix));
  const name = present?.name ?? generateName(prefix, entropy);
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts }) => !volumeMounts?.some((mount) => mount.mountPath === mountPath),
  );
  for (const container of containers)
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name, readOnly: true, mountPath },
    ];
  if (!present && containers.length)
    spec.volumes = [
      ...(spec.volumes ?? []),
      { name, projected: { sources: tokenSources(), defaultMode: 0o644 } },
    ];
}

function tokenSources(): Decoded<VolumeProjection>[] {
  return [
    { serviceAccountToken: { expirationSeconds, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [
          { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
        ],
      },
    },
  ];
}
