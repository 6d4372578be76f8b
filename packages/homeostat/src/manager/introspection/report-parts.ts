// What introspection says of the parts of a manager: controllers, queues, informers, elections and
// webhooks.
import { formatScope } from "./format-scope.ts";
import type { ClusterInspection } from "./cluster-inspection.ts";
import { time } from "./report-cause.ts";

type Clusters = readonly ClusterInspection[];

/** Each controller, with its objects counted by state. */
export const listControllers = (clusters: Clusters): readonly object[] =>
  clusters.flatMap(({ cluster, controllers }) =>
    controllers.map(({ runner, concurrency }) => {
      const objects = { done: 0, waiting: 0, retrying: 0, stalled: 0, running: 0 };
      for (const { progress } of runner.states()) objects[progress.at]++;
      const { name, kind } = runner;
      const breaches = runner.breaches().length;
      const of = { apiVersion: kind.apiVersion, kind: kind.kind };
      return { ...named(cluster), name, ...of, concurrency, objects, breaches };
    }),
  );

/** Each controller's queue. */
export const listQueues = (clusters: Clusters): readonly object[] =>
  clusters.flatMap(({ cluster, controllers }) =>
    controllers.map(({ runner: { name, queue } }) => {
      const { ready, delayed, processing } = queue.depth();
      const { seconds, longestSeconds } = queue.unfinished();
      return {
        ...named(cluster),
        controller: name,
        ready: Object.fromEntries(ready),
        delayed,
        processing,
        ...queue.counts(),
        unfinishedSeconds: seconds,
        longestSeconds,
      };
    }),
  );

/** Each informer: what it watches and holds, and how fresh it is. */
export const listInformers = (clusters: Clusters): readonly object[] =>
  clusters.flatMap(({ cluster, informers }) =>
    informers.map((informer) => {
      const { kind, scope } = informer;
      const { ready, reason, phase, synced, lastContact, resourceVersion, ...counts } =
        informer.freshness();
      const { relists, restarts, failures, lastError } = counts;
      const { objects, bytes, ownWrites, skipped } = informer.stats();
      return {
        ...named(cluster),
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        ...formatScope(scope),
        ready,
        ...(reason === "" ? {} : { reason }),
        phase,
        synced,
        lastContact: time(lastContact),
        resourceVersion,
        relists,
        restarts,
        failures,
        lastError,
        objects,
        bytes,
        ownWrites,
        skipped,
      };
    }),
  );

/** Each election of this process. */
export const listElections = (clusters: Clusters): readonly object[] =>
  clusters.flatMap(({ cluster, elections }) =>
    elections.map(({ renewedAt, ...report }) => {
      return { ...named(cluster), ...report, renewedAt: time(renewedAt) };
    }),
  );

/** Each membership of this process in a ring that shares the objects. */
export const listRings = (clusters: Clusters): readonly object[] =>
  clusters.flatMap(({ cluster, rings }) =>
    rings.map(({ renewedAt, ...report }) => {
      return { ...named(cluster), ...report, renewedAt: time(renewedAt) };
    }),
  );

/** The webhooks of each cluster, with their certificate. */
export const listWebhooks = (clusters: Clusters): readonly object[] =>
  clusters.flatMap(({ cluster, webhooks }) => {
    if (!webhooks) return [];
    const { certificate, ...report } = webhooks;
    const served = certificate && {
      serial: certificate.serial,
      notBefore: time(certificate.notBefore),
      notAfter: time(certificate.notAfter),
    };
    return [{ ...named(cluster), ...report, certificate: served }];
  });

const named = (cluster: string | undefined): { readonly cluster?: string } =>
  cluster === undefined ? {} : { cluster };
