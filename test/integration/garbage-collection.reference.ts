// The same tests on a real control plane of their own, with its controller manager: it has to
// collect as we do. And random families of objects, of which the same has to be left on both.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { createClient, loadKubeconfig } from "homeostat/client";
import fc from "fast-check";
import { startReference } from "../../tools/reference/start-reference.ts";
import { createOwnershipPlay, playOwnership } from "../fixtures/ownership-play.ts";

const reference = await startReference({ controllers: true });
after(() => reference.stop());
process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"] = reference.kubeconfigPath;
await import("./garbage-collection.test.ts");

test("random families leave the same objects on both servers", { timeout: 300_000 }, async () => {
  const numbers = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
  const plays = fc
    .sample(numbers, { numRuns: 40 })
    .map((stream) => createOwnershipPlay(() => stream.next().value as number));
  const server = await startApiServer({ listen: false });
  const ours = createClient({ transport: server.transport() });
  const theirs = createClient({ access: await loadKubeconfig({ path: reference.kubeconfigPath }) });
  try {
    const left = await Promise.all(plays.map((play) => playOwnership(ours, play, 400)));
    const expected = await inBatches(plays, 10, (play) => playOwnership(theirs, play, 2000));
    for (const [i, play] of plays.entries()) {
      // Collectors work at several objects at once, so that some families may end in more than one
      // way.
      const [here, there] = [new Set([left[i]!.join("\n")]), new Set([expected[i]!.join("\n")])];
      for (let again = 0; again < 5 && here.isDisjointFrom(there); again++) {
        here.add((await playOwnership(ours, play, 400)).join("\n"));
        there.add((await playOwnership(theirs, play, 2000)).join("\n"));
      }
      assert.ok(
        !here.isDisjointFrom(there),
        `${JSON.stringify(play)}\nhere:\n${[...here].join("\nor\n")}\nthere:\n${[...there].join("\nor\n")}`,
      );
    }
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
    await server.close();
  }
});

async function inBatches<T, U>(
  all: readonly T[],
  size: number,
  run: (one: T) => Promise<U>,
): Promise<readonly U[]> {
  const done: U[] = [];
  for (let i = 0; i < all.length; i += size)
    done.push(...(await Promise.all(all.slice(i, i + size).map(run))));
  return done;
}
