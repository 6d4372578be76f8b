// DeleteOptions, from the body or, without one, from the query.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1 (types.go, conversion.go,
// validation/validation.go), k8s.io/apiserver/pkg/endpoints/handlers/delete.go.
import { encodeJson, formatApiVersion, isObject, type Json, type JsonObject } from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { fillClaim, notRegistered, unknownConversion } from "../body/claimed-kind.ts";
import { BodyError, parseBody } from "../body/parse-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { bodyOf, readContentType } from "../body/request-body.ts";
import type { Query } from "../request/query.ts";
import type { DeleteOptions } from "../../apimachinery/rest/delete-options.ts";
import { assertOptions, validateDryRun } from "./validate-options.ts";

interface Raw extends Omit<DeleteOptions, "dryRun"> {
  readonly dryRun: readonly string[];
}

/**
 * Reads and checks the options. A body hides the query, even an empty object. Throws 400, 413, 415
 * and 422.
 */
export async function readDeleteOptions(scope: RequestScope): Promise<DeleteOptions> {
  const raw = bodyOf(scope.request).length ? await fromBody(scope) : fromQuery(scope.request.query);
  assertOptions("DeleteOptions", validate(raw));
  return { ...raw, dryRun: raw.dryRun.length > 0 };
}

/** The options as admission shows them. */
export function formatDeleteOptions(options: DeleteOptions): JsonObject {
  const preconditions = {
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(options.gracePeriodSeconds === undefined
      ? {}
      : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.isPreconditioned || Object.keys(preconditions).length ? { preconditions } : {}),
    ...(options.orphanDependents === undefined
      ? {}
      : { orphanDependents: options.orphanDependents }),
    ...(options.propagationPolicy === undefined
      ? {}
      : { propagationPolicy: options.propagationPolicy }),
    ...(options.dryRun ? { dryRun: ["All"] } : {}),
  };
}

function fromQuery(query: Query): Raw {
  return {
    gracePeriodSeconds: query.integer("gracePeriodSeconds"),
    uid: query.text("uid") || undefined,
    resourceVersion: query.text("resourceVersion") || undefined,
    orphanDependents: query.flag("orphanDependents"),
    propagationPolicy: query.first("propagationPolicy"),
    dryRun: query.all("dryRun") ?? [],
  };
}

async function fromBody(scope: RequestScope): Promise<Raw> {
  const value = await readBody(scope);
  const raw = decode(value);
  scope.request.audit?.takeRequestObject(value, formatDecoded);
  return raw;
}

const preconditionFields = ["uid", "resourceVersion"];
const optionFields = [
  "gracePeriodSeconds",
  "preconditions",
  "orphanDependents",
  "propagationPolicy",
  "dryRun",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
];

/** As upstream writes options of its internal version: fields in the order of Go's structs. */
function formatDecoded(value: JsonObject): string {
  const type = ['"kind":"DeleteOptions"', '"apiVersion":"meta.k8s.io/__internal"'];
  return `{${[...type, ...formatFields(value, optionFields)].join(",")}}`;
}

const formatFields = (value: JsonObject, names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const field = value[name] ?? null;
    if (field === null || (Array.isArray(field) && !field.length)) return [];
    const json = isObject(field)
      ? `{${formatFields(field, preconditionFields).join(",")}}`
      : encodeJson(field);
    return `"${name}":${json}`;
  });

function decode(value: JsonObject): Raw {
  const own = membersOf(value, "DeleteOptions");
  const preconditions = membersOf(
    own("preconditions", "object", "v1.Preconditions") ?? {},
    "Preconditions.preconditions",
  );
  return {
    gracePeriodSeconds: numberOf(own("gracePeriodSeconds", "number", "int64")),
    isPreconditioned: isObject(value["preconditions"]),
    uid: preconditions("uid", "string", "types.UID"),
    resourceVersion: preconditions("resourceVersion", "string", "string"),
    orphanDependents: own("orphanDependents", "bool", "bool"),
    propagationPolicy: own("propagationPolicy", "string", "v1.DeletionPropagation"),
    dryRun: textsOf(own("dryRun", "array", "[]string")),
  };
}

async function readBody(scope: RequestScope): Promise<JsonObject> {
  const mediaType = readContentType(scope.request.api.headers["content-type"] ?? "");
  const expected = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };
  try {
    const body =
      mediaType === "application/vnd.kubernetes.protobuf"
        ? fromProtobuf(scope, expected)
        : await parseBody(scope.request.api.body, mediaType);
    const claimed = fillClaim(body, expected);
    if (claimed.kind !== "DeleteOptions") {
      const goType = scope.core.kinds.goTypeOf(claimed, expected.group);
      throw badRequestError(
        goType === undefined
          ? notRegistered(claimed.kind, formatApiVersion(claimed))
          : unknownConversion(goType, "v1.DeleteOptions"),
      );
    }
    return body.value;
  } catch (error) {
    throw error instanceof BodyError ? badRequestError(error.message) : error;
  }
}

function fromProtobuf(
  scope: RequestScope,
  expected: { readonly group: string; readonly version: string; readonly kind: string },
): { readonly value: JsonObject; readonly kind: string; readonly apiVersion: string } {
  if (!scope.core.protobuf)
    throw badRequestError("protobuf bodies are not accepted here: send application/json");
  try {
    const { object, kind, apiVersion } = scope.core.protobuf.decode(
      scope.request.api.body,
      expected,
    );
    return { value: object, kind, apiVersion };
  } catch (error) {
    throw badRequestError(reasonOf(error));
  }
}

/** The JSON kinds of members, as {@link goKindOf} names them. */
interface MemberTypes {
  readonly object: JsonObject;
  readonly string: string;
  readonly bool: boolean;
  readonly array: Json[];
  readonly number: number | bigint;
}

/** Reads members of `value`, a Go struct that messages call `owner`; null is absent. Throws 400. */
function membersOf(value: JsonObject, owner: string) {
  return <K extends keyof MemberTypes>(
    field: string,
    kind: K,
    goType: string,
  ): MemberTypes[K] | undefined => {
    const found = value[field];
    if (found === undefined || found === null) return undefined;
    if (goKindOf(found) !== kind) throw mismatch(found, `${owner}.${field}`, goType);
    return found as MemberTypes[K];
  };
}

/** Null items are empty texts. */
function textsOf(items: readonly Json[] = []): readonly string[] {
  return items.map((item) => {
    if (item !== null && typeof item !== "string")
      throw mismatch(item, "DeleteOptions.dryRun", "string");
    return item ?? "";
  });
}

function numberOf(found: number | bigint | undefined): number | undefined {
  if (typeof found === "number" && !Number.isInteger(found))
    throw badRequestError(
      `json: cannot unmarshal number ${formatNumber(found)} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  return found === undefined ? undefined : Number(found);
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return encodeJson(value);
  return value > 0 ? "+Inf" : "-Inf";
}

const mismatch = (found: Json, path: string, goType: string): Error =>
  badRequestError(
    `json: cannot unmarshal ${goKindOf(found)} into Go struct field ${path} of type ${goType}`,
  );

function validate({ orphanDependents, propagationPolicy, dryRun }: Raw): FieldError[] {
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(
      fieldError.invalid(
        "propagationPolicy",
        propagationPolicy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  if (
    propagationPolicy !== undefined &&
    !["Foreground", "Background", "Orphan"].includes(propagationPolicy)
  ) {
    errors.push(
      fieldError.notSupported("propagationPolicy", propagationPolicy, [
        "Foreground",
        "Background",
        "Orphan",
        "nil",
      ]),
    );
  }
  return [...errors, ...validateDryRun(dryRun)];
}
