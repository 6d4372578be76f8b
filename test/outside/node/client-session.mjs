// @kubernetes/client-node: typed, generic and custom objects, patches of all kinds, watch,
// informer, refusals. The folder
// that holds node_modules is given by the caller, because nothing fetched lies in this tree.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { check, end, refused, within } from "./cases.mjs";

const path = createRequire(pathToFileURL(`${process.env.OUTSIDE_MODULES}/`)).resolve(
  "@kubernetes/client-node",
);
const k8s = await import(pathToFileURL(path).href);

const access = new k8s.KubeConfig();
access.loadFromDefault();
const core = access.makeApiClient(k8s.CoreV1Api);
const apps = access.makeApiClient(k8s.AppsV1Api);
const custom = access.makeApiClient(k8s.CustomObjectsApi);
const extensions = access.makeApiClient(k8s.ApiextensionsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(access);
const namespace = (await core.createNamespace({ body: { metadata: { generateName: "outside-" } } }))
  .metadata.name;
const group = "outside.example.com";
const cakes = { group, version: "v1", namespace, plural: "cakes" };

await check("a config map is created, read, replaced, listed", async () => {
  const made = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: "one", labels: { a: "b" } }, data: { k: "v" } },
  });
  await core.replaceNamespacedConfigMap({
    namespace,
    name: "one",
    body: { ...made, data: { k: "w" } },
  });
  const list = await core.listNamespacedConfigMap({
    namespace,
    labelSelector: "a in (b)",
    fieldSelector: "metadata.name=one",
  });
  return [made.data, list.items.map((item) => item.data), list.kind];
});

await check("patches: JSON, merge, strategic, apply and its conflict", async () => {
  const patch = async (type, body, more = {}) =>
    (
      await core.patchNamespacedConfigMap(
        { namespace, name: "one", body, ...more },
        k8s.setHeaderOptions("Content-Type", type),
      )
    ).data;
  const { PatchStrategy } = k8s;
  const seen = [
    await patch(PatchStrategy.JsonPatch, [{ op: "add", path: "/data/j", value: "1" }]),
    await patch(PatchStrategy.MergePatch, { data: { j: null, m: "2" } }),
    await patch(PatchStrategy.StrategicMergePatch, { data: { s: "3" } }),
  ];
  const body = (value) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "one" },
    data: { applied: value },
  });
  seen.push(await patch(PatchStrategy.ServerSideApply, body("4"), { fieldManager: "first" }));
  return [
    ...seen,
    await refused(patch(PatchStrategy.ServerSideApply, body("5"), { fieldManager: "second" })),
    await patch(PatchStrategy.ServerSideApply, body("5"), { fieldManager: "second", force: true }),
  ];
});

await check("refusals: not found, exists, stale, invalid, wrong type", async () => {
  const stale = await core.readNamespacedConfigMap({ namespace, name: "one" });
  await core.replaceNamespacedConfigMap({
    namespace,
    name: "one",
    body: { ...stale, metadata: { ...stale.metadata, labels: { touched: "yes" } } },
  });
  const create = (body) => refused(core.createNamespacedConfigMap({ namespace, body }));
  return [
    await refused(core.readNamespacedConfigMap({ namespace, name: "nobody" })),
    await create({ metadata: { name: "one" } }),
    await refused(core.replaceNamespacedConfigMap({ namespace, name: "one", body: stale })),
    await create({ metadata: { name: "Bad_Name", labels: { "a b": "c" } } }),
    await create({ metadata: { name: "wrong" }, data: { k: 1 } }),
  ];
});

await check("a watch sees what happens, in order", async () => {
  const { metadata } = await core.listNamespacedSecret({ namespace });
  const events = [];
  const seen = new Promise((resolve, reject) => {
    const onEvent = (type, object) => {
      events.push([type, object.metadata.name]);
      if (type === "DELETED") resolve(events);
    };
    void new k8s.Watch(access)
      .watch(
        `/api/v1/namespaces/${namespace}/secrets`,
        { resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true },
        onEvent,
        reject,
      )
      .catch(reject);
  });
  await core.createNamespacedSecret({
    namespace,
    body: { metadata: { name: "seen" }, stringData: { k: "v" } },
  });
  await core.patchNamespacedSecret({
    namespace,
    name: "seen",
    body: [{ op: "remove", path: "/data/k" }],
  });
  await core.deleteNamespacedSecret({ namespace, name: "seen" });
  return await seen;
});

