// Probes and lifecycle hooks of containers: one handler each, with valid numbers.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateProbe,
// validateHandler, validateLifecycle).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import {
  headerNameFaults,
  nonNegative,
  portReferenceErrors,
  ruled,
} from "../../../../validation/field-rules.ts";

/** The three probes of a container; `grace` is the pod's termination period. */
export function validateProbes(
  container: JsonObject,
  grace: number | undefined,
  path: string,
): FieldError[] {
  return ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) => {
    const probe = mutableAt(container, name);
    return probe
      ? [
          ...probeErrors(probe, grace, `${path}.${name}`),
          ...(name === "readinessProbe"
            ? noOwnGrace(probe, `${path}.${name}`)
            : onceIsEnough(probe, `${path}.${name}`)),
        ]
      : [];
  });
}

function probeErrors(probe: JsonObject, grace: number | undefined, path: string): FieldError[] {
  const ownGrace = optionalNumberAt(probe, "terminationGracePeriodSeconds");
  return [
    ...handlerErrors(probe, ["exec", "httpGet", "tcpSocket", "grpc"], grace, path),
    ...[
      "initialDelaySeconds",
      "timeoutSeconds",
      "periodSeconds",
      "successThreshold",
      "failureThreshold",
    ].flatMap((name) => nonNegative(numberAt(probe, name), `${path}.${name}`)),
    ...(ownGrace !== undefined && ownGrace <= 0
      ? [invalid(`${path}.terminationGracePeriodSeconds`, ownGrace, "must be greater than 0")]
      : []),
  ];
}

function onceIsEnough(probe: JsonObject, path: string): FieldError[] {
  const threshold = numberAt(probe, "successThreshold");
  return threshold === 1 ? [] : [invalid(`${path}.successThreshold`, threshold, "must be 1")];
}

function noOwnGrace(probe: JsonObject, path: string): FieldError[] {
  const grace = optionalNumberAt(probe, "terminationGracePeriodSeconds");
  return grace === undefined
    ? []
    : [
        invalid(
          `${path}.terminationGracePeriodSeconds`,
          grace,
          "must not be set for readinessProbes",
        ),
      ];
}

/** `lifecycle`. */
export function validateLifecycle(
  lifecycle: JsonObject,
  grace: number | undefined,
  path: string,
): FieldError[] {
  return ["postStart", "preStop"].flatMap((name) => {
    const hook = mutableAt(lifecycle, name);
    return hook
      ? handlerErrors(hook, ["exec", "httpGet", "tcpSocket", "sleep"], grace, `${path}.${name}`)
      : [];
  });
}

type Handler = (handler: JsonObject, path: string, grace: number | undefined) => FieldError[];

const handlers: Readonly<Record<string, Handler>> = {
  exec: (handler, path) => (hasItems(handler["command"]) ? [] : [required(`${path}.command`, "")]),
  httpGet: httpErrors,
  tcpSocket: (handler, path) => portReferenceErrors(handler["port"], `${path}.port`),
  grpc: (handler, path) => portReferenceErrors(numberAt(handler, "port"), `${path}.port`),
  sleep: sleepErrors,
};

function handlerErrors(
  handler: JsonObject,
  names: readonly string[],
  grace: number | undefined,
  path: string,
): FieldError[] {
  const [first, ...more] = names.filter((name) => mutableAt(handler, name));
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...handlers[first]!(mutableAt(handler, first)!, `${path}.${first}`, grace),
    ...more.map((name) => forbidden(`${path}.${name}`, "may not specify more than 1 handler type")),
  ];
}

function httpErrors(handler: JsonObject, path: string): FieldError[] {
  const scheme = stringAt(handler, "scheme");
  return [
    ...(stringAt(handler, "path") ? [] : [required(`${path}.path`, "")]),
    ...portReferenceErrors(handler["port"], `${path}.port`),
    ...(scheme === "HTTP" || scheme === "HTTPS"
      ? []
      : [notSupported(`${path}.scheme`, scheme, ["HTTP", "HTTPS"])]),
    ...itemsAt(handler, "httpHeaders").flatMap((header) =>
      ruled(headerNameFaults, stringAt(header, "name"), `${path}.httpHeaders`),
    ),
  ];
}

function sleepErrors(handler: JsonObject, path: string, grace: number | undefined): FieldError[] {
  const seconds = numberAt(handler, "seconds");
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
  return [
    invalid(
      path,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
    ),
  ];
}
