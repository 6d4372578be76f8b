import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptNames, establish } from "./naming.ts";
import type {
  Definition,
  DefinitionNames,
  DefinitionStatus,
} from "../../kinds/apiextensions/definition/definition.ts";

const now = "2026-01-01T00:00:00Z";
const definition = (names: DefinitionNames, status: DefinitionStatus = {}): Definition => ({
  metadata: { name: `${names.plural}.x.io` },
  spec: { group: "x.io", names },
  status,
});
const tolls = definition(
  { plural: "tolls", singular: "toll", kind: "Toll", listKind: "TollList" },
  { acceptedNames: { plural: "tolls", singular: "toll", kind: "Toll", listKind: "TollList" } },
);

test("free names are accepted, and the definition waits to be established", () => {
  const fresh = definition({
    plural: "cars",
    singular: "car",
    kind: "Car",
    listKind: "CarList",
    shortNames: ["c"],
  });
  const outcome = acceptNames(fresh, [tolls, fresh], now)!;
  assert.deepEqual(outcome.acceptedNames, {
    plural: "cars",
    singular: "car",
    shortNames: ["c"],
    kind: "Car",
    listKind: "CarList",
  });
  assert.deepEqual(
    outcome.conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ["NamesAccepted", "True", "NoConflicts"],
      ["Established", "False", "Installing"],
    ],
  );
  const conditions = establish({ ...fresh, status: outcome }, now)!;
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ["NamesAccepted", "True", "NoConflicts"],
      ["Established", "True", "InitialNamesAccepted"],
    ],
  );
  assert.equal(establish({ ...fresh, status: { conditions } }, now), undefined);
});

test("a taken name is left out and the rest accepted", () => {
  const taxes = definition({ plural: "taxes", singular: "toll", kind: "Tax", listKind: "TaxList" });
  const outcome = acceptNames(taxes, [tolls, taxes], now)!;
  assert.deepEqual(outcome.acceptedNames, { plural: "taxes", kind: "Tax", listKind: "TaxList" });
  assert.deepEqual(
    outcome.conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      ["NamesAccepted", "False", "SingularConflict", '"toll" is already in use'],
      ["Established", "False", "NotAccepted", "not all names are accepted"],
    ],
  );
  assert.equal(establish({ ...taxes, status: outcome }, now), undefined);
  assert.equal(
    acceptNames({ ...taxes, status: outcome }, [tolls, { ...taxes, status: outcome }], now),
    undefined,
    "nothing new to say",
  );
});

test("an established definition keeps its place when it asks for a taken short name", () => {
  const established = {
    type: "Established",
    status: "True",
    reason: "InitialNamesAccepted",
    message: "the initial names have been accepted",
    lastTransitionTime: now,
  } as const;
  const accepted = { plural: "cars", singular: "car", kind: "Car", listKind: "CarList" };
  const cars = definition(
    { ...accepted, shortNames: ["toll", "tolls"] },
    { acceptedNames: accepted, conditions: [established] },
  );
  const outcome = acceptNames(cars, [tolls, cars], now)!;
  assert.deepEqual(outcome.acceptedNames.shortNames, undefined);
  assert.deepEqual(
    outcome.conditions.map(({ type, status, message }) => [type, status, message]),
    [
      ["Established", "True", "the initial names have been accepted"],
      ["NamesAccepted", "False", '["toll" is already in use, "tolls" is already in use]'],
    ],
  );
});

test("matching names need no write", () => {
  assert.equal(acceptNames(tolls, [tolls], now), undefined);
});