await check("deployments have defaults and scale", async () => {
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80 }] }] },
  };
  const made = await apps.createNamespacedDeployment({
    namespace,
    body: {
      metadata: { name: "web" },
      spec: { selector: { matchLabels: { app: "web" } }, template },
    },
  });
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "web" });
  await apps.replaceNamespacedDeploymentScale({
    namespace,
    name: "web",
    body: { ...scale, spec: { replicas: 4 } },
  });
  const { spec, metadata } = await apps.readNamespacedDeployment({ namespace, name: "web" });
  return [
    made.spec.strategy,
    made.spec.template.spec.containers[0].imagePullPolicy,
    made.spec.template.spec.dnsPolicy,
    spec.replicas,
    metadata.generation,
  ];
});

await check("a definition, its objects and their status", async () => {
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["size"],
          properties: {
            size: { type: "integer", maximum: 5 },
            tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
          },
        },
        status: { type: "object", properties: { baked: { type: "boolean" } } },
      },
    },
  };
  const names = { plural: "cakes", singular: "cake", kind: "Cake", shortNames: ["ck"] };
  const body = {
    metadata: { name: `cakes.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
  await extensions.createCustomResourceDefinition({ body });
  await within(10_000, async () =>
    (
      await extensions.readCustomResourceDefinition({ name: body.metadata.name })
    ).status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"),
  );
  const cake = (name, spec) => ({
    apiVersion: `${group}/v1`,
    kind: "Cake",
    metadata: { name },
    spec,
  });
  const made = await custom.createNamespacedCustomObject({
    ...cakes,
    body: { ...cake("plum", { size: 2, unknown: 1 }), status: { baked: true } },
  });
  const status = await custom.replaceNamespacedCustomObjectStatus({
    ...cakes,
    name: "plum",
    body: { ...made, status: { baked: true }, spec: { size: 5 } },
  });
  return [
    made.spec,
    made.status,
    status.spec,
    status.status,
    await refused(
      custom.createNamespacedCustomObject({
        ...cakes,
        body: cake("big", { size: 6, tags: ["a", "a"] }),
      }),
    ),
    await refused(custom.createNamespacedCustomObject({ ...cakes, body: cake("none", {}) })),
  ];
});

await check("an informer lists, follows and forgets", async () => {
  const list = () => custom.listNamespacedCustomObject(cakes);
  const informer = k8s.makeInformer(
    access,
    `/apis/${group}/v1/namespaces/${namespace}/cakes`,
    list,
  );
  const seen = [];
  for (const verb of ["add", "update", "delete"])
    informer.on(verb, (object) => seen.push(`${verb} ${object.metadata.name}`));
  informer.on("error", (error) => seen.push(`error ${error.message}`));
  await informer.start();
  await within(5000, () => seen.includes("add plum"));
  await objects.create({
    apiVersion: `${group}/v1`,
    kind: "Cake",
    metadata: { name: "lemon", namespace },
    spec: { size: 1 },
  });
  await within(5000, () => seen.includes("add lemon"));
  await objects.patch(
    {
      apiVersion: `${group}/v1`,
      kind: "Cake",
      metadata: { name: "lemon", namespace },
      spec: { size: 3 },
    },
    undefined,
    undefined,
    "outside",
    true,
    k8s.PatchStrategy.ServerSideApply,
  );
  await within(5000, () => seen.includes("update lemon"));
  await objects.delete({
    apiVersion: `${group}/v1`,
    kind: "Cake",
    metadata: { name: "lemon", namespace },
  });
  await within(5000, () => seen.includes("delete lemon"));
  await informer.stop();
  return seen;
});

await check("any object by what it says it is", async () => {
  const text = `apiVersion: v1\nkind: Service\nmetadata: { name: web, namespace: ${namespace} }\nspec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }\n---\napiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: { name: lead, namespace: ${namespace} }\nspec: { holderIdentity: me }`;
  const seen = [];
  for (const object of k8s.loadAllYaml(text)) seen.push(await objects.create(object));
  const pods = await objects.list("v1", "ConfigMap", namespace);
  return [
    seen.map(({ kind, spec }) => [kind, spec.type, spec.ports?.[0].protocol, spec.holderIdentity]),
    pods.items.length > 0,
  ];
});

await check("pages, and a collection deleted", async () => {
  const first = await core.listNamespacedConfigMap({ namespace, limit: 1 });
  await core.deleteCollectionNamespacedConfigMap({ namespace });
  const { items } = await core.listNamespacedConfigMap({ namespace });
  await extensions.deleteCustomResourceDefinition({ name: `cakes.${group}` });
  return [typeof first.metadata._continue, items.length];
});

await core.deleteNamespace({ name: namespace });
end();
