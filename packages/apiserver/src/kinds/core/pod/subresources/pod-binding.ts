// pods/binding: assigns a pod to a node.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go (BindingREST).
import type { Decoded } from "homeostat/api";
import type { Binding, ObjectReference, Pod } from "homeostat/k8s/core/v1";
import { aggregate, formatFieldError } from "../../../../apimachinery/errors/aggregate.ts";
import {
  badRequestError,
  conflictError,
  plainError,
} from "../../../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { errorIf } from "../../../../apimachinery/errors/field-error.ts";
import type { ConnectCheck, ConnectHandler } from "../../../../apimachinery/rest/connecter.ts";
import { hasItems, isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { createdStatus } from "./created-status.ts";
import { setPodCondition } from "./pod-conditions.ts";

/** Refuses a binding of another name, or to another kind than a node. */
export const checkBinding: ConnectCheck = (binding: Decoded<Binding>, { name }) => {
  if ((binding.metadata?.name ?? "") !== name)
    throw badRequestError("name in URL does not match name in Binding object");
  assertTarget(binding.target ?? {});
};

/** Binds the pod. Responds with a Status. */
export const bindPod: ConnectHandler = async (
  parent: Decoded<Pod>,
  binding: Decoded<Binding>,
  context,
  tools,
) => {
  const name = metadataOf(parent).name ?? "";
  const metadata = binding.metadata ?? {};
  const target = binding.target ?? {};
  if (!name) throw badRequestError("Name parameter required.");
  const uid = metadata.uid ?? "";
  await tools.overwrite(
    (pod: Decoded<Pod>) => {
      assertUnbound(pod, metadata.resourceVersion ?? "");
      pod.spec = { ...pod.spec, nodeName: target.name ?? "" };
      const { nominatedNodeName: _, ...status } = pod.status ?? {};
      pod.status = status;
      for (const field of ["annotations", "labels"] as const)
        if (hasItems(metadata[field]))
          metadataOf(pod)[field] = {
            ...metadataOf(pod)[field],
            ...metadata[field],
          };
      setPodCondition(pod, { type: "PodScheduled", status: "True" }, context.now);
    },
    { dryRun: context.dryRun, ...(uid ? { uid } : {}) },
  );
  return createdStatus();
};

/** Upstream returns errors of the target as one plain error. */
function assertTarget(target: Decoded<ObjectReference>): void {
  const kind = target.kind ?? "";
  const errors = [
    ...errorIf(kind && kind !== "Node", () =>
      fieldError.notSupported("target.kind", kind, ["Node", "<empty>"]),
    ),
    ...errorIf(!target.name, () => fieldError.required("target.name", "")),
  ];
  if (errors.length) throw plainError(aggregate(errors.map(formatFieldError)));
}

function assertUnbound(pod: Decoded<Pod>, resourceVersion: string): void {
  const metadata = metadataOf(pod);
  const name = metadata.name ?? "";
  const refuse = (why: string): never => {
    throw conflictError({ group: "", resource: "pods/binding" }, name, why);
  };
  const found = metadata.resourceVersion ?? "";
  if (resourceVersion && resourceVersion !== found) {
    const key = `/registry/pods/${metadata.namespace ?? ""}/${name}`;
    throw conflictError(
      { group: "", resource: "pods" },
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${found}`,
    );
  }
  if (isSet(metadata.deletionTimestamp))
    refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const node = pod.spec?.nodeName ?? "";
  if (node) refuse(`pod ${name} is already assigned to node "${node}"`);
  if (hasItems(pod.spec?.schedulingGates))
    refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}
