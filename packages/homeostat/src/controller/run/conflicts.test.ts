import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiStatusError, type Status, type StatusCause } from "../../api/status.ts";
import { conflictDelayMs, isConflictOf, isOrdinary } from "./conflicts.ts";
import { RunScope } from "./run-scope.ts";

const { signal } = new AbortController();
const open = (): RunScope => new RunScope({ title: "Box a", deadline: signal, late: () => {} });

function refusal(code: number, reason: string, message: string, causes?: readonly StatusCause[]) {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
  const details = causes ? { details: { causes } } : {};
  return new ApiStatusError({ ...status, code, reason, message, ...details } as Status);
}

const conflict = (message: string, causes?: readonly StatusCause[]) =>
  refusal(409, "Conflict", message, causes);

it("a stale revision is ordinary; a wrong object and another owner's field are not", () => {
  const verdict = (error: unknown, isGone = false): boolean =>
    isConflictOf(open(), error, { isGone });
  assert.equal(verdict(conflict("the object has been modified")), true);
  assert.equal(
    verdict(conflict("Precondition failed: UID in precondition: a, UID in object meta: b")),
    false,
  );
  assert.equal(verdict(conflict("uid mismatch: the provided object specified uid a")), false);
  assert.equal(verdict(conflict('conflict with "x"', [{ reason: "FieldManagerConflict" }])), false);
  const notFound = refusal(404, "NotFound", 'configmaps "a" not found');
  assert.equal(verdict(notFound), false);
  assert.equal(verdict(notFound, true), true);
  assert.equal(verdict(refusal(409, "AlreadyExists", "exists"), true), false);
  assert.equal(verdict(new Error("a bug"), true), false);
});

it("writes of the runtime that came too late are ordinary", () => {
  const scope = open();
  const error = conflict("uid mismatch");
  scope.markOvertaken(error);
  assert.equal(isConflictOf(scope, error, { isGone: false }), true);
});

it("runs again at once, then within 200 ms, then with the usual back-off", () => {
  const least = { bytes: (n: number) => new Uint8Array(n) };
  const most = { bytes: (n: number) => new Uint8Array(n).fill(255) };
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 100].map((count) => conflictDelayMs(count, least)),
    [5, 10, 20, 40, 80, 100, 100],
  );
  assert.equal(conflictDelayMs(6, most), 200);
  assert.equal(conflictDelayMs(101, most), undefined);
  assert.deepEqual([isOrdinary(4), isOrdinary(5)], [true, false]);
});
