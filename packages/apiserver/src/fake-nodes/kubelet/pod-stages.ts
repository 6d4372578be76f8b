// The built-in stages of pods. The annotation `simulator.homeostat.dev/fate` selects the fate of a
// pod, for as long as it is set.
// Upstream: k8s.io/kubernetes/pkg/kubelet, as far as the API shows it.
import type { StageRequirement, Stage } from "../stages/stage.ts";

export const fateAnnotation = "simulator.homeostat.dev/fate";
/** The values of {@link fateAnnotation}. */
const podFates = ["hold", "unready", "crash-loop", "oom", "fail", "succeed", "evict"];
/** How long a pod runs before it succeeds, e.g. `5s`. */
export const runForAnnotation = "simulator.homeostat.dev/run-for";

const at = (
  path: string,
  operator: "In" | "NotIn",
  ...values: readonly string[]
): StageRequirement => ({ path, operator, values });
const exists = (path: string): StageRequirement => ({ path, operator: "Exists" });
const missing = (path: string): StageRequirement => ({ path, operator: "DoesNotExist" });

const fate = `.metadata.annotations["${fateAnnotation}"]`;
const waitingFor = ".status.containerStatuses[].state.waiting.reason";
const initialized = '.status.conditions[] | select(.type == "Initialized") | .status';
const alive: readonly StageRequirement[] = [
  missing(".metadata.deletionTimestamp"),
  at(".status.phase", "NotIn", "Succeeded", "Failed"),
];
const pod = { apiVersion: "v1", kind: "Pod" } as const;
const backOff = {
  ms: 10_000,
  backOff: { count: ".status.containerStatuses[].restartCount", maxMs: 300_000 },
};

/** The fates of pods; undefined where custom stages may have others. */
export const knownFates = (custom: readonly Stage[]): readonly string[] | undefined =>
  custom.some((one) => one.replacesBuiltIn || JSON.stringify(one).includes(fateAnnotation))
    ? undefined
    : podFates;

/** The stages in order. The first with an effect is played when its delay has passed. */
export const podStages: readonly Stage[] = [
  // A pod that SIGTERM interrupts has not succeeded: a Job must not count it.
  {
    name: "pod-interrupt",
    for: pod,
    when: {
      fields: [
        exists(".metadata.deletionTimestamp"),
        at(".status.phase", "In", "Running"),
        at(".spec.restartPolicy", "In", "Never", "OnFailure"),
      ],
    },
    next: { pod: { act: "stop", exitCode: 143 } },
  },
  {
    name: "pod-stop",
    for: pod,
    when: { fields: [exists(".metadata.deletionTimestamp"), at(".status.phase", "In", "Running")] },
    next: { pod: { act: "stop" } },
  },
  {
    name: "pod-delete",
    for: pod,
    when: { fields: [exists(".metadata.deletionTimestamp")] },
    next: { delete: true },
  },
  {
    name: "pod-create",
    for: pod,
    when: { fields: [...alive, missing(".status.containerStatuses")] },
    next: { pod: { act: "create" } },
  },
  {
    name: "pod-evict",
    for: pod,
    when: { fields: [...alive, at(fate, "In", "evict")] },
    next: {
      pod: { act: "evict" },
      event: {
        type: "Warning",
        reason: "Evicted",
        message: "The node was low on resource: memory.",
      },
    },
  },
  {
    name: "pod-initialize",
    for: pod,
    when: { fields: [...alive, at(fate, "NotIn", "hold"), at(initialized, "In", "False")] },
    next: { pod: { act: "initialize" } },
  },
  {
    name: "pod-crash",
    for: pod,
    when: {
      fields: [...alive, at(fate, "In", "crash-loop"), at(waitingFor, "NotIn", "CrashLoopBackOff")],
    },
    next: { pod: { act: "crash" } },
  },
  {
    name: "pod-crash-again",
    for: pod,
    when: {
      fields: [...alive, at(fate, "In", "crash-loop"), at(waitingFor, "In", "CrashLoopBackOff")],
    },
    after: backOff,
    next: { pod: { act: "crash" } },
  },
  {
    name: "pod-oom",
    for: pod,
    when: {
      fields: [...alive, at(fate, "In", "oom"), at(waitingFor, "NotIn", "CrashLoopBackOff")],
    },
    next: { pod: { act: "crash", exitCode: 137, reason: "OOMKilled" } },
  },
  {
    name: "pod-oom-again",
    for: pod,
    when: { fields: [...alive, at(fate, "In", "oom"), at(waitingFor, "In", "CrashLoopBackOff")] },
    after: backOff,
    next: { pod: { act: "crash", exitCode: 137, reason: "OOMKilled" } },
  },
  {
    name: "pod-start",
    for: pod,
    when: {
      fields: [...alive, at(fate, "NotIn", "hold", "crash-loop", "oom"), exists(waitingFor)],
    },
    next: { pod: { act: "start" } },
  },
  {
    name: "pod-fail",
    for: pod,
    when: { fields: [...alive, at(fate, "In", "fail"), at(".status.phase", "In", "Running")] },
    next: { pod: { act: "end", exitCode: 1 } },
  },
  {
    name: "pod-succeed",
    for: pod,
    when: { fields: [...alive, at(fate, "In", "succeed"), at(".status.phase", "In", "Running")] },
    next: { pod: { act: "end" } },
  },
  {
    name: "pod-complete",
    for: pod,
    when: {
      fields: [
        ...alive,
        missing(fate),
        at(".spec.restartPolicy", "In", "Never", "OnFailure"),
        at(".status.phase", "In", "Running"),
      ],
    },
    after: { ms: 1000, from: `.metadata.annotations["${runForAnnotation}"]` },
    next: { pod: { act: "end" } },
  },
  {
    name: "pod-overdue",
    for: pod,
    when: {
      fields: [...alive, exists(".spec.activeDeadlineSeconds"), exists(".status.startTime")],
    },
    after: { from: ".spec.activeDeadlineSeconds" },
    next: {
      pod: { act: "end", exitCode: 137 },
      status: {
        reason: "DeadlineExceeded",
        message: "Pod was active on the node longer than the specified deadline",
      },
    },
  },
  {
    name: "pod-observe",
    for: pod,
    when: { fields: [...alive, at(".status.phase", "In", "Running")] },
    next: { pod: { act: "observe" } },
  },
];
