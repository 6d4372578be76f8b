// Keeps one APIService for every group and version that CustomResourceDefinitions serve: creates it
// with the first definition, deletes it with the last, and reverts changes to it. APIServices that
// users created stay untouched.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/crdregistration,
// k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
import { type Decoded, equalJson } from "homeostat/api";
import type { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import type { APIService, APIServiceSpec } from "homeostat/k8s/apiregistration/v1";
import { formatSeconds } from "../registry/request/server-request.ts";
import { storageKeyOf } from "../registry/revisions/storage-key.ts";
import { insertText } from "./bootstrap/store-bootstrap-objects.ts";
import type { HookContext } from "./hook-context.ts";
import { HookController } from "./hook-controller.ts";
import { type NamedRevision, StoredResource } from "./stored-resource.ts";

const label = "kube-aggregator.kubernetes.io/automanaged";
const path = "/apis/apiregistration.k8s.io/v1/apiservices";

/** A served version: all that its APIService says. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The versions that a definition serves, as of its generation. */
interface ServedVersions {
  readonly generation: number;
  readonly versions: ReadonlyMap<string, GroupVersion>;
}

/** The controller. Starts at once. */
export class CrdRegistrationController extends HookController {
  readonly #definitions: StoredResource<CustomResourceDefinition>;
  readonly #apiServices: StoredResource<APIService>;
  /** By the name of the definition. */
  readonly #served = new Map<string, ServedVersions>();

  constructor(context: HookContext) {
    super(context, { failing: (name) => `APIService ${name} cannot be registered` });
    const { core } = context;
    this.#definitions = new StoredResource(
      core,
      "apiextensions.k8s.io",
      "customresourcedefinitions",
    );
    this.#apiServices = new StoredResource(core, "apiregistration.k8s.io", "apiservices");
    this.onStop(this.#definitions.follow((one) => this.#definitionChanged(one)));
    this.onStop(this.#apiServices.follow((one) => this.#apiServiceChanged(one)));
    this.start((name) => this.#sync(name));
  }

  #apiServiceChanged({ name, revision: { type, attributes } }: NamedRevision): void {
    const isLost = type === "DELETED" && this.#wanted(name) !== undefined;
    if (attributes.labels[label] === "true" || isLost) this.add(name);
  }

  #definitionChanged({ name: definition, revision }: NamedRevision): void {
    const { generation } = revision.attributes;
    const isGone = revision.type === "DELETED";
    const before = this.#served.get(definition);
    if (!isGone && before?.generation === generation) return;
    const versions = isGone ? new Map() : servedVersions(this.#definitions.decode(revision));
    if (isGone) this.#served.delete(definition);
    else this.#served.set(definition, { generation, versions });
    for (const name of before?.versions.keys() ?? []) this.add(name);
    for (const name of versions.keys()) this.add(name);
  }

  #wanted(name: string): GroupVersion | undefined {
    for (const { versions } of this.#served.values())
      if (versions.has(name)) return versions.get(name);
    return undefined;
  }

  async #sync(name: string): Promise<void> {
    const wanted = this.#wanted(name);
    const found = this.#apiServices.latest("", name);
    if (!found) return wanted && this.#create(name, wanted);
    if (found.attributes.labels[label] !== "true") return;
    if (!wanted) return await this.#write("DELETE", name);
    const object = this.#apiServices.decode(found);
    const spec = specOf(wanted);
    if (!equalJson(object.spec ?? {}, spec)) await this.#write("PUT", name, { ...object, spec });
  }

  /** Stores the object directly, as bootstrap objects are. */
  async #create(name: string, wanted: GroupVersion): Promise<void> {
    const { store, runtime } = this.context.core;
    const { served } = this.#apiServices;
    if (!served) return;
    await insertText(store, served, storageKeyOf(served, "", name), {
      text: apiServiceText(wanted),
      now: formatSeconds(runtime.clock.now()),
      entropy: runtime.entropy,
    });
  }

  /** An object that is gone needs no write. Rejects for every other refusal. */
  async #write(method: "PUT" | "DELETE", name: string, body?: Decoded<APIService>): Promise<void> {
    const { status } = await this.context.loopback(method, `${path}/${name}`, body);
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
