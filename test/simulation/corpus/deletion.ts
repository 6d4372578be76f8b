// What goes wrong when an object goes, and what is left behind.
import { defineController, ref } from "homeostat";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import {
  create,
  createAndDelete,
  generated,
  note,
  type PlantedBug,
  Site,
  Zone,
} from "./planted-bug.ts";

const finalizerFirst: PlantedBug = {
  name: "finalizer removed first",
  flaw: "the finalizer is taken away, and then what it stands for",
  oracles: ["leaves-nothing-behind"],
  workload: createAndDelete,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside"));
      },
      async finalize({ object: { metadata }, client }) {
        await client.patch(Site, metadata.name, { metadata: { finalizers: null } });
        await client.delete(ConfigMap, `bucket-${metadata.name}`);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside"));
      },
      async finalize({ object: { metadata }, client }) {
        await client.delete(ConfigMap, `bucket-${metadata.name}`);
      },
    }),
  ],
};

const cleanUpByStatus: PlantedBug = {
  name: "clean-up by what status says",
  flaw: "what is deleted is what status names, and that is written after the creation",
  oracles: ["leaves-nothing-behind"],
  async workload({ client, clock }) {
    await client.create(Site, Site("a", {}));
    await clock.advance("500ms");
    await client.delete(Site, "a");
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client, status }) {
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside"));
        status({ name: `bucket-${metadata.name}` });
      },
      async finalize({ object, client }) {
        if (object.status.name !== undefined) await client.delete(ConfigMap, object.status.name);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client, status }) {
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside"));
        status({ name: `bucket-${metadata.name}` });
      },
      async finalize({ object: { metadata }, client }) {
        await client.delete(ConfigMap, `bucket-${metadata.name}`);
      },
    }),
  ],
};

const labelledTooLate: PlantedBug = {
  name: "marked too late",
  flaw: "the mark by which the clean-up finds an object is set after its creation",
  oracles: ["leaves-nothing-behind"],
  async workload({ client, clock }) {
    await client.create(Site, Site("a", {}));
    await clock.advance("500ms");
    await client.delete(Site, "a");
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const name = `bucket-${metadata.name}`;
        if (!(await client.get(ConfigMap, name)))
          await client.create(ConfigMap, note(name, "outside"));
        await client.patch(ConfigMap, name, { metadata: { labels: { site: metadata.name } } });
      },
      async finalize({ object: { metadata }, client }) {
        const labelSelector = `site=${metadata.name}`;
        for (const {
          metadata: { name },
        } of await client.list(ConfigMap, { labelSelector }))
          await client.delete(ConfigMap, name);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const labels = { site: metadata.name };
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside", labels));
      },
      async finalize({ object: { metadata }, client }) {
        const labelSelector = `site=${metadata.name}`;
        for (const {
          metadata: { name },
        } of await client.list(ConfigMap, { labelSelector }))
          await client.delete(ConfigMap, name);
      },
    }),
  ],
};

const needsWhatIsGone: PlantedBug = {
  name: "finalizer needs what is gone",
  flaw: "the clean-up fails for ever when the reference that it needs is gone",
  oracles: ["converges"],
  async workload({ client, converge }) {
    await client.create(Secret, Secret("key", { stringData: { key: "one" } }));
    await client.create(Site, Site("a", { config: "key" }));
    await converge();
    await client.delete(Site, "a");
    await client.delete(Secret, "key");
  },
  planted: () => [
    defineController(Site, {
      refs: { key: ref(Secret, ({ spec }) => spec.config) },
      async reconcile({ object: { metadata }, client }) {
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside"));
      },
      async finalize({ object: { metadata }, refs: { key }, client }) {
        if (!key) throw new Error("there is no key");
        await client.delete(ConfigMap, `bucket-${metadata.name}`);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      refs: { key: ref(Secret, ({ spec }) => spec.config) },
      async reconcile({ object: { metadata }, client }) {
        await client.apply(ConfigMap, note(`bucket-${metadata.name}`, "outside"));
      },
      async finalize({ object: { metadata }, client }) {
        await client.delete(ConfigMap, `bucket-${metadata.name}`);
      },
    }),
  ],
};

const leftBehind: PlantedBug = {
  name: "children left behind",
  flaw: "children have no owner, and nothing deletes them",
  oracles: ["leaves-nothing-behind"],
  workload: createAndDelete,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.apply(ConfigMap, note(metadata.name, "child"));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata }, own }) {
        await own(ConfigMap, [note(metadata.name, "child")]);
      },
    }),
  ],
};

