// What a kubelet or scheduler may report of a pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodStatusUpdate),
// pkg/api/v1/pod/util.go (ContainerShouldRestart).
import { type JsonObject, labelKeyFaults } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  internalFault,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../../apimachinery/errors/field-error.ts";
import { ipFamilyOf, legacyIpErrors } from "../../../validation/ip-addresses.ts";
import {
  hasItems,
  itemsAt,
  mutableAt,
  numberAt,
  optionalTextAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, immutable } from "../../../definition/default-strategy.ts";
import { dnsSubdomainErrors, ruled, unixIdErrors } from "../../../validation/field-rules.ts";
import { validateAnnotationsOf } from "./validate-pod-update.ts";

const lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

/** Every breach of a change through the status endpoint. */
export function validatePodStatusUpdate(pod: JsonObject, old: JsonObject): FieldError[] {
  const status = objectAt(pod, "status");
  const before = objectAt(old, "status");
  const spec = objectAt(pod, "spec");
  return [
    ...finalizerErrors(pod),
    ...validateAnnotationsOf(pod, old),
    ...conditionErrors(itemsAt(status, "conditions")),
    ...nominationErrors(status, before, objectAt(old, "spec")),
    ...(numberAt(status, "observedGeneration") < 0
      ? [
          invalid(
            "status.observedGeneration",
            numberAt(status, "observedGeneration"),
            "must be a non-negative integer",
          ),
        ]
      : []),
    ...immutable("status.qosClass", stringAt(status, "qosClass"), stringAt(before, "qosClass")),
    ...transitionErrors(status, before, objectAt(old, "spec")),
    ...claimStatusErrors(itemsAt(status, "resourceClaimStatuses"), itemsAt(spec, "resourceClaims")),
    ...addressErrors(status, before, "podIPs"),
    ...hostAddressErrors(status, before),
    ...lists.flatMap((list) =>
      itemsAt(status, list).flatMap((container, i) =>
        userErrors(
          container,
          stringAt(objectAt(spec, "os"), "name") || "linux",
          `status.${list}[${i}].user.linux`,
        ),
      ),
    ),
    ...allocationErrors(
      itemsAt(status, "containerStatuses"),
      itemsAt(spec, "containers"),
      "status.containerStatuses",
    ),
    ...allocationErrors(
      itemsAt(status, "initContainerStatuses"),
      itemsAt(spec, "initContainers"),
      "status.initContainerStatuses",
    ),
    ...itemsAt(status, "ephemeralContainerStatuses").flatMap((container, i) =>
      hasItems(container["allocatedResourcesStatus"])
        ? [
            forbidden(
              `status.ephemeralContainerStatuses[${i}].allocatedResourcesStatus`,
              "must not be specified in container status",
            ),
          ]
        : [],
    ),
  ];
}

function conditionErrors(conditions: readonly JsonObject[]): FieldError[] {
  return conditions.flatMap((condition, i) => {
    const type = stringAt(condition, "type");
    const generation = numberAt(condition, "observedGeneration");
    return [
      ...(generation < 0
        ? [
            invalid(
              `status.conditions[${i}].observedGeneration`,
              generation,
              "must be a non-negative integer",
            ),
          ]
        : []),
      ...(["PodScheduled", "Ready", "Initialized"].includes(type)
        ? []
        : ruled(labelKeyFaults, type, `status.conditions[${i}].Type`)),
    ];
  });
}

function nominationErrors(
  status: JsonObject,
  before: JsonObject,
  oldSpec: JsonObject,
): FieldError[] {
  const name = stringAt(status, "nominatedNodeName");
  if (!name || name === stringAt(before, "nominatedNodeName")) return [];
  const path = "status.nominatedNodeName";
  return [
    ...dnsSubdomainErrors(name, path),
    ...(stringAt(oldSpec, "nodeName")
      ? [forbidden(path, "may not be set on pods that are already bound to a node")]
      : []),
  ];
}

