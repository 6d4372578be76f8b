// Whether an owned object does what it is for, as far as its own status says. Pure.
// Upstream: sigs.k8s.io/cli-utils/pkg/kstatus/status/core.go and generic.go; one difference: a Job
// is ready when it is complete, not when it has started.
import { assertKind } from "../../api/check-kind.ts";
import { argumentError } from "../../util/argument-error.ts";
import { isOptions } from "../../util/option-faults.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { Condition, Kind, ObjectOf } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";

type Check = (object: Subject) => boolean;

interface Subject {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  isTrue(condition: string): boolean;
}

/** Kinds whose readiness is in fields of their own. */
const checks: Readonly<Record<string, Check>> = {
  "v1 Pod": ({ status, isTrue }) => status["phase"] === "Succeeded" || isTrue("Ready"),
  "v1 PersistentVolumeClaim": ({ status }) => status["phase"] === "Bound",
  "batch/v1 Job": ({ isTrue }) => isTrue("Complete"),
  "apps/v1 Deployment": (one) =>
    hasReplicas(one, ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"]) &&
    one.isTrue("Available"),
  "apps/v1 ReplicaSet": (one) =>
    hasReplicas(one, ["replicas", "readyReplicas", "availableReplicas"]),
  "apps/v1 StatefulSet": (one) =>
    hasReplicas(one, ["replicas", "readyReplicas"]) &&
    one.status["currentRevision"] === one.status["updateRevision"],
  "apps/v1 DaemonSet": ({ status }) =>
    ["currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"].every(
      (field) => numberOf(status[field]) === numberOf(status["desiredNumberScheduled"]),
    ),
  "apiextensions.k8s.io/v1 CustomResourceDefinition": ({ isTrue }) => isTrue("Established"),
};

/**
 * True when the object is ready: its status is about its current generation, and says so. Objects
 * of kinds that report no readiness are ready once they exist; undefined is not ready. What `own`
 * with `order` waits for.
 */
export function isReady<K extends Kind>(kind: K, candidate: ObjectOf<K> | undefined): boolean {
  assertKind(kind, "isReady(…)");
  if (candidate === undefined || candidate === null) return false;
  if (!isOptions((candidate as KubeObject).metadata))
    throw argumentError(`isReady(${kind.kind}, …)`, candidate, "an object, or undefined");
  const object = candidate as KubeObject;
  const { metadata } = object;
  if (metadata.deletionTimestamp !== undefined) return false;
  const subject = toSubject(object);
  const check = checks[`${kind.apiVersion} ${kind.kind}`];
  const { observedGeneration } = subject.status;
  const observed = observedGeneration ?? (kind.apiVersion === "apps/v1" && check ? 0 : undefined);
  if (typeof observed === "number" && observed < (metadata.generation ?? 0)) return false;
  if (subject.isTrue("Stalled") || subject.isTrue("Reconciling")) return false;
  if (check) return check(subject);
  return subject.isTrue("Ready") || !reportsReady(kind, subject.status);
}

/** Its status has a Ready condition, or its definition declares one. */
function reportsReady(kind: Kind, status: JsonObject): boolean {
  const definition = definitionOfKind(kind);
  return (
    definition?.conditions?.includes("Ready") === true ||
    conditionsOf(status).some(({ type }) => type === "Ready")
  );
}

function toSubject(object: KubeObject): Subject {
  const { spec, status } = object as { readonly spec?: Json; readonly status?: Json };
  const own = isObject(status) ? status : {};
  const generation = object.metadata.generation ?? 0;
  return {
    spec: isObject(spec) ? spec : {},
    status: own,
    isTrue: (type) =>
      conditionsOf(own).some(
        (one) =>
          one.type === type &&
          one.status === "True" &&
          (one.observedGeneration ?? generation) >= generation,
      ),
  };
}

function conditionsOf(status: JsonObject): readonly Condition[] {
  const { conditions } = status;
  return Array.isArray(conditions) ? (conditions as unknown as readonly Condition[]) : [];
}

const numberOf = (value: Json | undefined): number => (typeof value === "number" ? value : 0);

/** `spec.replicas` defaults to 1. */
function hasReplicas({ spec, status }: Subject, fields: readonly string[]): boolean {
  const wanted = spec["replicas"] === undefined ? 1 : numberOf(spec["replicas"]);
  return fields.every((field) => numberOf(status[field]) === wanted);
}
