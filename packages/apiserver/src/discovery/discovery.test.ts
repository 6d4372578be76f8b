import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { catalog } from "./testdata/catalog.ts";
import { pageNotFound } from "../apimachinery/text-response.ts";
import { createDiscovery } from "./discovery.ts";
import type { DiscoveryRequest } from "./discovery-request.ts";

const verbs = ["get", "list"];
const discovery = createDiscovery({
  catalog,
  address: "here:1",
  startedAtMs: Date.UTC(2026, 10, 3, 6, 54),
  clock: { now: () => Date.UTC(2026, 10, 3, 8, 4, 5) },
  protobuf: (document) =>
    new TextEncoder().encode(`pb ${String(document["apiVersion"])} ${String(document["kind"])}`),
});
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async function ask(
  path: string,
  more: Partial<DiscoveryRequest> = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const [name = "", query = ""] = path.split("?");
  const answer =
    (await discovery({ method: "GET", path: name, query, accept: "", pretty: false, ...more })) ??
    pageNotFound();
  return {
    status: answer.status,
    headers: answer.headers,
    text: new TextDecoder().decode(answer.body as Uint8Array),
  };
}

const body = async (path: string, more: Partial<DiscoveryRequest> = {}): Promise<unknown> =>
  JSON.parse((await ask(path, more)).text);

