// The media types of patches: at every path, the server accepts those that its OpenAPI documents
// name, and no others.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { installDefinitions, defineResource } from "homeostat";
import { createClient } from "homeostat/client";
import * as z from "zod";

type Operation = {
  readonly consumes?: readonly string[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
};
type Document = {
  readonly paths: Readonly<Record<string, { readonly patch?: Operation }>>;
};

const Box = defineResource({
  group: "patches.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({}),
  status: z.object({ size: z.int() }),
});

/** Those of upstream in any version, and others that a client may send by mistake. */
const candidates: readonly string[] = [
  "application/apply-patch+cbor",
  "application/apply-patch+yaml",
  "application/json",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/unknown",
  "application/yaml",
];

describe("media types of patches", () => {
  let server: ApiServer;
  before(async () => {
    server = await startApiServer({ protocol: "http", controllers: "none" });
    const client = createClient({ transport: server.transport() });
    await installDefinitions(client, [Box]);
    await client.close();
  });
  after(() => server.close());

  const send = (path: string, more: RequestInit = {}): Promise<Response> =>
    fetch(server.url + path, {
      ...more,
      headers: { authorization: `Bearer ${server.token}`, ...more.headers },
    });
  const documentAt = async (path: string): Promise<Document> =>
    (await (await send(path)).json()) as Document;

  /** The candidates that are not refused for their type; the object does not exist. */
  async function findAccepted(path: string): Promise<readonly string[]> {
    const statuses = await Promise.all(
      candidates.map(
        async (type) =>
          (
            await send(path.replaceAll(/\{\w+\}/g, "x"), {
              method: "PATCH",
              body: "{}",
              headers: { "content-type": type },
            })
          ).status,
      ),
    );
    return candidates.filter((_, i) => statuses[i] !== 415);
  }

  const accepted = new Map<string, Promise<readonly string[]>>();
  const acceptedAt = (path: string): Promise<readonly string[]> => {
    if (!accepted.has(path)) accepted.set(path, findAccepted(path));
    return accepted.get(path)!;
  };

  async function check({ paths }: Document): Promise<number> {
    const patched = Object.entries(paths).flatMap(([path, { patch }]) =>
      patch ? [{ path, patch }] : [],
    );
    for (const { path, patch } of patched) {
      // Version 3 documents no body for proxies, which pass any type on.
      const content = patch.requestBody?.content ?? { "*/*": undefined };
      const documented = patch.consumes ?? Object.keys(content);
      const expected = documented.includes("*/*") ? candidates : documented.toSorted();
      assert.deepEqual(await acceptedAt(path), expected, path);
    }
    return patched.length;
  }

  test("version 3 of the documents", async () => {
    const { paths } = (await (await send("/openapi/v3")).json()) as {
      readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
    };
    const groups = Object.keys(paths).filter((group) => /^apis?\/.*v\d/.test(group));
    assert.ok(groups.includes("apis/patches.example.com/v1"), groups.join());
    for (const group of groups) {
      const count = await check(await documentAt(paths[group]!.serverRelativeURL));
      if (/^api\/v1$|patches\.example|apis\/apps/.test(group)) assert.ok(count > 1, group);
    }
  });

  test("version 2 of the document", async () => {
    assert.ok((await check(await documentAt("/openapi/v2"))) > 100);
  });
});
