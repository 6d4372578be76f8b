// Turns the record of a built-in kind and the kind data into a served resource.
// Knows nothing of any single kind.
import { formatApiVersion, isObject, type JsonObject } from "homeostat/api";
import { printError, type PrintInternal, quoteGo } from "../../registry/field-error.ts";
import type { SmdType } from "../../merge/smd-type.ts";
import type {
  SelectableFields,
  ServedResource,
  Strategy,
  Subresource,
  TableColumn,
  TablePrinter,
  VersionCodec,
} from "../../registry/served-resource.ts";
import type { KindData, SubresourceFacts } from "../data/kind-data.ts";
import type { BuiltinKind, Rules } from "./builtin-kind.ts";
import { createGoDecoder } from "./go-decoder.ts";
import { createInternalPrinter } from "./print-internal.ts";
import { defaultCells } from "./printing.ts";
import { plainStrategy } from "./strategy.ts";
import { createStructPlans } from "./struct-plans.ts";
import { createTypedCodec, type TypedCodecOptions } from "./typed-codec.ts";

/** What all built-in kinds are made with. */
export interface BuiltinMaterials {
  readonly data: KindData;
  readonly smdOf: (model: string) => SmdType;
}

/**
 * Kinds whose delete answers the object. Upstream: `ReturnDeletedObject` in
 * k8s.io/kubernetes/pkg/registry/<group>/<kind>/storage/storage.go.
 */
