// What is decided on a view that is old, or has gaps.
import { all, defineController, generationChanged, owned, ref } from "homeostat";
import { isConflict } from "homeostat/api";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { createAndGrow, generated, note, type PlantedBug, Site } from "./planted-bug.ts";

const recreatedByOthers: PlantedBug = {
  name: "deleted by name",
  flaw: "the clean-up deletes by name what another has made anew meanwhile",
  oracles: ["same-end-state", "same-deletions"],
  async workload({ client, clock, converge }) {
    for (const text of ["one", "two"]) {
      await client.create(ConfigMap, note("data", text));
      await client.create(Site, Site("a", {}));
      if (text === "two") return;
      await converge();
      await client.delete(Site, "a");
      while (await client.find(Site, "a")) await clock.advance("100ms");
    }
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ status }) {
        status({ phase: "Bound" });
      },
      async finalize({ client }) {
        await client.delete(ConfigMap, "data");
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      reads: { kinds: [ConfigMap] },
      async reconcile({ object, client, status }) {
        if (object.status.name !== undefined) return;
        const data = await client.get(ConfigMap, "data");
        if (!data) throw new Error("there is no data");
        status({ name: data.metadata.uid });
      },
      async finalize({ object, client }) {
        const uid = object.status.name;
        if (uid === undefined) return;
        await client.delete(ConfigMap, "data", { uid }).catch((error: unknown) => {
          if (!isConflict(error)) throw error;
        });
      },
    }),
  ],
};

const volumes = { labels: { kind: "volume" } } as const;

const prunedOnOldView: PlantedBug = {
  name: "pruned on an old view",
  flaw: "data is deleted because its site is not in the cache yet",
  oracles: ["same-end-state", "deletes-only-its-own"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", {}));
    await converge();
    await client.create(Site, Site("b", {}));
    await client.create(ConfigMap, note("data", "b", volumes.labels));
  },
  planted: () => [
    defineController(Site, {
      watches: { volumes: all(ConfigMap, volumes) },
      async reconcile({ watches, cache, client }) {
        for (const { metadata, data } of watches.volumes)
          if (!cache.get(Site, { name: data?.["text"] ?? "", namespace: "default" }))
            await client.delete(ConfigMap, metadata.name);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      watches: { volumes: all(ConfigMap, volumes) },
      async reconcile({ watches, cache, client }) {
        for (const { metadata, data } of watches.volumes) {
          const name = data?.["text"] ?? "";
          if (cache.get(Site, { name, namespace: "default" })) continue;
          if (await client.get(Site, name)) continue;
          await client.delete(ConfigMap, metadata.name, { uid: metadata.uid });
        }
      },
    }),
  ],
};

const reserved = { labels: { kind: "reserved" } } as const;

const lowestFree = (taken: readonly ConfigMap[]): number => {
  const numbers = new Set(taken.map(({ data }) => Number(data?.["text"])));
  let number = 1;
  while (numbers.has(number)) number++;
  return number;
};

const numberGivenTwice: PlantedBug = {
  name: "number given twice",
  flaw: "a free number is looked up in the cache, and is taken already",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(ConfigMap, note("first", "1", reserved.labels));
    await converge();
    await client.create(ConfigMap, note("second", "2", reserved.labels));
    await client.create(Site, Site("a", {}));
  },
  planted: () => [
    defineController(Site, {
      watches: { reserved: all(ConfigMap, reserved) },
      async reconcile({ object, watches, status }) {
        if (object.status.number === undefined) status({ number: lowestFree(watches.reserved) });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      watches: { reserved: all(ConfigMap, reserved) },
      async reconcile({ object, client, status }) {
        if (object.status.number !== undefined) return;
        status({
          number: lowestFree(await client.list(ConfigMap, { labelSelector: "kind=reserved" })),
        });
      },
    }),
  ],
};

const createdOnOldView: PlantedBug = {
  name: "created on an old view",
  flaw: "whether the object exists is looked up in the cache, and its name is generated",
  oracles: ["same-end-state", "same-creations"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      watches: { mine: all(ConfigMap, { labels: ({ metadata }) => ({ site: metadata.name }) }) },
      async reconcile({ object: { metadata }, watches, client }) {
        if (watches.mine.length === 0)
          await client.create(ConfigMap, generated("data-", metadata.name));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      watches: { mine: all(ConfigMap, { labels: ({ metadata }) => ({ site: metadata.name }) }) },
      async reconcile({ object: { metadata }, watches, client }) {
        const labels = { site: metadata.name };
        if (watches.mine.length === 0)
          await client.apply(ConfigMap, ConfigMap({ name: `data-${metadata.name}`, labels }, {}));
      },
    }),
  ],
};

