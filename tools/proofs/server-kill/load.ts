// The writers of the proof: each creates, replaces, patches, applies and deletes its own objects as
// fast as responses arrive, until the server is gone. Every write is recorded before it is sent,
// and every response when it arrives.
import type { Transport } from "../../../packages/homeostat/src/api/transport.ts";
import { contentOf, Fault, type Knowledge, type Shown } from "./knowledge.ts";
import { call } from "./wire.ts";

/** Objects of one kind that writers work on. */
export interface Collection {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly rest: object;
  readonly writers: number;
}

const namespaced = "namespaces/default";
const port = { ports: [{ port: 80 }] };
export const collections: readonly Collection[] = [
  {
    path: `/api/v1/${namespaced}/configmaps`,
    apiVersion: "v1",
    kind: "ConfigMap",
    rest: { data: { a: "b" } },
    writers: 8,
  },
  {
    path: `/api/v1/${namespaced}/secrets`,
    apiVersion: "v1",
    kind: "Secret",
    rest: { stringData: { a: "b" } },
    writers: 4,
  },
  {
    path: `/api/v1/${namespaced}/services`,
    apiVersion: "v1",
    kind: "Service",
    rest: { spec: port },
    writers: 4,
  },
  {
    path: `/apis/proof.example.com/v1/${namespaced}/widgets`,
    apiVersion: "proof.example.com/v1",
    kind: "Widget",
    rest: { spec: { size: 3 } },
    writers: 8,
  },
];

/** What the collection of Widgets needs. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.proof.example.com" },
  spec: {
    group: "proof.example.com",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer", default: 1 } } },
            },
          },
        },
      },
    ],
  },
};

/** Who may be told of writes. */
export interface Load {
  readonly transport: Transport;
  readonly knowledge: Knowledge;
  readonly chance: () => number;
  wrote(collection: Collection, revision: number): void;
}

const objectsPerWriter = 4;

/** Writes until no answer comes. */
export async function write(load: Load, collection: Collection, writer: number): Promise<void> {
  for (let answered = true; answered;) {
    const name = `w${writer}-${Math.floor(load.chance() * objectsPerWriter)}`;
    answered = await writeOnce(load, collection, name);
  }
}

async function writeOnce(load: Load, collection: Collection, name: string): Promise<boolean> {
  const { knowledge, chance, transport } = load;
  const key = `${collection.path}/${name}`;
  const there = knowledge.isThere(key);
  const verb = there
    ? pick(chance, ["put", "merge", "apply", "delete"])
    : pick(chance, ["post", "apply"]);
  if (verb === "delete") {
    knowledge.begin(key, { deletes: true });
    const answer = await call(transport, "DELETE", key);
    if (!answer) return false;
    expect(answer.status === 200, `DELETE ${key}`, answer);
    knowledge.acknowledge(key, undefined);
    return true;
  }
  const token = Math.floor(chance() * 2 ** 48).toString(36);
  knowledge.begin(key, { deletes: false, token, creates: !there });
  const annotations = contentOf(token, chance() < 0.05 ? 200_000 * chance() : 2000 * chance());
  const answer = await send(load, collection, { verb, name, annotations });
  if (!answer) return false;
  expect(answer.status === 200 || answer.status === 201, `${verb} ${key}`, answer);
  const revision = knowledge.acknowledge(key, answer.body as Shown);
  if (revision !== undefined) load.wrote(collection, revision);
  return true;
}

interface Wish {
  readonly verb: string;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

function send(
  { transport, knowledge }: Load,
  { path, apiVersion, kind, rest }: Collection,
  { verb, name, annotations }: Wish,
): ReturnType<typeof call> {
  const key = `${path}/${name}`;
  const object = { apiVersion, kind, metadata: { name, annotations }, ...rest };
  if (verb === "post") return call(transport, "POST", path, { body: object });
  if (verb === "put")
    return call(transport, "PUT", key, {
      body: {
        ...object,
        metadata: { ...object.metadata, resourceVersion: String(knowledge.revisionOf(key)) },
      },
    });
  if (verb === "merge")
    return call(transport, "PATCH", key, {
      body: { metadata: { annotations } },
      type: "application/merge-patch+json",
    });
  return call(transport, "PATCH", `${key}?fieldManager=proof&force=true`, {
    body: object,
    type: "application/apply-patch+yaml",
  });
}

const pick = <T>(chance: () => number, from: readonly T[]): T =>
  from[Math.floor(chance() * from.length)]!;

function expect(
  holds: boolean,
  what: string,
  answer: { readonly status: number; readonly body: unknown },
): void {
  if (!holds)
    throw new Fault(
      `${what}: answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`,
    );
}