function transitionErrors(status: JsonObject, before: JsonObject, spec: JsonObject): FieldError[] {
  const restarts = (list: (typeof lists)[number], name: string, exitCode: number): boolean => {
    if (list === "ephemeralContainerStatuses") return false;
    const container = itemsAt(
      spec,
      list === "containerStatuses" ? "containers" : "initContainers",
    ).find((each) => stringAt(each, "name") === name);
    return container !== undefined && shouldRestart(container, spec, exitCode);
  };
  const free = allCouldRestart(spec);
  return lists.flatMap((list) =>
    itemsAt(before, list).flatMap((old, i) => {
      const terminated = mutableAt(objectAt(old, "state"), "terminated");
      const now = itemsAt(status, list).find(
        (each) => stringAt(each, "name") === stringAt(old, "name"),
      );
      if (!terminated || !now || mutableAt(objectAt(now, "state"), "terminated")) return [];
      if (
        (free && list !== "ephemeralContainerStatuses") ||
        restarts(list, stringAt(old, "name"), numberAt(terminated, "exitCode"))
      )
        return [];
      return [
        forbidden(`status.${list}[${i}].state`, "may not be transitioned to non-terminated state"),
      ];
    }),
  );
}

/** A rule that restarts every container makes any return possible. */
function allCouldRestart(spec: JsonObject): boolean {
  return [...itemsAt(spec, "containers"), ...itemsAt(spec, "initContainers")].some((container) =>
    itemsAt(container, "restartPolicyRules").some(
      (rule) => stringAt(rule, "action") === "RestartAllContainers",
    ),
  );
}

function shouldRestart(container: JsonObject, spec: JsonObject, exitCode: number): boolean {
  const rules = itemsAt(container, "restartPolicyRules");
  const policy = optionalTextAt(container, "restartPolicy");
  for (const rule of policy === undefined ? [] : rules) {
    const codes = objectAt(rule, "exitCodes");
    const listed =
      Array.isArray(codes["values"]) && codes["values"].some((code) => Number(code) === exitCode);
    if ((stringAt(codes, "operator") === "In") === listed) return true;
  }
  const effective = policy ?? stringAt(spec, "restartPolicy");
  return effective === "Always" || (effective === "OnFailure" && exitCode !== 0);
}

function claimStatusErrors(
  statuses: readonly JsonObject[],
  claims: readonly JsonObject[],
): FieldError[] {
  const known = claims.map((claim) => stringAt(claim, "name"));
  const seen = new Set<string>();
  return statuses.flatMap((status, i) => {
    const name = stringAt(status, "name");
    const path = `status.resourceClaimStatuses[${i}]`;
    const repeated = seen.has(name);
    seen.add(name);
    const claim = optionalTextAt(status, "resourceClaimName");
    return [
      ...(known.includes(name)
        ? []
        : [
            invalid(
              `${path}.name`,
              name,
              "must match the name of an entry in `spec.resourceClaims`",
            ),
          ]),
      ...(repeated ? [duplicate(`${path}.name`, name)] : []),
      ...(claim === undefined ? [] : dnsSubdomainErrors(claim, `${path}.resourceClaimName`)),
    ];
  });
}

const addressesOf = (status: JsonObject, field: "podIPs" | "hostIPs"): string[] =>
  itemsAt(status, field).map((each) => stringAt(each, "ip"));

