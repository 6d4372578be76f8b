// Defaults of containers of every sort: pull policy, termination messages, ports, probes, downward
// API references.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go}.
import type { JsonObject } from "homeostat/api";
import {
  objectAt,
  stringAt,
  setIfNil,
  setIfEmpty,
  mutableAt,
  itemsAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { imageTag } from "./image-name.ts";
import { roundResources } from "../../resources/resource-lists.ts";

/** Sets the defaults of one container, init container or ephemeral container. */
export function setContainerDefaults(container: JsonObject): void {
  setIfEmpty(container, "imagePullPolicy", pullPolicyOf(stringAt(container, "image")));
  setIfEmpty(container, "terminationMessagePath", "/dev/termination-log");
  setIfEmpty(container, "terminationMessagePolicy", "File");
  for (const port of itemsAt(container, "ports")) setIfEmpty(port, "protocol", "TCP");
  for (const variable of itemsAt(container, "env"))
    setVariableDefaults(objectAt(variable, "valueFrom"));
  roundResources(objectAt(container, "resources"));
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"])
    setProbeDefaults(mutableAt(container, name));
  const lifecycle = objectAt(container, "lifecycle");
  for (const name of ["postStart", "preStop"])
    setHttpDefaults(mutableAt(objectAt(lifecycle, name), "httpGet"));
}

/** `Always` for the tag latest. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/** References to fields of the pod name the version that they mean. */
export function setFieldRefDefaults(reference: JsonObject | undefined): void {
  if (reference) setIfEmpty(reference, "apiVersion", "v1");
}

function setVariableDefaults(source: JsonObject): void {
  setFieldRefDefaults(mutableAt(source, "fieldRef"));
  const file = mutableAt(source, "fileKeyRef");
  if (file) setIfNil(file, "optional", false);
}

function setProbeDefaults(probe: JsonObject | undefined): void {
  if (!probe) return;
  setIfEmpty(probe, "timeoutSeconds", 1);
  setIfEmpty(probe, "periodSeconds", 10);
  setIfEmpty(probe, "successThreshold", 1);
  setIfEmpty(probe, "failureThreshold", 3);
  setHttpDefaults(mutableAt(probe, "httpGet"));
  const grpc = mutableAt(probe, "grpc");
  if (grpc) setIfNil(grpc, "service", "");
}

function setHttpDefaults(action: JsonObject | undefined): void {
  if (!action) return;
  setIfEmpty(action, "path", "/");
  setIfEmpty(action, "scheme", "HTTP");
}
