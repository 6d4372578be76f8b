// Asks a definition's conversion webhook to convert objects, and checks what it answers: only
// labels and annotations of the metadata may change.
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/{converter,webhook_converter}.go.
import {
  cloneJson,
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  parseApiVersion,
} from "homeostat/api";
import type { CustomResourceConversion } from "homeostat/k8s/apiextensions/v1";
import { aggregate, formatFieldError } from "../../apimachinery/errors/aggregate.ts";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import {
  validateAnnotations,
  validateLabels,
} from "../../apimachinery/meta/validate-object-meta.ts";
import type { ConvertVersion } from "../../apimachinery/rest/remote-conversion.ts";
import { formatGoType } from "../../apimachinery/values/go-format.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import type { WebhookClient, WebhookClientConfig } from "../../webhook-client/webhook-client.ts";
import { convertedObjects, type ReviewVersion, reviewOf } from "./conversion-review.ts";

/** How a definition's objects are converted. */
export interface WebhookConversion {
  readonly client: WebhookClient;
  readonly newUid: () => string;
}

interface ConverterOptions extends WebhookConversion {
  readonly config: WebhookClientConfig;
  readonly reviewVersions: readonly string[];
  /** The apiVersions of the definition. */
  readonly versions: ReadonlySet<string>;
}

/** The converter of a definition with strategy Webhook. */
export function createWebhookConverter(
  conversion: CustomResourceConversion,
  versions: ReadonlySet<string>,
  webhook: WebhookConversion | undefined,
): ConvertVersion {
  if (!webhook) return async () => Promise.reject(plainError("no client for conversion webhooks"));
  const { clientConfig = {}, conversionReviewVersions = [] } = conversion.webhook ?? {};
  const options: ConverterOptions = {
    ...webhook,
    config: clientConfig as WebhookClientConfig,
    reviewVersions: conversionReviewVersions,
    versions,
  };
  return (object, apiVersion) => convert(object, apiVersion, options);
}

async function convert(
  object: JsonObject,
  apiVersion: string,
  options: ConverterOptions,
): Promise<JsonObject> {
  const { versions, reviewVersions } = options;
  const from = String(object.apiVersion);
  if (!versions.has(apiVersion)) throw invalidVersion("to", apiVersion);
  if (!versions.has(from)) throw invalidVersion("from", from);
  if (from === apiVersion) return object;
  // Upstream's caches convert an object without fields when they start.
  if (isEmpty(object)) return { ...object, apiVersion };
  const version = reviewVersions.find(
    (each): each is ReviewVersion => each === "v1" || each === "v1beta1",
  );
  if (!version) throw plainError("no supported conversion review versions");
  const converted = await review(object, apiVersion, version, options);
  return accepted(object, converted, apiVersion);
}

const invalidVersion = (way: "to" | "from", apiVersion: string): Error =>
  plainError(`request to convert CR ${way} an invalid group/version: ${apiVersion}`);

const isEmpty = (object: JsonObject): boolean =>
  Object.keys(object).length === 2 && object.kind !== undefined;

const webhookError = (object: JsonObject, why: string): Error =>
  plainError(`conversion webhook for ${kindOf(object)} ${why}`);

/** `g/v1, Kind=Post`. */
function kindOf({ apiVersion, kind }: JsonObject): string {
  return `${String(apiVersion)}, Kind=${String(kind)}`;
}

async function review(
  object: JsonObject,
  apiVersion: string,
  version: ReviewVersion,
  { client, config, newUid }: ConverterOptions,
): Promise<Json> {
  const uid = newUid();
  let converted: readonly Json[];
  try {
    const objects = [withoutRevision(object)];
    const body = `${encodeJson(reviewOf(version, { uid, apiVersion, objects }))}\n`;
    converted = convertedObjects(version, await client.post({ config, body }), uid);
  } catch (error) {
    throw webhookError(object, `failed: ${reasonOf(error)}`);
  }
  if (converted.length !== 1)
    throw webhookError(object, `returned ${converted.length} objects, expected 1`);
  return converted[0]!;
}

/** As objects are stored: upstream converts before it sets the revision. */
function withoutRevision(object: JsonObject): JsonObject {
  if (!isObject(object.metadata)) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function accepted(original: JsonObject, converted: Json, apiVersion: string): JsonObject {
  if (converted === null) throw plainError("unexpected end of JSON input");
  if (!isObject(converted))
    throw plainError(
      `json: cannot unmarshal ${goKindOf(converted)} into Go value of type map[string]interface {}`,
    );
  if (typeof converted.kind !== "string" || !converted.kind)
    throw plainError(`Object 'Kind' is missing in '${encodeJson(converted)}'`);
  const received = typeof converted.apiVersion === "string" ? converted.apiVersion : "";
  if (received !== apiVersion)
    throw webhookError(
      original,
      `returned invalid object at index 0: invalid groupVersion (expected ${apiVersion}, received ${parseApiVersion(received) ? received : ""})`,
    );
  if (converted.kind !== original.kind)
    throw webhookError(
      original,
      `returned invalid object at index 0: invalid kind (expected ${String(original.kind)}, received ${converted.kind})`,
    );
  for (const [name, field] of identity) {
    const [before, after] = [textAt(original, field), textAt(converted, field)];
    if (before !== after)
      throw webhookError(
        original,
        `returned invalid object: must have the same ${name}: ${before} != ${after}`,
      );
  }
  const metadata = restoreMetadata(original, converted);
  if (typeof metadata === "string")
    throw webhookError(original, `returned invalid metadata: ${metadata}`);
  return { ...converted, metadata };
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["UID", "uid"],
] as const;

function textAt({ metadata }: JsonObject, field: string): string {
  const value = isObject(metadata) ? metadata[field] : undefined;
  return typeof value === "string" ? value : "";
}

/** The original metadata with the converted labels and annotations, or what is wrong with them. */
function restoreMetadata(original: JsonObject, converted: JsonObject): JsonObject | string {
  const given = converted.metadata;
  if (!Object.hasOwn(converted, "metadata")) return "missing metadata in converted object";
  if (!isObject(given))
    return `invalid metadata of type ${formatGoType(given)} in converted object`;
  const metadata = isObject(original.metadata) ? cloneJson(original.metadata) : {};
  for (const field of ["labels", "annotations"] as const) {
    const value = given[field];
    if (value === undefined || value === null) {
      delete metadata[field];
      continue;
    }
    const fault = mapFault(field, value, metadata[field]);
    if (fault !== undefined) return fault;
    metadata[field] = value;
  }
  return metadata;
}

/** Only a map that changed is validated. */
function mapFault(
  field: "labels" | "annotations",
  value: Json,
  before: Json | undefined,
): string | undefined {
  if (!isObject(value))
    return `invalid metadata.${field} of type ${formatGoType(value)} in converted object`;
  if (before !== undefined && before !== null && !isObject(before))
    return `invalid metadata.${field} of type ${formatGoType(before)} in original object`;
  const old = before ?? {};
  for (const [key, each] of Object.entries(value))
    if (typeof each !== "string")
      return `metadata.${field}[${key}] must be a string, but is ${formatGoType(each)} in converted object`;
  const same =
    Object.keys(old).length === Object.keys(value).length &&
    Object.entries(value).every(([key, each]) => old[key] === each);
  if (same) return undefined;
  const texts = value as Readonly<Record<string, string>>;
  const errors =
    field === "labels"
      ? validateLabels(texts, "metadata.labels")
      : validateAnnotations(texts, "metadata.annotation");
  return errors.length ? aggregate(errors.map(formatFieldError)) : undefined;
}
