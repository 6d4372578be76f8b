// Warnings about pod specs that are valid yet probably not meant.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go (warningsForPodSpecAndMeta),
// pkg/api/node/util.go.
import { compareBytewise, equalJson, type JsonObject, labelValueFaults } from "homeostat/api";
import { quoteGo } from "../../../../apimachinery/errors/field-error.ts";
import { nodeLabelMessage } from "../../../validation/deprecated-node-labels.ts";
import { ipWarnings } from "../../../validation/ip-addresses.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  optionalNumberAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { claimWarnings } from "../../persistent-volume-claim/claim-spec-warnings.ts";
import { visitContainers } from "../visit-containers.ts";
import { portWarnings } from "./port-warnings.ts";
import { fractionWarnings } from "../../resources/fractional-byte-warnings.ts";
import { appArmorAnnotation, appArmorField } from "../validation/security/validate-app-armor.ts";
import { overlapWarnings } from "./volume-overlap-warnings.ts";

const retiredAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls":
    'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls":
    'non-functional in v1.11+; use the "sysctls" field instead',
};

const retiredVolumes: readonly (readonly [field: string, shown: string, since: string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["ephemeral", "", ""],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

const byteResources = ["memory", "ephemeral-storage"];
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/";
const seccompHint = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Warnings about a pod (`path` "") or the template at `path`. */
export function podWarnings(template: JsonObject, path: string): string[] {
  const spec = objectAt(template, "spec");
  const annotations = textMapAt(objectAt(template, "metadata"), "annotations");
  const specPath = path ? `${path}.spec` : "spec";
  const annotationPath = path ? `${path}.metadata.annotations` : "metadata.annotations";
  return [
    ...nodeWarnings(spec, specPath),
    ...spreadWarnings(
      itemsAt(spec, "topologySpreadConstraints"),
      `${specPath}.topologySpreadConstraints`,
    ),
    ...Object.keys(retiredAnnotations)
      .filter((key) => Object.hasOwn(annotations, key))
      .map((key) => `${annotationPath}[${key}]: ${retiredAnnotations[key]}`),
    ...itemsAt(spec, "volumes").flatMap((volume, i) =>
      volumeWarnings(volume, `${specPath}.volumes[${i}]`),
    ),
    ...overlapWarnings(itemsAt(spec, "volumes")),
    ...repeatWarnings(itemsAt(spec, "hostAliases"), "ip", `${specPath}.hostAliases`),
    ...repeatWarnings(itemsAt(spec, "imagePullSecrets"), "name", `${specPath}.imagePullSecrets`),
    ...itemsAt(spec, "imagePullSecrets").flatMap((secret, i) =>
      stringAt(secret, "name")
        ? []
        : [`${specPath}.imagePullSecrets[${i}].name: invalid empty name ""`],
    ),
    ...fractionWarnings(textMapAt(spec, "overhead"), byteResources, `${specPath}.overhead`),
    ...(Object.hasOwn(annotations, seccompPod) &&
    !isSet(objectAt(spec, "securityContext")["seccompProfile"])
      ? [`${annotationPath}[${seccompPod}]: ${seccompHint}`]
      : []),
    ...visitContainers(spec, specPath, (container, at) => [
      ...profileWarnings(container, spec, annotations, annotationPath, path !== ""),
      ...containerWarnings(container, at),
    ]),
    ...portWarnings(spec, specPath),
    ...((optionalNumberAt(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [
          `${specPath}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(objectAt(spec, "affinity"), `${specPath}.affinity`),
    ...textsAt(objectAt(spec, "dnsConfig"), "nameservers").flatMap((server, i) =>
      ipWarnings(server, `${specPath}.dnsConfig.nameservers[${i}]`),
    ),
    ...itemsAt(spec, "hostAliases").flatMap((alias, i) =>
      ipWarnings(stringAt(alias, "ip"), `${specPath}.hostAliases[${i}].ip`),
    ),
  ];
}

function nodeWarnings(spec: JsonObject, path: string): string[] {
  const affinity = objectAt(objectAt(spec, "affinity"), "nodeAffinity");
  const requiredPath = `${path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredPath = `${path}.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...Object.keys(textMapAt(spec, "nodeSelector"))
      .sort(compareBytewise)
      .flatMap((key) =>
        nodeLabelMessage(key) ? [`${path}.nodeSelector[${key}]: ${nodeLabelMessage(key)}`] : [],
      ),
    ...itemsAt(
      objectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
      "nodeSelectorTerms",
    ).flatMap((term, i) => termWarnings(term, `${requiredPath}[${i}]`, "keys")),
    ...itemsAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution").flatMap((term, i) =>
      termWarnings(
        objectAt(term, "preference"),
        `${preferredPath}[${i}].preference`,
        "keys and values",
      ),
    ),
  ];
}

function termWarnings(term: JsonObject, path: string, about: "keys" | "keys and values"): string[] {
  return itemsAt(term, "matchExpressions").flatMap((expression, i) => {
    const key = stringAt(expression, "key");
    const at = `${path}.matchExpressions[${i}]`;
    return [
      ...(nodeLabelMessage(key) ? [`${at}.key: ${key} is ${nodeLabelMessage(key)}`] : []),
      ...(about === "keys"
        ? []
        : textsAt(expression, "values").flatMap((value, j) =>
            labelValueFaults(value).map(
              (fault) => `${at}.values[${j}]: ${value} is invalid, ${fault}`,
            ),
          )),
    ];
  });
}

function spreadWarnings(constraints: readonly JsonObject[], path: string): string[] {
  return constraints.flatMap((constraint, i) => {
    const key = stringAt(constraint, "topologyKey");
    return [
      ...(nodeLabelMessage(key)
        ? [`${path}[${i}].topologyKey: ${key} is ${nodeLabelMessage(key)}`]
        : []),
      ...(isSet(constraint["labelSelector"])
        ? []
        : [`${path}[${i}].labelSelector: a null labelSelector results in matching no pod`]),
    ];
  });
}

function volumeWarnings(volume: JsonObject, path: string): string[] {
  return retiredVolumes.flatMap(([field, shown, since]) => {
    const source = mutableAt(volume, field);
    if (!source) return [];
    if (shown) return [`${path}.${shown}: ${since}`];
    const template = mutableAt(source, "volumeClaimTemplate");
    return template
      ? claimWarnings(objectAt(template, "spec"), `${path}.ephemeral.volumeClaimTemplate.spec`)
      : [];
  });
}

function repeatWarnings(
  items: readonly JsonObject[],
  field: "ip" | "name",
  path: string,
): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const value = stringAt(item, field);
    const repeated = seen.has(value);
    seen.add(value);
    return repeated ? [`${path}[${i}].${field}: duplicate ${field} ${quoteGo(value)}`] : [];
  });
}

/** Pods hear of AppArmor annotations while these are turned into fields. */
function profileWarnings(
  container: JsonObject,
  spec: JsonObject,
  annotations: Readonly<Record<string, string>>,
  path: string,
  isTemplate: boolean,
): string[] {
  const name = stringAt(container, "name");
  const context = objectAt(container, "securityContext");
  const seccomp = `${seccompContainer}${name}`;
  const appArmor = `${appArmorAnnotation}${name}`;
  const annotation = annotations[appArmor];
  const ofPod = mutableAt(objectAt(spec, "securityContext"), "appArmorProfile");
  const isNews =
    isTemplate &&
    annotation !== undefined &&
    !isSet(context["appArmorProfile"]) &&
    !(ofPod && equalJson(ofPod, appArmorField(annotation) ?? null));
  return [
    ...(Object.hasOwn(annotations, seccomp) && !isSet(context["seccompProfile"])
      ? [`${path}[${seccomp}]: ${seccompHint}`]
      : []),
    ...(isNews
      ? [`${path}[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`]
      : []),
  ];
}

function containerWarnings(container: JsonObject, path: string): string[] {
  const resources = objectAt(container, "resources");
  return [
    ...byteResources.flatMap((name) =>
      ["limits", "requests"].flatMap((bound) =>
        fractionWarnings(textMapAt(resources, bound), [name], `${path}.resources.${bound}`),
      ),
    ),
    ...variableWarnings(itemsAt(container, "env"), `${path}.env`),
  ];
}

/** A variable may build on an earlier one of its name; otherwise it hides that. */
function variableWarnings(variables: readonly JsonObject[], path: string): string[] {
  const seen = new Set<string>();
  return variables.flatMap((variable, i) => {
    const name = stringAt(variable, "name");
    const repeated = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const value = stringAt(variable, "value");
    const hides = isSet(variable["valueFrom"]) || value === reference || !value.includes(reference);
    return repeated && hides
      ? [
          `${path}[${i}]: hides previous definition of ${quoteGo(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
}

function affinityWarnings(affinity: JsonObject, path: string): string[] {
  const said = ": a null labelSelector results in matching no pod";
  return ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
    ...itemsAt(objectAt(affinity, kind), "requiredDuringSchedulingIgnoredDuringExecution").flatMap(
      (term, i) =>
        isSet(term["labelSelector"])
          ? []
          : [
              `${path}.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${i}].labelSelector${said}`,
            ],
    ),
    ...itemsAt(objectAt(affinity, kind), "preferredDuringSchedulingIgnoredDuringExecution").flatMap(
      (term, i) =>
        isSet(objectAt(term, "podAffinityTerm")["labelSelector"])
          ? []
          : [
              `${path}.${kind}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm.labelSelector${said}`,
            ],
    ),
  ]);
}