const clusterScopedLeft: PlantedBug = {
  name: "cluster-scoped child left behind",
  flaw: "an owner reference does not reach from a namespace to what has none",
  oracles: ["leaves-nothing-behind"],
  workload: createAndDelete,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.apply(Zone, Zone(`zone-${metadata.name}`, { text: "child" }));
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [Zone],
      async reconcile({ object: { metadata }, own }) {
        await own(Zone, [Zone(`zone-${metadata.name}`, { text: "child" })]);
      },
    }),
  ],
};

const oneOfSeveralLeft: PlantedBug = {
  name: "one of several left behind",
  flaw: "the clean-up deletes the first object that it finds",
  oracles: ["leaves-nothing-behind", "same-end-state"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", { size: 2 }));
    await converge();
    await client.delete(Site, "a");
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const labels = { site: metadata.name };
        for (let i = 0; i < spec.size; i++)
          await client.apply(ConfigMap, note(`${metadata.name}-${i}`, "child", labels));
      },
      async finalize({ object: { metadata }, client }) {
        const [child] = await client.list(ConfigMap, { labelSelector: `site=${metadata.name}` });
        if (child) await client.delete(ConfigMap, child.metadata.name);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client }) {
        const labels = { site: metadata.name };
        for (let i = 0; i < spec.size; i++)
          await client.apply(ConfigMap, note(`${metadata.name}-${i}`, "child", labels));
      },
      async finalize({ object: { metadata }, client }) {
        const children = await client.list(ConfigMap, { labelSelector: `site=${metadata.name}` });
        for (const child of children) await client.delete(ConfigMap, child.metadata.name);
      },
    }),
  ],
};

const ownerOfBefore: PlantedBug = {
  name: "owner of before",
  flaw: "the uid of an owner is remembered by its name, and the child is collected",
  oracles: ["converges", "leaves-nothing-behind", "same-end-state"],
  controlPlane: ["garbage-collector-controller"],
  async workload({ client, converge }) {
    for (const size of [1, 2]) {
      await client.create(Site, Site("a", { size }));
      await converge();
      if (size === 1) await client.delete(Site, "a");
      await converge();
    }
  },
  planted() {
    const uids = new Map<string, string>();
    return [
      defineController(Site, {
        async reconcile({ object: { apiVersion, kind, metadata }, client }) {
          const { name } = metadata;
          const uid = uids.get(name) ?? metadata.uid;
          uids.set(name, uid);
          const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
          await client.apply(ConfigMap, ConfigMap({ name, ownerReferences }, { data: {} }));
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { apiVersion, kind, metadata }, client }) {
        const { name, uid } = metadata;
        const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
        await client.apply(ConfigMap, ConfigMap({ name, ownerReferences }, { data: {} }));
      },
    }),
  ],
};

const notItsOwn: PlantedBug = {
  name: "deletes what it does not own",
  flaw: "what is not wanted is found by its name, whoever has made it",
  oracles: ["deletes-only-its-own"],
  async workload({ client }) {
    await client.create(ConfigMap, note("a-notes", "the user's"));
    await client.create(Site, Site("a", {}));
  },
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.apply(ConfigMap, note(`${metadata.name}-0`, "child"));
        for (const {
          metadata: { name },
        } of await client.list(ConfigMap))
          if (name.startsWith(`${metadata.name}-`) && name !== `${metadata.name}-0`)
            await client.delete(ConfigMap, name);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const labels = { site: metadata.name };
        await client.apply(ConfigMap, note(`${metadata.name}-0`, "child", labels));
        const mine = await client.list(ConfigMap, { labelSelector: `site=${metadata.name}` });
        for (const {
          metadata: { name },
        } of mine)
          if (name !== `${metadata.name}-0`) await client.delete(ConfigMap, name);
      },
    }),
  ],
};

const generatedAndDeleted: PlantedBug = {
  name: "deletes the newest",
  flaw: "of several generated objects one is kept, whichever the list names first",
  oracles: ["same-end-state", "same-creations", "same-deletions"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        await client.create(ConfigMap, generated("data-", metadata.name));
        const all = await client.list(ConfigMap, { labelSelector: `site=${metadata.name}` });
        for (const one of all.slice(1)) await client.delete(ConfigMap, one.metadata.name);
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const { name, uid } = metadata;
        const labels = { site: name };
        await client.apply(ConfigMap, note(`data-${uid}`, "data", labels));
      },
    }),
  ],
};

export const deletionBugs: readonly PlantedBug[] = [
  finalizerFirst,
  cleanUpByStatus,
  labelledTooLate,
  needsWhatIsGone,
  leftBehind,
  clusterScopedLeft,
  oneOfSeveralLeft,
  ownerOfBefore,
  notItsOwn,
  generatedAndDeleted,
];
