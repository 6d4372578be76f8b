// `homeostat generate` for an operator with webhooks: what it writes, and that a server takes it
// without a warning.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "homeostat/api";
import type { Client } from "homeostat/client";
import { parseAllDocuments } from "yaml";
import { openServer, serverKinds } from "../fixtures/with-server.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const module = pathOf("../fixtures/hooked-operator.ts");

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "generate-webhooks-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function generate(home: string, ...args: readonly string[]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [pathOf("../../packages/cli/bin/homeostat.js"), "generate", ...args, "--output-dir", home],
    { encoding: "utf8" },
  );
  return { code: status, err: stderr };
}

function read(home: string): readonly any[] {
  const text = ["crds.yaml", "operator.yaml"].map((name) => readFileSync(join(home, name), "utf8"));
  return parseAllDocuments(text.join("")).map((one) => one.toJS() as JsonObject);
}

const of = (home: string, kind: string): any => read(home).find((one) => one.kind === kind);

test("generate writes what webhooks need, and --check verifies it", (t) => {
  const home = folder(t);
  assert.deepEqual(generate(home, module), { code: 0, err: "" });
  assert.deepEqual(of(home, "Service").spec, {
    selector: { "app.kubernetes.io/name": "post" },
    publishNotReadyAddresses: true,
    ports: [{ name: "https", port: 443, targetPort: "webhooks" }],
  });
  const [container] = of(home, "Deployment").spec.template.spec.containers;
  assert.deepEqual(container.ports, [{ name: "webhooks", containerPort: 9443 }]);
  const clientConfig = (path: string) => ({
    service: { name: "post-webhooks", namespace: "post-system", port: 443, path },
  });
  const { metadata, webhooks } = of(home, "ValidatingWebhookConfiguration");
  assert.deepEqual(metadata, { name: "post", labels: { "app.kubernetes.io/name": "post" } });
  assert.deepEqual(
    webhooks.map((one: any) => [one.name, one.clientConfig]),
    [
      [
        "validate.letters.v2.letters.example.com",
        clientConfig("/validate-letters-example-com-v2-letter"),
      ],
    ],
  );
  assert.equal(of(home, "MutatingWebhookConfiguration").webhooks.length, 1);
  assert.deepEqual(of(home, "CustomResourceDefinition").spec.conversion, {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: clientConfig("/convert") },
  });
  const roles = read(home).filter(({ kind }) => kind.endsWith("Role"));
  assert.deepEqual(
    roles.map((one) => [one.kind, one.metadata.namespace, one.rules.length]),
    [
      ["ClusterRole", undefined, 2],
      ["Role", "mail", 2],
      ["Role", "post-system", 2],
    ],
  );
  assert.deepEqual(generate(home, module, "--check").code, 0);
  const path = join(home, "operator.yaml");
  writeFileSync(
    path,
    readFileSync(path, "utf8")
      .replace("failurePolicy: Fail", "")
      .replace("sideEffects: None", "sideEffects: Some"),
  );
  const { code, err } = generate(home, module, "--check");
  assert.equal(code, 1);
  assert.match(err, /operator\.yaml differs in line \d+: expected ".*sideEffects: None"/);
});

/** A module with the hooked operator and other webhooks. */
function variant(home: string, webhooks: string): string {
  const path = join(home, "variant.ts");
  const from = JSON.stringify(module);
  writeFileSync(
    path,
    `import { serve } from ${from};
export { controllers, operator, resources } from ${from};
export const options = { webhooks: ${webhooks} };
`,
  );
  return path;
}

test("with cert-manager, its annotation is on all that holds a caBundle", (t) => {
  const home = folder(t);
  const certificates = `{ from: "cert-manager", certificate: "post-system/hooks", secret: "tls" }`;
  const service = `{ name: "hooks", namespace: "post-system" }`;
  const path = variant(home, `{ serve, service: ${service}, certificates: ${certificates} }`);
  const { code, err } = generate(home, path);
  assert.equal(code, 0);
  assert.match(err, /cert-manager's Certificate post-system\/hooks is yours to apply/);
  for (const kind of [
    "CustomResourceDefinition",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
  ])
    assert.deepEqual(of(home, kind).metadata.annotations, {
      "cert-manager.io/inject-ca-from": "post-system/hooks",
    });
});

test("what cannot be generated is said", (t) => {
  const home = folder(t);
  const elsewhere = `{ name: "hooks", namespace: "elsewhere" }`;
  const certificates = `{ from: "files", cert: "/certs/tls.crt", key: "/certs/tls.key" }`;
  const { err } = generate(
    home,
    variant(home, `{ serve, service: ${elsewhere}, certificates: ${certificates} }`),
  );
  assert.match(err, /service\.namespace is elsewhere, and the pods are in post-system/);
  assert.match(err, /add the volume with \/certs\/tls\.crt to the Deployment by hand/);
  const wrong = generate(home, variant(home, `{ serve, certificates: ${certificates} }`));
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /^homeostat: generate .*: options\.webhooks\.service: expected either/m);
});

for (const what of serverKinds())
  test(`the manifests apply without a warning, twice: ${what}`, async (t) => {
    const home = folder(t);
    generate(home, module);
    const server = await openServer(what);
    const warned: string[] = [];
    const admin = (await server.client()).with({ warned: (text) => void warned.push(text) });
    const manifests = read(home);
    const mail = { apiVersion: "v1", kind: "Namespace", metadata: { name: "mail" } };
    const objects = [mail, ...manifests];
    t.after(async () => {
      await removeAll(admin, objects);
      await server.close();
    });
    for (let i = 0; i < 2; i++)
      for (const one of objects) await admin.apply(await kindOf(admin, one), one, { force: true });
    assert.deepEqual(warned, []);
  });

const kindOf = (admin: Client, { apiVersion, kind }: JsonObject) =>
  admin.kinds.byKind(String(apiVersion), String(kind));

/** Namespaces stay: nothing ends them on the real server. */
async function removeAll(admin: Client, objects: readonly any[]): Promise<void> {
  for (const { apiVersion, kind, metadata } of objects.filter(({ kind }) => kind !== "Namespace"))
    await admin.delete(await kindOf(admin, { apiVersion, kind }), metadata);
}
