// Defaults of containers of every sort: pull policy, termination messages, ports, probes, downward
// API references.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go}.
import type { Decoded } from "homeostat/api";
import type {
  Container,
  EnvVarSource,
  HTTPGetAction,
  ObjectFieldSelector,
  Probe,
} from "homeostat/k8s/core/v1";
import { imageTag } from "./image-name.ts";
import { roundResources } from "../../resources/resource-lists.ts";

/** Sets the defaults of one container, init container or ephemeral container. */
export function setContainerDefaults(container: Decoded<Container>): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? "");
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const variable of container.env ?? []) setVariableDefaults(variable.valueFrom ?? {});
  roundResources(container.resources ?? {});
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const)
    setProbeDefaults(container[name]);
  for (const name of ["postStart", "preStop"] as const)
    setHttpDefaults(container.lifecycle?.[name]?.httpGet);
}

/** The default pull policy: `Always` for the tag `latest`. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/** Sets the apiVersion of a reference to a field of the pod. */
export function setFieldRefDefaults(
  reference: Decoded<ObjectFieldSelector> | null | undefined,
): void {
  if (reference) reference.apiVersion ||= "v1";
}

function setVariableDefaults(source: Decoded<EnvVarSource>): void {
  setFieldRefDefaults(source.fieldRef);
  if (source.fileKeyRef) source.fileKeyRef.optional ??= false;
}

function setProbeDefaults(probe: Decoded<Probe> | null | undefined): void {
  if (!probe) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function setHttpDefaults(action: Decoded<HTTPGetAction> | null | undefined): void {
  if (!action) return;
  action.path ||= "/";
  action.scheme ||= "HTTP";
}
