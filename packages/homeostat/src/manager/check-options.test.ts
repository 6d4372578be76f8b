import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOptions } from "./check-options.ts";

test("all wrong options of a manager are named at once", () => {
  const wrong = {
    operator: "op",
    controllers: [5],
    client: {},
    cluster: "eu",
    cache: {},
    reports: { event: false },
    log: { info() {} },
    changed: 5,
    allowReplicas: "yes",
    syncTimeoutMs: -1,
    shutdownTimeoutMs: Infinity,
  };
  assert.throws(() => checkOptions(wrong as never), {
    message:
      "ERR_MANAGER_OPTIONS: creating the manager of op: " +
      "controllers[0] is 5, expected what defineController returns; " +
      "cluster: unknown option; expected any of operator, controllers, client, clusters, namespace, namespaces, cache, webhooks, runtime, log, reports, shutdownTimeoutMs, syncTimeoutMs, election, sharding, allowReplicas, health, metrics, tracing, watchdog, changed; " +
      "client is an empty object, expected what createClient returns; " +
      "cache.kinds is undefined, expected a list; " +
      "reports.event: expected any of events, conditions, metadata; " +
      "log has no debug, warn, error; " +
      "changed is not a function; " +
      "allowReplicas is 'yes', expected true or false; " +
      "syncTimeoutMs is -1, expected milliseconds from 0 to 2147483647; " +
      "shutdownTimeoutMs is Infinity, expected milliseconds from 0 to 2147483647",
  });
  assert.throws(() => checkOptions({ operator: "op" } as never), /controllers is undefined/);
  assert.throws(() => checkOptions({ operator: "op", controllers: [] } as never), {
    message:
      "ERR_MANAGER_OPTIONS: creating the manager of op: " +
      "controllers is an empty list, expected at least one that defineController returns",
  });
  const controllers = [{ kind: { kind: "Box" }, reconcile() {} }];
  for (const ms of [0, undefined, 1e6])
    checkOptions({ operator: "op", controllers, syncTimeoutMs: ms } as never);
  for (const operator of [undefined, "", 5])
    assert.throws(
      () => checkOptions({ operator, controllers } as never),
      /creating a manager: operator is .*, expected a name such as "orders"/,
    );
});

test("an election that cannot work is refused by name", () => {
  const controllers = [{ kind: { kind: "Box" }, reconcile() {} }];
  const check =
    (election: unknown, more: object = {}) =>
    () =>
      checkOptions({ operator: "op", controllers, election, ...more } as never);
  for (const [election, problem] of [
    [true, /election is true, expected \{ namespace \}/],
    [{ lease: "a" }, /election\.lease: unknown option; expected any of name, /],
    [{ name: "A b" }, /election\.name is 'A b', expected a name that a Lease can have/],
    [{ namespace: "" }, /election\.namespace is '', expected a text/],
    [{ identity: 5 }, /election\.identity is 5, expected a text/],
    [{ standby: "hot" }, /election\.standby is 'hot', expected 'warm' or 'cold'/],
    [{ whenLost: "exit" }, /election\.whenLost is 'exit', expected 'end' or 'standBy'/],
    [{ retryPeriodMs: 9000 }, /election\.renewDeadlineMs is 10000, expected more than 1\.2 times/],
  ] as const)
    assert.throws(check(election), problem);
  assert.throws(check({}, { operator: "My Operator" }), /election\.name is 'My Operator'/);
  check({ name: "mine" }, { operator: "My Operator" })();
  check({})();
  assert.throws(
    check({ whenLost: "end" }, { clusters: {} }),
    /election\.whenLost is 'end', expected 'standBy', because other clusters are not concerned/,
  );
});

test("sharding that cannot work is refused by name", () => {
  const controllers = [{ kind: { kind: "Box" }, reconcile() {} }];
  const check =
    (sharding: unknown, more: object = {}) =>
    () =>
      checkOptions({ operator: "op", controllers, sharding, ...more } as never);
  for (const [sharding, problem] of [
    [true, /sharding is true, expected \{ namespace \}/],
    [{ shards: 3 }, /sharding\.shards: unknown option; expected any of name, /],
    [{ name: "a.b" }, /sharding\.name is 'a\.b', expected at most 50 characters/],
    [{ name: "a".repeat(51) }, /sharding\.name is 'a+', expected at most 50 characters/],
    [{ namespace: "" }, /sharding\.namespace is '', expected a text/],
    [{ identity: 5 }, /sharding\.identity is 5, expected a text/],
    [{ whenLost: "standBy" }, /sharding\.whenLost is 'standBy', expected 'end' or 'rejoin'/],
    [{ retryPeriodMs: 9000 }, /sharding\.renewDeadlineMs is 10000, expected more than 1\.2 times/],
  ] as const)
    assert.throws(check(sharding), problem);
  check({})();
  assert.throws(check({}, { election: {} }), /sharding: expected without `election`/);
  assert.throws(check({ whenLost: "end" }, { clusters: {} }), /expected 'rejoin'/);
});

test("the credentials of what is passed for a client stay out of the message", () => {
  const controllers = [{ kind: { kind: "Box" }, reconcile() {} }];
  const check = (client: unknown) => () =>
    checkOptions({ operator: "op", controllers, client } as never);
  const access = { server: "https://a", auth: { type: "token", token: "s3cret" } };
  assert.throws(check(access), {
    message:
      "ERR_MANAGER_OPTIONS: creating the manager of op: " +
      "client is an object with server, auth, expected what createClient returns",
  });
  assert.throws(check(Promise.resolve(access)), /client is a promise, expected/);
});

test("what is to be cached is checked kind by kind", () => {
  const controllers = [{ kind: { kind: "Box" }, reconcile() {} }];
  const Pod = { apiVersion: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" };
  const check = (kinds: unknown) => () =>
    checkOptions({ operator: "op", controllers, cache: { kinds } } as never);
  for (const [kinds, problem] of [
    [[Pod], /cache\.kinds\[0\] is .*, expected a pair of a kind and its options/],
    [[[Pod, { label: "a" }]], /cache\.kinds\[0\] \(Pod\): label: expected any of labelSelector, f/],
    [[[Pod, { labelSelector: "a==,=" }]], /cache\.kinds\[0\] \(Pod\): labelSelector: /],
    [[[Pod, { fieldSelector: "a" }]], /cache\.kinds\[0\] \(Pod\): fieldSelector: /],
    [[[Pod, { labelSelector: { a: "b" } }]], /labelSelector is { a: 'b' }, expected a string/],
    [[[Pod, { project: "spec" }]], /project is 'spec', expected a function/],
  ] as const)
    assert.throws(check(kinds), problem);
  check([[Pod, { labelSelector: "a=b", project: (pod: object) => pod }]])();
});
