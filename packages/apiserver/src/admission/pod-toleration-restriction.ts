// PodTolerationRestriction: pods get the default tolerations of their namespace, or of the cluster,
// and may have those only that its whitelist includes.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/admission.go.
import { type Decoded, isObject, type JsonObject, parseJson } from "homeostat/api";
import type { Namespace, Pod, Toleration } from "homeostat/k8s/core/v1";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { notFoundError, plainError } from "../apimachinery/errors/api-errors.ts";
import type { AdmissionRequest, AdmissionStep } from "../apimachinery/rest/admission.ts";
import { qosClassOf } from "../kinds/core/resources/quality-of-service.ts";
import { goKindOf } from "../apimachinery/values/go-kind.ts";
import { type CreatePlugin, isAbout, type PluginServices } from "./admission-plugin.ts";
import { decodeTolerations } from "./configuration/decode-tolerations.ts";
import { parsePodTolerationRestriction } from "./configuration/pod-toleration-restriction.ts";
import { includesToleration, mergeTolerations } from "./merge-tolerations.ts";

type Tolerations = readonly Decoded<Toleration>[];

const annotations = {
  default: "scheduler.alpha.kubernetes.io/defaultTolerations",
  whitelist: "scheduler.alpha.kubernetes.io/tolerationsWhitelist",
} as const;
const namespaces = { group: "", resource: "namespaces" } as const;

/** Pods that ask for resources are not evicted where memory runs out. */
const memoryPressure: Decoded<Toleration> = {
  key: "node.kubernetes.io/memory-pressure",
  operator: "Exists",
  effect: "NoSchedule",
};

export const createPodTolerationRestriction: CreatePlugin = (services, given) => {
  const cluster = parsePodTolerationRestriction(given);
  const validate: AdmissionStep = (request) => {
    const tolerations = isPod(request)
      ? ((request.object as Decoded<Pod>).spec?.tolerations ?? [])
      : [];
    if (!tolerations.length) return;
    const own = tolerationsOf(request, services, "whitelist");
    const whitelist = own ?? cluster.whitelist;
    const isAllowed = (each: Decoded<Toleration>): boolean =>
      whitelist.some((allowed) => includesToleration(allowed, each));
    if (whitelist.length && !tolerations.every(isAllowed))
      throw plainError(
        `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own ? "namespace" : "cluster"} whitelist`,
      );
  };
  return {
    mutate(request) {
      if (!isPod(request)) return;
      const spec = ((request.object as Decoded<Pod>).spec ??= {});
      const isNew = request.operation === "CREATE";
      const defaults = isNew
        ? (tolerationsOf(request, services, "default") ?? cluster.default)
        : [];
      const extra = [...defaults, ...(qosClassOf(spec) === "BestEffort" ? [] : [memoryPressure])];
      if (extra.length) spec.tolerations = mergeTolerations(spec.tolerations ?? [], extra);
      return validate(request);
    },
    validate,
  };
};

const isPod = (request: AdmissionRequest): boolean =>
  (request.operation === "CREATE" || request.operation === "UPDATE") &&
  request.object !== undefined &&
  isAbout(request, "", "pods");

/** What the annotation of the namespace says; undefined without one. */
function tolerationsOf(
  { namespace: name }: AdmissionRequest,
  { objects }: PluginServices,
  list: keyof typeof annotations,
): Tolerations | undefined {
  const found: Decoded<Namespace> | undefined = objects.find(namespaces, name);
  if (!found) throw notFoundError(namespaces, name);
  const text = found.metadata?.annotations?.[annotations[list]];
  if (text === undefined) return undefined;
  return text === "" ? [] : parseTolerations(text);
}

function parseTolerations(text: string): Tolerations | undefined {
  try {
    const { value } = parseJson(text);
    if (value === null) return [];
    if (!Array.isArray(value)) throw mismatchError(goKindOf(value), "[]v1.Toleration");
    const items = value.map((item): JsonObject => {
      if (item !== null && !isObject(item)) throw mismatchError(goKindOf(item), "v1.Toleration");
      return item ?? {};
    });
    return decodeTolerations(items, "Toleration");
  } catch (error) {
    throw plainError(reasonOf(error));
  }
}

const mismatchError = (kind: string, goType: string): Error =>
  new Error(`json: cannot unmarshal ${kind} into Go value of type ${goType}`);
