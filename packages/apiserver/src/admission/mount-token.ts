// The volume in which containers find their service account's token, the cluster's root certificate
// and their namespace.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go
// (mountServiceAccountToken, TokenVolumeSource).
import type { JsonObject } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import { itemsAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { generateName } from "../apimachinery/meta/system-fields.ts";
import { append } from "./spec-of.ts";

const prefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour, and a little by which kubelets recognise tokens that nobody asked for. */
const expirationSeconds = 3607;

/** Mounts it into every container that has nothing else at that path, in place. */
export function mountToken(spec: JsonObject, entropy: Runtime["entropy"]): void {
  const known = itemsAt(spec, "volumes").find((volume) =>
    stringAt(volume, "name").startsWith(prefix),
  );
  const name = known ? stringAt(known, "name") : generateName(prefix, entropy);
  const bare = ["initContainers", "containers"]
    .flatMap((list) => itemsAt(spec, list))
    .filter((container) =>
      itemsAt(container, "volumeMounts").every(
        (mount) => stringAt(mount, "mountPath") !== mountPath,
      ),
    );
  for (const container of bare)
    append(container, "volumeMounts", { name, readOnly: true, mountPath });
  if (!known && bare.length)
    append(spec, "volumes", { name, projected: { sources: tokenSources(), defaultMode: 0o644 } });
}

function tokenSources(): JsonObject[] {
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
