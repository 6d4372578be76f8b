// Derives the annotations of a fake pod from the command lines of its containers in upstream's
// tests. A few rules for programs that sleep or fail; other pods keep the built-in lifecycle. Pure.
// Upstream: k8s.io/kubernetes/test/e2e/{framework/job/fixtures.go,apps/*.go}.

/** As much of a pod as the rules look at. */
export interface ProgramPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly restartPolicy?: string;
    readonly containers: readonly ProgramContainer[];
    readonly volumes?: readonly { readonly hostPath?: { readonly path: string } }[];
  };
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly state?: { readonly running?: { readonly startedAt: string } };
    }[];
  };
}

interface ProgramContainer {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly restartPolicy?: string;
  readonly readinessProbe?: { readonly initialDelaySeconds?: number };
}

/**
 * What a pod is told; null takes it back. Some fates are those of stages.yaml. `lookAgainMs` says
 * when something else may be right.
 */
export interface Instruction {
  readonly fate: string | null;
  readonly runFor: string | null;
  readonly lookAgainMs?: number;
}

/** Files that programs have made on nodes: by path, the pod (its uid) that has. */
export type MadeFiles = Map<string, string>;

/** Programs that run until they are stopped. */
const forEver = "24h";

/** What a pod is to be told now. `made` takes note of files. */
export function instructionFor(pod: ProgramPod, made: MadeFiles, now: number): Instruction {
  const [container] = pod.spec.containers;
  if (!container) return unsaid;
  const end = endOf(pod, container, made);
  if (end.fate !== null) return end;
  const initialDelaySeconds = Math.max(
    ...pod.spec.containers.map(({ readinessProbe }) => readinessProbe?.initialDelaySeconds ?? 0),
  );
  if (initialDelaySeconds === 0) return end;
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  const leftMs =
    initialDelaySeconds * 1000 - (startedAt === undefined ? 0 : now - Date.parse(startedAt));
  return leftMs > 0 ? { ...end, fate: "unready", lookAgainMs: leftMs } : end;
}

const unsaid: Instruction = { fate: null, runFor: null };

/** How the program ends. */
function endOf(pod: ProgramPod, container: ProgramContainer, made: MadeFiles): Instruction {
  const [program = "", first = ""] = container.command ?? [];
  const script = [...(container.command ?? []), ...(container.args ?? [])].join(" ");
  const isLocal = pod.spec.restartPolicy === "OnFailure" || container.restartPolicy === "OnFailure";
  const failing: Instruction = { ...unsaid, fate: isLocal ? "crash-loop" : "fail" };
  if (/\/pause:/.test(container.image ?? "")) return { ...unsaid, runFor: forEver };
  if (script.includes("exit 143")) return { ...unsaid, fate: "slow" };
  if (/&& sleep 1d$/.test(script)) return { ...unsaid, runFor: forEver };
  if (program === "sleep") return { ...unsaid, runFor: `${first}s` };
  if (program === "/bin/false" || /-c exit 1$/.test(script)) return failing;
  if (script.includes("${JOB_COMPLETION_INDEX} % 2"))
    return indexOf(pod) % 2 === 0 ? unsaid : failing;
  const file = /-r (\/data\/foo\S*)/.exec(script)?.[1];
  if (file === undefined) return unsaid;
  // A file on a node outlives the pod, one in the pod outlives the container; who makes the file
  // does not find it.
  const folder =
    pod.spec.volumes?.find(({ hostPath }) => hostPath)?.hostPath?.path ?? pod.metadata.uid;
  const path = `${folder}${file}-${indexOf(pod)}`.replace("-$JOB_COMPLETION_INDEX", "");
  if (!made.has(path)) made.set(path, pod.metadata.uid);
  const hasRestarted = (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0;
  if (made.get(path) !== pod.metadata.uid || hasRestarted) return unsaid;
  if (script.includes("sleep")) return { ...unsaid, fate: "killed" };
  return script.includes("exit 42") ? { ...unsaid, fate: "exit-42" } : failing;
}

const indexOf = ({ metadata }: ProgramPod): number =>
  Number(metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? 0);
