// Creates the served resource of a built-in kind from its definition and the kind data. Knows no
// kind.
import { compareBytewise, formatApiVersion, isObject, type JsonObject } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { SelectableFields } from "../../apimachinery/rest/selectable-fields.ts";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { TableColumn, TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import type { BuiltinResourceOptions } from "./builtin-resource-options.ts";
import { bindPrinter, type BoundKindDefinition, type BoundStorage } from "./bind-printer.ts";
import type { AnyKindDefinition } from "./kind-definition.ts";
import { builtinTraits } from "./builtin-traits.ts";
import { createGoDecoder } from "../serializer/go-decoder.ts";
import { defaultCells } from "../printers/cells.ts";
import { createSubresource } from "./create-subresource.ts";
import { defaultStrategy } from "./default-strategy.ts";
import { createStructPlans } from "../serializer/struct-plans.ts";
import { createTypedCodec } from "../serializer/typed-codec.ts";

/** The served resource of one definition. Throws ERR_KINDS_UNKNOWN_KIND for an unknown kind. */
export function createBuiltinResource(
  unbound: AnyKindDefinition,
  options: BuiltinResourceOptions,
  print: PrintInternal,
): ServedResource {
  const { data } = options;
  const definition = bindPrinter(unbound, print);
  const { group, version, kind } = definition;
  const served = data.kind(group, version, kind);
  if (!served) throw unknownKind(definition, data);
  const codec = createCodec(definition, served.type, options);
  const strategy = createStrategy(definition, served.type, data);
  const subresources = served.subresources
    .toSorted((a, b) => compareBytewise(a.name, b.name))
    .flatMap((sub) => createSubresource(definition, sub, { main: strategy, codec, ...options }));
  const storage = definition.storage ?? definition;
  return {
    group,
    version,
    kind,
    resource: served.resource,
    singular: served.singular,
    listKind: `${kind}List`,
    namespaced: served.namespaced,
    shortNames: served.shortNames,
    categories: served.categories,
    verbs: served.verbs,
    storageKey: `${storage.group}/${served.resource}`,
    storageVersion: formatApiVersion(storage),
    storageVersionHash: served.storageVersionHash ?? "",
    ...builtinTraits,
    etcdPrefix: definition.etcdPrefix ?? served.resource,
    codec,
    strategy,
    subresources: new Map(subresources),
    fields: selectableFields(definition),
    table: tableOf(definition, data.columns(group, version, served.resource)),
    printInternal: (object) => print(`${internalPackage(group)}.${kind}`, object),
    openapi: { at: "types" },
    schemaEpoch: 0,
    creatable: true,
    ...optionalMembers(definition),
  };
}

const internalPackage = (group: string): string => (group ? group.split(".", 1)[0]! : "core");

const optionalMembers = ({
  deprecationWarning,
  review,
  observed,
  createsThrough,
  watchCache,
  convertUnset,
  internalMetadata,
  createdAs,
  committed,
}: BoundKindDefinition): Partial<ServedResource> => ({
  ...(deprecationWarning ? { deprecationWarning } : {}),
  ...(review ? { review } : {}),
  ...(observed ? { observed } : {}),
  ...(createsThrough ? { createsThrough } : {}),
  ...(watchCache ? { watchCache } : {}),
  ...(convertUnset ? { convertUnset } : {}),
  ...(internalMetadata ? { internalMetadata } : {}),
  ...(createdAs ? { createdAs } : {}),
  ...(committed ? { committed } : {}),
});

function createCodec(
  definition: BoundKindDefinition,
  model: string,
  { data, smdOf }: BuiltinResourceOptions,
): VersionCodec {
  const { defaults, redefault, storage } = definition;
  return createTypedCodec({
    data,
    kind: definition,
    model,
    smd: () => smdOf(model),
    emptyLists: definition.stored === "json" ? "kept" : "null",
    ...(defaults ? { defaults } : {}),
    ...(redefault ? { redefault } : {}),
    ...(storage
      ? {
          conversion: canonicalConversion(definition, data),
          storageModel: storedModel(definition, model, data),
        }
      : {}),
  });
}

/**
 * The strategy of the main endpoint: a status that it sets has the members of Go's empty one. Looks
 * at the type with the first object.
 */
function createStrategy(definition: BoundKindDefinition, model: string, data: KindData): Strategy {
  const strategy: Strategy = {
    ...defaultStrategy,
    deleteReturnsObject: definition.returnsDeletedObject ?? false,
    ...definition.strategy,
  };
  if (definition.stored === "json") return strategy;
  let fillStatus: ((status: JsonObject) => void) | undefined;
  return {
    ...strategy,
    prepareForCreate(object, context) {
      strategy.prepareForCreate(object, context);
      fillStatus ??= statusFiller(storedModel(definition, model, data), data);
      const { status } = object;
      if (isObject(status)) fillStatus(status);
    },
  };
}

const storedModel = (
  { storage, kind }: BoundKindDefinition,
  model: string,
  data: KindData,
): string => (storage ? data.kind(storage.group, storage.version, kind)!.type : model);

/** Adds what Go writes of an unset status; nothing where the status is no struct. */
function statusFiller(model: string, data: KindData): (status: JsonObject) => void {
  const ref = data.type(model).field("status")?.ref;
  if (ref?.at !== "struct") return () => {};
  const plans = createStructPlans(data);
  return (status) => void plans.fillZeros(plans.plan(ref.type), status);
}

/**
 * The kind's conversion renames fields; decoding the result as the other version's type sets zero
 * values.
 */
function canonicalConversion(definition: BoundKindDefinition, data: KindData): BoundStorage {
  const storage = definition.storage!;
  const into = ({
    group,
    version,
  }: {
    readonly group: string;
    readonly version: string;
  }): ((object: JsonObject) => JsonObject) => {
    const decoder = createGoDecoder(data, data.kind(group, version, definition.kind)!.type, {
      emptyLists: "null",
    });
    const apiVersion = formatApiVersion({ group, version });
    return (value) =>
      Object.assign(decoder.decode({ value, duplicates: [], floatLiterals: new Map() }).object, {
        apiVersion,
        kind: definition.kind,
      });
  };
  const toVersion = into(definition);
  const toStored = into(storage);
  return {
    ...storage,
    fromStorage: (stored) => toVersion(storage.fromStorage(stored)),
    toStorage: (object) => toStored(storage.toStorage(object)),
  };
}

const nothing = (): Readonly<Record<string, string>> => ({});

function selectableFields(definition: BoundKindDefinition): SelectableFields {
  if (definition.selectable)
    return {
      selectsNamespace: definition.selectable.names.length === 0,
      unknownMessage: (name) => `field label not supported: ${name}`,
      ...definition.selectable,
    };
  return {
    names: [],
    selectsNamespace: true,
    extract: nothing,
    unknownMessage: (name) =>
      `${quoteGo(name)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  };
}

function tableOf(
  { cells, rowConditions }: BoundKindDefinition,
  columns: readonly TableColumn[],
): TablePrinter {
  return {
    columns,
    cells: cells ?? defaultCells,
    emptyRowsNull: cells === undefined,
    ...(rowConditions ? { rowConditions } : {}),
  };
}

function unknownKind({ group, version, kind }: BoundKindDefinition, data: KindData): Error {
  const message = `serve ${kind} in ${formatApiVersion({ group, version })}: the kind data of Kubernetes ${data.kubernetes} has no such kind; correct the definition or regenerate the data`;
  return Object.assign(new Error(message), { code: "ERR_KINDS_UNKNOWN_KIND" });
}
