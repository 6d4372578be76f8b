// How a port ends.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { openPort } from "./http-port.ts";
import { selfSignedCertificate } from "./port-certificate.ts";
import { createMetrics } from "../../metrics/index.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

describe("a port", () => {
  for (const isSecure of [true, false])
    it(`${isSecure ? "with" : "without"} TLS closes although a client sends nothing`, async () => {
      const runtime = createSystemRuntime();
      const { first } = selfSignedCertificate({ runtime, log, metrics: createMetrics() });
      const port = await openPort({
        what: "metrics",
        port: 0,
        host: "127.0.0.1",
        certificate: isSecure ? first : undefined,
        handler: () => ({ status: 200, body: "" }),
        clock: runtime.clock,
        log,
      });
      const client = connect(port.port, "127.0.0.1");
      client.on("error", () => {});
      await once(client, "connect");
      const ended = once(client, "close");
      await port.close();
      await ended;
      assert.ok(client.destroyed);
    });
});
