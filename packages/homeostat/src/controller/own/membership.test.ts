import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { arrangeSet, manager, mine, partOf } from "./arrange-set.suite.ts";
import { isInOtherSet, isMember, refuseForeign } from "./membership.ts";

const labels = (uid: string) => ({ "homeostat.dev/owner-uid": uid });
const annotations = { "homeostat.dev/owner": "Box.x n/other" };

describe("whose object it is", () => {
  const { set } = arrangeSet();
  const reasonAgainst = (known: KubeObject, adopt = false): string | undefined => {
    try {
      refuseForeign({ ...set, adopt }, known);
    } catch (error) {
      assert.ok(isHomeostatError(error, "ERR_OWN_FOREIGN"));
      return error.message.replace(/.*: /, "");
    }
    return undefined;
  };

  it("an object of the owner is ours, and one without a controller that this manager applied", () => {
    assert.equal(reasonAgainst(mine("p", { applied: [] })), undefined);
    assert.equal(reasonAgainst(partOf("p")), undefined);
    assert.equal(reasonAgainst(partOf("p", { labels: labels("owner") })), undefined);
  });

  it("an object without a controller can be adopted, one of another owner cannot", () => {
    const free = partOf("p", { applied: ["another"] });
    assert.equal(reasonAgainst(free), '"p" exists and has no controller');
    assert.equal(reasonAgainst(free, true), undefined);
    const taken = partOf("p", { controller: "other" });
    for (const adopt of [false, true])
      assert.equal(reasonAgainst(taken, adopt), '"p" exists and is controlled by Box "other"');
  });

  it("an object whose label leads to another owner is that owner's", () => {
    const labelled = partOf("p", { labels: labels("other"), annotations });
    const reason = '"p" exists and belongs to Box.x n/other';
    for (const adopt of [false, true]) assert.equal(reasonAgainst(labelled, adopt), reason);
    const both = mine("p", { labels: labels("other") });
    assert.equal(reasonAgainst(both), undefined, "the controller decides");
  });

  it("a member is of this owner and applied by this set", () => {
    assert.equal(isMember(set, mine("p")), true);
    assert.equal(isMember(set, partOf("p", { labels: labels("owner") })), true);
    assert.equal(isMember(set, mine("p", { applied: [`${manager}/named`] })), false);
    assert.equal(isMember(set, partOf("p")), false);
    assert.equal(isMember(set, partOf("p", { controller: "x", labels: labels("owner") })), false);
  });

  it("an object may be in another set of the controller", () => {
    const named = `${manager}/named`;
    const sets = new Set([manager, named]);
    assert.equal(isInOtherSet(set, mine("p", { applied: [manager, named] }), sets), true);
    assert.equal(isInOtherSet(set, mine("p"), sets), false);
    assert.equal(isInOtherSet(set, mine("p", { applied: ["foreign"] }), sets), false);
  });
});
