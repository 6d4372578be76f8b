// Turns the definition of a built-in kind and the kind data into a served resource.
// Knows nothing of any single kind.
import { compareBytewise, formatApiVersion, isObject, type JsonObject } from "homeostat/api";
import { printError, type PrintInternal, quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import type { SelectableFields } from "../../apimachinery/rest/selectable-fields.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { ScaleConverter } from "../../apimachinery/rest/scale-converter.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import type { TableColumn, TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import type { KindData, SubresourceFacts } from "../../apimachinery/kind-data/kind-data.ts";
import type { AnyKindDefinition, StrategyOverrides } from "./kind-definition.ts";
import { builtinTraits, etcdPrefixOf } from "./builtin-traits.ts";
import { createGoDecoder } from "../serializer/go-decoder.ts";
import { defaultCells } from "../printers/cells.ts";
import { defaultStrategy } from "./default-strategy.ts";
import { createInternalPrinter } from "../printers/print-internal.ts";
import { createStructPlans } from "../serializer/struct-plans.ts";
import { createTypedCodec, type TypedCodecOptions } from "../serializer/typed-codec.ts";

/** What all built-in kinds are made with. */
export interface BuiltinResourceOptions {
  readonly data: KindData;
  readonly smdOf: (model: string) => SmdType;
}

/** Serves one definition. Throws ERR_KINDS_UNKNOWN_KIND for a kind that the data lacks. */
export function createBuiltinResource(
  definition: AnyKindDefinition,
  { data, smdOf }: BuiltinResourceOptions,
): ServedResource {
  const facts = data.kind(definition.group, definition.version, definition.kind);
  if (!facts) throw unknownKind(definition, data);
  const print = createInternalPrinter(() => data.layout());
  const strategy = withWholeStatus(
    {
      ...defaultStrategy,
      deleteReturnsObject: definition.returnsDeletedObject === true,
      ...withPrintedErrors(definition.strategy ?? {}, print),
    },
    definition,
    facts.type,
    data,
  );
  const storage = definition.storage ?? definition;
  const codec = createTypedCodec({
    data,
    kind: definition,
    model: facts.type,
    smd: smdOf(facts.type),
    emptyLists: definition.stored === "json" ? "kept" : "null",
    ...defaultsOf(definition, print),
    ...(definition.storage
      ? {
          conversion: canonicalConversion(definition, data, print),
          storageModel: data.kind(storage.group, storage.version, definition.kind)!.type,
        }
      : {}),
  });
  return {
    group: definition.group,
    version: definition.version,
    kind: definition.kind,
    resource: facts.resource,
    singular: facts.singular,
    listKind: `${definition.kind}List`,
    namespaced: facts.namespaced,
    shortNames: facts.shortNames,
    categories: facts.categories,
    verbs: facts.verbs,
    storageKey: `${storage.group}/${facts.resource}`,
    storageVersion: formatApiVersion(storage),
    storageVersionHash: facts.storageVersionHash ?? "",
    ...builtinTraits,
    etcdPrefix: etcdPrefixOf(definition.group, facts.resource),
    codec,
    strategy,
    subresources: new Map(
      facts.subresources
        .toSorted((a, b) => compareBytewise(a.name, b.name))
        .flatMap((sub) =>
          subresource(definition, sub, { data, smdOf }, { main: strategy, codec, print }),
        ),
    ),
    fields: selectableFields(definition),
    table: tableOf(definition, data.columns(definition.group, definition.version, facts.resource)),
    openapi: { at: "types" },
    schemaEpoch: 0,
    creatable: true,
    ...(definition.deprecationWarning ? { deprecationWarning: definition.deprecationWarning } : {}),
    ...reviewOf(definition, print),
    ...(definition.observed ? { observed: definition.observed } : {}),
    ...(definition.createsThrough ? { createsThrough: definition.createsThrough } : {}),
    ...(definition.committed ? { committed: definition.committed } : {}),
  };
}

/** A status that a kind sets anew shows what Go writes of an empty one. */
function withWholeStatus(
  strategy: Strategy,
  definition: AnyKindDefinition,
  model: string,
  data: KindData,
): Strategy {
  const ref = data
    .type(
      definition.storage
        ? data.kind(definition.storage.group, definition.storage.version, definition.kind)!.type
        : model,
    )
    .field("status")?.ref;
  if (definition.stored === "json" || ref?.at !== "struct") return strategy;
  const plans = createStructPlans(data);
  return {
    ...strategy,
    prepareForCreate(object, context) {
      strategy.prepareForCreate(object, context);
      const status = object["status"];
      if (isObject(status)) plans.fillZeros(plans.plan(ref.type), status);
    },
  };
}

/**
 * Conversion renames; decoding the outcome as the other version's type puts absent and zero fields
 * right.
 */
function canonicalConversion(
  definition: AnyKindDefinition,
  data: KindData,
  print: PrintInternal,
): NonNullable<TypedCodecOptions["conversion"]> {
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
  const toRecord = into(definition);
  const toStored = into(storage);
  return {
    ...storage,
    fromStorage: (stored) => toRecord(storage.fromStorage(stored, print)),
    toStorage: (object) => toStored(storage.toStorage(object)),
  };
}

function subresource(
  definition: AnyKindDefinition,
  facts: SubresourceFacts,
  { data, smdOf }: BuiltinResourceOptions,
  {
    main,
    codec,
    print,
  }: { readonly main: Strategy; readonly codec: VersionCodec; readonly print: PrintInternal },
): readonly (readonly [string, Subresource])[] {
  const kind = { group: facts.group, version: facts.version, kind: facts.kind };
  const { name, verbs } = facts;
  const overrides: StrategyOverrides | undefined = definition.subresources?.[name];
  if (overrides)
    return [
      [
        name,
        {
          at: "store",
          kind,
          verbs,
          strategy: {
            ...main,
            warningsOnUpdate: defaultStrategy.warningsOnUpdate,
            ...withPrintedErrors(overrides, print),
            allowCreateOnUpdate: false,
          },
          codec,
        },
      ],
    ];
  if (name === "scale" && definition.scale)
    return [[name, scaleSubresource(kind, verbs, definition.scale)]];
  if (name === "proxy" && definition.proxy)
    return [[name, { at: "proxy", kind, verbs, handle: definition.proxy }]];
  const handle = definition.connect?.[name];
  if (!handle) return [];
  const defaults = definition.connectDefaults?.[name];
  const options =
    facts.type === undefined
      ? undefined
      : {
          data,
          kind,
          model: facts.type,
          smd: smdOf(facts.type),
          emptyLists: "null" as const,
          ...(defaults ? { defaults } : {}),
        };
  const body = options ? { codec: createTypedCodec(options) } : {};
  const precheck = definition.connectChecks?.[name];
  return [
    [name, { at: "connect", kind, verbs, handle, ...body, ...(precheck ? { precheck } : {}) }],
  ];
}

function scaleSubresource(
  kind: Subresource["kind"],
  verbs: readonly string[],
  scale: ScaleConverter,
): Subresource {
  return { at: "scale", kind, verbs, scale, scheme: "registers Scale", uidCheck: "endpoint" };
}

/** Rules name values of internal types; here they are printed. */
function withPrintedErrors(overrides: StrategyOverrides, print: PrintInternal): StrategyOverrides {
  const { validateCreate, validateUpdate } = overrides;
  return {
    ...overrides,
    ...(validateCreate
      ? {
          validateCreate: (object, context) =>
            validateCreate(object, context).map((error) => printError(error, print)),
        }
      : {}),
    ...(validateUpdate
      ? {
          validateUpdate: (object, old, context) =>
            validateUpdate(object, old, context).map((error) => printError(error, print)),
        }
      : {}),
  };
}

function defaultsOf(
  definition: AnyKindDefinition,
  print: PrintInternal,
): Pick<TypedCodecOptions, "defaults"> {
  return definition.defaults ? { defaults: (object) => definition.defaults!(object, print) } : {};
}

function reviewOf(
  { review }: AnyKindDefinition,
  print: PrintInternal,
): Pick<ServedResource, "review"> {
  return review ? { review: (object, caller) => review(object, caller, print) } : {};
}

const nothing = (): Readonly<Record<string, string>> => ({});

function selectableFields(definition: AnyKindDefinition): SelectableFields {
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
  { cells, rowConditions }: AnyKindDefinition,
  columns: readonly TableColumn[],
): TablePrinter {
  return {
    columns,
    cells: cells ?? defaultCells,
    emptyRowsNull: cells === undefined,
    ...(rowConditions ? { rowConditions } : {}),
  };
}

function unknownKind({ group, version, kind }: AnyKindDefinition, data: KindData): Error {
  const message = `serve ${kind} in ${formatApiVersion({ group, version })}: the kind data of Kubernetes ${data.kubernetes} has no such kind; correct the definition or regenerate the data`;
  return Object.assign(new Error(message), { code: "ERR_KINDS_UNKNOWN_KIND" });
}
