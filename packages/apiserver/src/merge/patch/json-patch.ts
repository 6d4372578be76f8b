// JSON patch (RFC 6902), as lenient as the library that upstream uses: an absent map key reads as
// null, negative list indexes count from the end, and text before the first slash of a pointer is
// ignored.
// Upstream: gopkg.in/evanphx/json-patch.v4/patch.go,
// k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import {
  cloneJson,
  equalJson,
  formatOverflow,
  isObject,
  type Json,
  type JsonObject,
  setOwn,
} from "homeostat/api";
import { badRequestError, failure } from "../../apimachinery/errors/api-errors.ts";
import { parsePatchText } from "./parse-patch-text.ts";
import {
  duplicateErrors,
  type FieldValidation,
  jsonKindOf,
  patchRejectedError,
} from "./patch-error.ts";

/** One operation as the client sent it. */
export type JsonPatchOperation = JsonObject;

/** A decoded patch body. */
export interface JsonPatchBody {
  readonly operations: readonly JsonPatchOperation[];
  /** Messages of upstream's strict decoder, e.g. `json patch unknown field "[0].foo"`. */
  readonly strictErrors: readonly string[];
}

const maxOperations = 10_000;
const memberTypes: Readonly<Record<string, "string" | "any">> = {
  op: "string",
  path: "string",
  from: "string",
  value: "any",
};

/**
 * Decodes a body. Throws ApiStatusError: 400 for a malformed patch, 413 for too many operations.
 */
