// Which children are looked up on the server, and what happens where they may not be listed.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { arrangeSet, Part, partOf, refused } from "./arrange-set.suite.ts";
import { collectUnreachable } from "./collect.ts";
import { lookUpUncovered } from "./uncovered.ts";

const labels = { "homeostat.dev/owner-uid": "owner" };
const labelSelector = "homeostat.dev/owner-uid=owner";
const [far, near] = [
  partOf("far", { labels, namespace: "m" }),
  partOf("near", { labels, namespace: "n" }),
];
const asked = [
  "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "list", group: "x", resource: "parts" } },
  },
];
const listOf = (where: string) => [`list ${where}`, { labelSelector }];
type Options = NonNullable<Parameters<typeof arrangeSet>[1]>;

async function lookUp(options: Options, hasOwnedElsewhere = false) {
  const { set, requests } = arrangeSet([], { live: [far, near], ...options });
  const unseen = (): void => {};
  const found = await lookUpUncovered(set, { hasOwnedElsewhere, unseen });
  return { found: found.map(({ metadata }) => metadata.name), requests };
}
const denied = refused(403, "Forbidden");
const forbidding = (place: string) => (request: string) =>
  request === `list ${place}` ? denied : undefined;
const refuses = (message: RegExp) => (error: unknown) =>
  isHomeostatError(error, "ERR_OWN_UNCOVERED") && message.test(error.message);

describe("children that no informer shows", () => {
  it("are not looked up where the informers show all", async () => {
    const nothing = { found: [], requests: [] };
    assert.deepEqual(await lookUp({ extent: "all" }, true), nothing);
    assert.deepEqual(await lookUp({ extent: ["n", "m"] }), nothing);
    const site = { ...far, metadata: { name: "s", uid: "site" } } as typeof far;
    assert.deepEqual(await lookUp({ extent: "matching", owner: site }), nothing);
    const kind = { ...Part, scope: "Cluster" } as Kind;
    assert.deepEqual(await lookUp({ extent: "matching", kind }), nothing);
  });

  it("are looked up where namespaces come and go, and where objects are selected", async () => {
    const all = { found: ["far", "near"], requests: [listOf("all")] };
    assert.deepEqual(await lookUp({ extent: "matching" }), all);
    assert.deepEqual(await lookUp({ scope: { labelSelector: "app=x" } }), all);
    assert.deepEqual(await lookUp({ scope: { fieldSelector: "spec.of=x" } }), all);
    const found = await lookUp({ extent: ["n"] }, true);
    assert.deepEqual(found, { ...all, requests: [asked, listOf("all")] });
    const kind = { ...Part, scope: "Cluster" } as Kind;
    assert.deepEqual(await lookUp({ kind, scope: { labelSelector: "app=x" } }), all);
  });

  it("are looked up in the namespaces that are left out, where no more is allowed", async () => {
    const extent = ["n", "unwatched"];
    const requests = [asked, listOf("unwatched")];
    const refuse = forbidding("all");
    assert.deepEqual(await lookUp({ extent, refuse }), { found: [], requests });
    const selected = await lookUp({ extent, refuse, scope: { labelSelector: "app=x" } });
    assert.deepEqual(selected.found, ["near"]);
    assert.deepEqual(await lookUp({ extent: ["n"], refuse }, true), {
      found: [],
      requests: [asked],
    });
    const nobody = (request: string) => (/^(?:POST|list all)/.test(request) ? denied : undefined);
    const unanswered = await lookUp({ extent, refuse: nobody });
    assert.deepEqual(unanswered, { found: [], requests });
  });

  it("are not looked for elsewhere in silence", async () => {
    const said: string[] = [];
    const { set } = arrangeSet([], { extent: ["n"], refuse: forbidding("all") });
    const options = { hasOwnedElsewhere: true, unseen: (line: string) => void said.push(line) };
    for (let time = 0; time < 2; time++) await lookUpUncovered(set, options);
    assert.equal(said.length, 1);
    assert.match(said[0]!, /^Part objects outside of .* this user may not list parts in all/);
  });

  it("keep the finalizer where they may not be listed; a kind that is not served has none", async () => {
    await assert.rejects(
      lookUp({ extent: "matching", refuse: forbidding("all") }),
      refuses(/Box n\/b owning Part .* the finalizer stays, .* in all namespaces/),
    );
    const refuse = (request: string) =>
      request.startsWith("list") ? refused(403, "Forbidden") : undefined;
    await assert.rejects(
      lookUp({ extent: ["n", "unwatched"], refuse }),
      refuses(/it may not list \w+ in namespace unwatched/),
    );
    const notFound = (): Error => refused(404, "NotFound");
    assert.deepEqual((await lookUp({ extent: "matching", refuse: notFound })).found, []);
    const failing = (): Error => refused(500, "InternalError");
    await assert.rejects(lookUp({ extent: "matching", refuse: failing }), /InternalError|500/);
  });

  it("are deleted, and named until they are gone", async () => {
    const held = { ...near, metadata: { ...near.metadata, finalizers: ["example.com/slow"] } };
    const foreign = partOf("foreign", { labels, applied: ["other"] });
    const { set, requests } = arrangeSet([], { live: [far, held, foreign], extent: "matching" });
    const { informer, ...rest } = set;
    const collect = () =>
      collectUnreachable({ ...rest, informer: () => informer }, [Part], {
        hasOwnedElsewhere: false,
        unseen() {},
      });
    assert.deepEqual(await collect(), { what: "Part n/near", isUnseen: true });
    const deleted = requests.map((one) => (one as readonly string[])[0]);
    assert.deepEqual(deleted, ["list all", "delete m/far", "delete n/near"]);
  });
});
