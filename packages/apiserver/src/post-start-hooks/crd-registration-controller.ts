// Keeps one APIService for every group and version that CustomResourceDefinitions serve: creates it
// with the first definition, deletes it with the last, and reverts changes to it. APIServices that
// users created stay untouched.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/crdregistration,
// k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
import { type Decoded, equalJson } from "homeostat/api";
import type { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import type { APIService, APIServiceSpec } from "homeostat/k8s/apiregistration/v1";
import { createKeyedWorkers, type KeyedWorkers } from "homeostat/queue";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import { followRevisions } from "../registry/revisions/follow-revisions.ts";
import { storageKeyOf, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { Revision } from "../storage/store.ts";
import { insertText } from "./bootstrap/store-bootstrap-objects.ts";
import type { HookContext } from "./hook-context.ts";

const label = "kube-aggregator.kubernetes.io/automanaged";
const path = "/apis/apiregistration.k8s.io/v1/apiservices";

/** A served version: all that its APIService says. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Starts the controller. Returns a function that stops it. */
export function startCrdRegistrationController(context: HookContext): () => Promise<void> {
  const { catalog } = context.core;
  const definitions = catalog.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const apiServices = catalog.find("apiregistration.k8s.io", "v1", "apiservices");
  if (!definitions || !apiServices) return async () => {};
  const controller = new CrdRegistrationController(context, apiServices);
  controller.start(definitions);
  return () => controller.stop();
}

class CrdRegistrationController {
  readonly #context: HookContext;
  readonly #apiServices: ServedResource;
  /** The served versions of each definition, by its key, as of its generation. */
  readonly #served = new Map<
    string,
    { readonly generation: number; readonly versions: ReadonlyMap<string, GroupVersion> }
  >();
  readonly #workers: KeyedWorkers;
  readonly #stops: (() => void)[] = [];

  constructor(context: HookContext, apiServices: ServedResource) {
    this.#context = context;
    this.#apiServices = apiServices;
    this.#workers = createKeyedWorkers({
      runtime: context.core.runtime,
      backoff: { firstMs: 1000, maxMs: 1000 },
      failing: (name, error) => context.warn?.(`APIService ${name} cannot be registered`, error),
    });
  }

  start(definitions: ServedResource): void {
    const { store } = this.#context.core;
    const prefix = storagePrefixOf(this.#apiServices, "");
    this.#stops.push(
      followRevisions(store, storagePrefixOf(definitions, ""), (revision) =>
        this.#definitionChanged(revision),
      ),
      followRevisions(store, prefix, ({ key, attributes, type }) => {
        const name = key.slice(prefix.length);
        const isLost = type === "DELETED" && this.#wanted(name) !== undefined;
        if (attributes.labels[label] === "true" || isLost) this.#workers.add(name);
      }),
    );
    this.#workers.start((name) => this.#sync(name));
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#workers.stop();
  }

  #definitionChanged({ key, type, bytes, attributes: { generation } }: Revision): void {
    const before = this.#served.get(key);
    if (type !== "DELETED" && before?.generation === generation) return;
    if (type === "DELETED") this.#served.delete(key);
    else this.#served.set(key, { generation, versions: servedVersions(parseStored(bytes)) });
    for (const name of before?.versions.keys() ?? []) this.#workers.add(name);
    for (const name of this.#served.get(key)?.versions.keys() ?? []) this.#workers.add(name);
  }

  #wanted(name: string): GroupVersion | undefined {
    for (const { versions } of this.#served.values())
      if (versions.has(name)) return versions.get(name);
    return undefined;
  }

  async #sync(name: string): Promise<void> {
    const { core } = this.#context;
    const key = storageKeyOf(this.#apiServices, "", name);
    const wanted = this.#wanted(name);
    const found = core.store.latest(key);
    if (!found) {
      if (wanted)
        await insertText(core.store, this.#apiServices, key, {
          text: apiServiceText(wanted),
          now: formatSeconds(core.runtime.clock.now()),
          entropy: core.runtime.entropy,
        });
      return;
    }
    if (found.attributes.labels[label] !== "true") return;
    if (!wanted) return await this.#write("DELETE", name);
    const object = parseStored(found.bytes) as Decoded<APIService>;
    const spec = specOf(wanted);
    if (!equalJson(object.spec ?? {}, spec)) await this.#write("PUT", name, { ...object, spec });
  }

  /** An object that is gone needs no write. Rejects for every other refusal. */
  async #write(method: "PUT" | "DELETE", name: string, body?: Decoded<APIService>): Promise<void> {
    const { status } = await this.#context.loopback(method, `${path}/${name}`, body);
    if (status >= 300 && status !== 404)
      throw new Error(`${method} APIService ${name}: expected 200, got ${status}`);
  }
}

/** The versions that a definition serves, by the names of their APIServices. */
export function servedVersions({
  spec,
}: Decoded<CustomResourceDefinition>): ReadonlyMap<string, GroupVersion> {
  const group = spec?.group ?? "";
  const names = (spec?.versions ?? []).flatMap(({ name, served }) => (served ? [name ?? ""] : []));
  return new Map(names.map((version) => [`${version}.${group}`, { group, version }]));
}

/** Below the priorities of the server's own groups; versions of one group are equals. */
const specOf = ({ group, version }: GroupVersion): Decoded<APIServiceSpec> => ({
  group,
  version,
  groupPriorityMinimum: 1000,
  versionPriority: 100,
});

/** An APIService as bootstrap objects are stored: without uid, times and revision. */
function apiServiceText(wanted: GroupVersion): string {
  const fields = {
    "f:metadata": { "f:labels": { ".": {}, [`f:${label}`]: {} } },
    "f:spec": {
      "f:group": {},
      "f:groupPriorityMinimum": {},
      "f:version": {},
      "f:versionPriority": {},
    },
  };
  const entry = {
    manager: "kube-apiserver",
    operation: "Update",
    apiVersion: "apiregistration.k8s.io/v1",
    time: "",
    fieldsType: "FieldsV1",
    fieldsV1: fields,
  };
  const available = {
    type: "Available",
    status: "True",
    lastTransitionTime: "",
    reason: "Local",
    message: "Local APIServices are always available",
  };
  return JSON.stringify({
    kind: "APIService",
    apiVersion: "apiregistration.k8s.io/v1",
    metadata: {
      name: `${wanted.version}.${wanted.group}`,
      uid: "",
      resourceVersion: "",
      creationTimestamp: "",
      labels: { [label]: "true" },
      managedFields: [entry],
    },
    spec: specOf(wanted),
    status: { conditions: [available] },
  });
}
