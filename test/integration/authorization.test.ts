// Authorization through HTTP: what roles grant, that changes of them count at once, and what each
// authorization mode allows.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ApiServer, type ApiServerOptions, startApiServer } from "@homeostat/apiserver";
import { until } from "../fixtures/until.ts";

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- any object of the API
  readonly body: any;
}

const servers: ApiServer[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const pods = "/api/v1/namespaces/default/pods";
const users = new Map([
  ["ann-token", { name: "ann", groups: ["devs"] }],
  ["bob-token", { name: "bob", groups: [] }],
]);

async function start(options: ApiServerOptions = {}) {
  const server = await startApiServer({
    protocol: "http",
    controllers: "none",
    tokens: users,
    ...options,
  });
  servers.push(server);
  return async (
    caller: string | undefined | Readonly<Record<string, string>>,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> => {
    const { token, ...headers } = typeof caller === "object" ? caller : { token: caller };
    const key = token === "root" ? server.token : token;
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        "content-type": "application/json",
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
}

test("a user may do what roles grant, from the moment on that they do", async () => {
  const ask = await start();
  const refused = 'User "ann" cannot list resource "pods" in API group ""';
  assert.deepEqual((await ask("ann-token", "GET", pods)).body, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `pods is forbidden: ${refused} in the namespace "default"`,
    reason: "Forbidden",
    details: { kind: "pods" },
    code: 403,
  });
  const binding = {
    metadata: { name: "devs" },
    roleRef: { kind: "Role", name: "pods" },
    subjects: [{ kind: "Group", name: "devs" }],
  };
  await ask("root", "POST", `${rbac}/namespaces/default/rolebindings`, binding);
  assert.equal(
    (await ask("ann-token", "GET", pods)).body.message,
    `pods is forbidden: ${refused} in the namespace "default": RBAC: role.rbac.authorization.k8s.io "pods" not found`,
  );
  const role = {
    metadata: { name: "pods" },
    rules: [{ verbs: ["list"], apiGroups: [""], resources: ["pods"] }],
  };
  await ask("root", "POST", `${rbac}/namespaces/default/roles`, role);
  assert.equal((await ask("ann-token", "GET", pods)).status, 200);
  assert.equal((await ask("bob-token", "GET", pods)).status, 403);
  assert.equal((await ask("ann-token", "GET", "/api/v1/pods")).status, 403);
  const review = {
    spec: {
      user: "ann",
      groups: ["devs"],
      resourceAttributes: { verb: "list", resource: "pods", namespace: "default" },
    },
  };
  const { body } = await ask(
    "root",
    "POST",
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    review,
  );
  assert.deepEqual(body.status, {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "devs/default" of Role "pods" to Group "devs"',
  });
  await ask("root", "DELETE", `${rbac}/namespaces/default/rolebindings/devs`);
  assert.equal((await ask("ann-token", "GET", pods)).status, 403);
});

test("bootstrap roles: discovery for users, health for all, and everything for administrators", async () => {
  const ask = await start();
  assert.equal((await ask("ann-token", "GET", "/apis")).status, 200);
  assert.equal((await ask(undefined, "GET", "/readyz")).status, 200);
  assert.equal((await ask(undefined, "GET", "/version")).status, 200);
  assert.deepEqual(
    (await ask(undefined, "GET", "/apis")).body.message,
    'forbidden: User "system:anonymous" cannot get path "/apis"',
  );
  assert.equal((await ask("ann-token", "GET", "/metrics")).status, 403);
  assert.equal((await ask("root", "GET", "/metrics")).status, 200);
});

test("nobody grants or binds more than they hold", async () => {
  const ask = await start();
  const rules = [
    {
      verbs: ["*"],
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings"],
    },
  ];
  const path = `${rbac}/namespaces/default`;
  await ask("root", "POST", `${path}/roles`, { metadata: { name: "own" }, rules });
  await ask("root", "POST", `${path}/rolebindings`, {
    metadata: { name: "own" },
    roleRef: { kind: "Role", name: "own" },
    subjects: [{ kind: "User", name: "bob" }],
  });
  const bind = { metadata: { name: "x" }, roleRef: { kind: "ClusterRole", name: "view" } };
  const escalating = [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }];
  // `*` holds `escalate` on roles, but `bind` on no cluster role.
  assert.equal(
    (
      await ask("bob-token", "POST", `${path}/roles`, {
        metadata: { name: "x" },
        rules: escalating,
      })
    ).status,
    201,
  );
  assert.equal((await ask("bob-token", "POST", `${path}/rolebindings`, bind)).status, 201);
  const toAdmin = { ...bind, roleRef: { kind: "ClusterRole", name: "cluster-admin" } };
  const { status, body } = await ask("bob-token", "POST", `${path}/rolebindings`, {
    ...toAdmin,
    metadata: { name: "y" },
  });
  assert.equal(status, 403);
  assert.match(
    body.message,
    /^rolebindings\.rbac\.authorization\.k8s\.io "y" is forbidden: user "bob" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\["\*"\], Resources:\["\*"\], Verbs:\["\*"\]\}\n\{NonResourceURLs:\["\*"\], Verbs:\["\*"\]\}$/,
  );
});

test("each authorization mode", async () => {
  const open = await start({ authorizationModes: ["AlwaysAllow"] });
  assert.equal((await open("bob-token", "GET", pods)).status, 200);
  assert.equal((await open(undefined, "GET", "/readyz")).status, 401, "nobody is anonymous");
  const closed = await start({ authorizationModes: ["RBAC", "AlwaysDeny"] });
  assert.equal((await closed("bob-token", "GET", "/apis")).status, 200);
  assert.match(
    (await closed("bob-token", "GET", pods)).body.message,
    /in the namespace "default": Everything is forbidden\.$/,
  );
  assert.equal((await closed("root", "GET", pods)).status, 200);
  const impersonated = { token: "root", "impersonate-user": "bob" };
  assert.equal((await closed(impersonated, "GET", pods)).status, 403);
  const master = { ...impersonated, "impersonate-group": "system:masters" };
  assert.equal((await closed(master, "GET", pods)).status, 200);
});

test("with its controller, the roles view and edit have the rules of their parts", async () => {
  const ask = await start({ controllers: ["clusterrole-aggregation"] });
  await ask("root", "POST", `${rbac}/namespaces/default/rolebindings`, {
    metadata: { name: "viewers" },
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", name: "bob" }],
  });
  await until(async () => (await ask("bob-token", "GET", pods)).status === 200);
  assert.equal((await ask("bob-token", "DELETE", `${pods}/a`)).status, 403);
  const { body } = await ask("root", "GET", `${rbac}/clusterroles/view`);
  assert.ok(
    body.metadata.managedFields.some(
      (entry: { readonly manager: string }) =>
        entry.manager === "clusterrole-aggregation-controller",
    ),
  );
});
