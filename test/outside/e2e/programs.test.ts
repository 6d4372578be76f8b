import assert from "node:assert/strict";
import { test } from "node:test";
import { instructionFor, type MadeFiles, type ProgramPod } from "./programs.ts";

const now = Date.parse("2026-01-01T00:01:00Z");

interface Wanted {
  readonly uid?: string;
  readonly index?: string;
  readonly restartPolicy?: string;
  readonly hostPath?: string;
  readonly restarts?: number;
  readonly startedAt?: string;
}

function podOf(
  container: ProgramPod["spec"]["containers"][number],
  { uid = "u", index, restartPolicy = "Never", hostPath, restarts = 0, startedAt }: Wanted = {},
): ProgramPod {
  return {
    metadata: {
      name: "p",
      namespace: "ns",
      uid,
      ...(index === undefined
        ? {}
        : { annotations: { "batch.kubernetes.io/job-completion-index": index } }),
    },
    spec: {
      restartPolicy,
      containers: [container],
      ...(hostPath === undefined ? {} : { volumes: [{ hostPath: { path: hostPath } }] }),
    },
    status: {
      containerStatuses: [
        {
          restartCount: restarts,
          ...(startedAt === undefined ? {} : { state: { running: { startedAt } } }),
        },
      ],
    },
  };
}

const fateOf = (
  container: ProgramPod["spec"]["containers"][number],
  wanted?: Wanted,
  made: MadeFiles = new Map(),
): string | null => instructionFor(podOf(container, wanted), made, now).fate;
const shell = (script: string) => ({ command: ["/bin/sh", "-c"], args: [script] });

test("programs that fail end their pod, or are started again, as its restart policy has it", () => {
  for (const command of [["/bin/false"], ["/bin/sh", "-c", "exit 1"]]) {
    assert.equal(fateOf({ command }), "fail");
    assert.equal(fateOf({ command }, { restartPolicy: "OnFailure" }), "crash-loop");
    assert.equal(fateOf({ command, restartPolicy: "OnFailure" }), "crash-loop");
  }
  assert.equal(fateOf({ command: ["/bin/sh", "-c", "exit 0"] }), null);
});

test("programs that look at their index fail where it is odd", () => {
  const odd = shell("if [ $(expr ${JOB_COMPLETION_INDEX} % 2) -ne 0 ]; then exit 1");
  assert.deepEqual([fateOf(odd, { index: "0" }), fateOf(odd, { index: "3" })], [null, "fail"]);
});

test("creating a file fails the program, finding it does not: files of a node outlive pods, files of a pod outlive containers", () => {
  const once = shell("if [[ -r /data/foo ]] then exit 0 else touch /data/foo exit 1 fi");
  const made: MadeFiles = new Map();
  const fates = ["first", "second", "first"].map((uid) =>
    fateOf(once, { uid, hostPath: "/srv/first" }, made),
  );
  assert.deepEqual(fates, ["fail", null, "fail"]);
  assert.deepEqual(
    [
      fateOf(once, { restartPolicy: "OnFailure" }, made),
      fateOf(once, { restartPolicy: "OnFailure", restarts: 1 }, made),
    ],
    ["crash-loop", null],
  );
  const perIndex = shell(
    "if [[ -r /data/foo-$JOB_COMPLETION_INDEX ]] then exit 0 else touch /data/foo-$JOB_COMPLETION_INDEX sleep 1000000 fi",
  );
  assert.deepEqual(
    ["0", "1"].map((index) =>
      fateOf(perIndex, { uid: index, index, hostPath: "/srv/second" }, made),
    ),
    ["killed", "killed"],
  );
});

test("sleepers run as long as they say, others until they are stopped", () => {
  assert.equal(instructionFor(podOf({ command: ["sleep", "300"] }), new Map(), now).runFor, "300s");
  assert.equal(
    instructionFor(podOf({ image: "registry.k8s.io/pause:3.10" }), new Map(), now).runFor,
    "24h",
  );
  assert.equal(
    instructionFor(podOf(shell("cat /proc/self/status && sleep 1d")), new Map(), now).runFor,
    "24h",
  );
  assert.equal(fateOf(shell("_term(){ sleep 5; exit 143 }; while true; do sleep 1; done")), "slow");
});

test("a probe with a delay keeps a pod from being ready until the delay is over", () => {
  const probed = { readinessProbe: { initialDelaySeconds: 20 } };
  const at = (startedAt?: string) =>
    instructionFor(podOf(probed, startedAt === undefined ? {} : { startedAt }), new Map(), now);
  assert.deepEqual([at().fate, at().lookAgainMs], ["unready", 20_000]);
  assert.deepEqual(
    [at("2026-01-01T00:00:55Z").fate, at("2026-01-01T00:00:55Z").lookAgainMs],
    ["unready", 15_000],
  );
  assert.equal(at("2026-01-01T00:00:40Z").fate, null);
});
