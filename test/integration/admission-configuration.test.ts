// The file of admission configurations: what it says applies, and what is wrong with it stops the
// start.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  it("sets the defaults of PodSecurity, from a file beside it", async () => {
    file(
      "security.yaml",
      "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults:\n  enforce: baseline\n",
    );
    const path = file("a.yaml", `${head}- name: PodSecurity\n  path: security.yaml\n`);
    const server = await start(path);
    const client = createClient({ transport: server.transport(), namespace: "default" });
    const containers = [{ name: "c", image: "i" }];
    await assert.rejects(
      client.create(Pod, Pod({ name: "a" }, { spec: { hostPID: true, containers } })),
      /violates PodSecurity "baseline:latest": host namespaces \(hostPID=true\)/,
    );
    await client.close();
    await server.close();
  });

  it("is refused when it is wrong or asks for what is not supported", async () => {
    const security = "- name: PodSecurity\n  configuration: {defaults: {enforce: high}}\n";
    const cases: readonly (readonly [string, RegExp])[] = [
      ["kind: Nope", /expected AdmissionConfiguration of apiserver.config.k8s.io\/v1/],
      [`${head}- name: ResourceQuota\n  configuration: {}\n`, /of ResourceQuota is not supported/],
      [`${head}${security}`, /defaults.enforce: must be one of/],
    ];
    for (const [text, message] of cases) await assert.rejects(start(file("b.yaml", text)), message);
    await assert.rejects(start(join(folder, "missing.yaml")), /missing.yaml: ENOENT/);
  });
});
