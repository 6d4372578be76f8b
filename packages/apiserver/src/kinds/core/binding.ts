// Bindings: the older way to bind a pod to a node. Creating one is a POST to the pod's `binding`
// subresource.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go (LegacyBindingREST).
import type { Decoded } from "homeostat/api";
import type { Binding } from "homeostat/k8s/core/v1";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";

export const binding: KindDefinition<Decoded<Binding>> = {
  ...gvk("v1", "Binding"),
  createsThrough: { resource: "pods", subresource: "binding" },
};
