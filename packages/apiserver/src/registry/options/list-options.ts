// Reads ListOptions from the query of lists, watches and collection deletes.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/internalversion (types.go, defaults.go,
// validation/validation.go).
import {
  exactField,
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  SelectorSyntaxError,
} from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { Query } from "../request/query.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { assertOptions } from "./validate-options.ts";

/** The options of a list or a watch. */
export interface ListOptions {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  /** 0 or less: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/**
 * Reads and checks the options; a name in the path becomes a field selector. Throws 400 and 422.
 */
export function readListOptions(query: Query, resource: ServedResource, name: string): ListOptions {
  const options = withDefaults(decode(query));
  assertOptions("ListOptions", options.watch ? validateWatch(options) : validateList(options));
  assertKnownFields(options.fields, resource);
  return name ? { ...options, fields: selectName(options.fields, name) } : options;
}

function decode(query: Query): ListOptions {
  const timeoutSeconds = query.integer("timeoutSeconds");
  const limit = query.integer("limit") ?? 0;
  return {
    watch: query.flag("watch") ?? false,
    allowWatchBookmarks: query.flag("allowWatchBookmarks") ?? false,
    resourceVersion: query.text("resourceVersion"),
    resourceVersionMatch: query.text("resourceVersionMatch"),
    timeoutSeconds,
    limit,
    continue: query.text("continue"),
    sendInitialEvents: query.flag("sendInitialEvents"),
    labels: parsed(parseLabelSelector, query.text("labelSelector")),
    fields: parsed(parseFieldSelector, query.text("fieldSelector")),
  };
}

function parsed<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof SelectorSyntaxError ? badRequestError(error.message) : error;
  }
}

/** A watch without a resourceVersion or from "0" sends the current objects first. */
function withDefaults(options: ListOptions): ListOptions {
  if (
    options.sendInitialEvents !== undefined ||
    options.resourceVersionMatch !== "" ||
    !options.watch
  )
    return options;
  if (options.resourceVersion !== "" && options.resourceVersion !== "0") return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

const matchPath = "resourceVersionMatch";

function validateList({
  resourceVersionMatch: match,
  resourceVersion,
  continue: token,
  sendInitialEvents,
}: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match) {
    if (!resourceVersion)
      errors.push(
        fieldError.forbidden(
          matchPath,
          "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
      );
    if (token)
      errors.push(
        fieldError.forbidden(
          matchPath,
          "resourceVersionMatch is forbidden when continue is provided",
        ),
      );
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(fieldError.notSupported(matchPath, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0")
      errors.push(
        fieldError.forbidden(
          matchPath,
          'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
      );
  }
  if (sendInitialEvents !== undefined)
    errors.push(
      fieldError.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"),
    );
  return errors;
}

function validateWatch({
  resourceVersionMatch: match,
  continue: token,
  sendInitialEvents,
}: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(
      fieldError.forbidden(
        matchPath,
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      ),
    );
  if (match) {
    if (sendInitialEvents === undefined)
      errors.push(
        fieldError.forbidden(
          matchPath,
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
      );
    if (match !== "NotOlderThan")
      errors.push(fieldError.notSupported(matchPath, match, ["NotOlderThan"]));
    if (token)
      errors.push(
        fieldError.forbidden(
          matchPath,
          "resourceVersionMatch is forbidden when continue is provided",
        ),
      );
  }
  return errors;
}

function assertKnownFields(fields: FieldSelector, resource: ServedResource): void {
  for (const { field } of fields) {
    if (
      field === "metadata.name" ||
      (field === "metadata.namespace" &&
        (resource.namespaced || resource.fields.selectsNamespace)) ||
      resource.fields.names.includes(field)
    )
      continue;
    throw badRequestError(resource.fields.unknownMessage(field));
  }
}

function selectName(fields: FieldSelector, name: string): FieldSelector {
  if (!fields.length) return [{ field: "metadata.name", operator: "=", value: name }];
  if (exactField(fields, "metadata.name") !== name)
    throw badRequestError("fieldSelector metadata.name doesn't match requested name");
  return fields;
}
