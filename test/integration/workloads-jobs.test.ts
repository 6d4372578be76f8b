// Jobs and CronJobs: the pods that they create, their counts, status and events. No kubelet runs:
// the tests set the status of pods. Also runs on a real control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "homeostat/client";
import {
  CronJob,
  type CronJobManifest,
  type CronJobSpec,
  Job,
  type JobManifest,
  type JobSpec,
} from "homeostat/k8s/batch/v1";
import { Event, Pod, type PodStatus, type PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { until as untilWithin } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const indexLabel = "batch.kubernetes.io/job-completion-index";
const template: PodTemplateSpec = {
  spec: {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "c", image: "c:1" }],
  },
};
const jobOf = (spec: Partial<JobSpec> = {}, name = "work"): JobManifest =>
  Job(name, { spec: { template, ...spec } });
const cronJobOf = (spec: Partial<CronJobSpec>): CronJobManifest =>
  CronJob("tick", {
    spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template } }, ...spec },
  });
const exited = (exitCode: number): PodStatus => ({
  phase: exitCode === 0 ? "Succeeded" : "Failed",
  containerStatuses: [
    {
      name: "c",
      image: "c:1",
      imageID: "",
      ready: false,
      restartCount: 0,
      state: {
        terminated: { exitCode, finishedAt: new Date().toISOString().replace(/\.\d+/, "") },
      },
    },
  ],
});
const conditions = ({ status }: Pick<Job, "status">): readonly string[] =>
  (status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const indexOf = ({ metadata }: Pod): string => metadata.annotations?.[indexLabel] ?? "";

for (const what of serverKinds()) {
  const real = what === "reference";
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 60_000, everyMs: 50 } : {});

  describe(`jobs, ${what} server`, { concurrency: true, timeout: 180_000 }, () => {
    let server: TestServer;
    before(
      async () =>
        void (server = await openServer(what, {
          controllers: ["default", "job", "cronjob", "ttl-after-finished"],
        })),
    );
    after(() => server.close());

    const podsOf = async (client: Client): Promise<readonly Pod[]> =>
      (await client.list(Pod, { namespace: client.namespace })).items;
    const isOpen = ({ metadata, status }: Pod): boolean =>
      metadata.deletionTimestamp === undefined &&
      status.phase !== "Succeeded" &&
      status.phase !== "Failed";
    const openPods = (client: Client, count: number): Promise<readonly Pod[]> =>
      until(async () => {
        const open = (await podsOf(client)).filter(isOpen);
        return open.length === count && open;
      });
    const end = (client: Client, pod: Pod, exitCode: number): Promise<unknown> =>
      client.patch(
        Pod,
        pod.metadata.name,
        { type: "strategic", body: { status: exited(exitCode) } },
        { subresource: "status" },
      );
    const untilJob = (client: Client, holds: (job: Job) => boolean): Promise<Job> =>
      until(async () => [await client.get(Job, "work")].find(holds));
    const over = (client: Client): Promise<Job> =>
      untilJob(client, (job) => conditions(job).some((one) => /^(Complete|Failed)=True/.test(one)));
    const untilTold = (client: Client, message: string): Promise<Event> =>
      until(async () =>
        (await client.list(Event, { namespace: client.namespace })).items.find(
          (one) => one.message === message,
        ),
      );

    it("makes pods, counts those that have succeeded, and is complete", async () => {
      const client = await server.client();
      await client.create(Job, jobOf({ parallelism: 2, completions: 3 }));
      const first = await openPods(client, 2);
      const metadata: ObjectMeta = first[0]!.metadata;
      assert.deepEqual(
        [metadata.finalizers, metadata.generateName],
        [["batch.kubernetes.io/job-tracking"], "work-"],
      );
      assert.deepEqual(
        [
          first[0]!.metadata.labels?.["batch.kubernetes.io/job-name"],
          first[0]!.metadata.labels?.["job-name"],
        ],
        ["work", "work"],
      );
      assert.equal((await untilJob(client, ({ status }) => status.active === 2)).status.ready, 0);
      for (const pod of first) await end(client, pod, 0);
      await end(client, (await openPods(client, 1))[0]!, 0);
      const { status } = await over(client);
      assert.deepEqual(conditions({ status }), [
        "SuccessCriteriaMet=True CompletionsReached",
        "Complete=True CompletionsReached",
      ]);
      assert.deepEqual(
        [status.succeeded, status.active, status.uncountedTerminatedPods],
        [3, undefined, {}],
      );
      assert.ok(status.startTime! <= status.completionTime!);
      assert.ok((await podsOf(client)).every(({ metadata }) => metadata.finalizers === undefined));
      await untilTold(client, "Job completed");
    });

    it("fails when its pods have failed too often, and deletes the others", async () => {
      const client = await server.client();
      await client.create(Job, jobOf({ parallelism: 2, completions: 2, backoffLimit: 0 }));
      await end(client, (await openPods(client, 2))[0]!, 1);
      const { status } = await over(client);
      assert.deepEqual(conditions({ status }), [
        "FailureTarget=True BackoffLimitExceeded",
        "Failed=True BackoffLimitExceeded",
      ]);
      assert.deepEqual([status.failed, status.completionTime], [2, undefined]);
      assert.equal((await podsOf(client)).length, 1);
      await untilTold(client, "Job has reached the specified backoff limit");
    });

    it("gives its pods indexes, and keeps account of them", async () => {
      const client = await server.client();
      await client.create(
        Job,
        jobOf({
          completionMode: "Indexed",
          completions: 5,
          parallelism: 5,
          backoffLimitPerIndex: 0,
        }),
      );
      const pods = (await openPods(client, 5)).toSorted((a, b) =>
        indexOf(a) < indexOf(b) ? -1 : 1,
      );
      assert.deepEqual(
        pods.map(({ spec, metadata }) => [
          spec.hostname,
          metadata.labels?.[indexLabel],
          (metadata as ObjectMeta).generateName,
        ]),
        [0, 1, 2, 3, 4].map((index) => [`work-${index}`, String(index), `work-${index}-`]),
      );
      assert.equal(
        pods[0]!.spec.containers[0]!.env?.[0]?.valueFrom?.fieldRef?.fieldPath,
        `metadata.labels['${indexLabel}']`,
      );
      for (const [index, code] of [0, 1, 0, 0, 0].entries()) await end(client, pods[index]!, code);
      const { status } = await over(client);
      assert.deepEqual(
        [status.completedIndexes, status.failedIndexes, status.succeeded, status.failed],
        ["0,2-4", "1", 4, 1],
      );
      assert.deepEqual(conditions({ status }), [
        "FailureTarget=True FailedIndexes",
        "Failed=True FailedIndexes",
      ]);
    });

    it("pauses while it is suspended, and starts again", async () => {
      const client = await server.client();
      await client.create(Job, jobOf({ suspend: true }));
      const suspended = await untilJob(client, (job) => conditions(job).length > 0);
      assert.deepEqual(
        [conditions(suspended), suspended.status.startTime],
        [["Suspended=True JobSuspended"], undefined],
      );
      const suspend = (value: boolean): Promise<unknown> =>
        client.patch(Job, "work", { type: "merge", body: { spec: { suspend: value } } });
      await suspend(false);
      await openPods(client, 1);
      assert.ok(
        (await untilJob(client, (job) => conditions(job)[0] === "Suspended=False JobResumed"))
          .status.startTime,
      );
      await suspend(true);
      await until(async () => (await podsOf(client)).length === 0);
      assert.equal(
        (await untilJob(client, (job) => conditions(job)[0] === "Suspended=True JobSuspended"))
          .status.startTime,
        undefined,
      );
    });

    it("ends at its deadline, and is deleted some time after", async () => {
      const client = await server.client();
      await client.create(Job, jobOf({ activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 1 }));
      assert.deepEqual(conditions(await over(client)).at(-1), "Failed=True DeadlineExceeded");
      await until(
        async () =>
          (await client.find(Job, "work")) === undefined && (await podsOf(client)).length === 0,
      );
    });

    it("releases its pods when it is deleted, and leaves jobs of other managers alone", async () => {
      const client = await server.client();
      await client.create(Job, jobOf({ parallelism: 2 }));
      await openPods(client, 2);
      await client.delete(Job, "work", { propagationPolicy: "Background" });
      await until(async () => (await podsOf(client)).length === 0);
      await client.create(Job, jobOf({ managedBy: "example.com/other" }));
      await client.create(Job, jobOf({}, "own"));
      await openPods(client, 1);
      assert.equal((await client.get(Job, "work")).status.startTime, undefined);
    });

    it("a CronJob starts jobs when its schedule strikes, follows them, and keeps a short history", async () => {
      const client = await server.client();
      await client.create(
        CronJob,
        cronJobOf({ schedule: "@every 2s", timeZone: "Asia/Tokyo", successfulJobsHistoryLimit: 1 }),
      );
      const job = await until(
        async () => (await client.list(Job, { namespace: client.namespace })).items[0],
      );
      assert.match(job.metadata.name, /^tick-\d{8}$/);
      assert.match(
        job.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "",
        /\+09:00$/,
      );
      assert.deepEqual(
        [job.metadata.ownerReferences?.[0]?.kind, job.metadata.ownerReferences?.[0]?.controller],
        ["CronJob", true],
      );
      const tick = await until(async () =>
        [await client.get(CronJob, "tick")].find(({ status }) => status.active),
      );
      assert.deepEqual(
        [tick.status.active?.[0]?.uid, typeof tick.status.lastScheduleTime],
        [job.metadata.uid, "string"],
      );
      await untilTold(client, `Created job ${job.metadata.name}`);
      await client.patch(CronJob, "tick", { type: "merge", body: { spec: { suspend: true } } });
      await end(client, (await openPods(client, 1))[0]!, 0);
      const after = await until(async () =>
        [await client.get(CronJob, "tick")].find(
          ({ status }) => status.lastSuccessfulTime && !status.active,
        ),
      );
      assert.equal(
        after.status.lastSuccessfulTime,
        (await client.get(Job, job.metadata.name)).status.completionTime,
      );
      await untilTold(client, `Saw completed job: ${job.metadata.name}, condition: Complete`);
      await client.patch(CronJob, "tick", {
        type: "merge",
        body: { spec: { successfulJobsHistoryLimit: 0 } },
      });
      await until(
        async () => (await client.list(Job, { namespace: client.namespace })).items.length === 0,
      );
    });
  });
}
