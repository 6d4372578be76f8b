// Certificates as Go makes them for webhooks of knative.dev/pkg: authority and server have one
// name, and the server's has no key identifier of the authority. OpenSSL takes it for self-signed.
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createSystemRuntime } from "homeostat/runtime";
import {
  assembleCertificate,
  extension,
  freshSerial,
  generateKeys,
  type Issuer,
  oid,
  sequence,
  setOf,
  signCertificate,
  tlv,
  toPem,
  utf8,
  yes,
} from "homeostat/certificates";
import { createWebhookClient, type ServiceResolver } from "./webhook-client.ts";

const runtime = createSystemRuntime();
const { clock } = runtime;
const subject = { commonName: "hook.shop.svc", organizations: ["example.dev"] };
const sameName = sequence(
  setOf(sequence(oid("2.5.4.10"), utf8("example.dev"))),
  setOf(sequence(oid("2.5.4.3"), utf8("hook.shop.svc"))),
);
const hourMs = 3_600_000;

interface Made {
  readonly key: string;
  readonly cert: string;
  /** PEM in base64. */
  readonly caBundle: string;
}

/** Of the authority: `validMs` from an hour ago, and `limits`, extensions. */
function make(
  names: readonly string[],
  validMs = 2 * hourMs,
  limits: readonly Uint8Array[] = [],
): Made {
  const issuer: Issuer = { subject, ...generateKeys() };
  const notBefore = clock.now() - hourMs;
  const serial = freshSerial(runtime);
  const notAfter = notBefore + validMs;
  const ca = limits.length
    ? assembleCertificate(
        {
          serial,
          subject: sameName,
          notBefore,
          notAfter,
          publicKey: issuer.publicKey.export({ type: "spki", format: "der" }),
          extensions: [extension("2.5.29.19", sequence(yes())), ...limits],
        },
        issuer,
      )
    : signCertificate(
        { serial, subject, notBefore, notAfter, usage: "authority" },
        issuer.publicKey,
        issuer,
      );
  const keys = generateKeys();
  const der = assembleCertificate(
    {
      serial: freshSerial(runtime),
      subject: sameName,
      notBefore,
      notAfter: notBefore + 2 * hourMs,
      publicKey: keys.publicKey.export({ type: "spki", format: "der" }),
      extensions: [
        extension("2.5.29.17", sequence(...names.map((name) => tlv(0x82, Buffer.from(name))))),
      ],
    },
    issuer,
  );
  return {
    key: keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: toPem("CERTIFICATE", der),
    caBundle: Buffer.from(toPem("CERTIFICATE", ca)).toString("base64"),
  };
}

/** What a call of a webhook with `made`'s certificate gives, its message if it fails. */
async function callWith(
  made: Made,
  { caBundle = made.caBundle, calls = 1 }: { caBundle?: string; calls?: number } = {},
): Promise<readonly string[]> {
  const server = createServer({ key: made.key, cert: made.cert }, (_, res) => void res.end("done"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const resolve: ServiceResolver = () => ({ host: "127.0.0.1", port });
  const client = createWebhookClient({ clock, resolve });
  const config = { service: { namespace: "shop", name: "hook" }, caBundle };
  const said: string[] = [];
  for (let call = 0; call < calls; call++)
    said.push(
      await client.post({ config, body: "{}" }).then(
        (body) => new TextDecoder().decode(body),
        ({ message }: Error) => message,
      ),
    );
  client.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  return said;
}

const refusal =
  'Post "https://hook.shop.svc:443/?timeout=30s": tls: failed to verify certificate: x509: ';

test("a certificate that an authority of the same name signed is trusted", async () => {
  assert.deepEqual(await callWith(make(["hook.shop.svc"]), { calls: 2 }), ["done", "done"]);
});

test("one that another authority of the name signed is not", async () => {
  const { caBundle } = make(["hook.shop.svc"]);
  const [said] = await callWith(make(["hook.shop.svc"]), { caBundle });
  assert.match(said!, /unknown authority \(possibly because of "x509: ECDSA verification failure"/);
});

test("nor one for another name", async () => {
  const valid = "certificate is valid for other.shop.svc, not hook.shop.svc";
  assert.deepEqual(await callWith(make(["other.shop.svc"])), [refusal + valid]);
});

test("nor one of an authority that has expired", async () => {
  const [said] = await callWith(make(["hook.shop.svc"], hourMs / 2));
  assert.match(said!, /possibly because of "x509: certificate has expired or is not yet valid: /);
});

test("nor one of an authority for other names", async () => {
  const permitted = tlv(0xa0, sequence(tlv(0x82, Buffer.from("other.svc"))));
  const other = extension("2.5.29.30", sequence(permitted), yes());
  const [said] = await callWith(make(["hook.shop.svc"], 2 * hourMs, [other]));
  assert.match(said!, /unknown authority/);
  const none = extension("2.5.29.99", sequence());
  assert.deepEqual(await callWith(make(["hook.shop.svc"], 2 * hourMs, [none])), ["done"]);
});
