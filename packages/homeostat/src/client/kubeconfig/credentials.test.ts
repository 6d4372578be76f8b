// Credentials that change: token files read again, plug-ins run again. Virtual time, no processes.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { isUnauthorized } from "../../api/status.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { createClient } from "../create-client.ts";
import { dynamicKind } from "../discovery/kind-resolver.ts";
import { createScriptedTransport } from "../scripted-transport.suite.ts";
import type { AuthMethod, ClusterAccess } from "./cluster-access.ts";
import { createCredentials } from "./credentials.ts";

const access = (auth: AuthMethod, rest: Partial<ClusterAccess> = {}): ClusterAccess => ({
  server: "https://h",
  namespace: "default",
  tls: {},
  auth,
  origin: "test",
  ...rest,
});
const plugin = {
  apiVersion: "client.authentication.k8s.io/v1",
  command: "get-token",
  args: [],
  env: {},
  provideClusterInfo: true,
  interactiveMode: "Never",
  installHint: "install get-token",
} as const;
const credential = (status: object, apiVersion: string = plugin.apiVersion): string =>
  JSON.stringify({ kind: "ExecCredential", apiVersion, status });

const secret = "s3cret";

describe("createCredentials", () => {
  it("reads a token file again after a minute, and keeps the old token when that fails", async () => {
    const runtime = createVirtualRuntime();
    let file: string | Error = "one\n";
    const credentials = createCredentials(access({ type: "tokenFile", path: "/t" }), runtime, {
      readFile: async () => {
        if (file instanceof Error) throw file;
        return file;
      },
    });
    const token = async (): Promise<string | undefined> =>
      (await credentials.headers())["authorization"];
    assert.equal(await token(), "Bearer one");
    file = "two";
    await runtime.advance(59_999);
    assert.equal(await token(), "Bearer one");
    await runtime.advance(1);
    assert.equal(await token(), "Bearer two");
    file = new Error("EIO");
    await runtime.advance(60_000);
    assert.equal(await token(), "Bearer two");
    file = "three";
    assert.equal(await credentials.rejected(), true, "a 401 reads it at once");
    assert.equal(await token(), "Bearer three");
    assert.equal(await credentials.rejected(), false, "the same token is not worth a second try");
  });

  it("renews once for many requests that were refused with the same credentials", async () => {
    let reads = 0;
    const file = createCredentials(
      access({ type: "tokenFile", path: "/t" }),
      createVirtualRuntime(),
      { readFile: async () => `t${++reads}` },
    );
    let runs = 0;
    const exec = createCredentials(access({ type: "exec", plugin }), createVirtualRuntime(), {
      runPlugin: async () => credential({ token: `t${++runs}` }),
    });
    for (const credentials of [file, exec]) {
      const used = (await credentials.headers())["authorization"]!;
      for (let i = 0; i < 3; i++) assert.equal(await credentials.rejected(used), true);
      assert.equal((await credentials.headers())["authorization"], "Bearer t2");
    }
    assert.deepEqual([reads, runs], [2, 2]);
  });

  it("says which token file cannot be read", async () => {
    const credentials = createCredentials(
      access({ type: "tokenFile", path: "/secret/token" }),
      createVirtualRuntime(),
      { readFile: () => Promise.reject(new Error("ENOENT")) },
    );
    await assert.rejects(
      credentials.headers(),
      (error) =>
        isHomeostatError(error, "ERR_KUBECONFIG_TOKEN_FILE") &&
        error.message.includes("/secret/token"),
    );
  });

  it("runs a plug-in once until its credential expires, and passes it the cluster", async () => {
    const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    const infos: unknown[] = [];
    const credentials = createCredentials(
      access({ type: "exec", plugin }, { tls: { ca: "CA", serverName: "k" } }),
      runtime,
      {
        runPlugin: async (_, info) => {
          infos.push(JSON.parse(info));
          return credential({
            token: `t${infos.length}`,
            expirationTimestamp: `2026-01-01T0${infos.length}:00:00Z`,
          });
        },
      },
    );
    const [first, second] = await Promise.all([credentials.headers(), credentials.headers()]);
    assert.deepEqual(
      [first, second],
      [{ authorization: "Bearer t1" }, { authorization: "Bearer t1" }],
    );
    assert.deepEqual(infos, [
      {
        kind: "ExecCredential",
        apiVersion: plugin.apiVersion,
        spec: {
          cluster: {
            server: "https://h",
            "tls-server-name": "k",
            "certificate-authority-data": Buffer.from("CA").toString("base64"),
            config: null,
          },
          interactive: false,
        },
      },
    ]);
    await runtime.advance(3_600_001);
    assert.deepEqual(await credentials.headers(), { authorization: "Bearer t2" });
    assert.equal(await credentials.rejected(), true);
    assert.deepEqual(await credentials.headers(), { authorization: "Bearer t3" });
  });

  it("tells a plug-in that the server's certificate is not checked", async () => {
    let info = "";
    const runPlugin = async (_: unknown, given: string): Promise<string> => {
      info = given;
      return credential({ token: "t" });
    };
    const given = access({ type: "exec", plugin }, { tls: { insecureSkipVerify: true } });
    await createCredentials(given, createVirtualRuntime(), { runPlugin }).headers();
    assert.deepEqual(JSON.parse(info).spec.cluster, {
      server: "https://h",
      "insecure-skip-tls-verify": true,
      config: null,
    });
  });

  it("takes client certificates from a plug-in", async () => {
    const credentials = createCredentials(
      access({ type: "exec", plugin }),
      createVirtualRuntime(),
      { runPlugin: async () => credential({ clientCertificateData: "C", clientKeyData: "K" }) },
    );
    assert.deepEqual(await credentials.certificates?.current(), { cert: "C", key: "K" });
    assert.deepEqual(await credentials.headers(), {});
  });

  it("reads what client-go reads of a plug-in's output, and runs it once a request", async () => {
    const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    const { apiVersion } = plugin;
    const certificate = { clientCertificateData: "C", clientKeyData: "K" };
    for (const output of [
      JSON.stringify({ apiVersion, status: { token: "t", expirationTimestamp: null } }),
      `kind: ExecCredential\napiVersion: ${apiVersion}\nstatus: {token: t}\n`,
      credential({ token: "t", ...certificate, expirationTimestamp: "2020-01-01T00:00:00Z" }),
    ]) {
      let runs = 0;
      const runPlugin = async () => (runs++, output);
      const credentials = createCredentials(access({ type: "exec", plugin }), runtime, {
        runPlugin,
      });
      assert.deepEqual(await credentials.headers(), { authorization: "Bearer t" });
      await credentials.certificates?.current();
      assert.equal(runs, 1);
    }
  });

  for (const [what, output, says] of [
    [
      "a bare token",
      secret,
      /in JSON or YAML on standard output, got "6 characters of other text"/,
    ],
    ["no JSON", `{"token":"${secret}"`, /on standard output, got "17 characters of other text"/],
    ["nothing", " \n", /on standard output, got nothing$/],
    [
      "another kind",
      `{"token":"${secret}","kind":"Pod"}`,
      /expected kind ExecCredential, got "Pod"$/,
    ],
    [
      "no status",
      JSON.stringify({ apiVersion: plugin.apiVersion, token: secret }),
      /expected status with a token or a client certificate, got nothing$/,
    ],
    [
      "another status",
      JSON.stringify({ apiVersion: plugin.apiVersion, status: secret }),
      /expected status with a token or a client certificate, got "string"$/,
    ],
    [
      "another version",
      credential({ token: "t" }, "client.authentication.k8s.io/v1beta1"),
      /as the kubeconfig says, got .*v1beta1/,
    ],
    [
      "a certificate without its key",
      credential({ token: secret, clientCertificateData: secret }),
      /expected clientCertificateData and clientKeyData, or neither/,
    ],
    ["nothing to use", credential({}), /expected status with a token, or/],
    [
      "a bad time",
      credential({ token: secret, expirationTimestamp: "soon" }),
      /RFC 3339 time, got "soon"/,
    ],
  ] as const) {
    it(`refuses a plug-in that gives ${what}, with its install hint`, async () => {
      const credentials = createCredentials(
        access({ type: "exec", plugin }),
        createVirtualRuntime(),
        { runPlugin: async () => output },
      );
      await assert.rejects(
        credentials.headers(),
        (error) =>
          isHomeostatError(error, "ERR_KUBECONFIG_EXEC") &&
          says.test(error.message) &&
          !inspect(error).includes(secret) &&
          error.hint === "install get-token",
      );
    });
  }

  it("counts the certificates that a plug-in changes", async () => {
    const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    let runs = 0;
    const credentials = createCredentials(access({ type: "exec", plugin }), runtime, {
      runPlugin: async () => {
        runs++;
        return credential({
          clientCertificateData: runs < 3 ? "C1" : "C2",
          clientKeyData: "K",
          expirationTimestamp: `2026-01-01T0${runs}:00:00Z`,
        });
      },
    });
    const epochs: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      await credentials.headers();
      epochs.push(credentials.certificates?.epoch);
      await runtime.advance(3_600_001);
    }
    assert.deepEqual([runs, epochs], [3, [0, 0, 1]]);
  });

  it("sends basic credentials", async () => {
    assert.deepEqual(
      await createCredentials(
        access({ type: "basic", username: "u", password: "p" }),
        createVirtualRuntime(),
      ).headers(),
      { authorization: `Basic ${Buffer.from("u:p").toString("base64")}` },
    );
  });

  it("gives a rejected token one more try with a fresh one", async () => {
    let runs = 0;
    const transport = createScriptedTransport((exchange) =>
      exchange.request.headers["authorization"] === "Bearer fixed"
        ? exchange.refuse(401, "Unauthorized")
        : exchange.answer(200, { runs: ++runs }),
    );
    const names = { apiVersion: "v1", kind: "Thing", resource: "things" };
    const Thing = dynamicKind({ ...names, scope: "Cluster" });
    const client = createClient({
      transport,
      access: access({ type: "token", token: "fixed" }),
      runtime: createVirtualRuntime(),
    });
    await assert.rejects(
      client.get(Thing, "a"),
      (error) =>
        isUnauthorized(error) &&
        error.status.message === "refused: Unauthorized" &&
        error.message ===
          "refused: Unauthorized (https://h does not take the credentials of test: renew them, or correct the user there)",
    );
    assert.equal(transport.exchanges.length, 1, "a token that cannot change is not tried again");
  });
});
