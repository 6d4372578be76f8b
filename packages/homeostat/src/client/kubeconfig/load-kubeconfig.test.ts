// Kubeconfigs as people have them, and every way to get them wrong. Files live in a temporary
// folder.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { KubeconfigErrorCode } from "./kubeconfig-error.ts";
import { loadClusterAccess, loadInClusterConfig, loadKubeconfig } from "./load-kubeconfig.ts";

const pem = (what: string): string => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const good = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: local
  cluster: { server: "https://127.0.0.1:6443/", certificate-authority-data: ${base64(pem("CERTIFICATE"))}, tls-server-name: kubernetes }
contexts:
- name: dev
  context: { cluster: local, user: me, namespace: kitchen }
- name: other
  context: { cluster: local, user: nobody }
- name: anonymous
  context: { cluster: local }
users:
- name: me
  user: { client-certificate: pki/me.crt, client-key: pki/me.key, as: boss, as-groups: [a, b] }
`;

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  await mkdir(join(folder, "pki"));
  await writeFile(join(folder, "pki", "me.crt"), pem("CERTIFICATE"));
  await writeFile(join(folder, "pki", "me.key"), pem("PRIVATE KEY"));
});
after(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** A kubeconfig with one cluster and one user. */
const simple = (cluster: string, user = "{}"): string =>
  `current-context: c\nclusters: [{name: k, cluster: ${cluster}}]\nusers: [{name: u, user: ${user}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n`;
const execV1 = "apiVersion: client.authentication.k8s.io/v1, command: x";
const https = '{server: "https://h"}';

describe("loadKubeconfig", () => {
  it("resolves the current context, with files relative to the kubeconfig", async () => {
    const path = await write("good", good);
    assert.deepEqual(await loadKubeconfig({ path }), {
      server: "https://127.0.0.1:6443",
      namespace: "kitchen",
      tls: {
        ca: pem("CERTIFICATE"),
        cert: pem("CERTIFICATE"),
        key: pem("PRIVATE KEY"),
        files: { cert: join(folder, "pki/me.crt"), key: join(folder, "pki/me.key") },
        serverName: "kubernetes",
      },
      auth: { type: "none" },
      impersonation: { user: "boss", groups: ["a", "b"], extra: {} },
      origin: `context "dev" of ${path}`,
    });
    const anonymous = await loadKubeconfig({ path, context: "anonymous" });
    assert.deepEqual([anonymous.namespace, anonymous.auth], ["default", { type: "none" }]);
  });

  it("merges a KUBECONFIG list: the first value wins, missing files are ignored", async () => {
    const first = await write(
      "first",
      `clusters: [{name: k, cluster: {server: "https://first"}}]\n`,
    );
    const second = await write("second", simple('{server: "https://second"}', '{token: "t"}'));
    const access = await loadKubeconfig({
      env: { KUBECONFIG: [join(folder, "missing"), first, second].join(delimiter) },
    });
    assert.deepEqual(
      [access.server, access.auth],
      ["https://first", { type: "token", token: "t" }],
    );
  });

  it("reads ~/.kube/config by default", async () => {
    await mkdir(join(folder, ".kube"), { recursive: true });
    await write(join(".kube", "config"), simple('{server: "https://home"}'));
    assert.equal((await loadKubeconfig({ env: { HOME: folder } })).server, "https://home");
  });

  it("reads every way to authenticate, tokenFile before token", async () => {
    const authOf = async (user: string): Promise<unknown> =>
      (await loadKubeconfig({ path: await write("auth", simple(https, user)) })).auth;
    assert.deepEqual(await authOf("{token: t, tokenFile: tok}"), {
      type: "tokenFile",
      path: join(folder, "tok"),
    });
    assert.deepEqual(await authOf("{username: u, password: p}"), {
      type: "basic",
      username: "u",
      password: "p",
    });
    assert.deepEqual(
      await authOf(
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, args: [a], env: [{name: N, value: v}], installHint: get it, interactiveMode: Never, provideClusterInfo: true}}",
      ),
      {
        type: "exec",
        plugin: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: join(folder, "plugin"),
          args: ["a"],
          env: { N: "v" },
          installHint: "get it",
          interactiveMode: "Never",
          provideClusterInfo: true,
        },
      },
    );
  });

  it("accepts a text", async () => {
    assert.equal((await loadKubeconfig({ text: simple(https) })).server, "https://h");
  });

  const wrong: readonly {
    readonly what: string;
    readonly text: string;
    readonly code: KubeconfigErrorCode;
    readonly says: RegExp;
    readonly context?: string;
  }[] = [
    { what: "no YAML", text: "a: [", code: "ERR_KUBECONFIG_SYNTAX", says: /wrong: expected YAML/ },
    { what: "a list", text: "- a", code: "ERR_KUBECONFIG_SHAPE", says: /mapping with clusters/ },
    {
      what: "another kind",
      text: "kind: Pod",
      code: "ERR_KUBECONFIG_SHAPE",
      says: /kind must be "Config", got "Pod"/,
    },
    {
      what: "an entry without name",
      text: "clusters: [{}]",
      code: "ERR_KUBECONFIG_SHAPE",
      says: /clusters\[0\]\.name must be a string/,
    },
    {
      what: "two of one name",
      text: "users: [{name: a}, {name: a}]",
      code: "ERR_KUBECONFIG_SHAPE",
      says: /two entries named "a"/,
    },
    {
      what: "no current context",
      text: "contexts: [{name: a}, {name: b}]",
      code: "ERR_KUBECONFIG_NO_CONTEXT",
      says: /current-context is not set and no context was named \(contexts: "a", "b"/,
    },
    {
      what: "an unknown context",
      text: good,
      context: "prod",
      code: "ERR_KUBECONFIG_NO_CONTEXT",
      says: /context "prod" does not exist \(contexts: "dev", "other", "anonymous"\)/,
    },
    {
      what: "an unknown user",
      text: good,
      context: "other",
      code: "ERR_KUBECONFIG_NO_USER",
      says: /names user "nobody".*\(users: "me"\)/,
    },
    {
      what: "an unknown cluster",
      text: "current-context: a\ncontexts: [{name: a, context: {cluster: x}}]",
      code: "ERR_KUBECONFIG_NO_CLUSTER",
      says: /names cluster "x".*\(clusters: none\)/,
    },
    {
      what: "a server that is no URL",
      text: simple('{server: "ftp://h"}'),
      code: "ERR_KUBECONFIG_SERVER",
      says: /must be an http\(s\) URL.*"ftp:\/\/h"/,
    },
    {
      what: "bad base64",
      text: simple('{server: "https://h", certificate-authority-data: "%%%"}'),
      code: "ERR_KUBECONFIG_BASE64",
      says: /cluster "k": certificate-authority-data must be base64/,
    },
    {
      what: "no PEM",
      text: simple(`{server: "https://h", certificate-authority-data: "${base64("hello")}"}`),
      code: "ERR_KUBECONFIG_PEM",
      says: /must hold PEM.*hello/,
    },
    {
      what: "a missing certificate file",
      text: simple('{server: "https://h", certificate-authority: nowhere.crt}'),
      code: "ERR_KUBECONFIG_UNREADABLE",
      says: /names .*nowhere\.crt, which cannot be read/,
    },
    {
      what: "a certificate without key",
      text: simple(https, "{client-certificate: pki/me.crt}"),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /client-certificate without client-key/,
    },
    {
      what: "insecure with an authority",
      text: simple(
        `{server: "https://h", insecure-skip-tls-verify: true, certificate-authority: pki/me.crt}`,
      ),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /both a certificate authority and insecure/,
    },
    {
      what: "a proxy of another kind",
      text: simple('{server: "https://h", proxy-url: "ftp://p"}'),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /cluster "k": proxy-url must be an http, https or socks5 URL, its scheme is "ftp"/,
    },
    {
      what: "an auth provider",
      text: simple(https, "{auth-provider: {name: gcp}}"),
      code: "ERR_KUBECONFIG_UNSUPPORTED",
      says: /auth-provider\.name: expected oidc, got "gcp"/,
    },
    {
      what: "an auth provider without an issuer",
      text: simple(https, "{auth-provider: {name: oidc, config: {client-id: c}}}"),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /auth-provider\.config\.idp-issuer-url must be set, got nothing/,
    },
    {
      what: "an auth provider whose configuration is no text",
      text: simple(https, "{auth-provider: {name: oidc, config: {client-id: 7}}}"),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /auth-provider\.config\.client-id must be a string, got 7/,
    },
    {
      what: "an auth provider and a plug-in",
      text: simple(https, "{auth-provider: {name: oidc}, exec: {command: x}}"),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /has an auth-provider and an exec plug-in/,
    },
    {
      what: "an old exec version",
      text: simple(
        https,
        "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}",
      ),
      code: "ERR_KUBECONFIG_SHAPE",
      says: /v1 or \/v1beta1, got .*v1alpha1/,
    },
    {
      what: "an entry with an empty name",
      text: "contexts: [{name: '', context: {}}]",
      code: "ERR_KUBECONFIG_SHAPE",
      says: /contexts\[0\]\.name must be a string that is not empty/,
    },
    ...(
      [
        [
          "an exec.env that is no list",
          `{exec: {${execV1}, env: {A: b}}}`,
          /user "u": exec\.env must be a list of .*\{"A":"b"\}/,
        ],
        [
          "an exec.env of texts",
          `{exec: {${execV1}, env: ["A=b"]}}`,
          /exec\.env\[0\]\.name must be the name of a variable, got "A=b"/,
        ],
        [
          "an exec.env without name",
          `{exec: {${execV1}, env: [{value: b}]}}`,
          /exec\.env\[0\]\.name must be .*got nothing/,
        ],
        [
          "an exec.env with a number",
          `{exec: {${execV1}, env: [{name: A, value: 1}]}}`,
          /exec\.env\[0\]\.value must be a string, got 1/,
        ],
        [
          "as-groups that are no list",
          "{as: a, as-groups: staff}",
          /user "u": as-groups must be a list of strings, got "staff"/,
        ],
        ["as-groups of numbers", "{as: a, as-groups: [1]}", /as-groups must be a list of strings/],
        [
          "as-user-extra that is a list",
          "{as: a, as-user-extra: [a]}",
          /as-user-extra must be a mapping/,
        ],
        [
          "as-user-extra without lists",
          "{as: a, as-user-extra: {scope: x}}",
          /as-user-extra\.scope must be a list of strings, got "x"/,
        ],
      ] as const
    ).map(([what, user, says]) => ({
      what,
      text: simple(https, user),
      code: "ERR_KUBECONFIG_SHAPE" as const,
      says,
    })),
  ];
  for (const { what, text, code, says, context } of wrong) {
    it(`refuses ${what}, with ${code}`, async () => {
      const path = await write("wrong", text);
      await assert.rejects(
        loadKubeconfig({ path, ...(context === undefined ? {} : { context }) }),
        (error) =>
          isHomeostatError(error, code) &&
          says.test(error.message) &&
          error.message.includes(folder) &&
          error.hint !== "",
      );
    });
  }

  it("names the places that it searched when there is none", async () => {
    await assert.rejects(loadKubeconfig({ path: join(folder, "none") }), (error) =>
      isHomeostatError(error, "ERR_KUBECONFIG_NOT_FOUND"),
    );
    await assert.rejects(
      loadKubeconfig({ env: { KUBECONFIG: join(folder, "none") } }),
      /looking for a kubeconfig: expected one at .*none, found none/,
    );
  });
});

describe("loadInClusterConfig", () => {
  it("reads the pod's service account", async () => {
    const account = join(folder, "account");
    await mkdir(account);
    for (const [name, text] of [
      ["ca.crt", pem("CERTIFICATE")],
      ["namespace", "kitchen\n"],
      ["token", "t"],
    ] as const)
      await writeFile(join(account, name), text);
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    const access = await loadInClusterConfig({ env, folder: account });
    assert.deepEqual(
      [access.server, access.namespace, access.auth],
      ["https://[fd00::1]:443", "kitchen", { type: "tokenFile", path: join(account, "token") }],
    );
    await assert.rejects(loadInClusterConfig({ env, folder: join(folder, "nowhere") }), (error) =>
      isHomeostatError(error, "ERR_KUBECONFIG_TOKEN_FILE"),
    );
    await assert.rejects(loadInClusterConfig({ env: {} }), (error) =>
      isHomeostatError(error, "ERR_KUBECONFIG_NOT_IN_CLUSTER"),
    );
    await assert.rejects(
      loadClusterAccess({ env }),
      (error) => isHomeostatError(error, "ERR_KUBECONFIG_TOKEN_FILE"),
      "in a pod the service account is tried",
    );
  });
});