function addressErrors(
  status: JsonObject,
  before: JsonObject,
  field: "podIPs" | "hostIPs",
): FieldError[] {
  const addresses = addressesOf(status, field);
  const kept = addressesOf(before, field);
  const families = addresses.map(ipFamilyOf);
  const unknown = addresses.length > 1 ? families.indexOf("") : -1;
  const tooMany =
    addresses.length > 1 && (addresses.length > 2 || unknown >= 0 || new Set(families).size < 2);
  return [
    ...addresses.flatMap((address, i) => legacyIpErrors(address, `status.${field}[${i}]`, kept)),
    ...(unknown < 0
      ? []
      : [
          internalFault(
            `status.${field}`,
            `failed to check for dual stack with error:invalid IP[${unknown}]: ${addresses[unknown]}`,
          ),
        ]),
    ...(tooMany
      ? [
          {
            type: "FieldValueInvalid" as const,
            field: `status.${field}`,
            body: `Invalid value: ${JSON.stringify(addresses.map((IP) => ({ IP })))}: may specify no more than one IP for each IP family`,
          },
        ]
      : []),
  ];
}

function hostAddressErrors(status: JsonObject, before: JsonObject): FieldError[] {
  const first = addressesOf(status, "hostIPs")[0];
  if (first === undefined) return [];
  return [
    ...(stringAt(status, "hostIP") === first
      ? []
      : [invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`")]),
    ...addressErrors(status, before, "hostIPs"),
  ];
}

function userErrors(container: JsonObject, os: string, path: string): FieldError[] {
  const user = mutableAt(objectAt(container, "user"), "linux");
  if (!user) return [];
  if (os === "windows") return [forbidden(path, "cannot be set for a windows pod")];
  const groups = user["supplementalGroups"];
  return [
    ...unixIdErrors(numberAt(user, "uid"), `${path}.uid`),
    ...unixIdErrors(numberAt(user, "gid"), `${path}.gid`),
    ...(Array.isArray(groups)
      ? groups.flatMap((id, i) => unixIdErrors(Number(id), `${path}.supplementalGroups[${i}]`))
      : []),
  ];
}

const healths = ["Healthy", "Unhealthy", "Unknown"];
const longestMessage = 1024;

function allocationErrors(
  statuses: readonly JsonObject[],
  containers: readonly JsonObject[],
  path: string,
): FieldError[] {
  return statuses.flatMap((status, i) => {
    const container = containers.find(
      (each) => stringAt(each, "name") === stringAt(status, "name"),
    );
    return itemsAt(status, "allocatedResourcesStatus").flatMap((allocated, j) => {
      const at = `${path}[${i}].allocatedResourcesStatus[${j}]`;
      return [
        ...(container
          ? allocatedNameErrors(
              stringAt(allocated, "name"),
              objectAt(container, "resources"),
              `${at}.name`,
            )
          : []),
        ...healthErrors(itemsAt(allocated, "resources"), `${at}.resources`),
      ];
    });
  });
}

function allocatedNameErrors(name: string, resources: JsonObject, path: string): FieldError[] {
  if (!name.startsWith("claim:"))
    return Object.hasOwn(textMapAt(resources, "requests"), name)
      ? []
      : [invalid(path, name, "must match one of the container's resource requests")];
  const claims = itemsAt(resources, "claims").map((claim) =>
    [
      "claim:",
      stringAt(claim, "name"),
      stringAt(claim, "request") ? `/${stringAt(claim, "request")}` : "",
    ].join(""),
  );
  return claims.includes(name)
    ? []
    : [
        invalid(
          path,
          name,
          "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
        ),
      ];
}

function healthErrors(resources: readonly JsonObject[], path: string): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap((resource, i) => {
    const id = stringAt(resource, "resourceID");
    const health = stringAt(resource, "health");
    const message = optionalTextAt(resource, "message");
    const repeated = seen.has(id);
    seen.add(id);
    return [
      ...(healths.includes(health) ? [] : [notSupported(`${path}[${i}].health`, health, healths)]),
      ...(message === ""
        ? [required(`${path}[${i}].message`, "must be non-empty if specified")]
        : []),
      ...(message !== undefined && Buffer.byteLength(message) > longestMessage
        ? [tooLong(`${path}[${i}].message`, longestMessage)]
        : []),
      ...(repeated ? [duplicate(`${path}[${i}].resourceID`, id)] : []),
    ];
  });
}
