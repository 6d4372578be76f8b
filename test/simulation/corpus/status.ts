// What status says, when, and how often.
import { all, defineController } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { create, createAndGrow, note, Part, type PlantedBug, Site } from "./planted-bug.ts";

const ready = (observedGeneration: number, status = "True") => ({
  type: "Ready",
  status,
  reason: "Done",
  message: "",
  observedGeneration,
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

const generationForgotten: PlantedBug = {
  name: "generation forgotten",
  flaw: "Ready is written once, and goes on speaking of the first generation",
  oracles: ["readiness"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec, status }, client }) {
        const { name, generation = 0 } = metadata;
        await client.apply(ConfigMap, note(name, `${spec.size}`));
        if (status.conditions?.some(({ type }) => type === "Ready")) return;
        const conditions = [ready(generation)];
        await client.patch(Site, name, { status: { conditions } }, { subresource: "status" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object: { metadata, spec }, client, condition }) {
        await client.apply(ConfigMap, note(metadata.name, `${spec.size}`));
        condition("Ready", "True", "Done");
      },
    }),
  ],
};

const readyTooEarly: PlantedBug = {
  name: "ready before its children",
  flaw: "Ready is said when the children are made, not when they are ready",
  oracles: ["readiness"],
  async workload({ client, converge }) {
    await client.create(Site, Site("a", {}));
    await converge();
    const conditions = [ready(1, "False")];
    const body = { status: { conditions } };
    await client.patch(Part, "a", { type: "merge", body }, { subresource: "status" });
  },
  planted: () => [
    defineController(Site, {
      owns: [Part],
      async reconcile({ object: { metadata }, own, condition }) {
        await own(Part, [Part(metadata.name, { text: "part" })]);
        condition("Ready", "True", "Created");
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      owns: [Part],
      async reconcile({ object: { metadata }, own, condition }) {
        const [part] = await own(Part, [Part(metadata.name, { text: "part" })]);
        const isReady = part?.status.conditions?.some(({ status }) => status === "True") === true;
        condition("Ready", isReady ? "True" : "False", isReady ? "Ready" : "PartNotReady");
      },
    }),
  ],
};

const counter: PlantedBug = {
  name: "counter in status",
  flaw: "each reconcile counts itself in status, and so brings the next one",
  oracles: ["converges"],
  workload: create,
  planted: () => [
    defineController(Site, {
      async reconcile({ object, status }) {
        status({ number: (object.status.number ?? 0) + 1 });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ object, status }) {
        status({ number: object.spec.size + 1 });
      },
    }),
  ],
};

