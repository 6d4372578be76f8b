// What is known only to one process, and gone with it.
import { defineController, ref } from "homeostat";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import { createAndGrow, namesFor, note, type PlantedBug, Site } from "./planted-bug.ts";

const begunInMemory: PlantedBug = {
  name: "begun in memory",
  flaw: "the second step is made only by the process that has made the first one",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted() {
    const begun = new Set<string>();
    return [
      defineController(Site, {
        owns: [ConfigMap],
        async reconcile({ object: { metadata, spec, status: was }, own, status }) {
          if (was.phase === undefined) begun.add(metadata.name);
          else if (begun.has(metadata.name))
            await own(ConfigMap, [note(metadata.name, `${spec.size}`)]);
          status({ phase: "Begun" });
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata, spec }, own, status }) {
        await own(ConfigMap, [note(metadata.name, `${spec.size}`)]);
        status({ phase: "Begun" });
      },
    }),
  ],
};

const namesInMemory: PlantedBug = {
  name: "names in memory",
  flaw: "what to take away is found by what this process has made",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", { size: 2 }));
    await converge();
    await client.patch(Site, "a", { type: "merge", body: { spec: { size: 1 } } });
  },
  planted() {
    const made = new Map<string, readonly string[]>();
    return [
      defineController(Site, {
        async reconcile({ object, client }) {
          const names = namesFor(object);
          for (const name of names) await client.apply(ConfigMap, note(name, "part"));
          for (const name of made.get(object.metadata.name) ?? [])
            if (!names.includes(name)) await client.delete(ConfigMap, name);
          made.set(object.metadata.name, names);
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      async reconcile({ object, client }) {
        const names = namesFor(object);
        const labels = { site: object.metadata.name };
        for (const name of names) await client.apply(ConfigMap, note(name, "part", labels));
        const there = await client.list(ConfigMap, { labelSelector: `site=${labels.site}` });
        for (const { metadata } of there)
          if (!names.includes(metadata.name))
            await client.delete(ConfigMap, { name: metadata.name }, { uid: metadata.uid });
      },
    }),
  ],
};

const numberInMemory: PlantedBug = {
  name: "number in memory",
  flaw: "numbers are counted in memory, and given again after a restart",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", {}));
    await converge();
    await client.create(Site, Site("b", {}));
  },
  planted() {
    let last = 0;
    return [
      defineController(Site, {
        async reconcile({ object, status }) {
          if (object.status.number === undefined) status({ number: ++last });
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status: was }, client, status }) {
        if (was.number !== undefined) return;
        // The name of an object can be taken only once.
        for (let number = 1; ; number++) {
          const { data } = await client.upsert(
            ConfigMap,
            `number-${number}`,
            (taken) => taken ?? note(`number-${number}`, metadata.name),
          );
          if (data?.["text"] === metadata.name) return status({ number });
        }
      },
    }),
  ],
};

const keptInMemory: PlantedBug = {
  name: "read once",
  flaw: "a Secret is read once for each process, and not again when it changes",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(Secret, Secret("key", { stringData: { key: "one" } }));
    await client.create(Site, Site("a", { config: "key" }));
    await converge();
    await client.patch(Secret, "key", { type: "merge", body: { stringData: { key: "two" } } });
    await client.patch(Site, "a", { type: "merge", body: { spec: { size: 2 } } });
  },
  planted() {
    const kept = new Map<string, string>();
    return [
      defineController(Site, {
        owns: [ConfigMap],
        refs: { key: ref(Secret, ({ spec }) => spec.config) },
        async reconcile({ object: { metadata, spec }, refs: { key }, own, wait }) {
          if (!key) return wait.forRef("key");
          const text = kept.get(key.metadata.name) ?? key.data?.["key"] ?? "";
          kept.set(key.metadata.name, text);
          await own(ConfigMap, [note(metadata.name, `${text} ${spec.size}`)]);
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      refs: { key: ref(Secret, ({ spec }) => spec.config) },
      async reconcile({ object: { metadata, spec }, refs: { key }, own, wait }) {
        if (!key) return wait.forRef("key");
        await own(ConfigMap, [note(metadata.name, `${key.data?.["key"]} ${spec.size}`)]);
      },
    }),
  ],
};

const changeInMemory: PlantedBug = {
  name: "acts on the change",
  flaw: "the work is done when the value differs from the one before, not from what is there",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted() {
    const before = new Map<string, number>();
    return [
      defineController(Site, {
        async reconcile({ object: { metadata, spec, status: was }, client, status }) {
          const last = before.get(metadata.name);
          before.set(metadata.name, spec.size);
          if (was.phase === undefined || (last !== undefined && last !== spec.size))
            await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
          status({ phase: "Done" });
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client, status }) {
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
        status({ phase: "Done" });
      },
    }),
  ],
};

const countedInMemory: PlantedBug = {
  name: "runs counted in status",
  flaw: "status says how often this process has reconciled the object",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted() {
    let runs = 0;
    return [
      defineController(Site, {
        async reconcile({ status }) {
          status({ number: ++runs });
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      async reconcile({ object, status }) {
        status({ number: object.metadata.generation });
      },
    }),
  ],
};

export const memoryBugs: readonly PlantedBug[] = [
  begunInMemory,
  namesInMemory,
  numberInMemory,
  keptInMemory,
  changeInMemory,
  countedInMemory,
];
