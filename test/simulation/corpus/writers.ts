// Several writers, several processes, several clocks.
import { defineController, ref } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { create, createAndGrow, note, type PlantedBug, Site } from "./planted-bug.ts";

const lastWriterWins: PlantedBug = {
  name: "another's entry overwritten",
  flaw: "a list is read, extended and written without a condition, by two at once",
  oracles: ["same-end-state"],
  async workload({ client }) {
    await client.create(ConfigMap, note("registry", ""));
    await client.create(Site, Site("a", {}));
    await client.create(Site, Site("b", {}));
  },
  planted: () => [
    defineController(Site, {
      concurrency: 2,
      async reconcile({ object: { metadata }, client }) {
        const registry = await client.get(ConfigMap, "registry");
        const text = withEntry(registry?.data?.["text"], metadata.name);
        await client.patch(ConfigMap, "registry", { data: { text } });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      concurrency: 2,
      async reconcile({ object: { metadata }, client }) {
        await client.upsert(ConfigMap, "registry", (registry) =>
          note("registry", withEntry(registry?.data?.["text"], metadata.name)),
        );
      },
    }),
  ],
};

const withEntry = (text = "", name: string): string =>
  [...new Set([...text.split(",").filter(Boolean), name])].toSorted().join(",");

const deposedGoesOn: PlantedBug = {
  name: "the deposed goes on",
  flaw: "a write that has been overtaken is carried out without a condition",
  oracles: ["same-end-state"],
  async workload({ client, clock, converge }) {
    await client.create(Site, Site("a", { size: 1 }));
    await converge();
    await client.patch(Site, "a", { type: "merge", body: { spec: { size: 2 } } });
    await clock.advance("2s");
    await client.patch(Site, "a", { type: "merge", body: { spec: { size: 3 } } });
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        await client.upsert(ConfigMap, metadata.name, () => note(metadata.name, `${spec.size}`));
      },
    }),
  ],
};

const wrongReplica: PlantedBug = {
  name: "the wrong replica is taken away",
  flaw: "who leads is read from a cache, and the leader is deleted",
  oracles: ["same-end-state", "deletes-only-its-own"],
  async workload({ client, converge }) {
    await client.create(ConfigMap, note("leader", "m-1"));
    await client.create(Site, Site("m", { size: 2, config: "leader" }));
    await converge();
    await client.patch(ConfigMap, "leader", { type: "merge", body: { data: { text: "m-0" } } });
    await client.patch(Site, "m", { type: "merge", body: { spec: { size: 1 } } });
  },
  planted: () => [scaling(({ cache }) => cache)],
  sound: () => [scaling(({ client }) => client)],
};

/** Scales down to the leader, whom `reader` finds. */
const scaling = (reader: (of: Readers) => Reader) =>
  defineController(Site, {
    refs: { leader: ref(ConfigMap, ({ spec }) => spec.config) },
    async reconcile({ object: { metadata, spec }, cache, client }) {
      const members = await client.list(ConfigMap, { labelSelector: "member" });
      const there = new Set(members.map(({ metadata: { name } }) => name));
      const names = Array.from({ length: spec.size }, (_, i) => `${metadata.name}-${i}`);
      if (there.size < spec.size)
        for (const name of names)
          if (!there.has(name))
            await client.apply(ConfigMap, note(name, "data", { member: "yes" }));
      if (there.size <= spec.size) return;
      const address = { name: spec.config ?? "", namespace: "default" };
      const leader = await reader({ cache, client }).get(ConfigMap, address);
      const victims = [...there].filter((name) => name !== leader?.data?.["text"]).toSorted();
      for (const name of victims.slice(spec.size - 1)) await client.delete(ConfigMap, name);
    },
  });

interface Reader {
  get(
    kind: typeof ConfigMap,
    address: { readonly name: string; readonly namespace: string },
  ): ConfigMap | undefined | Promise<ConfigMap | undefined>;
}

interface Readers {
  readonly cache: Reader;
  readonly client: Reader;
}

const leaseMs = 600_000;

const clocksCompared: PlantedBug = {
  name: "clocks compared",
  flaw: "when a claim ends is compared with a clock that may have jumped",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec, status: was }, client, status }) {
        const time = was.time ?? new Date(Date.now() + leaseMs).toISOString();
        if (Date.now() > Date.parse(time)) return status({ phase: "Expired" });
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
        status({ time });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec, status: was }, client, status }) {
        // For people: nothing is decided by it.
        const time = was.time ?? new Date(Date.now() + leaseMs).toISOString();
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
        status({ time });
      },
    }),
  ],
};

const nameFromClock: PlantedBug = {
  name: "name from the clock",
  flaw: "the minute in the name of an object makes two of one",
  oracles: ["same-end-state", "same-creations"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client, status }) {
        const name = `${metadata.name}-${Math.floor(Date.now() / 60_000)}`;
        await client.apply(ConfigMap, note(name, "run"));
        await client.apply(ConfigMap, note(`${metadata.name}-latest`, name));
        status({ phase: "Done" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client, status }) {
        const name = `${metadata.name}-run`;
        await client.apply(ConfigMap, note(name, "run"));
        await client.apply(ConfigMap, note(`${metadata.name}-latest`, name));
        status({ phase: "Done" });
      },
    }),
  ],
};

const timerInMemory: PlantedBug = {
  name: "timer in memory",
  flaw: "the second half of the work waits in a timer of this process",
  oracles: ["same-end-state"],
  workload: create,
  planted() {
    const due = new Map<string, number>();
    return [
      defineController(Site, {
        async reconcile({ object: { metadata, status: was }, client, status, retry }) {
          if (was.phase === undefined) {
            due.set(metadata.uid, Date.now() + 5_000);
            status({ phase: "Waiting" });
            return retry.in("5s", { because: "the disk warms up" });
          }
          const at = due.get(metadata.uid);
          if (at === undefined || Date.now() < at) return undefined;
          await client.apply(ConfigMap, note(metadata.name, "work"));
          status({ phase: "Done" });
          return undefined;
        },
      }),
    ];
  },
  sound() {
    const seen = new Set<string>();
    return [
      defineController(Site, {
        async reconcile({ object: { metadata, status: was }, client, status, retry }) {
          if (was.phase === "Done") return undefined;
          if (!seen.has(metadata.uid)) {
            seen.add(metadata.uid);
            status({ phase: "Waiting" });
            return retry.in("5s", { because: "the disk warms up" });
          }
          await client.apply(ConfigMap, note(metadata.name, "work"));
          status({ phase: "Done" });
          return undefined;
        },
      }),
    ];
  },
};

export const writerBugs: readonly PlantedBug[] = [
  lastWriterWins,
  deposedGoesOn,
  wrongReplica,
  clocksCompared,
  nameFromClock,
  timerInMemory,
];
