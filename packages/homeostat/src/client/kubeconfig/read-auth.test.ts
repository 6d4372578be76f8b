// Credentials, impersonation and proxies of kubeconfigs as client-go reads them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { formatExecInfo } from "./exec-credential.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pem = base64("-----BEGIN X-----");
const exec = "apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never";

const load = (
  user: string,
  cluster = '{server: "https://h"}',
  env: Readonly<Record<string, string>> = {},
): Promise<ClusterAccess> =>
  loadKubeconfig({
    text: `current-context: c\nclusters: [{name: k, cluster: ${cluster}}]\nusers: [{name: u, user: ${user}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n`,
    env,
  });

describe("a kubeconfig's user", () => {
  it("has a plug-in only without other credentials", async () => {
    const methods = [
      `{exec: {${exec}}}`,
      `{token: t, exec: {${exec}}}`,
      `{username: a, password: b, exec: {${exec}}}`,
      `{client-certificate-data: ${pem}, client-key-data: ${pem}, exec: {${exec}}}`,
    ].map(async (user) => (await load(user)).auth.type);
    assert.deepEqual(await Promise.all(methods), ["exec", "token", "basic", "none"]);
  });

  it("sends no credentials without TLS, and impersonates all the same", async () => {
    const { auth, impersonation } = await load("{token: t, as: boss}", '{server: "http://h"}');
    assert.deepEqual([auth, impersonation?.user], [{ type: "none" }, "boss"]);
  });

  it("impersonates with uid, groups and extra", async () => {
    const { impersonation } = await load(
      "{as: boss, as-uid: u1, as-groups: [a], as-user-extra: {scope: [x, y]}}",
    );
    assert.deepEqual(impersonation, {
      user: "boss",
      uid: "u1",
      groups: ["a"],
      extra: { scope: ["x", "y"] },
    });
  });

  it("has a plug-in that may ask, unless v1 says otherwise", async () => {
    const v1beta1 = "apiVersion: client.authentication.k8s.io/v1beta1, command: x";
    const { auth } = await load(`{exec: {${v1beta1}}}`);
    assert.equal(auth.type === "exec" && auth.plugin.interactiveMode, "IfAvailable");
  });

  it("hands the cluster's configuration to its plug-in", async () => {
    const { auth } = await load(
      `{exec: {${exec}}}`,
      '{server: "https://h", extensions: [{name: other, extension: 1}, {name: client.authentication.k8s.io/exec, extension: {audience: a}}]}',
    );
    assert.deepEqual(auth.type === "exec" && auth.plugin.config, { audience: "a" });
  });

  it("hands proxy-url and disable-compression to its plug-in, and not the environment", async () => {
    const env = { HTTPS_PROXY: "http://p:1" };
    const plain = await load(`{exec: {${exec}}}`, '{server: "https://h"}', env);
    assert.equal(plain.proxy, "http://p:1");
    assert.equal(plain.auth.type === "exec" && plain.auth.plugin.proxyUrl, undefined);
    const own = await load(
      `{exec: {${exec}}}`,
      '{server: "https://h", proxy-url: "http://own:1", disable-compression: true}',
    );
    const info = own.auth.type === "exec" ? formatExecInfo(own.auth.plugin, own, true) : "";
    assert.deepEqual([info.at(-1), JSON.parse(info).spec], ["\n", { interactive: true }]);
    const whole = own.auth.type === "exec" && { ...own.auth.plugin, provideClusterInfo: true };
    assert.deepEqual(whole && JSON.parse(formatExecInfo(whole, own, false)).spec.cluster, {
      server: "https://h",
      "proxy-url": "http://own:1",
      "disable-compression": true,
      config: null,
    });
  });

  for (const [what, user, says] of [
    ["a token and a password", "{token: t, username: a}", /has a token and a user name with/],
    ["groups to impersonate and no user", "{as-groups: [a]}", /has as-groups without as/],
    [
      "a v1 plug-in without interactiveMode",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x}}",
      /exec\.interactiveMode must be Never, IfAvailable or Always, got ""/,
    ],
    [
      "another interactiveMode",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Maybe}}",
      /got "Maybe"/,
    ],
  ] as const)
    it(`is refused with ${what}`, () =>
      assert.rejects(
        load(user),
        (error) => isHomeostatError(error, "ERR_KUBECONFIG_SHAPE") && says.test(error.message),
      ));
});

describe("a kubeconfig's proxy", () => {
  const environment = { HTTPS_PROXY: "http://everywhere:3128" };
  it("is the cluster's, else the environment's", async () => {
    const own = '{server: "https://h", proxy-url: "socks5://own:1080"}';
    assert.equal((await load("{}", own, environment)).proxy, "socks5://own:1080");
    assert.equal(
      (await load("{}", '{server: "https://h"}', environment)).proxy,
      "http://everywhere:3128",
    );
    assert.equal((await load("{}")).proxy, undefined);
  });
});