const timeInStatus: PlantedBug = {
  name: "time in status",
  flaw: "each look at the object is noted in its status, with the time",
  oracles: ["converges"],
  workload: create,
  planted: () => [
    defineController(Site, {
      resyncEvery: "10s",
      async reconcile({ status }) {
        status({ time: new Date().toISOString() });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      resyncEvery: "10s",
      async reconcile({ object, status }) {
        if (object.status.time === undefined) status({ time: new Date().toISOString() });
      },
    }),
  ],
};

const flapping: PlantedBug = {
  name: "condition that flaps",
  flaw: "each reconcile says that the object is not ready, and then that it is",
  oracles: ["converges"],
  workload: create,
  planted: () => [
    defineController(Site, {
      resyncEvery: "10s",
      async reconcile({ object: { metadata }, client }) {
        const { name, generation = 0 } = metadata;
        for (const status of ["False", "True"]) {
          const conditions = [ready(generation, status)];
          await client.patch(Site, name, { status: { conditions } }, { subresource: "status" });
          await client.apply(ConfigMap, note(name, "work"));
        }
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      resyncEvery: "10s",
      async reconcile({ object: { metadata }, client, condition }) {
        await client.apply(ConfigMap, note(metadata.name, "work"));
        condition("Ready", "True", "Done");
      },
    }),
  ],
};

const writesAlways: PlantedBug = {
  name: "writes on each reconcile",
  flaw: "the child has another value each time, and its change brings the next reconcile",
  oracles: ["converges"],
  workload: create,
  planted() {
    let version = 0;
    return [
      defineController(Site, {
        owns: [ConfigMap],
        async reconcile({ object: { metadata }, client }) {
          const { name, uid } = metadata;
          const owner = { apiVersion: Site.apiVersion, kind: "Site", name, uid, controller: true };
          const text = `version ${++version}`;
          await client.apply(
            ConfigMap,
            ConfigMap({ name, ownerReferences: [owner] }, { data: { text } }),
          );
          await client.get(ConfigMap, name);
        },
      }),
    ];
  },
  sound: () => [
    defineController(Site, {
      owns: [ConfigMap],
      async reconcile({ object: { metadata }, own }) {
        await own(ConfigMap, [note(metadata.name, "version")]);
      },
    }),
  ],
};

const emptyWrites: PlantedBug = {
  name: "status written without a change",
  flaw: "each reconcile sends the status, whether it has changed or not",
  oracles: ["no-empty-status-write"],
  workload: createAndGrow,
  planted: () => [
    defineController(Site, {
      async reconcile({ object: { metadata }, client }) {
        const status = { phase: "Done" };
        await client.patch(Site, metadata.name, { status }, { subresource: "status" });
      },
    }),
  ],
  sound: () => [
    defineController(Site, {
      async reconcile({ status }) {
        status({ phase: "Done" });
      },
    }),
  ],
};

const condition = (type: "Ready" | "Reachable") => ({ ...ready(1), type });

const conditionsReplaced: PlantedBug = {
  name: "conditions replaced",
  flaw: "two controllers each write the whole list of conditions",
  oracles: ["converges", "same-end-state"],
  workload: create,
  planted: () =>
    (["Ready", "Reachable"] as const).map((type) =>
      defineController(Site, {
        name: type.toLowerCase(),
        async reconcile({ object: { metadata, status: was }, client }) {
          if (was.conditions?.some((one) => one.type === type)) return;
          const status = { conditions: [condition(type)] };
          await client.patch(Site, metadata.name, { status }, { subresource: "status" });
        },
      }),
    ),
  sound: () =>
    (["Ready", "Reachable"] as const).map((type) =>
      defineController(Site, {
        name: type.toLowerCase(),
        async reconcile({ condition: set }) {
          set(type, "True", "Done");
        },
      }),
    ),
};

const oneFieldTwoWriters: PlantedBug = {
  name: "two controllers write one field",
  flaw: "two controllers each hold their own value of one field to be right",
  oracles: ["converges"],
  async workload({ client }) {
    await client.create(ConfigMap, note("shared", "none", { shared: "yes" }));
    await client.create(Site, Site("a", {}));
  },
  planted: () =>
    ["red", "blue"].map((color) =>
      defineController(Site, {
        name: color,
        watches: { shared: all(ConfigMap, { labels: { shared: "yes" } }) },
        async reconcile({ watches, client }) {
          for (const { metadata, data } of watches.shared)
            if (data?.["text"] !== color)
              await client.patch(ConfigMap, metadata.name, { data: { text: color } });
        },
      }),
    ),
  sound: () =>
    ["red", "blue"].map((color) =>
      defineController(Site, {
        name: color,
        watches: { shared: all(ConfigMap, { labels: { shared: "yes" } }) },
        async reconcile({ watches, client }) {
          for (const { metadata, data } of watches.shared)
            if (data?.[color] !== "yes")
              await client.patch(ConfigMap, metadata.name, { data: { [color]: "yes" } });
        },
      }),
    ),
};

export const statusBugs: readonly PlantedBug[] = [
  generationForgotten,
  readyTooEarly,
  counter,
  timeInStatus,
  flapping,
  writesAlways,
  emptyWrites,
  conditionsReplaced,
  oneFieldTwoWriters,
];
