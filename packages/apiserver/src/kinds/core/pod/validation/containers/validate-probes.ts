// Validation of probes and lifecycle hooks of containers.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateProbe,
// validateHandler, validateLifecycle).
import type { Decoded } from "homeostat/api";
import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import { optionalInt64 } from "../../../../../apimachinery/meta/read-fields.ts";
import {
  headerNameFaults,
  nonNegative,
  portReferenceErrors,
  ruled,
} from "../../../../validation/field-rules.ts";

/** The three probes of a container. `grace` is the pod's terminationGracePeriodSeconds. */
export function validateProbes(
  container: Decoded<Container>,
  grace: number | undefined,
  path: string,
): FieldError[] {
  return (["livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap((name) => {
    const probe = container[name];
    return probe
      ? [
          ...probeErrors(probe, grace, `${path}.${name}`),
          ...(name === "readinessProbe"
            ? ownGraceErrors(probe, `${path}.${name}`)
            : thresholdErrors(probe, `${path}.${name}`)),
        ]
      : [];
  });
}

function probeErrors(probe: Decoded<Probe>, grace: number | undefined, path: string): FieldError[] {
  const ownGrace = optionalInt64(probe.terminationGracePeriodSeconds);
  return [
    ...handlerErrors(probe, grace, path),
    ...(
      [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
      ] as const
    ).flatMap((name) => nonNegative(probe[name] ?? 0, `${path}.${name}`)),
    ...errorIf(ownGrace !== undefined && ownGrace <= 0, () =>
      fieldError.invalid(
        `${path}.terminationGracePeriodSeconds`,
        ownGrace,
        "must be greater than 0",
      ),
    ),
  ];
}

function thresholdErrors(probe: Decoded<Probe>, path: string): FieldError[] {
  const threshold = probe.successThreshold ?? 0;
  return errorIf(threshold !== 1, () =>
    fieldError.invalid(`${path}.successThreshold`, threshold, "must be 1"),
  );
}

function ownGraceErrors(probe: Decoded<Probe>, path: string): FieldError[] {
  const grace = optionalInt64(probe.terminationGracePeriodSeconds);
  return errorIf(grace !== undefined, () =>
    fieldError.invalid(
      `${path}.terminationGracePeriodSeconds`,
      grace,
      "must not be set for readinessProbes",
    ),
  );
}

/** `lifecycle`. */
export function validateLifecycle(
  lifecycle: Decoded<Lifecycle>,
  grace: number | undefined,
  path: string,
): FieldError[] {
  return (["postStart", "preStop"] as const).flatMap((name) => {
    const hook = lifecycle[name];
    return hook ? handlerErrors(hook, grace, `${path}.${name}`) : [];
  });
}

/** The handlers of probes and lifecycle hooks; `grpc` is of probes, `sleep` of hooks. */
type Handlers = Decoded<
  Partial<Pick<Probe, "grpc"> & Pick<LifecycleHandler, "exec" | "httpGet" | "sleep" | "tcpSocket">>
>;

/** In upstream's order. */
const handlerNames = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

function handlerErrors(handlers: Handlers, grace: number | undefined, path: string): FieldError[] {
  const [first, ...more] = handlerNames.filter((name) => handlers[name]);
  if (first === undefined) return [fieldError.required(path, "must specify a handler type")];
  return [
    ...oneHandlerErrors(handlers, first, grace, `${path}.${first}`),
    ...more.map((name) =>
      fieldError.forbidden(`${path}.${name}`, "may not specify more than 1 handler type"),
    ),
  ];
}

function oneHandlerErrors(
  { exec, grpc, httpGet, sleep, tcpSocket }: Handlers,
  name: (typeof handlerNames)[number],
  grace: number | undefined,
  path: string,
): FieldError[] {
  switch (name) {
    case "exec":
      return errorIf(!exec?.command?.length, () => fieldError.required(`${path}.command`, ""));
    case "httpGet":
      return httpErrors(httpGet ?? {}, path);
    case "tcpSocket":
      return portReferenceErrors(tcpSocket?.port, `${path}.port`);
    case "grpc":
      return portReferenceErrors(grpc?.port, `${path}.port`);
    case "sleep":
      return sleepErrors(Number(sleep?.seconds ?? 0), grace, path);
  }
}

function httpErrors(handler: Decoded<HTTPGetAction>, path: string): FieldError[] {
  const scheme = handler.scheme ?? "";
  return [
    ...errorIf(!handler.path, () => fieldError.required(`${path}.path`, "")),
    ...portReferenceErrors(handler.port, `${path}.port`),
    ...errorIf(scheme !== "HTTP" && scheme !== "HTTPS", () =>
      fieldError.notSupported(`${path}.scheme`, scheme, ["HTTP", "HTTPS"]),
    ),
    ...(handler.httpHeaders ?? []).flatMap((header) =>
      ruled(headerNameFaults, header.name ?? "", `${path}.httpHeaders`),
    ),
  ];
}

function sleepErrors(seconds: number, grace: number | undefined, path: string): FieldError[] {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
  return [
    fieldError.invalid(
      path,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
    ),
  ];
}
