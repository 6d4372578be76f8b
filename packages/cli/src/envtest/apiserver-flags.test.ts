import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { apiServerHelp, readApiServerFlags } from "./apiserver-flags.ts";
import { parseFlags } from "./parse-flags.ts";

const folder = mkdtempSync(join(tmpdir(), "apiserver-flags-"));
after(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const read = (...argv: readonly string[]) => readApiServerFlags(parseFlags(argv));

test("flags may be joined, spaced, bare or repeated; the last one wins", () => {
  const flags = parseFlags(["--a=1", "--b", "2", "--c", "--a=3=4", "stray", "--d", "--e="]);
  assert.deepEqual(Object.fromEntries(flags), {
    a: ["1", "3=4"],
    b: ["2"],
    c: ["true"],
    d: ["true"],
    e: [""],
  });
  assert.equal(read("--secure-port=1", "--secure-port", "2").options.port, 2);
});

test("no flag is required", () => {
  assert.deepEqual(read(), {
    options: {
      authorizationModes: ["AlwaysAllow"],
      admissionPlugins: { enable: ["ServiceAccount"], disable: [] },
      controllers: "none",
      host: "127.0.0.1",
      port: 6443,
    },
    ignored: [],
  });
  assert.equal(read("--bind-address=0.0.0.0").options.host, "127.0.0.1");
  assert.equal(read("--bind-address=::1").options.host, "::1");
});

test("certificates come from the certificate folder, or from the files named", () => {
  const certDir = `--cert-dir=${folder}`;
  assert.equal(read(certDir).options.servingCertificate, undefined);
  file("apiserver.crt", "cert");
  file("apiserver.key", "key");
  const clientCa = `--client-ca-file=${file("ca.crt", "ca")}`;
  assert.deepEqual(read(certDir, clientCa).options.servingCertificate, {
    cert: "cert",
    key: "key",
  });
  assert.equal(read(certDir, clientCa).options.clientCa, "ca");
  const other = [
    `--tls-cert-file=${file("other.crt", "other")}`,
    `--tls-private-key-file=${file("other.key", "its key")}`,
  ];
  assert.deepEqual(read(certDir, ...other).options.servingCertificate, {
    cert: "other",
    key: "its key",
  });
  assert.throws(() => read(other[0]!), /one is missing; pass both/);
  assert.throws(
    () => read(`--client-ca-file=${join(folder, "gone")}`),
    /--client-ca-file: read .*gone: ENOENT/,
  );
});

test("token files are parsed as kube-apiserver parses them", () => {
  const path = file("tokens.csv", '# who\n\nsecret,alice,7,"dev,ops"\nplain,bob,\n');
  const users = [...read(`--token-auth-file=${path}`).options.tokens!];
  assert.deepEqual(users, [
    ["secret", { name: "alice", uid: "7", groups: ["dev", "ops"] }],
    ["plain", { name: "bob", groups: [] }],
  ]);
  assert.throws(
    () => read(`--token-auth-file=${file("short.csv", "token,alice")}`),
    /expected token,user,uid and groups in each line/,
  );
});

test("tokens of service accounts are signed with the key given", () => {
  assert.equal(read().options.serviceAccountTokens, undefined);
  const key = `--service-account-signing-key-file=${file("signer.key", "pem")}`;
  assert.deepEqual(
    read(key, "--service-account-issuer=https://127.0.0.1:1/").options.serviceAccountTokens,
    { issuer: "https://127.0.0.1:1/", privateKey: "pem" },
  );
});

test("plug-ins and ranges are parsed; repeated plug-in flags add up", () => {
  const { options } = read(
    "--disable-admission-plugins=ServiceAccount,Priority",
    "--disable-admission-plugins=RuntimeClass",
    "--enable-admission-plugins=NodeRestriction",
    "--service-cluster-ip-range=10.1.0.0/16,fd00::/112",
    "--service-node-port-range=20000-20099",
  );
  assert.deepEqual(options.admissionPlugins, {
    enable: ["NodeRestriction"],
    disable: ["ServiceAccount", "Priority", "RuntimeClass"],
  });
  assert.deepEqual(
    [options.serviceClusterIpRange, options.serviceNodePortRange],
    ["10.1.0.0/16", "20000-20099"],
  );
});

test("authorization modes are parsed in order; repeated flags add up", () => {
  const modes = (...argv: readonly string[]) => read(...argv).options.authorizationModes;
  assert.deepEqual(modes("--authorization-mode=RBAC"), ["RBAC"]);
  assert.deepEqual(modes("--authorization-mode=RBAC,AlwaysDeny", "--authorization-mode=Node"), [
    "RBAC",
    "AlwaysDeny",
    "Node",
  ]);
});

test("event TTL and compaction interval are durations", () => {
  const { options, ignored } = read("--event-ttl=30m", "--etcd-compaction-interval=0");
  assert.deepEqual([options.eventTtlMs, options.compactionIntervalMs, ignored], [1_800_000, 0, []]);
  assert.throws(() => read("--event-ttl=soon"), /--event-ttl: expected a duration/);
});

test("flags without support are reported, except those of envtest", () => {
  const envtest = [
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    "--etcd-servers=http://127.0.0.1:2379",
    "--service-cluster-ip-range=10.0.0.0/24",
  ];
  assert.deepEqual(read(...envtest, "--feature-gates=A=true", "--profiling=false").ignored, [
    "feature-gates",
    "profiling",
  ]);
});

test("the audit log has kube-apiserver's flags", () => {
  const { options } = read(
    "--audit-policy-file=p.yaml",
    "--audit-log-path=-",
    "--audit-log-format=legacy",
    "--audit-log-maxage=1",
    "--audit-log-maxbackup=2",
    "--audit-log-maxsize=3",
  );
  assert.deepEqual(options.audit, {
    policyFile: "p.yaml",
    logPath: "-",
    logFormat: "legacy",
    logMaxAgeDays: 1,
    logMaxBackups: 2,
    logMaxSizeMegabytes: 3,
  });
  assert.throws(() => read("--audit-log-maxage=-1"), {
    message: '--audit-log-maxage: expected a whole number from 0, got "-1"',
  });
});

test("invalid ports are refused, and help lists no removed flag", () => {
  for (const port of ["web", "65536", ""])
    assert.throws(() => read(`--secure-port=${port}`), /--secure-port: expected a number/);
  assert.match(apiServerHelp(), /^ +--secure-port/m);
  assert.doesNotMatch(apiServerHelp(), /--insecure-port/);
});
