// What becomes of a change of the spec.
import { defineController } from "homeostat";
import { isInvalid } from "homeostat/api";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { createAndGrow, namesFor, note, type PlantedBug, Site } from "./planted-bug.ts";
import type { Workload } from "@homeostat/testing";

const changeSpec =
  (before: Parameters<typeof Site>[1], change: object): Workload =>
  async ({ client, converge }) => {
    await client.create(Site, Site("a", before));
    await converge();
    await client.patch(Site, "a", { type: "merge", body: { spec: change } });
  };

const updateIgnored: PlantedBug = {
  name: "update ignored",
  flaw: "a child that exists is taken to be as it should",
  oracles: ["follows-its-spec"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        if (await client.get(ConfigMap, metadata.name)) return;
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const there = await client.get(ConfigMap, metadata.name);
        if (there?.data?.["text"] === `${spec.size}`) return;
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
      },
    }),
  ],
};

const notUndone: PlantedBug = {
  name: "change not undone",
  flaw: "what a larger size has made stays when it is taken back",
  oracles: ["follows-its-spec"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", { size: 1 }));
    for (const size of [2, 1]) {
      await converge();
      await client.patch(Site, "a", { type: "merge", body: { spec: { size } } });
    }
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object, client }) {
        for (const name of namesFor(object)) await client.apply(ConfigMap, note(name, "part"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object, own }) {
        await own(
          ConfigMap,
          namesFor(object).map((name) => note(name, "part")),
        );
      },
    }),
  ],
};

const fieldStays: PlantedBug = {
  name: "removed field stays",
  flaw: "what is no longer wanted is left out of the patch, and so stays",
  oracles: ["follows-its-spec"],
  workload: changeSpec({ color: "red" }, { color: null }),
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const { name } = metadata;
        if (!(await client.get(ConfigMap, name)))
          await client.create(ConfigMap, note(name, "site"));
        if (spec.color !== undefined)
          await client.patch(ConfigMap, name, { data: { color: spec.color } });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const { name } = metadata;
        if (!(await client.get(ConfigMap, name)))
          await client.create(ConfigMap, note(name, "site"));
        await client.patch(ConfigMap, name, { data: { color: spec.color ?? null } });
      },
    }),
  ],
};

const oldNameStays: PlantedBug = {
  name: "old name stays",
  flaw: "the child of the new name is made, that of the old one forgotten",
  oracles: ["follows-its-spec"],
  workload: changeSpec({ config: "old" }, { config: "new" }),
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client }) {
        await client.apply(ConfigMap, note(spec.config ?? "none", "child"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { spec }, own }) {
        await own(ConfigMap, [note(spec.config ?? "none", "child")]);
      },
    }),
  ],
};

const misoperationIsFinal: PlantedBug = {
  name: "misoperation is final",
  flaw: "a spec that cannot be carried out is remembered when it has been corrected",
  oracles: ["follows-its-spec"],
  workload: changeSpec({ config: "NOT A NAME" }, { config: "a-name" }),
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { spec, status: was }, client, status }) {
        if (was.phase === "Refused") return;
        await client.apply(ConfigMap, note(spec.config ?? "none", "child")).then(
          () => status({ phase: "Done" }),
          (error: unknown) => {
            if (!isInvalid(error)) throw error;
            status({ phase: "Refused" });
          },
        );
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { spec }, client, status }) {
        await client.apply(ConfigMap, note(spec.config ?? "none", "child")).then(
          () => status({ phase: "Done" }),
          (error: unknown) => {
            if (!isInvalid(error)) throw error;
            status({ phase: "Refused" });
          },
        );
      },
    }),
  ],
};

const notMadeAgain: PlantedBug = {
  name: "not made again",
  flaw: "a child that its user has deleted is not missed",
  oracles: ["follows-its-spec"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", {}));
    await converge();
    await client.delete(ConfigMap, "a");
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, status: was }, client, status }) {
        if (was.phase === "Done") return;
        await client.apply(ConfigMap, note(metadata.name, "child"));
        status({ phase: "Done" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata }, own, status }) {
        await own(ConfigMap, [note(metadata.name, "child")]);
        status({ phase: "Done" });
      },
    }),
  ],
};

export const specBugs: readonly PlantedBug[] = [
  updateIgnored,
  notUndone,
  fieldStays,
  oldNameStays,
  misoperationIsFinal,
  notMadeAgain,
];
