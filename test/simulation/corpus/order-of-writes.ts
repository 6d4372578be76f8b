// What is written in the wrong order: a kill or a lost answer in between shows it.
import { defineController, type ManifestOf } from "homeostat";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import { create, createAndGrow, generated, note, type PlantedBug, Site } from "./planted-bug.ts";

const unrecordedCreation: PlantedBug = {
  name: "created before it is recorded",
  flaw: "the generated name is kept in status, after the creation: another one is made if it is lost",
  oracles: ["same-end-state", "same-creations"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object, client, status }) {
        if (object.status.name !== undefined) return;
        const { metadata } = await client.create(
          ConfigMap,
          generated("bucket-", object.metadata.name),
        );
        status({ name: metadata.name });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client, status }) {
        await client.apply(ConfigMap, note(metadata.name, "bucket"));
        status({ name: metadata.name });
      },
    }),
  ],
};

const createdAnew: PlantedBug = {
  name: "retry creates anew",
  flaw: "a creation whose answer is lost is sent again, under another generated name",
  oracles: ["same-end-state", "same-creations"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const labelSelector = `site=${metadata.name}`;
        if ((await client.list(ConfigMap, { labelSelector })).length > 0) return;
        const attempt = () => client.create(ConfigMap, generated("bucket-", metadata.name));
        await attempt().catch(attempt);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const attempt = () => client.apply(ConfigMap, note(metadata.name, "bucket"));
        await attempt().catch(attempt);
      },
    }),
  ],
};

const doneBeforeWork: PlantedBug = {
  name: "done before the work",
  flaw: "status says that the work is done, and then it is done",
  oracles: ["same-end-state"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status }, client }) {
        if (status.phase === "Done") return;
        const done = { status: { phase: "Done" } };
        await client.patch(Site, metadata.name, done, { subresource: "status" });
        await client.create(ConfigMap, note(metadata.name, "work"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status }, client }) {
        if (status.phase === "Done") return;
        await client.apply(ConfigMap, note(metadata.name, "work"));
        const done = { status: { phase: "Done" } };
        await client.patch(Site, metadata.name, done, { subresource: "status" });
      },
    }),
  ],
};

const observedTooEarly: PlantedBug = {
  name: "generation observed too early",
  flaw: "what has been observed is not looked at again, and is recorded before the work",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec, status }, client }) {
        const { generation = 1, name } = metadata;
        if (status.number === generation) return;
        await client.patch(
          Site,
          name,
          { status: { number: generation } },
          { subresource: "status" },
        );
        await client.apply(ConfigMap, note(name, `${spec.size}`));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec, status: was }, client, status }) {
        const { generation = 1, name } = metadata;
        if (was.number === generation) return;
        await client.apply(ConfigMap, note(name, `${spec.size}`));
        status({ number: generation });
      },
    }),
  ],
};

const phaseWithoutResume: PlantedBug = {
  name: "a phase that nobody resumes",
  flaw: "after a restart in the middle, the object stays in its phase",
  oracles: ["same-end-state"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status: was }, client }) {
        const enter = (phase: string) =>
          client.patch(Site, metadata.name, { status: { phase } }, { subresource: "status" });
        if (was.phase !== undefined) return;
        await enter("Building");
        await client.create(ConfigMap, note(metadata.name, "built"));
        await enter("Built");
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status: was }, client }) {
        const enter = (phase: string) =>
          client.patch(Site, metadata.name, { status: { phase } }, { subresource: "status" });
        if (was.phase === "Built") return;
        if (was.phase === undefined) await enter("Building");
        await client.apply(ConfigMap, note(metadata.name, "built"));
        await enter("Built");
      },
    }),
  ],
};

const deletedBeforeCopied: PlantedBug = {
  name: "deleted before it is copied",
  flaw: "a rename deletes the old object before the new one has its data",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", { config: "old" }));
    await converge();
    await client.patch(ConfigMap, "old", { type: "merge", body: { data: { text: "precious" } } });
    await client.patch(Site, "a", { type: "merge", body: { spec: { config: "new" } } });
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { spec, status: was }, client, status }) {
        const { config = "none" } = spec;
        const old = was.name === undefined ? undefined : await client.get(ConfigMap, was.name);
        if (was.name !== config) {
          if (was.name !== undefined) await client.delete(ConfigMap, was.name);
          await client.apply(ConfigMap, note(config, old?.data?.["text"] ?? ""));
        }
        status({ name: config });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { spec, status: was }, client, status }) {
        const { config = "none" } = spec;
        const old = was.name === undefined ? undefined : await client.get(ConfigMap, was.name);
        if (was.name !== config) {
          if (!(await client.get(ConfigMap, config)))
            await client.create(ConfigMap, note(config, old?.data?.["text"] ?? ""));
          if (old) await client.delete(ConfigMap, old.metadata.name, { uid: old.metadata.uid });
        }
        status({ name: config });
      },
    }),
  ],
};

