// The API services of groups and versions that definitions serve: made when the first definition of
// a version comes, removed with the last, put right when somebody changes or deletes one. Those
// that others have made are left alone.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/crdregistration,
// k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
import type { JsonObject } from "homeostat/api";
import type { LoopbackClient } from "./loopback-client.ts";
import { itemsAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { storageKeyOf, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { Revision } from "../storage/store.ts";
import { insertText } from "./bootstrap/store-bootstrap-objects.ts";
import { WorkSet } from "./work-set.ts";

const label = "kube-aggregator.kubernetes.io/automanaged";
const path = "/apis/apiregistration.k8s.io/v1/apiservices";

/** Where a version of a group is served, which says everything of its API service. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Keeps them until what is returned is called. */
export function startCrdRegistrationController(
  core: CoreServices,
  call: LoopbackClient,
): () => void {
  const definitions = core.catalog.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  const services = core.catalog.find("apiregistration.k8s.io", "v1", "apiservices");
  if (!definitions || !services) return () => {};
  const registrar = new Registrar(core, call, services);
  registrar.follow(definitions);
  return () => registrar.stop();
}

class Registrar {
  readonly #core: CoreServices;
  readonly #call: LoopbackClient;
  readonly #services: ServedResource;
  /** What each definition serves, by its key, as of its generation. */
  readonly #served = new Map<
    string,
    { readonly generation: number; readonly versions: ReadonlyMap<string, GroupVersion> }
  >();
  readonly #work: WorkSet;
  #stops: (() => void)[] = [];

  constructor(core: CoreServices, call: LoopbackClient, services: ServedResource) {
    this.#core = core;
    this.#call = call;
    this.#services = services;
    this.#work = new WorkSet(core.runtime, (name) => this.#sync(name));
  }

  follow(definitions: ServedResource): void {
    this.#each(storagePrefixOf(definitions, ""), (definition) => this.#defined(definition));
    const prefix = storagePrefixOf(this.#services, "");
    this.#each(prefix, ({ key, facts, type }) => {
      // Only what this keeps is worth a look; most of them are made once and never written again.
      const name = key.slice(prefix.length);
      if (facts.labels[label] === "true" || (type === "DELETED" && this.#wanted(name)))
        this.#work.add(name);
    });
  }

  stop(): void {
    this.#work.stop();
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** What is stored, and every change to it. */
  #each(prefix: string, see: (revision: Revision) => void): void {
    const { store } = this.#core;
    const listing = store.list(prefix);
    if (typeof listing === "object") for (const revision of listing.items) see(revision);
    const watch = store.since(prefix, store.revision(), see);
    if (typeof watch === "object") this.#stops.push(() => watch.stop());
  }

  #defined({ key, type, bytes, facts: { generation } }: Revision): void {
    const before = this.#served.get(key);
    if (type !== "DELETED" && before?.generation === generation) return;
    if (type === "DELETED") this.#served.delete(key);
    else this.#served.set(key, { generation, versions: servedVersions(parseStored(bytes)) });
    for (const name of [
      ...(before?.versions.keys() ?? []),
      ...(this.#served.get(key)?.versions.keys() ?? []),
    ])
      this.#work.add(name);
  }

  #wanted(name: string): GroupVersion | undefined {
    for (const { versions } of this.#served.values())
      if (versions.has(name)) return versions.get(name);
    return undefined;
  }

  /** Resolves to whether the API service is as it should be. */
  async #sync(name: string): Promise<boolean> {
    const { store, runtime } = this.#core;
    const key = storageKeyOf(this.#services, "", name);
    const wanted = this.#wanted(name);
    const found = store.latest(key);
    if (!found) {
      if (wanted)
        await insertText(store, this.#services, key, {
          text: apiServiceText(wanted),
          now: formatSeconds(runtime.clock.now()),
          entropy: runtime.entropy,
        });
      return true;
    }
    if (found.facts.labels[label] !== "true") return true;
    if (!wanted) return isDone(await this.#call("DELETE", `${path}/${name}`));
    const object = parseStored(found.bytes);
    const spec = specOf(wanted);
    if (isSame(objectAt(object, "spec"), spec)) return true;
    return isDone(await this.#call("PUT", `${path}/${name}`, { ...object, spec }));
  }
}

const isDone = ({ status }: { readonly status: number }): boolean => status < 300 || status === 404;

/** Versions that a definition serves, by the name of the API service of each. */
export function servedVersions(definition: JsonObject): ReadonlyMap<string, GroupVersion> {
  const spec = objectAt(definition, "spec");
  const group = stringAt(spec, "group");
  const served = itemsAt(spec, "versions").filter((version) => version["served"] === true);
  return new Map(
    served.map((version) => [
      `${stringAt(version, "name")}.${group}`,
      { group, version: stringAt(version, "name") },
    ]),
  );
}

/** Definitions come after the server's own groups, and all versions are as good as each other. */
const specOf = ({ group, version }: GroupVersion): JsonObject => ({
  group,
  version,
  groupPriorityMinimum: 1000,
  versionPriority: 100,
});

const isSame = (found: JsonObject, wanted: JsonObject): boolean =>
  Object.keys(found).length === Object.keys(wanted).length &&
  Object.entries(wanted).every(([field, value]) => found[field] === value);

/** Complete but for uid, times and revision, as the server's own objects are kept. */
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
