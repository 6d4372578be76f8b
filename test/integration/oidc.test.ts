// Kubeconfigs with the auth-provider "oidc": what the provider and the API server are asked, as
// recorded with client-go 0.36.3 for the same files, and what is written back.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Handler } from "@homeostat/apiserver";
import { isHomeostatError } from "homeostat";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { createVirtualRuntime } from "homeostat/runtime";
import { listen } from "../../packages/apiserver/src/http/listen.ts";
import { idToken, openProvider, type ProviderOptions } from "../fixtures/identity-provider.ts";
import { issueLocalCertificate } from "../fixtures/local-certificate.ts";

const { authority, serving: tls } = issueLocalCertificate();
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const now = Date.parse("2026-01-01T00:00:00Z");
const hour = 3_600_000;
const seconds = (text: string): number => Number(text) * 1000;
const form = "POST /realm/token application/x-www-form-urlencoded";
const described = "GET /realm/.well-known/openid-configuration";

describe("the auth-provider oidc", { timeout: 30_000 }, () => {
  let folder: string;
  let file: string;
  const asked: (string | undefined)[] = [];
  const api: Handler = async ({ headers }) => {
    asked.push(headers["authorization"]);
    return { status: 200, headers: {}, body: Buffer.from("{}") };
  };
  let server: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "oidc-"));
    file = join(folder, "config");
    server = await listen(api, { graceMs: 0, tls });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** Runs with a provider and a client of a kubeconfig with these further lines. */
  async function play(
    lines: readonly string[],
    given: Partial<Pick<ProviderOptions, "formOnly" | "answer">>,
    run: (play: {
      readonly client: Client;
      readonly seen: readonly string[];
      readonly advance: (ms: number) => Promise<void>;
      readonly other: () => Promise<Client>;
    }) => Promise<void>,
  ): Promise<void> {
    const answer = () => ({ body: { access_token: "a", id_token: idToken("new", now + hour) } });
    const provider = await openProvider({ tls, answer, ...given });
    await writeFile(
      file,
      `# mine
current-context: c
clusters:
- {name: k, cluster: {server: "${server.url}", certificate-authority-data: ${base64(authority.cert)}}}
contexts:
- {name: c, context: {cluster: k, user: other, namespace: n}}
users:
- {name: u, user: {token: untouched}}
- name: other
  user:
    auth-provider:
      name: oidc
      config:
        idp-issuer-url: ${provider.issuer} # the realm
        client-id: my id
        client-secret: s*cr~t
        idp-certificate-authority-data: ${base64(authority.cert)}
${lines.map((line) => `        ${line}\n`).join("")}`,
    );
    asked.length = 0;
    const virtual = createVirtualRuntime({ startMs: now });
    const clients: Client[] = [];
    const other = async (): Promise<Client> => {
      const access = await loadKubeconfig({ path: file });
      const client = createClient({ access, runtime: virtual });
      clients.push(client);
      return client;
    };
    const client = await other();
    try {
      await run({ client, seen: provider.seen, advance: (ms) => virtual.advance(ms), other });
    } finally {
      await Promise.all(clients.map((each) => each.close()));
      await provider.close();
    }
  }
  const call = (client: Client) => client.request({ method: "GET", path: "/version" });

  it("sends the id-token while it is valid for ten seconds more", async () => {
    const token = idToken("ada", now + seconds("11"));
    await play([`id-token: ${token}`], {}, async ({ client, seen, advance }) => {
      await call(client);
      assert.deepEqual([asked, seen], [[`Bearer ${token}`], []]);
      await advance(1000);
      await assert.rejects(
        call(client),
        (error) =>
          isHomeostatError(error, "ERR_KUBECONFIG_OIDC") &&
          /user "other" in .*config from .*: it has expired or is missing, and there is no refresh-token/.test(
            error.message,
          ),
      );
      assert.equal(asked.length, 1);
    });
  });

  it("refreshes it once for all that wait, and writes the tokens back", async () => {
    const [first, second] = [idToken("one", now + hour), idToken("two", now + 2 * hour)];
    const tokens = [
      { id_token: first, refresh_token: "r/2" },
      { id_token: second, refresh_token: "r/2" },
    ];
    const answer = (refresh: number) => ({ body: { access_token: "a", ...tokens[refresh - 1] } });
    const lines = [`id-token: ${idToken("old", now - hour)}`, "refresh-token: r 1"];
    await play(lines, { answer }, async ({ client, seen, advance }) => {
      await Promise.all([call(client), call(client)]);
      assert.deepEqual(asked, [`Bearer ${first}`, `Bearer ${first}`]);
      await advance(hour);
      await call(client);
      assert.equal(asked[2], `Bearer ${second}`);
      const basic = `Basic ${base64("my+id:s%2Acr~t")}`;
      assert.deepEqual(seen, [
        described,
        `${form} ${basic} grant_type=refresh_token&refresh_token=r+1`,
        described,
        `${form} ${basic} grant_type=refresh_token&refresh_token=r%2F2`,
      ]);
      const text = await readFile(file, "utf8");
      assert.match(text, /^# mine\n/);
      assert.match(text, /\/realm # the realm\n/);
      assert.ok(text.includes(`id-token: ${second}\n`), text);
      assert.match(text, /refresh-token: r\/2\n/);
      assert.match(text, /token: untouched/);
    });
  });

  it("finds out which way the provider takes the secret", async () => {
    await play(["refresh-token: r"], { formOnly: true }, async ({ client, seen, advance }) => {
      await call(client);
      await advance(hour);
      await call(client);
      const withSecret =
        "client_id=my+id&client_secret=s%2Acr~t&grant_type=refresh_token&refresh_token=r";
      assert.deepEqual(
        seen.map((line) => line.replace(/Basic \S+ /, "Basic ")),
        [
          described,
          `${form} Basic grant_type=refresh_token&refresh_token=r`,
          `${form} ${withSecret}`,
          described,
          `${form} ${withSecret}`,
        ],
      );
    });
  });

  it("takes the tokens that another program has written back", async () => {
    await play(["refresh-token: r"], {}, async ({ client, seen, other }) => {
      const late = await other();
      await call(client);
      await call(late);
      assert.deepEqual([asked[0] === asked[1], seen.length], [true, 2]);
    });
  });

  it("says what is wrong with the answer, and tries again with the next request", async () => {
    const faults: readonly (readonly [body: object, tries: number, RegExp, status?: number])[] = [
      [{ error: "invalid_grant", error_description: "gone" }, 2, /invalid_grant \(gone\)/, 400],
      [{ error: "odd" }, 2, /it answered 200: odd/],
      [{ id_token: "x" }, 2, /no access_token/],
      [{ access_token: "a" }, 1, /no id_token: either the scope "openid"/],
    ];
    for (const [body, tries, fault, status = 200] of faults) {
      const good = { body: { access_token: "a", id_token: idToken("ok", now + hour) } };
      const answer = (refresh: number) => (refresh <= tries ? { status, body } : good);
      await play(["refresh-token: r"], { answer }, async ({ client }) => {
        await assert.rejects(call(client), fault);
        await call(client);
        assert.equal(asked.length, 1);
      });
    }
    await play(["id-token: opaque"], {}, async ({ client }) => {
      await assert.rejects(call(client), /the id-token is no JWT/);
    });
  });

  it("waits for the lock of another program, and fails when tokens cannot be written", async () => {
    await play(["refresh-token: r"], {}, async ({ client, advance }) => {
      await writeFile(`${file}.lock`, "");
      const refused = assert.rejects(call(client), /cannot be written back: .*config\.lock exists/);
      let isOver = false;
      void refused.then(() => (isOver = true));
      while (!isOver) {
        await advance(100);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await refused;
      await rm(`${file}.lock`);
      await call(client);
      assert.equal(asked.length, 1);
      await assert.rejects(readFile(`${file}.lock`), /ENOENT/);
    });
  });
});
