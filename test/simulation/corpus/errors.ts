// What becomes of errors.
import { defineController, ref } from "homeostat";
import { isConflict, isInvalid } from "homeostat/api";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import { create, createAndGrow, generated, note, type PlantedBug, Site } from "./planted-bug.ts";

const conflictSwallowed: PlantedBug = {
  name: "conflict swallowed",
  flaw: "a refused update is taken for one that another has made",
  oracles: ["same-end-state"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const { name } = metadata;
        const there = await client.get(ConfigMap, name);
        if (!there) return void (await client.create(ConfigMap, note(name, `${spec.size}`)));
        const next = { ...there, data: { text: `${spec.size}` } };
        await client.update(ConfigMap, next).catch((error: unknown) => {
          if (!isConflict(error)) throw error;
        });
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

const goneIsDone: PlantedBug = {
  name: "gone means done",
  flaw: "a job that is not there is taken for one that has been done and cleaned up",
  oracles: ["same-end-state"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status }, client }) {
        const enter = (phase: string) =>
          client.patch(Site, metadata.name, { status: { phase } }, { subresource: "status" });
        if (status.phase === "Done") return;
        if (status.phase === "Running") {
          if (!(await client.get(ConfigMap, "job"))) await enter("Done");
          return;
        }
        await enter("Running");
        await client.create(ConfigMap, note("job", "runs"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ client, status }) {
        if (!(await client.get(ConfigMap, "job")))
          await client.apply(ConfigMap, note("job", "runs"));
        status({ phase: "Running" });
      },
    }),
  ],
};

const swallowedInLoop: PlantedBug = {
  name: "error swallowed in a loop",
  flaw: "what fails for one item is logged, and the reconcile is done",
  oracles: ["same-end-state"],
  async workload({ client }) {
    await client.create(Site, Site("a", { pages: ["x", "y"] }));
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client, log }) {
        for (const page of spec.pages ?? [])
          try {
            await client.apply(ConfigMap, note(page, "page"));
          } catch (error) {
            log.error("a page failed", { page, error: String(error) });
          }
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client }) {
        const failures: unknown[] = [];
        for (const page of spec.pages ?? [])
          await client
            .apply(ConfigMap, note(page, "page"))
            .catch((error: unknown) => failures.push(error));
        if (failures.length > 0) throw new AggregateError(failures, "pages failed");
      },
    }),
  ],
};

const firstHidesRest: PlantedBug = {
  name: "the first failure hides the rest",
  flaw: "an item that can never succeed keeps all later ones from their turn",
  oracles: ["converges"],
  async workload({ client }) {
    await client.create(Site, Site("a", { pages: ["NOT A NAME", "x"] }));
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client }) {
        for (const page of spec.pages ?? []) await client.apply(ConfigMap, note(page, "page"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client, status }) {
        const refused: string[] = [];
        for (const page of spec.pages ?? [])
          await client.apply(ConfigMap, note(page, "page")).catch((error: unknown) => {
            if (!isInvalid(error)) throw error;
            refused.push(page);
          });
        status({ names: refused });
      },
    }),
  ],
};

const immutableForEver: PlantedBug = {
  name: "immutable field written for ever",
  flaw: "a change that the server never takes is tried again and again",
  oracles: ["converges"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata, spec }, own }) {
        const data = { text: `${spec.size}` };
        await own(ConfigMap, [ConfigMap(metadata.name, { immutable: true, data })]);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata, spec }, own }) {
        const data = { text: `${spec.size}` };
        const name = `${metadata.name}-${spec.size}`;
        await own(ConfigMap, [ConfigMap(name, { immutable: true, data })]);
      },
    }),
  ],
};

const errorIsAbsence: PlantedBug = {
  name: "error taken for absence",
  flaw: "settings that cannot be read are taken for none",
  oracles: ["same-end-state"],
  async workload({ client }) {
    await client.create(ConfigMap, note("settings", "large"));
    await client.create(Site, Site("a", {}));
  },
  planted: () => [
    defineController(Site, {
      reads: { kinds: [ConfigMap] },
      async reconcile({ object: { metadata }, client }) {
        const settings = await client.get(ConfigMap, "settings").catch(() => undefined);
        await client.apply(ConfigMap, note(metadata.name, settings?.data?.["text"] ?? "small"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      reads: { kinds: [ConfigMap] },
      async reconcile({ object: { metadata }, client }) {
        const settings = await client.get(ConfigMap, "settings");
        await client.apply(ConfigMap, note(metadata.name, settings?.data?.["text"] ?? "small"));
      },
    }),
  ],
};

const errorIsEmpty: PlantedBug = {
  name: "error taken for an empty list",
  flaw: "where the list fails, everything is made once more",
  oracles: ["same-end-state", "same-creations"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const labelSelector = `site=${metadata.name}`;
        const there = await client.list(ConfigMap, { labelSelector }).catch(() => []);
        for (let i = there.length; i < spec.size; i++)
          await client.create(ConfigMap, generated("data-", metadata.name));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        for (let i = 0; i < spec.size; i++)
          await client.apply(ConfigMap, note(`data-${metadata.name}-${i}`, "data"));
      },
    }),
  ],
};

const failedForGood: PlantedBug = {
  name: "failed for good",
  flaw: "one failure is written into status as the end",
  oracles: ["same-end-state"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status: was }, client, status }) {
        if (was.phase === "Failed") return;
        try {
          await client.apply(ConfigMap, note(metadata.name, "work"));
          status({ phase: "Done" });
        } catch {
          status({ phase: "Failed" });
        }
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client, status }) {
        await client.apply(ConfigMap, note(metadata.name, "work"));
        status({ phase: "Done" });
      },
    }),
  ],
};

const givesUp: PlantedBug = {
  name: "gives up after one try",
  flaw: "a missing reference is looked for once, by a request, and nothing watches for it",
  oracles: ["same-end-state"],
  async workload({ client }) {
    await client.create(Site, Site("a", { config: "key" }));
    await client.create(Secret, Secret("key", { stringData: { key: "one" } }));
  },
  planted: () => [
    defineController(Site, {
      reads: { kinds: [Secret] },
      async reconcile({ object: { spec }, client, status }) {
        const key = await client.get(Secret, spec.config ?? "");
        status({ phase: key ? "Done" : "Missing" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      refs: { key: ref(Secret, ({ spec }) => spec.config) },
      async reconcile({ refs: { key }, status }) {
        status({ phase: key ? "Done" : "Missing" });
      },
    }),
  ],
};

export const errorBugs: readonly PlantedBug[] = [
  conflictSwallowed,
  goneIsDone,
  swallowedInLoop,
  firstHidesRest,
  immutableForEver,
  errorIsAbsence,
  errorIsEmpty,
  failedForGood,
  givesUp,
];
