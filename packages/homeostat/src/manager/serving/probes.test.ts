// What probes answer, letter by letter: status and text are those of kube's servers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import type { PortHandler } from "./http-port.ts";
import { type HealthChecks, serveProbes } from "./probes.ts";

const fails = (message: string) => () => {
  throw new Error(message);
};

async function ask(handler: PortHandler, url: string): Promise<string> {
  const [path = "", query = ""] = url.split("?");
  const { status, body } = await handler({
    method: "GET",
    path,
    query: new URLSearchParams(query),
    headers: {},
    isLoopback: true,
  });
  return `${status} ${body}`;
}

const probes = (readyz: HealthChecks, runtime = createVirtualRuntime()) =>
  serveProbes({ healthz: { ping() {} }, readyz }, runtime.clock);

describe("serveProbes", () => {
  it("says ok when all checks pass, and lists them when it is asked to", async () => {
    const handler = probes({ ping() {}, "db/main": async () => true });
    assert.equal(await ask(handler, "/readyz"), "200 ok");
    assert.equal(await ask(handler, "/readyz/"), "200 ok");
    assert.equal(
      await ask(handler, "/readyz?verbose"),
      "200 [+]ping ok\n[+]db/main ok\nreadyz check passed\n",
    );
    assert.equal(await ask(handler, "/healthz?verbose"), "200 [+]ping ok\nhealthz check passed\n");
  });

  it("says which check fails and why, on a line", async () => {
    const handler = probes({
      ping() {},
      db: fails("no\n  connection"),
      later: () => Promise.reject(new Error("rejected")),
    });
    assert.equal(
      await ask(handler, "/readyz"),
      "500 [+]ping ok\n[-]db failed: no connection\n[-]later failed: rejected\nreadyz check failed\n",
    );
  });

  it("leaves out what is excluded, and warns of names that it does not know", async () => {
    const handler = probes({ ping() {}, db: fails("down") });
    assert.equal(await ask(handler, "/readyz?exclude=db"), "200 ok");
    assert.equal(
      await ask(handler, "/readyz?verbose&exclude=db&exclude=x&exclude=a"),
      '200 [+]ping ok\n[+]db excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a","x"\nreadyz check passed\n',
    );
  });

  it("answers for one check, whose name may have slashes", async () => {
    const handler = probes({ "db/main": fails("down"), ping() {} });
    assert.equal(await ask(handler, "/readyz/ping"), "200 ok");
    assert.equal(await ask(handler, "/readyz/db/main"), "500 internal server error: down\n");
    for (const unknown of ["/readyz/db", "/readyz/constructor", "/livez", "/", "/constructor"])
      assert.equal(await ask(handler, unknown), "404 404 page not found\n", unknown);
  });

  it("fails a check that does not end", async () => {
    const runtime = createVirtualRuntime();
    const handler = probes({ hung: () => new Promise(() => {}) }, runtime);
    const answer = ask(handler, "/readyz/hung");
    await runtime.advance(10_000);
    assert.equal(await answer, "500 internal server error: no result within 10 s\n");
    assert.equal(runtime.nextTimerMs(), undefined, "no timer is left");
  });
});
