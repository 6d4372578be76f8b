// Conversion between an object with replicas and autoscaling/v1 Scale.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/deployment/storage/storage.go
// (scaleFromDeployment, scaleUpdatedObjectInfo).
import type { JsonObject } from "homeostat/api";

/** Converts a parent object to its Scale and back. Throws ApiStatusError. */
export interface ScaleConverter<T extends object = JsonObject> {
  toScale(parent: T): JsonObject;
  /**
   * The Scale that a change starts from, if it differs from `toScale`: a custom resource without
   * replicas can be patched but not read.
   */
  toScaleForUpdate?(parent: T): JsonObject;
  /** Writes the replicas of a Scale into the parent, in place. */
  applyScale(parent: T, scale: JsonObject): void;
  /** Field-set path of replicas on the parent, e.g. ["f:spec", "f:replicas"]. */
  readonly replicasPath: readonly string[];
}
