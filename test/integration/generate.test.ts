// `homeostat generate` as a user runs it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const command = pathOf("../../packages/cli/bin/homeostat.js");
const module = pathOf("../fixtures/things-operator.ts");

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "homeostat-generate-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: any;
  readonly rules?: unknown;
}

const read = (path: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(path, "utf8")).map((one) => one.toJS() as Manifest);

test("generate writes what an operator needs, and --check verifies it", (t) => {
  const home = folder(t);
  const flags = ["generate", module, "--output-dir", join(home, "out"), "--image", "r/things:2"];
  const { code, out } = run(...flags);
  assert.equal(code, 0);
  assert.match(
    out,
    /wrote .*crds\.yaml\nwrote .*operator\.yaml\n\n {2}kubectl apply --server-side/,
  );
  const [definition, ...others] = read(join(home, "out/crds.yaml"));
  assert.deepEqual(others, []);
  assert.deepEqual(
    definition!.spec.versions.map((one: any) => [one.name, one.storage]),
    [
      ["v2", true],
      ["v1", false],
    ],
  );
  const objects = read(join(home, "out/operator.yaml"));
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`),
    [
      "Namespace /things-system",
      "ServiceAccount things-system/things",
      "Role one/things",
      "RoleBinding one/things",
      "Role two/things",
      "RoleBinding two/things",
      "Deployment things-system/things",
    ],
  );
  const pod = objects.at(-1)!.spec.template.spec;
  assert.equal(pod.containers[0].image, "r/things:2");
  assert.equal(pod.terminationGracePeriodSeconds, 16);

  assert.equal(run(...flags, "--check").code, 0);
  const path = join(home, "out/operator.yaml");
  writeFileSync(path, readFileSync(path, "utf8").replace("replicas: 1", "replicas: 3"));
  const changed = run(...flags, "--check");
  assert.equal(changed.code, 1);
  assert.match(
    changed.err,
    /operator\.yaml differs in line \d+: expected " {2}replicas: 1", found " {2}replicas: 3"/,
  );
  rmSync(join(home, "out/crds.yaml"));
  const missing = run(...flags, "--check", "--output", "json");
  assert.equal(missing.code, 1);
  const { differences } = JSON.parse(missing.out) as { differences: { name: string }[] };
  assert.deepEqual(
    differences.map(({ name }) => name),
    ["crds.yaml", "operator.yaml"],
  );
  assert.equal(existsSync(join(home, "out/crds.yaml")), false, "--check writes nothing");
});

test("generate has the ports of the options: probes, and a Service for metrics", (t) => {
  const home = folder(t);
  const path = join(home, "watched.ts");
  const generated = (options: string): readonly Manifest[] => {
    const given = `export const operator = 'a', resources = [], controllers = [], options = ${options};`;
    writeFileSync(path, given);
    assert.equal(run("generate", path, "--output-dir", join(home, "out")).code, 0);
    return read(join(home, "out/operator.yaml"));
  };
  const [reader, service, deployment] = generated(
    "{ health: {}, metrics: { authorization: 'delegated' } }",
  ).slice(-3);
  assert.equal(reader!.metadata.name, "a-metrics-reader");
  assert.deepEqual(reader!.rules, [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]);
  assert.deepEqual(service!.spec.ports, [{ name: "https", port: 8443, targetPort: "metrics" }]);
  const [container] = deployment!.spec.template.spec.containers;
  assert.deepEqual(container.ports, [
    { name: "health", containerPort: 8081 },
    { name: "metrics", containerPort: 8443 },
  ]);
  assert.deepEqual(container.readinessProbe.httpGet, { path: "/readyz", port: "health" });
  const none = generated("{ health: { port: 0 }, metrics: { port: false } }");
  assert.ok(!none.some(({ kind }) => kind === "Service"));
  assert.ok(!("ports" in none.at(-1)!.spec.template.spec.containers[0]));
  const plain = generated("{ metrics: {} }");
  assert.ok(!plain.some(({ kind }) => kind === "ClusterRole"));
  assert.deepEqual(plain.at(-2)!.spec.ports, [{ name: "http", port: 8080, targetPort: "metrics" }]);
});

test("generate has two replicas where they elect a leader or share the objects", (t) => {
  const home = folder(t);
  const path = join(home, "shared.ts");
  for (const [options, replicas] of [
    ["{ election: {} }", 2],
    ["{ sharding: {} }", 2],
    ["{}", 1],
  ] as const) {
    const given = `export const operator = 'a', resources = [], controllers = [], options = ${options};`;
    writeFileSync(path, given);
    const { code, err } = run("generate", path, "--output-dir", join(home, "out"));
    assert.deepEqual([code, err.includes("not generated")], [0, false]);
    const objects = read(join(home, "out/operator.yaml"));
    const { spec } = objects.at(-1)!;
    assert.deepEqual(
      [spec.replicas, spec.strategy?.type, objects.some(({ kind }) => kind === "Role")],
      [replicas, replicas === 1 ? "Recreate" : undefined, replicas === 2],
    );
  }
});

test("generate says where Leases are that the code keeps elsewhere", (t) => {
  const home = folder(t);
  const path = join(home, "elsewhere.ts");
  const notes = (options: string): string => {
    const given = `export const operator = 'a', resources = [], controllers = [], options = ${options};`;
    writeFileSync(path, given);
    return run("generate", path, "--namespace", "b", "--output-dir", join(home, "out")).err;
  };
  assert.equal(notes("{ election: {} }"), "");
  assert.equal(notes("{ election: { namespace: 'b' } }"), "");
  assert.match(
    notes("{ election: { namespace: 'c' } }"),
    /options\.election\.namespace is c, and the pods are in b/,
  );
  assert.match(notes("{ sharding: { namespace: 'c' } }"), /options\.sharding\.namespace is c/);
});

test("generate names what it leaves out", (t) => {
  const home = folder(t);
  const path = join(home, "hooked.ts");
  writeFileSync(
    path,
    "export const operator = 'a', resources = [], controllers = [], options = { clusters: {} };",
  );
  const { code, err } = run("generate", path, "--output-dir", join(home, "out"));
  assert.equal(code, 0);
  assert.match(
    err,
    /^homeostat: options\.clusters: not generated yet: rights on other clusters; .*by hand$/m,
  );
});

test("generate names what is wrong with the module", (t) => {
  const home = folder(t);
  let count = 0;
  const refuse = (text: string | undefined, expected: RegExp, exitCode = 1) => {
    const module = join(home, `m${count++}.ts`);
    if (text !== undefined) writeFileSync(module, text);
    const { code, err, out } = run("generate", module, "--output-dir", join(home, "no"));
    assert.equal(code, exitCode);
    assert.match(err, expected);
    assert.equal(out, "");
    assert.equal(existsSync(join(home, "no")), false);
  };
  refuse(undefined, /there is no such file; name the module that exports/, 2);
  refuse(
    "export const operator = 'A b'",
    /operator is "A b".*; resources is missing.*controllers is missing/,
  );
  refuse("setInterval(() => {}, 1000)", /it exports nothing, so it is a program and is not/, 2);
  refuse("import './absent.ts'; export {}", /import it: Cannot find module/);
  refuse("throw new Error('not yet'); export {}", /import it: not yet \(.*m4.*:\d+:\d+\)/);
  refuse(
    "export const operator = 'a', resources = [], controllers = () => []",
    /controllers is a function, expected a list/,
  );
  const named = "export const operator = 'a', resources = [], controllers = []";
  refuse(
    `${named}, options = { elecion: {}, metrics: { authorisation: "delegated" } }`,
    /options\.elecion: unknown option; expected any of .*options\.metrics\.authorisation: unknown/,
  );
  refuse(
    `${named}, options = { namespaces: [] , election: { standby: "hot" } }`,
    /options\.namespaces: .*; options\.election\.standby is/,
  );
  refuse(`${named}, options = 7`, /options is a number, expected an object/);
  refuse(`${named};\nenum A { B }`, /import it: .*enum is not supported.* \(.*m9\.ts:2\)/);
});

test("generate refuses what is no image", (t) => {
  const home = folder(t);
  const out = join(home, "out");
  const { code, err } = run("generate", module, "--output-dir", out, "--image", "Bad Image");
  assert.equal(code, 2);
  assert.match(err, /--image: expected an image such as ghcr\.io\/acme\/.*, got "Bad Image"/);
  assert.equal(existsSync(out), false);
});