const shownWhenDeleted: ReadonlySet<string> = new Set([
  ...[
    "Namespace",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ResourceQuota",
    "Service",
    "ServiceAccount",
  ],
  ...["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"],
  ...["DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
]);

/** Serves one record. Throws ERR_KINDS_UNKNOWN_KIND for a kind that the data lacks. */
export function createBuiltinResource(
  record: BuiltinKind,
  { data, smdOf }: BuiltinMaterials,
): ServedResource {
  const facts = data.kind(record.group, record.version, record.kind);
  if (!facts) throw unknownKind(record, data);
  const print = createInternalPrinter(() => data.layout());
  const strategy = withWholeStatus(
    {
      ...plainStrategy,
      deleteReturnsObject: shownWhenDeleted.has(record.kind),
      ...withPrintedErrors(record.rules ?? {}, print),
    },
    record,
    facts.type,
    data,
  );
  const storage = record.storage ?? record;
  const codec = createTypedCodec({
    data,
    kind: record,
    model: facts.type,
    smd: smdOf(facts.type),
    emptyLists: record.stored === "json" ? "kept" : "null",
    ...defaultsOf(record, print),
    ...(record.storage
      ? {
          conversion: canonicalConversion(record, data, print),
          storageModel: data.kind(storage.group, storage.version, record.kind)!.type,
        }
      : {}),
  });
  return {
    group: record.group,
    version: record.version,
    kind: record.kind,
    resource: facts.resource,
    singular: facts.singular,
    listKind: `${record.kind}List`,
    namespaced: facts.namespaced,
    shortNames: facts.shortNames,
    categories: facts.categories,
    verbs: facts.verbs,
    storageKey: `${storage.group}/${facts.resource}`,
    storageVersion: formatApiVersion(storage),
    storageVersionHash: facts.storageVersionHash ?? "",
    custom: false,
    codec,
    strategy,
    subresources: new Map(
      facts.subresources.flatMap((sub) =>
        subresource(record, sub, {
          main: strategy,
          codec,
          print,
          materials: { data, smdOf },
        }),
      ),
    ),
    fields: selectableFields(record),
    table: tableOf(record, data.columns(record.group, record.version, facts.resource)),
    schemaEpoch: 0,
    creatable: true,
    ...(record.deprecationWarning ? { deprecationWarning: record.deprecationWarning } : {}),
    ...reviewOf(record, print),
    ...(record.observed ? { observed: record.observed } : {}),
    ...(record.createsThrough ? { createsThrough: record.createsThrough } : {}),
    ...(record.committed ? { committed: record.committed } : {}),
  };
}

/** A status that a kind sets anew shows what Go writes of an empty one. */
function withWholeStatus(
  strategy: Strategy,
  record: BuiltinKind,
  model: string,
  data: KindData,
): Strategy {
  const ref = data
    .type(
      record.storage
        ? data.kind(record.storage.group, record.storage.version, record.kind)!.type
        : model,
    )
    .field("status")?.ref;
  if (record.stored === "json" || ref?.at !== "struct") return strategy;
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
  record: BuiltinKind,
  data: KindData,
  print: PrintInternal,
): NonNullable<TypedCodecOptions["conversion"]> {
  const storage = record.storage!;
  const into = ({
    group,
    version,
  }: {
    readonly group: string;
    readonly version: string;
  }): ((object: JsonObject) => JsonObject) => {
    const decoder = createGoDecoder(data, data.kind(group, version, record.kind)!.type, {
      emptyLists: "null",
    });
    const apiVersion = formatApiVersion({ group, version });
    return (value) =>
      Object.assign(decoder.decode({ value, duplicates: [], floatLiterals: new Map() }).object, {
        apiVersion,
        kind: record.kind,
      });
  };
  const toRecord = into(record);
  const toStored = into(storage);
  return {
    ...storage,
    fromStorage: (stored) => toRecord(storage.fromStorage(stored, print)),
    toStorage: (object) => toStored(storage.toStorage(object)),
  };
}

function subresource(
  record: BuiltinKind,
  facts: SubresourceFacts,
  {
    main,
    codec,
    print,
    materials: { data, smdOf },
  }: {
    readonly main: Strategy;
    readonly codec: VersionCodec;
    readonly print: PrintInternal;
    readonly materials: BuiltinMaterials;
  },
): readonly (readonly [string, Subresource])[] {
  const kind = { group: facts.group, version: facts.version, kind: facts.kind };
  const { name, verbs } = facts;
  const rules: Rules | undefined = record.views?.[name];
  if (rules)
    return [
      [
        name,
        {
          at: "view",
          kind,
          verbs,
          strategy: { ...main, ...withPrintedErrors(rules, print), allowCreateOnUpdate: false },
          codec,
        },
      ],
    ];
  if (name === "scale" && record.scale)
    return [[name, { at: "scale", kind, verbs, scale: record.scale }]];
  if (name === "proxy" && record.proxy)
    return [[name, { at: "proxy", kind, verbs, handle: record.proxy }]];
  const handle = record.connect?.[name];
  if (!handle) return [];
  const defaults = record.connectDefaults?.[name];
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
  const precheck = record.connectChecks?.[name];
  return [
    [name, { at: "connect", kind, verbs, handle, ...body, ...(precheck ? { precheck } : {}) }],
  ];
}

/** Rules name values of internal types; here they are printed. */
function withPrintedErrors(rules: Rules, print: PrintInternal): Rules {
  const { validateCreate, validateUpdate } = rules;
  return {
    ...rules,
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
  { defaults }: BuiltinKind,
  print: PrintInternal,
): Pick<TypedCodecOptions, "defaults"> {
  return defaults ? { defaults: (object) => defaults(object, print) } : {};
}

function reviewOf({ review }: BuiltinKind, print: PrintInternal): Pick<ServedResource, "review"> {
  return review ? { review: (object, caller) => review(object, caller, print) } : {};
}

const nothing = (): Readonly<Record<string, string>> => ({});

function selectableFields(record: BuiltinKind): SelectableFields {
  if (record.selectable)
    return { unknownMessage: (name) => `field label not supported: ${name}`, ...record.selectable };
  return {
    names: [],
    extract: nothing,
    unknownMessage: (name) =>
      `${quoteGo(name)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  };
}

function tableOf(
  { cells, rowConditions }: BuiltinKind,
  columns: readonly TableColumn[],
): TablePrinter {
  return {
    columns,
    cells: cells ?? defaultCells,
    emptyRowsNull: cells === undefined,
    ...(rowConditions ? { rowConditions } : {}),
  };
}

function unknownKind({ group, version, kind }: BuiltinKind, data: KindData): Error {
  const message = `serve ${kind} in ${formatApiVersion({ group, version })}: the kind data of Kubernetes ${data.kubernetes} has no such kind; correct the record or regenerate the data`;
  return Object.assign(new Error(message), { code: "ERR_KINDS_UNKNOWN_KIND" });
}
