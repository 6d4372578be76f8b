// The remaining content of a terminating namespace as conditions: five, always all, with upstream's
// messages.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/deletion/status_condition_utils.go.

import type { NamespaceCondition } from "homeostat/k8s/core/v1";

/** The result of one pass over a namespace. */
export interface ContentReport {
  /** Why discovery failed. */
  readonly discoveryError?: string;
  /** One message for each kind that could not be emptied. */
  readonly failures: readonly string[];
  /** Remaining objects by `resource.group` (the dot stays if the group is empty). */
  readonly remaining: ReadonlyMap<string, number>;
  /** Remaining objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

type Finding = Omit<NamespaceCondition, "lastTransitionTime">;

/** In the order in which upstream appends them, each in its healthy form. */
const fine: readonly Finding[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    status: "False",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    status: "False",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  {
    type: "NamespaceDeletionContentFailure",
    status: "False",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
  {
    type: "NamespaceContentRemaining",
    status: "False",
    reason: "ContentRemoved",
    message: "All content successfully removed",
  },
  {
    type: "NamespaceFinalizersRemaining",
    status: "False",
    reason: "ContentHasNoFinalizers",
    message: "All content-preserving finalizers finished",
  },
];

/** The conditions after a pass; undefined if unchanged. `now` dates those whose status changed. */
export function reportContent(
  report: ContentReport,
  before: readonly NamespaceCondition[],
  now: string,
): readonly NamespaceCondition[] | undefined {
  const after = [...before];
  for (const ok of fine) {
    const next = finding(report, ok.type) ?? ok;
    const at = before.findIndex((one) => one.type === ok.type);
    const old = before[at];
    if (!old) after.push({ ...next, lastTransitionTime: now });
    else if (
      old.status !== next.status ||
      old.reason !== next.reason ||
      old.message !== next.message
    )
      after[at] = {
        ...next,
        lastTransitionTime: (old.status === next.status && old.lastTransitionTime) || now,
      };
  }
  return after.every((one, i) => one === before[i]) ? undefined : after;
}

function finding(
  { discoveryError, failures, remaining, finalizers }: ContentReport,
  type: string,
): Finding | undefined {
  const found = (reason: string, message: string): Finding => ({
    type,
    status: "True",
    reason,
    message,
  });
  switch (type) {
    case "NamespaceDeletionDiscoveryFailure":
      return discoveryError === undefined ? undefined : found("DiscoveryFailed", discoveryError);
    case "NamespaceDeletionContentFailure":
      return failures.length
        ? found(
            "ContentDeletionFailed",
            `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`,
          )
        : undefined;
    case "NamespaceContentRemaining":
      return remaining.size
        ? found("SomeResourcesRemain", `Some resources are remaining: ${lines(remaining, "has")}`)
        : undefined;
    case "NamespaceFinalizersRemaining":
      return finalizers.size
        ? found(
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${lines(finalizers, "in")}`,
          )
        : undefined;
    default:
      return undefined;
  }
}

function lines(counts: ReadonlyMap<string, number>, word: "has" | "in"): string {
  return [...counts]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .toSorted()
    .join(", ");
}
