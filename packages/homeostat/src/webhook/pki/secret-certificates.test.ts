// Certificates of one Secret, on a Secret, caBundles and a clock that the test moves.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "../../client/client.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { holdsBundle } from "./certificate-facts.ts";
import { createRecord, type PkiMaking, takeStep } from "./change-record.ts";
import { formatRecord, parseRecord, type PkiRecord } from "./pki-record.ts";
import { SecretCertificates, type SecretSourceOptions } from "./secret-certificates.ts";

const hour = 3_600_000;
const limits = { authorityMs: 300 * hour, leafMs: 100 * hour, overlapMs: hour, settleMs: 2000 };

interface StoredSecret {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

function arrange() {
  const runtime = createVirtualRuntime();
  const making: PkiMaking = { runtime, limits, names: ["hooks.kitchen.svc"] };
  const cluster = {
    secret: undefined as StoredSecret | undefined,
    caBundle: "",
    refusal: undefined as Error | undefined,
  };
  const said: string[] = [];
  const store = (verb: string) => async (_: unknown, given: StoredSecret) => {
    if (cluster.refusal) throw cluster.refusal;
    said.push(verb);
    cluster.secret = given;
  };
  let released = 0;
  const source = new SecretCertificates({
    client: { create: store("create"), update: store("update") } as unknown as Client,
    log: { info: (message: string) => void said.push(message.replace(/.*: /, "")) } as never,
    making,
    lease: {
      informer: { get: () => cluster.secret },
      release: () => void released++,
    } as unknown as SecretSourceOptions["lease"],
    name: "certs",
    namespace: "home",
  });
  const pass = () =>
    source.pass({
      isPublished: (bundle) => holdsBundle(cluster.caBundle, bundle),
      trusted: () => cluster.caBundle,
    });
  const stored = (): PkiRecord => parseRecord(cluster.secret?.data)!;
  return {
    runtime,
    making,
    source,
    cluster,
    pass,
    stored,
    said: () => said.splice(0),
    released: () => released,
    /** All caBundles hold what the source wants them to. */
    publish: () => void (cluster.caBundle = source.bundle()!),
  };
}

describe("certificates in a Secret", () => {
  it("are made where there are none, marked, and then left alone", async () => {
    const { source, pass, cluster, stored, said, publish, released } = arrange();
    assert.equal(source.pair(), undefined);
    assert.equal(source.bundle(), undefined);
    assert.equal(await pass(), 0);
    assert.deepEqual(said(), ["create", "made anew"]);
    assert.equal(cluster.secret?.type, "kubernetes.io/tls");
    assert.deepEqual(cluster.secret.metadata, {
      name: "certs",
      namespace: "home",
      annotations: { "homeostat.dev/certificates": "webhooks" },
    });
    assert.deepEqual(source.pair(), stored().leaf);
    assert.equal(source.bundle(), stored().authority.cert);
    publish();
    assert.equal(await pass(), 600_000);
    assert.deepEqual(said(), []);
    source.stop();
    assert.equal(released(), 1);
  });

  it("are not those that another replica has made first", async () => {
    const { source, pass, cluster, making } = arrange();
    cluster.refusal = new Error("AlreadyExists");
    await assert.rejects(pass(), /AlreadyExists/);
    assert.equal(source.pair(), undefined, "what is not stored is not served");
    const record = createRecord(making, "");
    cluster.secret = { metadata: {}, data: formatRecord(record) };
    await pass();
    assert.deepEqual(source.pair(), record.leaf);
  });

  it("are restored from memory when the Secret is deleted, emptied or garbled", async () => {
    const { pass, cluster, stored, said } = arrange();
    await pass();
    const before = stored();
    const { metadata } = cluster.secret!;
    said();
    const data = { "tls.crt": "bm9uc2Vuc2U=" };
    for (const [secret, verb] of [
      [undefined, "create"],
      [{ metadata }, "update"],
      [{ metadata: {}, data: {} }, "update"],
      [{ metadata, data }, "update"],
      [{ metadata: {}, data: { ...data, "authority.crt": "" } }, "update"],
    ] as const) {
      cluster.secret = secret;
      assert.equal(await pass(), 0);
      assert.deepEqual(said(), [verb, "restored"]);
      assert.deepEqual(stored(), before);
      assert.ok(cluster.secret!.metadata.annotations?.["homeostat.dev/certificates"]);
    }
  });

  it("never replace other data", async () => {
    const { pass, cluster, source, said } = arrange();
    const other = { metadata: { annotations: { a: "b" } }, data: { password: "aA==" } };
    cluster.secret = other;
    const isRefused = (error: unknown): boolean =>
      isHomeostatError(error, "ERR_WEBHOOK_SECRET") && error.message.includes("home/certs");
    await assert.rejects(pass(), isRefused);
    cluster.secret = undefined;
    await pass();
    const pair = source.pair();
    said();
    cluster.secret = other;
    await assert.rejects(pass(), isRefused);
    assert.deepEqual([cluster.secret, source.pair(), said()], [other, pair, []]);
  });

  it("change hands: published, then signing, then trusted no more", async () => {
    const { pass, stored, said, publish, runtime, source } = arrange();
    await pass();
    publish();
    const first = source.pair();
    said();
    await runtime.advance(201 * hour);
    for (let i = 0; i < 10 && (await pass()) === 0; i++) publish();
    assert.deepEqual(said(), [
      "update",
      "the next authority is published before it signs",
      "update",
      "a new serving certificate is issued",
    ]);
    assert.notDeepEqual(source.pair(), first, "of the same authority, it serves at once");
    await runtime.advance(hour);
    for (let i = 0; i < 10 && (await pass()) === 0; i++) publish();
    assert.deepEqual(said(), ["update", "the next authority signs"]);
    assert.deepEqual(source.pair(), stored().leaf, "caBundles have held it for an hour");
    await runtime.advance(hour);
    await pass();
    assert.deepEqual(said(), ["update", "the previous authority is trusted no more"]);
    assert.equal(source.bundle(), stored().authority.cert);
  });

  it("of an authority that another replica promotes serve once caBundles have held it", async () => {
    const { pass, cluster, source, making, stored, runtime, said } = arrange();
    await pass();
    const before = source.pair();
    const introduced = takeStep(stored(), "introduceNext", making);
    const promoted = takeStep(introduced, "promoteNext", making);
    cluster.secret = { ...cluster.secret!, data: formatRecord(promoted) };
    assert.equal(await pass(), 600_000);
    assert.deepEqual(source.pair(), before, "no caBundle holds the new one");
    assert.ok(holdsBundle(source.bundle()!, promoted.authority.cert));
    // The previous authority is due to go, while this process still serves with it.
    await runtime.advance(2 * hour);
    said();
    assert.equal(await pass(), limits.settleMs);
    assert.deepEqual(said(), []);
    cluster.caBundle = source.bundle()!;
    assert.equal(await pass(), limits.settleMs);
    await runtime.advance(limits.settleMs - 1);
    cluster.caBundle = "";
    await pass();
    cluster.caBundle = source.bundle()!;
    await runtime.advance(1);
    assert.equal(await pass(), limits.settleMs, "it was gone in between");
    assert.deepEqual(source.pair(), before);
    await runtime.advance(limits.settleMs);
    await pass();
    assert.deepEqual(source.pair(), promoted.leaf);
  });
});
