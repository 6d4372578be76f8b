// A planted bug: a controller as a user of the framework would plausibly write it, with one flaw,
// and beside it the sound one that does the same work.
import { type Controller, defineResource } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import {
  type Oracle,
  scenario,
  type Scenario,
  type ScenarioSetup,
  type Workload,
} from "@homeostat/testing";
import * as z from "zod";

/** One bug. */
export interface PlantedBug {
  readonly name: string;
  /** What is wrong, in one sentence. */
  readonly flaw: string;
  /** The oracles that may find it; the first thing that a run shows must be of one of them. */
  readonly oracles: readonly Oracle[];
  readonly controlPlane?: NonNullable<ScenarioSetup["controlPlane"]>;
  readonly workload: Workload;
  planted(): readonly Controller[];
  sound(): readonly Controller[];
}

/** The scenario of one of the two. */
export function scenarioOf(
  bug: PlantedBug,
  which: "planted" | "sound",
  without: readonly Oracle[] = [],
): Scenario {
  const { name, workload, controlPlane = "none" } = bug;
  const resources = [Site, Part, Zone];
  const controllers = which === "planted" ? bug.planted : bug.sound;
  return scenario(
    `${name}, ${which}`,
    { operator: "sites", resources, controllers, controlPlane, without },
    workload,
  );
}

const api = { group: "corpus.example.com", version: "v1" } as const;

/** What most of the controllers reconcile. */
export const Site = defineResource({
  ...api,
  kind: "Site",
  spec: z.object({
    size: z.int().default(1),
    color: z.string().optional(),
    pages: z.array(z.string()).optional(),
    config: z.string().optional(),
    rotation: z.int().optional(),
  }),
  status: z.object({
    phase: z.string(),
    size: z.int(),
    number: z.int(),
    name: z.string(),
    names: z.array(z.string()),
    time: z.string(),
  }),
  conditions: ["Ready", "Reachable"],
});
export type Site = ReturnType<typeof Site>;

/** A child that has a status of its own. */
export const Part = defineResource({
  ...api,
  kind: "Part",
  spec: z.object({ text: z.string() }),
  status: z.object({ text: z.string() }),
  conditions: ["Ready"],
});

/** What has no namespace. */
export const Zone = defineResource({
  ...api,
  kind: "Zone",
  scope: "Cluster",
  spec: z.object({ text: z.string() }),
});

/** A ConfigMap with one value: a part of a site, or something outside of the cluster. */
export const note = (name: string, text: string, labels: Readonly<Record<string, string>> = {}) =>
  ConfigMap({ name, labels }, { data: { text } });

/** A ConfigMap of a site, whose name the server makes. */
export const generated = (generateName: string, site: string) =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { generateName, labels: { site } },
  }) as const;

/** `a-0`, `a-1`, … */
export const namesFor = ({ metadata, spec }: NamedSite): readonly string[] =>
  Array.from({ length: spec.size }, (_, i) => `${metadata.name}-${i}`);

interface NamedSite {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly size: number };
}

/** A site is made, and changed once. */
export const createAndGrow: Workload = async ({ client, converge }) => {
  await client.create(Site, Site("a", { size: 1 }));
  await converge();
  await client.patch(Site, "a", { type: "merge", body: { spec: { size: 2 } } });
};

/** A site is made. */
export const create: Workload = async ({ client }) => {
  await client.create(Site, Site("a", { size: 1 }));
};

/** A site comes and goes. */
export const createAndDelete: Workload = async ({ client, converge }) => {
  await client.create(Site, Site("a", { size: 1 }));
  await converge();
  await client.delete(Site, "a");
};