export function decodeJsonPatch(text: string, validation: FieldValidation): JsonPatchBody {
  const { value, duplicates, overflow } = parsePatchText(text, {
    overflow: "kept",
    describe: (message) => (validation === "Ignore" ? message : `error decoding patch: ${message}`),
  });
  const strict = validation !== "Ignore";
  const fault = strict ? strictFault(value) : looseFault(value);
  if (fault) throw badRequestError(fault);
  if (overflow !== undefined)
    throw badRequestError(`error decoding patch: ${formatOverflow(overflow)}`);
  const operations = ((value ?? []) as readonly (JsonObject | null)[]).map(
    (operation) => operation ?? {},
  );
  if (operations.length > maxOperations)
    throw failure(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  return { operations, strictErrors: strict ? strictErrors(operations, duplicates) : [] };
}

function looseFault(value: Json): string | undefined {
  if (value !== null && !Array.isArray(value))
    return `json: cannot unmarshal ${jsonKindOf(value)} into Go value of type jsonpatch.Patch`;
  const wrong = value?.find((operation) => operation !== null && !isObject(operation));
  return wrong === undefined
    ? undefined
    : `json: cannot unmarshal ${jsonKindOf(wrong)} into Go value of type jsonpatch.Operation`;
}

function strictFault(value: Json): string | undefined {
  const cannot = (what: Json, where: string): string =>
    `error decoding patch: json: cannot unmarshal ${jsonKindOf(what)} into Go ${where}`;
  if (value !== null && !Array.isArray(value))
    return cannot(value, "value of type []handlers.jsonPatchOp");
  for (const operation of value ?? []) {
    if (operation === null) continue;
    if (!isObject(operation)) return cannot(operation, "value of type handlers.jsonPatchOp");
    for (const [name, member] of Object.entries(operation)) {
      if (memberTypes[name] === "string" && member !== null && typeof member !== "string")
        return cannot(member, `struct field jsonPatchOp.${name} of type string`);
    }
  }
  return undefined;
}

/** Unknown and duplicate members of operations. */
function strictErrors(
  operations: readonly JsonPatchOperation[],
  duplicates: readonly string[],
): readonly string[] {
  const unknown = operations.flatMap((operation, i) =>
    Object.keys(operation)
      .filter((name) => !Object.hasOwn(memberTypes, name))
      .map((name) => `[${i}].${name}`),
  );
  const hidden = (path: string): boolean =>
    unknown.some(
      (known) => path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}[`),
    );
  const errors = [
    ...unknown.map((path) => `unknown field "${path}"`),
    ...duplicateErrors(duplicates.filter((path) => !hidden(path))),
  ];
  return errors.slice(0, 100).map((error) => `json patch ${error}`);
}

/** The patched document; arguments are not mutated. Throws ApiStatusError 422 without a cause. */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  let root = cloneJson(document);
  for (const operation of operations) root = applyOperation(root, operation);
  return root;
}

/** Mutates the document. */
function applyOperation(root: Json, operation: JsonPatchOperation): Json {
  switch (operation["op"]) {
    case "add":
      add(find(root, pointerOf(operation, "path")), cloneJson(operation["value"] ?? null));
      return root;
    case "remove":
      remove(find(root, pointerOf(operation, "path")));
      return root;
    case "replace":
      return replace(root, operation);
    case "move": {
      const source = find(root, pointerOf(operation, "from"));
      const value = read(source);
      remove(source);
      add(find(root, pointerOf(operation, "path")), value);
      return root;
    }
    case "copy": {
      const value = read(find(root, pointerOf(operation, "from")));
      add(find(root, pointerOf(operation, "path")), cloneJson(value));
      return root;
    }
    case "test":
      test(root, operation);
      return root;
    default:
      throw patchRejectedError();
  }
}

function pointerOf(operation: JsonPatchOperation, member: "path" | "from"): string {
  const pointer = operation[member];
  if (typeof pointer !== "string") throw patchRejectedError();
  return pointer;
}

/** The target of a pointer: a member of an object or an item of a list. */
type Target =
  | { readonly at: "object"; readonly object: JsonObject; readonly key: string }
  | { readonly at: "list"; readonly list: Json[]; readonly key: string };

const unescape = (part: string): string =>
  part.replace(/~[01]/g, (escape) => (escape === "~1" ? "/" : "~"));

function find(root: Json, pointer: string): Target {
  const parts = pointer.split("/");
  if (parts.length < 2) throw patchRejectedError();
  let at = root;
  for (const part of parts.slice(1, -1)) at = read(targetIn(at, unescape(part)));
  return targetIn(at, unescape(parts.at(-1)!));
}

function targetIn(value: Json, key: string): Target {
  if (Array.isArray(value)) return { at: "list", list: value, key };
  if (isObject(value)) return { at: "object", object: value, key };
  throw patchRejectedError();
}

/** The index of a key; negative ones count from `length`. Throws from `length` on. */
function position(key: string, length: number): number {
  const number = /^[+-]?[0-9]+$/.test(key) ? Number(key) : Number.NaN;
  const index = number < 0 ? number + length : number;
  if (!(index >= 0 && index < length)) throw patchRejectedError();
  return index;
}

function read(target: Target): Json {
  if (target.at === "list") return target.list[position(target.key, target.list.length)]!;
  return Object.hasOwn(target.object, target.key) ? target.object[target.key]! : null;
}

function add(target: Target, value: Json): void {
  if (target.at === "object") setOwn(target.object, target.key, value);
  else if (target.key === "-") target.list.push(value);
  else target.list.splice(position(target.key, target.list.length + 1), 0, value);
}

function remove(target: Target): void {
  if (target.at === "list") {
    target.list.splice(position(target.key, target.list.length), 1);
    return;
  }
  if (!Object.hasOwn(target.object, target.key)) throw patchRejectedError();
  delete target.object[target.key];
}

function replace(root: Json, operation: JsonPatchOperation): Json {
  const pointer = pointerOf(operation, "path"),
    value = cloneJson(operation["value"] ?? null);
  if (pointer === "") {
    if (value === null || typeof value !== "object") throw patchRejectedError();
    return value;
  }
  const target = find(root, pointer);
  if (target.at === "object") setOwn(target.object, target.key, value);
  else target.list[position(target.key, target.list.length)] = value;
  return root;
}

function test(root: Json, operation: JsonPatchOperation): void {
  const pointer = pointerOf(operation, "path");
  const value = pointer === "" ? root : read(find(root, pointer));
  if (!equalJson(value, operation["value"] ?? null)) throw patchRejectedError();
}
