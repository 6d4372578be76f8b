// Parses stages: YAML documents or objects, each a stage of stage.ts or a KWOK Stage. Refuses
// invalid and unsupported fields with the stage and the path.
// Upstream: sigs.k8s.io/kwok/pkg/apis/v1alpha1/stage_types.go.
import { isObject, type JsonObject } from "homeostat/api";
import { parseAllDocuments } from "yaml";
import { ServerError } from "../../apimachinery/errors/server-error.ts";
import { parseFieldPath } from "./field-path.ts";
import { parseGoTemplate } from "./go-template.ts";
import { kwokGroup, readKwokStage } from "./kwok-stage.ts";
import { readStage } from "./read-stage.ts";
import type { Stage } from "./stage.ts";
import { stageFunctionNames } from "./stage-functions.ts";

/** Parses a file of stages. @throws ServerError ERR_SERVER_STAGE with all errors. */
export function parseStages(text: string): readonly Stage[] {
  const documents = parseAllDocuments(text);
  const faults = documents.flatMap(({ errors }) => errors.map(({ message }) => message));
  if (faults.length > 0) throw stageError(`read stages: ${faults.join("; ")}`);
  const values: readonly unknown[] = documents
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null);
  const stages = readStages(values.flatMap(itemsOf));
  if (stages.length === 0) throw stageError("read stages: expected at least one stage, got none");
  return stages;
}

/** Reads stages from objects. @throws ServerError ERR_SERVER_STAGE with all errors. */
export function readStages(values: readonly unknown[]): readonly Stage[] {
  const read = values.map(readOne);
  const faults = read.flatMap((one) => (typeof one === "string" ? [one] : []));
  if (faults.length > 0) throw stageError(faults.join("; "));
  return checkStages(read.filter((one) => typeof one !== "string"));
}

/** The items of a list, or the value itself. */
function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value as never) && Array.isArray((value as JsonObject)["items"])
    ? ((value as JsonObject)["items"] as unknown[])
    : [value];
}

/** The stage, or why it cannot be read. */
function readOne(value: unknown, index: number): Stage | string {
  if (!isObject(value as never))
    return `read stage ${index + 1}: an object was expected, got ${JSON.stringify(value)}`;
  const fields = value as JsonObject;
  const { apiVersion, kind } = fields;
  const isKwok = apiVersion !== undefined || kind !== undefined;
  if (isKwok && (kind !== "Stage" || !String(apiVersion).startsWith(`${kwokGroup}/`))) {
    return `read stage ${nameOf(fields, index)}: apiVersion ${kwokGroup}/v1alpha1 and kind Stage were expected, or neither, got ${JSON.stringify({ apiVersion, kind })}`;
  }
  const faults: string[] = [];
  const stage = (isKwok ? readKwokStage : readStage)(fields, "", faults);
  return stage && faults.length === 0
    ? stage
    : `read stage ${nameOf(fields, index)}: ${faults.join("; ")}`;
}

function nameOf(fields: JsonObject, index: number): string {
  const { name } = { ...(isObject(fields["metadata"]) ? fields["metadata"] : {}), ...fields } as {
    readonly name?: unknown;
  };
  return typeof name === "string" && name !== "" ? JSON.stringify(name) : String(index + 1);
}

/** Parses every path and template, so that none fails later. */
function checkStages(stages: readonly Stage[]): readonly Stage[] {
  const faults = stages.flatMap((stage) =>
    faultsOf(stage).map((fault) => `stage ${JSON.stringify(stage.name)}: ${fault}`),
  );
  const names = stages.map(({ name }) => name);
  faults.push(
    ...names
      .filter((name, i) => names.indexOf(name) !== i)
      .map((name) => `stage ${JSON.stringify(name)}: the name is taken by another stage`),
  );
  if (faults.length > 0) throw stageError(`read stages: ${faults.join("; ")}`);
  return stages;
}

function faultsOf({ for: { kind }, when, after, weightFrom, next }: Stage): readonly string[] {
  const check = (where: string, read: () => unknown): readonly string[] => {
    try {
      read();
      return [];
    } catch (error) {
      return [`${where}: ${(error as Error).message}`];
    }
  };
  const paths = [
    ...(when?.fields ?? []).map(({ path }) => path),
    after?.from,
    after?.jitterFrom,
    after?.backOff?.count,
    weightFrom,
  ].filter((path) => path !== undefined);
  const templates = [
    next?.statusTemplate,
    ...(next?.patches ?? []).map(({ template }) => template),
  ].filter((template) => template !== undefined);
  return [
    ...paths.flatMap((path) => check("path", () => parseFieldPath(path))),
    ...templates.flatMap((template) =>
      check("template", () => parseGoTemplate(template, stageFunctionNames)),
    ),
    ...(next?.pod && kind !== "Pod" ? [`next.pod is for pods, and the stage is for ${kind}`] : []),
  ];
}

const stageError = (message: string): ServerError =>
  new ServerError("ERR_SERVER_STAGE", message, {
    faults: [{ option: "stages", problem: message }],
  });
