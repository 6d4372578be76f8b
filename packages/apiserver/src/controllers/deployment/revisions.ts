// Revisions of a Deployment: the replica sets of its templates, numbered by annotations that
// `kubectl rollout` reads. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment/util/deployment_util.go.
import { byCreation } from "../../component-helpers/meta/by-creation.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import type { Json } from "homeostat/api";
import { squeeze } from "../../component-helpers/workloads/template-hash.ts";
import type { Deployment, ReplicaSet } from "homeostat/k8s/apps/v1";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import { hashLabel, maxSurge, replicasOf } from "./deployment-spec.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const historyLimit = 2000;

/** Annotations that are not copied to replica sets. */
const notCopied: readonly string[] = [
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
];

type Annotations = Readonly<Record<string, string>>;

/** The revision of a set: 0 if absent, undefined if not a number. */
export function revisionOf({ metadata }: ReplicaSet): bigint | undefined {
  return parseRevision(metadata.annotations?.[revisionAnnotation] ?? "0");
}

/** An int64, which a JavaScript number would round. */
const parseRevision = (text: string): bigint | undefined =>
  /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;

/** The highest revision. */
export const maxRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets
    .map((set) => revisionOf(set) ?? 0n)
    .reduce((highest, one) => (one > highest ? one : highest), 0n);

/** The lower revision first. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [revisionA, revisionB] = [revisionOf(a), revisionOf(b)];
  if (revisionA === undefined || revisionB === undefined || revisionA === revisionB)
    return byCreation(a, b);
  return revisionA < revisionB ? -1 : 1;
}

/** A count in an annotation. */
export function readCount({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) && Number(text) < 2 ** 31
    ? Number(text)
    : undefined;
}

/** The annotations with the size of the deployment. */
export const sizeAnnotations = (deployment: Deployment): Annotations => ({
  [desiredAnnotation]: String(replicasOf(deployment)),
  [maxAnnotation]: String(replicasOf(deployment) + maxSurge(deployment)),
});

/**
 * The annotations of the newest set. A set that becomes the newest again keeps its former
 * revisions.
 */
export function newestAnnotations(
  deployment: Deployment,
  before: Annotations,
  revision: bigint,
): Annotations {
  const copied = Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(
      ([key]) => !notCopied.includes(key),
    ),
  );
  const after: Annotations = { ...before, ...copied };
  const old = before[revisionAnnotation];
  const oldRevision = parseRevision(old || "0");
  if (oldRevision === undefined || oldRevision >= revision) return after;
  return {
    ...after,
    [revisionAnnotation]: String(revision),
    ...(old === undefined ? {} : remembered(before[historyAnnotation] ?? "", old)),
  };
}

/** Appends a revision to the history; the oldest are dropped if it grows too long. */
function remembered(history: string, revision: string): Annotations {
  const revisions = history === "" ? [revision] : [...history.split(","), revision];
  while (revisions.length > 1 && revisions.join(",").length > historyLimit) revisions.shift();
  return { [historyAnnotation]: revisions.join(",") };
}

/** The replica set of the current template; the oldest if there are several. */
export function findNewSet(
  { spec }: Deployment,
  sets: readonly ReplicaSet[],
): ReplicaSet | undefined {
  return sets.toSorted(byCreation).find((set) => isSameTemplate(set.spec.template!, spec.template));
}

/** True when the templates are equal apart from the hash label. */
export const isSameTemplate = (a: PodTemplateSpec, b: PodTemplateSpec): boolean =>
  deepEqual(withoutHash(a), withoutHash(b));

/** Upstream treats absent, null, and empty lists and label sets alike. */
function withoutHash(template: PodTemplateSpec): Json {
  const { labels, annotations, ...rest } = (template.metadata ?? {}) as {
    labels?: Annotations;
    annotations?: Annotations;
  };
  const { [hashLabel]: _, ...own } = labels ?? {};
  return squeeze({
    ...template,
    metadata: { ...rest, labels: own, annotations: annotations ?? {} },
  } as unknown as Json);
}