describe("unaggregated discovery", () => {
  test("/api names the versions of the legacy group, without an apiVersion of its own", async () => {
    assert.equal(
      (await ask("/api")).text,
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"here:1"}]}\n',
    );
  });

  test("/apis keeps the order of built-in groups and puts groups of definitions behind, by name", async () => {
    const { groups } = (await body("/apis")) as {
      groups: { name: string; preferredVersion: { version: string } }[];
    };
    assert.deepEqual(
      groups.map((group) => [group.name, group.preferredVersion.version]),
      [
        ["apps", "v2"],
        ["arc.example.com", "v1"],
        ["zoo.example.com", "v2"],
      ],
    );
  });

  test("versions stand by stability and number", async () => {
    const { versions } = (await body("/apis/zoo.example.com")) as { versions: unknown };
    assert.deepEqual(
      versions,
      ["v2", "v10beta1", "v1alpha1"].map((version) => ({
        groupVersion: `zoo.example.com/${version}`,
        version,
      })),
    );
  });

  test("built-in resources and subresources stand in order of name", async () => {
    assert.deepEqual(await body("/api/v1/"), {
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [
        {
          name: "bindings",
          singularName: "binding",
          namespaced: true,
          kind: "Binding",
          verbs: ["create"],
        },
        {
          name: "pods",
          singularName: "pod",
          namespaced: true,
          kind: "Pod",
          verbs,
          shortNames: ["po"],
          categories: ["all"],
          storageVersionHash: "abc=",
        },
        {
          name: "pods/eviction",
          singularName: "",
          namespaced: true,
          group: "policy",
          version: "v1",
          kind: "Eviction",
          verbs: ["create"],
        },
        {
          name: "pods/status",
          singularName: "",
          namespaced: true,
          kind: "Pod",
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  test("a definition's subresources are status, then scale", async () => {
    const { apiVersion, resources } = (await body("/apis/zoo.example.com/v2")) as {
      apiVersion: string;
      resources: { name: string; group?: string }[];
    };
    assert.deepEqual(
      [apiVersion, ...resources.map((each) => [each.name, each.group])],
      ["v1", ["apes", undefined], ["apes/status", undefined], ["apes/scale", "autoscaling"]],
    );
  });

  test("unknown groups and versions are not discovery's", async () => {
    const unknown = "/apis/none /apis/apps/v3 /apis// /api/v2 /apis/apps/v1/things /foo /healthz/";
    for (const path of unknown.split(" "))
      assert.equal((await ask(path)).text, "404 page not found\n", path);
  });
});

describe("aggregated discovery", () => {
  test("built-in kinds leave group and version empty, definitions fill them in", async () => {
    const { items } = (await body("/apis", { accept: aggregated })) as {
      items: {
        metadata: object;
        versions: {
          version: string;
          freshness: string;
          resources: { responseKind: object; subresources?: object[] }[];
        }[];
      }[];
    };
    assert.deepEqual(
      items.map((item) => item.metadata),
      [{ name: "apps" }, { name: "arc.example.com" }, { name: "zoo.example.com" }],
    );
    assert.deepEqual(items[0]!.versions[0]!.resources[0], {
      resource: "things",
      responseKind: { group: "", version: "", kind: "Thing" },
      scope: "Cluster",
      singularResource: "thing",
      verbs,
    });
    const zoo = items[2]!.versions[0]!;
    assert.deepEqual(
      [zoo.version, zoo.freshness, zoo.resources[0]!.responseKind],
      ["v2", "Current", { group: "zoo.example.com", version: "v2", kind: "Ape" }],
    );
    assert.deepEqual(zoo.resources[0]!.subresources?.[1], {
      subresource: "scale",
      responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: ["get", "patch", "update"],
    });
  });

  test("has a media type of its own, and an ETag that avoids repeated responses", async () => {
    const first = await ask("/api", { accept: aggregated });
    assert.equal(first.headers["content-type"], aggregated);
    assert.match(String(first.headers["etag"]), /^"[0-9A-F]{128}"$/);
    assert.deepEqual([first.headers["vary"], first.headers["cache-control"]], ["Accept", "public"]);
    const again = await ask("/api", {
      accept: aggregated,
      ifNoneMatch: String(first.headers["etag"]),
    });
    assert.deepEqual([again.status, again.text], [304, ""]);
  });

  test("it is served at /api and /apis only, in version v2 only, when the Accept header lists it", async () => {
    const beta = aggregated.replace("v2", "v2beta1");
    assert.equal((await ask("/apis/apps", { accept: aggregated })).status, 406);
    assert.equal((await ask("/apis/", { accept: aggregated })).status, 406);
    assert.equal((await ask("/apis", { accept: beta })).status, 406);
    assert.equal(
      ((await body("/apis", { accept: `${beta},application/json` })) as { kind: string }).kind,
      "APIGroupList",
    );
    assert.equal(
      (
        (await body("/apis", { accept: `application/json,${aggregated};q=0.1` })) as {
          kind: string;
        }
      ).kind,
      "APIGroupDiscoveryList",
    );
  });
});

describe("negotiation", () => {
  test("protobuf, YAML and indented JSON", async () => {
    const pb = "application/vnd.kubernetes.protobuf";
    assert.deepEqual(
      [
        (await ask("/api/v1", { accept: pb })).text,
        (await ask("/apis", { accept: pb })).headers["content-type"],
      ],
      ["pb undefined APIResourceList", pb],
    );
    assert.equal(
      (await ask("/apis/arc.example.com", { accept: "application/yaml" })).text,
      "apiVersion: v1\nkind: APIGroup\nname: arc.example.com\npreferredVersion:\n  groupVersion: arc.example.com/v1\n  version: v1\nversions:\n- groupVersion: arc.example.com/v1\n  version: v1\n",
    );
    assert.match((await ask("/apis", { pretty: true })).text, /^\{\n {2}"kind": "APIGroupList",\n/);
  });

  test("built-in paths know GET alone and media types by name; the others take more", async () => {
    const message = async (path: string, more: Partial<DiscoveryRequest>): Promise<unknown[]> => {
      const answer = await ask(path, more);
      return [answer.status, answer.status === 200 ? "" : JSON.parse(answer.text).message];
    };
    const offered = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    assert.deepEqual(await message("/api", { accept: "application/*" }), [
      406,
      `406: Not Acceptable\n\nAvailable representations: ${offered}`,
    ]);
    assert.deepEqual(await message("/apis/apps/v1", { method: "POST" }), [
      405,
      "the server does not allow this method on the requested resource",
    ]);
    assert.deepEqual(await message("/apis", { accept: "text/html" }), [
      406,
      `only the following media types are accepted: ${offered}`,
    ]);
    assert.deepEqual(await message("/version", { accept: "text/html" }), [
      406,
      "406: Not Acceptable\n\nAvailable representations: application/json",
    ]);
    for (const path of ["/apis", "/apis/apps", "/apis/zoo.example.com/v2"])
      assert.deepEqual(await message(path, { method: "POST", accept: "application/*" }), [200, ""]);
  });
});

test("health is ok, and lists its checks on request", async () => {
  const healthy =
    "/healthz /livez /readyz /readyz/ping /livez/poststarthook/rbac/bootstrap-roles " +
    "/readyz?exclude=etcd /livez/etcd?verbose";
  for (const path of healthy.split(" ")) assert.equal((await ask(path)).text, "ok", path);
  const { text } = await ask("/readyz?verbose&exclude=etcd&exclude=b&exclude=a");
  assert.deepEqual(text.split("\n").slice(0, 3), [
    "[+]ping ok",
    "[+]log ok",
    "[+]etcd excluded: ok",
  ]);
  assert.ok(
    text.endsWith(
      '[+]shutdown ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n',
    ),
  );
  assert.equal((await ask("/livez/nope")).status, 404);
});

test("/version and the index of paths are always indented", async () => {
  const version = await ask("/version");
  assert.match(version.text, /^\{\n {2}"major": "1",\n {2}"minor": "36",/);
  assert.ok(version.text.endsWith("}"));
  const index = (await ask("/")).text;
  assert.equal((await ask("/index.html")).text, index);
  const { paths } = JSON.parse(index) as { paths: string[] };
  const some = "/api/v1 /apis/zoo.example.com/v1alpha1 /readyz/etcd-readiness /version";
  for (const path of some.split(" ")) assert.ok(paths.includes(path), path);
});

describe("/statusz", () => {
  const kind = "application/json;as=Statusz;g=config.k8s.io;v=";

  test("is text", async () => {
    const { status, headers, text } = await ask("/statusz", { method: "POST", accept: "text/*" });
    assert.deepEqual([status, headers], [200, { "content-type": "text/plain; charset=utf-8" }]);
    assert.equal(
      text.split("\n\n")[1],
      `Started: Tue Nov  3 06:54:00 UTC 2026
Up: 1 hr 10 min 05 sec
Go version: go1.26.8
Binary version: 1.36.3
Emulation version: 1.36
Paths: /healthz /livez /metrics /readyz /statusz /version
`,
    );
  });

  test("is an object by its kind", async () => {
    const { headers, text } = await ask("/statusz", { accept: `text/html,${kind}v1alpha1` });
    assert.match(String(headers["warning"]), /deprecated/);
    assert.equal(headers["content-type"], `application/json;g=config.k8s.io;v=v1alpha1;as=Statusz`);
    const { apiVersion, uptimeSeconds } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual([apiVersion, uptimeSeconds], ["config.k8s.io/v1alpha1", 4205]);
  });

  test("has no other form", async () => {
    for (const accept of ["application/json", `${kind}v1`, "text/plain;as=Statusz"]) {
      const { status, text } = await ask("/statusz", { accept });
      assert.equal(status, 406);
      assert.match(text, /accepted: application\/json, application\/yaml, text\/plain"/);
    }
  });
});

test("refusals have the form that the request accepts", async () => {
  const accepting = async (accept: string): Promise<readonly unknown[]> => {
    const { headers, text } = await ask("/version", { accept });
    return [headers["content-type"], text.slice(0, 16)];
  };
  assert.deepEqual(await accepting("application/yaml"), ["application/yaml", "apiVersion: v1\nc"]);
  assert.deepEqual(await accepting("application/vnd.kubernetes.protobuf"), [
    "application/vnd.kubernetes.protobuf",
    "pb v1 Status",
  ]);
  assert.deepEqual(await accepting("text/html"), ["application/json", '{\n  "kind": "Sta']);
});
