// The file of admission configurations: what it says applies, and what is wrong with it stops the
// start.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { createClient } from "homeostat/client";
import { Pod } from "homeostat/k8s/core/v1";

const folder = mkdtempSync(join(tmpdir(), "admission-"));
after(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const start = (admissionControlConfigFile: string) =>
  startApiServer({ listen: false, controllers: "none", admissionControlConfigFile });
const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n";

describe("the admission configuration", { timeout: 60_000 }, () => {
  it("sets the defaults of PodSecurity, from a file beside it", async (t) => {
    file(
      "security.yaml",
      "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults:\n  enforce: baseline\n",
    );
    const path = file("a.yaml", `${head}- name: PodSecurity\n  path: security.yaml\n`);
    const server = await start(path);
    t.after(() => server.close());
    const client = createClient({ transport: server.transport(), namespace: "default" });
    const containers = [{ name: "c", image: "i" }];
    await assert.rejects(
      client.create(Pod, Pod({ name: "a" }, { spec: { hostPID: true, containers } })),
      /violates PodSecurity "baseline:latest": host namespaces \(hostPID=true\)/,
    );
  });

  it("is refused when it is wrong", async () => {
    const security = "- name: PodSecurity\n  configuration: ";
    const cases: readonly (readonly [string, RegExp])[] = [
      [
        "kind: Nope",
        /failed to read plugin config: Object 'apiVersion' is missing in 'kind: Nope'/,
      ],
      [
        `${head}- name: PodSecurity\n  bar: 1\nfoo: 1\n`,
        /config: strict decoding error: unknown field "foo", unknown field "plugins\[0\].bar"/,
      ],
      [
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: 3\n",
        /json: cannot unmarshal number into Go struct field AdmissionConfiguration.plugins of type \[\]v1/,
      ],
      [
        `${head}${security}{kind: PodSecurityConfiguration}`,
        /couldn't init admission plugin "PodSecurity": Object 'apiVersion' is missing in '{"kind":/,
      ],
      [
        `${head}- name: PodSecurity\n  path: no.yaml\n`,
        /Couldn't open admission plugin conf.*no.yaml/,
      ],
    ];
    for (const [text, message] of cases) await assert.rejects(start(file("b.yaml", text)), message);
    await assert.rejects(
      start(join(folder, "missing.yaml")),
      /unable to read admission control configuration from ".*missing.yaml" \[open .*missing.yaml: no such file or directory\]/,
    );
  });

  it("gives webhooks credentials by the names of their hosts", async (t) => {
    const seen: (string | undefined)[] = [];
    let impersonated: object = {};
    const hook = createServer((request, response) => {
      seen.push(request.headers.authorization);
      impersonated = Object.fromEntries(
        Object.entries(request.headersDistinct).filter(([name]) => name.startsWith("impersonate-")),
      );
      request.resume();
      response.statusCode = 500;
      response.end();
    }).listen(0, "127.0.0.1");
    t.after(() => hook.close());
    await once(hook, "listening");
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/policy`;
    const config = file(
      "images.kubeconfig",
      `clusters: [{name: a, cluster: {server: "${url}"}}]\nusers: [{name: b, user: {token: secret, as: ann, as-groups: [dev, ops], as-user-extra: {a/b: ["1"]}}}]\ncontexts: [{name: c, context: {cluster: a, user: b}}]\ncurrent-context: c\n`,
    );
    const path = file("c.yaml", `imagePolicy: {kubeConfigFile: ${config}, retryBackoff: 1}\n`);
    const server = await startApiServer({
      listen: false,
      controllers: "none",
      admissionControlConfigFile: path,
      admissionPlugins: { enable: ["ImagePolicyWebhook"] },
    });
    t.after(() => server.close());
    const client = createClient({ transport: server.transport(), namespace: "default" });
    await assert.rejects(
      client.create(Pod, Pod({ name: "a" }, { spec: { containers: [{ name: "c", image: "i" }] } })),
      /pods "a" is forbidden: an error on the server \(""\) has prevented the request from succeeding/,
    );
    assert.deepEqual(
      seen,
      Array.from({ length: 5 }, () => "Bearer secret"),
    );
    assert.deepEqual(impersonated, {
      "impersonate-user": ["ann"],
      "impersonate-group": ["dev", "ops"],
      "impersonate-extra-a%2fb": ["1"],
    });
  });
});
