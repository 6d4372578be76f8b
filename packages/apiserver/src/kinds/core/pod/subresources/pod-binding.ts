// pods/binding: gives a pod its node, once.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go (BindingREST).
import type { JsonObject } from "homeostat/api";
import {
  badRequestError,
  conflictError,
  plainError,
} from "../../../../apimachinery/errors/api-errors.ts";
import { notSupported, required } from "../../../../apimachinery/errors/field-error.ts";
import type { ConnectCheck, ConnectHandler } from "../../../../apimachinery/rest/connecter.ts";
import {
  hasItems,
  isSet,
  textMapAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { setPodCondition } from "../pod-conditions.ts";

/** Refuses a binding of something else, or to something else than a node. */
export const checkBinding: ConnectCheck = (binding, { name }) => {
  if (stringAt(objectAt(binding, "metadata"), "name") !== name)
    throw badRequestError("name in URL does not match name in Binding object");
  assertTarget(objectAt(binding, "target"));
};

/** Binds; the answer is a bare success. */
export const bindPod: ConnectHandler = async (parent, binding, context, tools) => {
  const name = stringAt(metadataOf(parent), "name");
  const metadata = objectAt(binding, "metadata");
  const target = objectAt(binding, "target");
  if (!name) throw badRequestError("Name parameter required.");
  const uid = stringAt(metadata, "uid");
  await tools.overwrite(
    (pod) => {
      assertUnbound(pod, stringAt(metadata, "resourceVersion"));
      pod["spec"] = { ...objectAt(pod, "spec"), nodeName: stringAt(target, "name") };
      const { nominatedNodeName: _, ...status } = objectAt(pod, "status");
      pod["status"] = status;
      for (const field of ["annotations", "labels"] as const)
        if (hasItems(metadata[field]))
          metadataOf(pod)[field] = {
            ...textMapAt(metadataOf(pod), field),
            ...textMapAt(metadata, field),
          };
      setPodCondition(pod, { type: "PodScheduled", status: "True" }, context.now);
    },
    { dryRun: context.dryRun, ...(uid ? { uid } : {}) },
  );
  return {
    status: 201,
    object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
  };
};

/** Faults of the target are no field errors to upstream, but plain ones. */
function assertTarget(target: JsonObject): void {
  const kind = stringAt(target, "kind");
  const errors = [
    ...(kind && kind !== "Node" ? [notSupported("target.kind", kind, ["Node", "<empty>"])] : []),
    ...(stringAt(target, "name") ? [] : [required("target.name", "")]),
  ];
  const texts = errors.map(({ field, body }) => `${field}: ${body}`);
  if (texts.length) throw plainError(texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`);
}

function assertUnbound(pod: JsonObject, resourceVersion: string): void {
  const metadata = metadataOf(pod);
  const name = stringAt(metadata, "name");
  const refuse = (why: string): never => {
    throw conflictError({ group: "", resource: "pods/binding" }, name, why);
  };
  const found = stringAt(metadata, "resourceVersion");
  if (resourceVersion && resourceVersion !== found) {
    const key = `/registry/pods/${stringAt(metadata, "namespace")}/${name}`;
    throw conflictError(
      { group: "", resource: "pods" },
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${found}`,
    );
  }
  if (isSet(metadata["deletionTimestamp"]))
    refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const node = stringAt(objectAt(pod, "spec"), "nodeName");
  if (node) refuse(`pod ${name} is already assigned to node "${node}"`);
  if (hasItems(objectAt(pod, "spec")["schedulingGates"]))
    refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}
