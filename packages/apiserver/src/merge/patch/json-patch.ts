// JSON patch (RFC 6902), as lenient as the library that upstream uses: an absent map key reads as
// null, negative list indexes count from the end, and text before the first slash of a pointer is
// ignored.
// Upstream: gopkg.in/evanphx/json-patch.v4/patch.go,
// k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import {
  cloneJson,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  type ParsedJson,
  setOwn,
} from "homeostat/api";
import { badRequestError, failure } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { markLiterals } from "./number-literals.ts";
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
  /**
   * Values have marked number literals, and so has the patched document: see number-literals.ts.
   */
  readonly isMarked: boolean;
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
  const { value, duplicates, floatLiterals } = parsePatchText(text, {
    overflow: "kept",
    describe: (message) => (validation === "Ignore" ? message : `error decoding patch: ${message}`),
  });
  const strict = validation !== "Ignore";
  const fault = strict ? (strictFault(value) ?? overflowFault(floatLiterals)) : looseFault(value);
  if (fault) throw badRequestError(fault);
  const operations = ((value ?? []) as readonly (JsonObject | null)[]).map(
    (operation) => operation ?? {},
  );
  if (operations.length > maxOperations)
    throw failure(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  markLiterals(value, floatLiterals);
  return {
    operations,
    isMarked: floatLiterals.size > 0,
    strictErrors: strict ? strictErrors(operations, duplicates) : [],
  };
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

/** A number in a value that no float64 can hold. */
function overflowFault(literals: ParsedJson["floatLiterals"]): string | undefined {
  for (const [path, literal] of literals)
    if (!Number.isFinite(Number(literal)) && /^\[\d+\]\.value(?![^.[])/.test(path))
      return `error decoding patch: json: cannot unmarshal number ${literal} into Go struct field jsonPatchOp.value of type float64`;
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

/** Why a patch cannot be applied, in the library's words. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
}

/** A `test` operation that does not hold. */
export class JsonPatchTestError extends JsonPatchError {}

/**
 * The patched document, marked as the operations are; arguments are not mutated. Throws
 * ApiStatusError 422 without a cause.
 */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  try {
    return patchJson(document, operations);
  } catch (error) {
    throw error instanceof JsonPatchError ? patchRejectedError() : error;
  }
}

/** The patched document; arguments are not mutated. Throws a JsonPatchError. */
export function patchJson(document: Json, operations: readonly JsonPatchOperation[]): Json {
  let root = cloneJson(document);
  for (const operation of operations) root = applyOperation(root, operation);
  return root;
}

/** Mutates the document. */
function applyOperation(root: Json, operation: JsonPatchOperation): Json {
  const { op } = operation;
  switch (op) {
    case "add":
      applyAdd(root, operation);
      return root;
    case "remove":
      applyRemove(root, operation);
      return root;
    case "replace":
      return replace(root, operation);
    case "move":
      move(root, operation);
      return root;
    case "copy":
      copy(root, operation);
      return root;
    case "test":
      test(root, operation);
      return root;
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

const missing = "missing value";
const beyond = "invalid index referenced";

/** A pointer of the operation; `what` says whose it is when there is none. */
function pointerOf(operation: JsonPatchOperation, member: "path" | "from", what: string): string {
  const pointer = operation[member];
  if (typeof pointer === "string") return pointer;
  const absent =
    member === "path" ? "operation missing path field" : "operation, missing from field";
  throw new JsonPatchError(
    pointer === undefined || pointer === null
      ? `${what}: ${absent}: ${missing}`
      : `${what}: json: cannot unmarshal ${jsonKindOf(pointer)} into Go value of type string`,
  );
}

/** The same for operations that do not say why. */
function bluntPointerOf(operation: JsonPatchOperation, what: string): string {
  const { path } = operation;
  if (typeof path === "string") return path;
  throw new JsonPatchError(`${what}: ${missing}`);
}

/** The target of a pointer: a member of an object or an item of a list. */
type Target =
  | { readonly at: "object"; readonly object: JsonObject; readonly key: string }
  | { readonly at: "list"; readonly list: Json[]; readonly key: string };

const unescape = (part: string): string =>
  part.replace(/~[01]/g, (escape) => (escape === "~1" ? "/" : "~"));

/** Throws `<fault>: missing value` if the document has no such place. */
function find(root: Json, pointer: string, fault: string): Target {
  const parts = pointer.split("/");
  let at: Json | undefined = parts.length < 2 ? undefined : root;
  for (const part of parts.slice(1, -1)) at = memberOf(at, unescape(part));
  const key = unescape(parts.at(-1)!);
  if (Array.isArray(at)) return { at: "list", list: at, key };
  if (isObject(at)) return { at: "object", object: at, key };
  throw new JsonPatchError(`${fault}: ${missing}`);
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (isObject(value)) return Object.hasOwn(value, key) ? value[key] : undefined;
  if (!Array.isArray(value)) return undefined;
  const index = indexIn(key, value.length);
  return typeof index === "number" ? value[index] : undefined;
}

/** The index of a key, negative ones counted from `length`; or why there is none below it. */
function indexIn(key: string, length: number): number | string {
  if (!/^[+-]?[0-9]+$/.test(key)) return `strconv.Atoi: parsing ${quoteGo(key)}: invalid syntax`;
  const number = Number(key);
  const index = number < 0 ? number + length : number;
  return index >= 0 && index < length
    ? index
    : `Unable to access invalid index: ${number}: ${beyond}`;
}

function positionIn(key: string, length: number, what: string): number {
  const index = indexIn(key, length);
  if (typeof index === "number") return index;
  throw new JsonPatchError(`${what}: ${index}`);
}

function read(target: Target, what: string): Json {
  if (target.at === "list") return target.list[positionIn(target.key, target.list.length, what)]!;
  return Object.hasOwn(target.object, target.key) ? target.object[target.key]! : null;
}

function add(target: Target, value: Json, what: string): void {
  if (target.at === "object") setOwn(target.object, target.key, value);
  else if (target.key === "-") target.list.push(value);
  else {
    const { key, list } = target;
    const index = indexIn(key, list.length + 1);
    if (typeof index === "number") list.splice(index, 0, value);
    else
      throw new JsonPatchError(
        index.startsWith("strconv")
          ? `${what}: value was not a proper array index: '${key}': ${index}`
          : `${what}: ${index}`,
      );
  }
}

function remove(target: Target, what: string): void {
  if (target.at === "list") target.list.splice(positionIn(target.key, target.list.length, what), 1);
  else if (Object.hasOwn(target.object, target.key)) delete target.object[target.key];
  else
    throw new JsonPatchError(
      `${what}: Unable to remove nonexistent key: ${target.key}: ${missing}`,
    );
}

const valueOf = (operation: JsonPatchOperation): Json => cloneJson(operation["value"] ?? null);

function applyAdd(root: Json, operation: JsonPatchOperation): void {
  const path = bluntPointerOf(operation, "add operation failed to decode path");
  const fault = `add operation does not apply: doc is missing path: "${path}"`;
  add(find(root, path, fault), valueOf(operation), `error in add for path: '${path}'`);
}

function applyRemove(root: Json, operation: JsonPatchOperation): void {
  const path = bluntPointerOf(operation, "remove operation failed to decode path");
  const fault = `remove operation does not apply: doc is missing path: "${path}"`;
  remove(find(root, path, fault), `error in remove for path: '${path}'`);
}

function move(root: Json, operation: JsonPatchOperation): void {
  const from = pointerOf(operation, "from", "move operation failed to decode from");
  const missingFrom = `move operation does not apply: doc is missing from path: ${from}`;
  const source = find(root, from, missingFrom);
  const fault = `error in move for path: '${source.key}'`;
  const value = read(source, fault);
  remove(source, fault);
  const path = pointerOf(operation, "path", "move operation failed to decode path");
  const missingPath = `move operation does not apply: doc is missing destination path: ${path}`;
  add(find(root, path, missingPath), value, `error in move for path: '${path}'`);
}

function copy(root: Json, operation: JsonPatchOperation): void {
  const from = pointerOf(operation, "from", "copy operation failed to decode from");
  const missingFrom = `copy operation does not apply: doc is missing from path: ${from}`;
  const value = read(find(root, from, missingFrom), `error in copy for from: '${from}'`);
  const path = bluntPointerOf(operation, "copy operation failed to decode path");
  const missingPath = `copy operation does not apply: doc is missing destination path: ${path}`;
  const target = find(root, path, missingPath);
  add(target, cloneJson(value), "error while adding value during copy");
}

function replace(root: Json, operation: JsonPatchOperation): Json {
  const path = pointerOf(operation, "path", "replace operation failed to decode path");
  const value = valueOf(operation);
  if (path === "") {
    if (value !== null && typeof value === "object") return value;
    throw new JsonPatchError("replace operation value must be object or array: %!w(<nil>)");
  }
  const target = find(root, path, `replace operation does not apply: doc is missing path: ${path}`);
  if (target.at === "object") setOwn(target.object, target.key, value);
  else {
    const index = indexIn(target.key, target.list.length);
    if (typeof index === "string")
      throw new JsonPatchError(
        `replace operation does not apply: doc is missing key: ${path}: ${missing}`,
      );
    target.list[index] = value;
  }
  return root;
}

function test(root: Json, operation: JsonPatchOperation): void {
  const path = pointerOf(operation, "path", "test operation failed to decode path");
  const fault = `test operation does not apply: is missing path: ${path}`;
  const value =
    path === "" ? root : read(find(root, path, fault), `error in test for path: '${path}'`);
  if (!equalJson(value, operation["value"] ?? null))
    throw new JsonPatchTestError(`testing value ${path} failed: test failed`);
}
