// Which children are deleted, and with which requests.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { isConflict, isForbidden } from "../../api/status.ts";
import { arrangeSet, manager, mine, Part, partOf, refused } from "./arrange-set.suite.ts";
import { collectUnreachable } from "./collect.ts";
import { deleteMember, prune, undesired } from "./prune.ts";

const labels = { "homeostat.dev/owner-uid": "owner" };
const deletion = (name: string, namespace = "n") => [
  `delete ${namespace}/${name}`,
  { preconditions: { uid: `uid-${name}` }, propagationPolicy: "Background" },
];
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

describe("members that are not desired", () => {
  it("are those of this owner and set, by owner reference or label", () => {
    const { set } = arrangeSet([
      mine("desired"),
      mine("left"),
      partOf("labelled", { labels, namespace: "m" }),
      mine("of-another-set", { applied: [`${manager}/x`] }),
      partOf("foreign", { controller: "other" }),
    ]);
    assert.deepEqual(names(undesired(set, new Set(["n/desired"]))), ["left", "labelled"]);
  });

  it("are deleted by uid, unless they are being deleted", async () => {
    const members = [mine("a"), mine("b", { isDeleted: true })];
    const { set, requests } = arrangeSet(members);
    await prune(set, members);
    assert.deepEqual(requests, [deletion("a")]);
  });

  it("leave the set when another set of the controller has applied them meanwhile", async () => {
    const other = `${manager}/other`;
    const { set, requests } = arrangeSet([mine("a", { applied: [manager, other] })]);
    set.memory.called(Part, other);
    await prune(set, [mine("a")]);
    const nothing = { apiVersion: "x/v1", kind: "Part" };
    const metadata = { name: "a", namespace: "n", uid: "uid-a" };
    const options = { force: true, fieldManager: manager };
    assert.deepEqual(requests, [["apply n/a", { ...nothing, metadata }, options]]);
    const gone = arrangeSet();
    gone.set.memory.called(Part, other);
    await prune(gone.set, [mine("a")]);
    assert.deepEqual(gone.requests, [deletion("a")]);
  });

  it("stay once the run has ended", async () => {
    const assertRunning = () => {
      throw new Error("ended");
    };
    const { set, requests } = arrangeSet([mine("a")], { assertRunning });
    await assert.rejects(prune(set, [mine("a")]), /ended/);
    assert.deepEqual(requests, []);
  });

  it("may be gone already, or replaced", async () => {
    const refusing = (code: number, reason: string) => {
      const error = refused(code, reason);
      return { error, ...arrangeSet([mine("a")], { refuse: () => error }) };
    };
    const gone = refusing(404, "NotFound");
    await deleteMember(gone.set, mine("a"));
    assert.deepEqual(undesired(gone.set, new Set()), [], "the cache may say so later, or never");
    const replaced = refusing(409, "Conflict");
    await assert.rejects(deleteMember(replaced.set, mine("a")), isConflict);
    assert.deepEqual(replaced.overtaken, [replaced.error]);
    const forbidden = refusing(403, "Forbidden");
    await assert.rejects(deleteMember(forbidden.set, mine("a")), isForbidden);
    assert.deepEqual(forbidden.overtaken, []);
  });
});

describe("collecting what owner references do not reach", () => {
  it("deletes the labelled children of all sets of the controller, and names those that stay", async () => {
    const { set, requests } = arrangeSet([
      partOf("a", { labels, namespace: "m" }),
      partOf("b", { labels, namespace: "m", applied: [`${manager}/x`] }),
      partOf("going", { labels, namespace: "m", isDeleted: true }),
      partOf("of-another-controller", { labels, applied: [`${manager}er`] }),
      mine("reached"),
    ]);
    const { informer, ...dependencies } = set;
    const all = {
      ...dependencies,
      informer: (kind: unknown) => (kind === Part ? informer : undefined),
    };
    const left = await collectUnreachable(all as never, [Part, { ...Part, kind: "Absent" }], {
      hasOwnedElsewhere: true,
      unseen() {},
    });
    assert.deepEqual(requests, [deletion("a", "m"), deletion("b", "m")]);
    assert.deepEqual(left, { what: "Part m/going", isUnseen: false });
    const { informer: empty, ...none } = arrangeSet([mine("reached")]).set;
    assert.equal(
      await collectUnreachable({ ...none, informer: () => empty } as never, [Part], {
        hasOwnedElsewhere: true,
        unseen() {},
      }),
      undefined,
    );
  });
});
