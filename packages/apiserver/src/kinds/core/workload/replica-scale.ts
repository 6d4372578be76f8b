// The scale subresource of workloads with spec.replicas and status.replicas.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/{deployment,replicaset,statefulset}/storage
// (ScaleREST).
import type { Decoded, JsonObject } from "homeostat/api";
import type { Scale } from "homeostat/k8s/autoscaling/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { invalidError } from "../../../apimachinery/errors/api-errors.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import type { ScaleConverter } from "../../../apimachinery/rest/scale-converter.ts";
import { nonNegative } from "../../validation/field-rules.ts";

interface Scalable {
  metadata?: Decoded<ObjectMeta> | null;
  spec?: { replicas?: number | null } | null;
  status?: { replicas?: number | null } | null;
}

/** `selectorText` returns the selector of the pods as clients write it in a query. */
export function createReplicaScale<W extends Scalable>(
  selectorText: (workload: W) => string,
): ScaleConverter<W> {
  return {
    toScale: (workload) => ({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: scaleMetadata(workload.metadata ?? {}),
      spec: workload.spec?.replicas ? { replicas: workload.spec.replicas } : {},
      status: { replicas: workload.status?.replicas ?? 0, selector: selectorText(workload) },
    }),
    applyScale(workload, scale: Decoded<Scale>) {
      const replicas = scale.spec?.replicas ?? 0;
      if (replicas < 0)
        throw invalidError(
          { group: "autoscaling", kind: "Scale" },
          workload.metadata?.name ?? "",
          nonNegative(replicas, "spec.replicas"),
        );
      workload.spec = { ...workload.spec, replicas };
    },
    replicasPath: ["f:spec", "f:replicas"],
  };
}

const shownMetadata = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] as const;

const scaleMetadata = (metadata: Decoded<ObjectMeta>): JsonObject =>
  Object.fromEntries(
    shownMetadata.flatMap((field) => {
      const value = metadata[field];
      return isSet(value) ? [[field, value]] : [];
    }),
  );