const serialOf = (secret: ManifestOf<typeof Secret> | undefined): number =>
  Number(secret?.metadata.annotations?.["serial"] ?? 0);

const key = (annotations: Readonly<Record<string, string>>) =>
  Secret({ name: "key", annotations }, {});

const rotatedTwice: PlantedBug = {
  name: "secret rotated twice",
  flaw: "the rotation is recorded after the Secret is changed, and is repeated if that is lost",
  oracles: ["same-end-state"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", { rotation: 1 }));
    await converge();
    await client.patch(Site, "a", { type: "merge", body: { spec: { rotation: 2 } } });
  },
  planted: () => [
    defineController(Site, {
      reads: { annotations: ["serial"] },
      async reconcile({ object: { spec, status: was }, client, status }) {
        if (was.number === spec.rotation) return;
        const serial = serialOf(await client.get(Secret, "key")) + 1;
        await client.apply(Secret, key({ serial: `${serial}` }));
        status({ number: spec.rotation });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      reads: { annotations: ["serial", "rotation"] },
      async reconcile({ object: { spec }, client, status }) {
        const rotation = `${spec.rotation}`;
        const secret = await client.get(Secret, "key");
        if (secret?.metadata.annotations?.["rotation"] !== rotation)
          await client.apply(Secret, key({ serial: `${serialOf(secret) + 1}`, rotation }));
        status({ number: spec.rotation });
      },
    }),
  ],
};

const appendedTwice: PlantedBug = {
  name: "appended twice",
  flaw: "a line is appended to a log, and that it was is recorded afterwards",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { spec, status: was }, client, status }) {
        if (was.size === spec.size) return;
        await client.upsert(ConfigMap, "log", (log) =>
          note("log", `${log?.data?.["text"] ?? ""}${spec.size};`),
        );
        status({ size: spec.size });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client, status }) {
        const generation = `${metadata.generation}`;
        await client.upsert(ConfigMap, "log", (log) => {
          if (log?.data?.["generation"] === generation) return log;
          const text = `${log?.data?.["text"] ?? ""}${spec.size};`;
          return ConfigMap("log", { data: { text, generation } });
        });
        status({ size: spec.size });
      },
    }),
  ],
};

const lockOfTheDead: PlantedBug = {
  name: "lock of the dead",
  flaw: "a lock that a killed process has left is never taken again",
  oracles: ["converges"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.create(ConfigMap, note("lock", "taken"));
        await client.apply(ConfigMap, note(metadata.name, "work"));
        await client.delete(ConfigMap, "lock");
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const lock = await client.upsert(
          ConfigMap,
          "lock",
          (taken) => taken ?? note("lock", metadata.uid),
        );
        // Whoever has it keeps it: a process that goes on for another one has it, too.
        if (lock.data?.["text"] !== metadata.uid) throw new Error("the lock is taken");
        await client.apply(ConfigMap, note(metadata.name, "work"));
      },
    }),
  ],
};

const halfOfTwo: PlantedBug = {
  name: "the second of two",
  flaw: "where the first object exists, the second is taken to exist",
  oracles: ["same-end-state"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const { name } = metadata;
        if (await client.get(ConfigMap, `${name}-0`)) return;
        await client.create(ConfigMap, note(`${name}-0`, "first"));
        await client.create(ConfigMap, note(`${name}-1`, "second"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const { name } = metadata;
        await client.apply(ConfigMap, note(`${name}-0`, "first"));
        await client.apply(ConfigMap, note(`${name}-1`, "second"));
      },
    }),
  ],
};

export const orderBugs: readonly PlantedBug[] = [
  unrecordedCreation,
  createdAnew,
  doneBeforeWork,
  observedTooEarly,
  phaseWithoutResume,
  deletedBeforeCopied,
  rotatedTwice,
  appendedTwice,
  lockOfTheDead,
  halfOfTwo,
];
