// Watches as async iterables, on every server: those that resume, and those that are closed.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isExpired } from "homeostat/api";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { describeClient } from "../fixtures/describe-client.ts";

describeClient("watches", (open, what) => {
  const create = (name: string) => open().create(ConfigMap, { metadata: { name } });

  it("resume where the server ended them, without gaps and repetitions", async () => {
    const client = open();
    const { namespace } = client;
    const { resourceVersion } = await client.list(ConfigMap, { namespace });
    const options = { namespace, resourceVersion, timeoutSeconds: 1, resume: true } as const;
    const watch = client.watch(ConfigMap, options)[Symbol.asyncIterator]();
    const names = Array.from({ length: 30 }, (_, at) => `watched-${at}`);
    const writing = (async () => {
      for (const name of names) {
        await create(name);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const seen: string[] = [];
    while (seen.length < names.length) {
      const { value } = await watch.next();
      seen.push(value!.object.metadata.name);
    }
    await watch.return!();
    await writing;
    assert.deepEqual(seen, names);
  });

  // A young kube-apiserver still has all changes: etcd compacts every five minutes.
  const skip = what === "reference" && "nothing is compacted yet";
  it("say that the changes since are gone", { skip }, async () => {
    const options = { resourceVersion: "1", resume: true } as const;
    await assert.rejects(async () => {
      for await (const event of open().watch(ConfigMap, options)) assert.fail(event.type);
    }, isExpired);
  });

  it("end with their signal and with return()", async () => {
    const client = open();
    const abort = new AbortController();
    const { resourceVersion } = await client.list(ConfigMap);
    const options = { resourceVersion, signal: abort.signal, resume: true };
    const first = client.watch(ConfigMap, options)[Symbol.asyncIterator]();
    const waiting = first.next();
    abort.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    const second = client.watch(ConfigMap, { resourceVersion })[Symbol.asyncIterator]();
    const pending = second.next();
    await second.return!();
    assert.equal((await pending).done, true);
  });
});
