// What is left in a namespace that is being deleted, as conditions: five of them, always all, with upstream's words.
// Upstream: k8s.io/kubernetes/pkg/controller/namespace/deletion/status_condition_utils.go.

/** What one pass over a namespace found. */
export interface ContentReport {
  readonly discoveryError?: string;
  /** One message per kind that could not be emptied. */
  readonly failures: readonly string[];
  /** Objects left, by `resource.group` (the dot stays where the group is empty). */
  readonly remaining: ReadonlyMap<string, number>;
  /** Objects left, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** A namespace condition as it is stored. */
export interface NamespaceCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

type Finding = Omit<NamespaceCondition, "lastTransitionTime">;

const fine: readonly Finding[] = [
  { type: "NamespaceDeletionDiscoveryFailure", status: "False", reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
  { type: "NamespaceDeletionGroupVersionParsingFailure", status: "False", reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
  { type: "NamespaceDeletionContentFailure", status: "False", reason: "ContentDeleted", message: "All content successfully deleted, may be waiting on finalization" },
  { type: "NamespaceContentRemaining", status: "False", reason: "ContentRemoved", message: "All content successfully removed" },
  { type: "NamespaceFinalizersRemaining", status: "False", reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
];

/** The conditions after a pass, or undefined when they are what they were. `now` dates those whose status moved. */
export function reportContent(report: ContentReport, before: readonly NamespaceCondition[], now: string): readonly NamespaceCondition[] | undefined {
  let changed = false;
  const others = before.filter((one) => !fine.some(({ type }) => type === one.type));
  const conditions = fine.map((ok) => {
    const next = finding(report, ok.type) ?? ok;
    const old = before.find((one) => one.type === next.type);
    if (old && old.status === next.status && old.reason === next.reason && old.message === next.message) return old;
    changed = true;
    return { ...next, lastTransitionTime: old && old.status === next.status ? old.lastTransitionTime : now };
  });
  return changed ? [...others, ...conditions] : undefined;
}

function finding({ discoveryError, failures, remaining, finalizers }: ContentReport, type: string): Finding | undefined {
  const found = (reason: string, message: string): Finding => ({ type, status: "True", reason, message });
  switch (type) {
    case "NamespaceDeletionDiscoveryFailure":
      return discoveryError === undefined ? undefined : found("DiscoveryFailed", discoveryError);
    case "NamespaceDeletionContentFailure":
      return failures.length ? found("ContentDeletionFailed", `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`) : undefined;
    case "NamespaceContentRemaining":
      return remaining.size ? found("SomeResourcesRemain", `Some resources are remaining: ${lines(remaining, "has")}`) : undefined;
    case "NamespaceFinalizersRemaining":
      return finalizers.size ? found("SomeFinalizersRemain", `Some content in the namespace has finalizers remaining: ${lines(finalizers, "in")}`) : undefined;
    default:
      return undefined;
  }
}

function lines(counts: ReadonlyMap<string, number>, word: "has" | "in"): string {
  return [...counts].map(([name, count]) => `${name} ${word} ${count} resource instances`).toSorted().join(", ");
}