const absenceNotSeen: PlantedBug = {
  name: "absence not seen",
  flaw: "a reference that was deleted and made anew is noticed only if the gap is seen",
  oracles: ["same-end-state"],
  async workload({ client, clock, converge }) {
    await client.create(ConfigMap, note("config", "one"));
    await client.create(Site, Site("a", { config: "config" }));
    await converge();
    await client.delete(ConfigMap, "config");
    await clock.advance("500ms");
    await client.create(ConfigMap, note("config", "two"));
  },
  planted: () => [
    defineController(Site, {
      refs: { config: ref(ConfigMap, ({ spec }) => spec.config) },
      async reconcile({ object, refs: { config }, client, status, wait }) {
        if (!config) {
          status({ phase: "Missing" });
          return wait.forRef("config");
        }
        if (object.status.phase !== "Done")
          await client.apply(ConfigMap, note("copy", config.data?.["text"] ?? ""));
        status({ phase: "Done" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      refs: { config: ref(ConfigMap, ({ spec }) => spec.config) },
      async reconcile({ refs: { config }, client, status, wait }) {
        if (!config) {
          status({ phase: "Missing" });
          return wait.forRef("config");
        }
        await client.apply(ConfigMap, note("copy", config.data?.["text"] ?? ""));
        status({ phase: "Done" });
      },
    }),
  ],
};

const pulseMissed: PlantedBug = {
  name: "waits for a pulse",
  flaw: "a request that is set and taken back is served only if it is seen while it stands",
  oracles: ["same-end-state"],
  async workload({ client, clock, converge }) {
    await client.create(Site, Site("a", {}));
    await converge();
    const request = { metadata: { annotations: { restart: "1" } }, spec: { rotation: 1 } };
    await client.patch(Site, "a", { type: "merge", body: request });
    await clock.advance("500ms");
    const taken = { metadata: { annotations: { restart: null } } };
    await client.patch(Site, "a", { type: "merge", body: taken });
  },
  planted: () => [
    defineController(Site, {
      reads: { annotations: ["restart"] },
      async reconcile({ object: { metadata }, client }) {
        const restart = metadata.annotations?.["restart"];
        if (restart !== undefined) await client.apply(ConfigMap, note("restarts", restart));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client }) {
        if (spec.rotation !== undefined)
          await client.apply(ConfigMap, note("restarts", `${spec.rotation}`));
      },
    }),
  ],
};

const orderOfEvents: PlantedBug = {
  name: "relies on the order of events",
  flaw: "a reference that is not there yet is a failure for ever",
  oracles: ["same-end-state"],
  async workload({ client }) {
    await client.create(ConfigMap, note("config", "one"));
    await client.create(Site, Site("a", { config: "config" }));
  },
  planted: () => [
    defineController(Site, {
      refs: { config: ref(ConfigMap, ({ spec }) => spec.config) },
      async reconcile({ object, refs: { config }, status }) {
        if (object.status.phase === undefined) status({ phase: config ? "Done" : "Failed" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      refs: { config: ref(ConfigMap, ({ spec }) => spec.config) },
      async reconcile({ refs: { config }, status }) {
        status({ phase: config ? "Done" : "Failed" });
      },
    }),
  ],
};

const copiedOnce: PlantedBug = {
  name: "copied once",
  flaw: "a value of another object is kept as it was when it was first seen",
  oracles: ["same-end-state"],
  async workload({ client, clock }) {
    await client.create(ConfigMap, note("config", "one"));
    await client.create(Site, Site("a", { config: "config" }));
    await clock.advance("500ms");
    await client.patch(ConfigMap, "config", { type: "merge", body: { data: { text: "two" } } });
  },
  planted: () => [
    defineController(Site, {
      refs: { config: ref(ConfigMap, ({ spec }) => spec.config) },
      async reconcile({ object, refs: { config }, status }) {
        if (object.status.name === undefined) status({ name: config?.data?.["text"] });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      refs: { config: ref(ConfigMap, ({ spec }) => spec.config) },
      async reconcile({ refs: { config }, status }) {
        status({ name: config?.data?.["text"] });
      },
    }),
  ],
};

const driftDropped: PlantedBug = {
  name: "drift is filtered out",
  flaw: "changes of a kind without a generation are dropped, and others' changes stay",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", {}));
    await converge();
    await client.patch(ConfigMap, "a", { type: "merge", body: { data: { text: "drift" } } });
  },
  planted: () => [
    defineController(Site, {
      owns: [owned(ConfigMap, { when: generationChanged })],
      async reconcile({ object: { metadata }, own }) {
        await own(ConfigMap, [note(metadata.name, "data")]);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata }, own }) {
        await own(ConfigMap, [note(metadata.name, "data")]);
      },
    }),
  ],
};

export const staleBugs: readonly PlantedBug[] = [
  recreatedByOthers,
  prunedOnOldView,
  numberGivenTwice,
  createdOnOldView,
  absenceNotSeen,
  pulseMissed,
  orderOfEvents,
  copiedOnce,
  driftDropped,
];
