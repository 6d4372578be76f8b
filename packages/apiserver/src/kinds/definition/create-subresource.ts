// Creates one subresource of a built-in kind: one that stores the object itself, scale, proxy, or
// one that connects to a handler.
import type { ApiSubresource } from "../../apimachinery/kind-data/kind-data.ts";
import type { ScaleConverter } from "../../apimachinery/rest/scale-converter.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import type { BoundKindDefinition } from "./bind-printer.ts";
import { createTypedCodec } from "../serializer/typed-codec.ts";
import type { BuiltinResourceOptions } from "./builtin-resource-options.ts";
import { scaleTable } from "../printers/scale-table.ts";
import { defaultStrategy } from "./default-strategy.ts";
import type { StrategyOverrides } from "./kind-definition.ts";

/** What a subresource shares with its kind. */
export interface SubresourceOptions extends BuiltinResourceOptions {
  /** The strategy of the main endpoint. */
  readonly main: Strategy;
  readonly codec: VersionCodec;
}

/** The name and the subresource; empty for one that the definition does not implement. */
export function createSubresource(
  definition: BoundKindDefinition,
  subresource: ApiSubresource,
  options: SubresourceOptions,
): readonly (readonly [string, Subresource])[] {
  const { name, verbs } = subresource;
  const { main, codec } = options;
  const kind = { group: subresource.group, version: subresource.version, kind: subresource.kind };
  const overrides: StrategyOverrides | undefined = definition.subresources?.[name];
  if (overrides) {
    const strategy = {
      ...main,
      warningsOnUpdate: defaultStrategy.warningsOnUpdate,
      ...overrides,
      allowCreateOnUpdate: false,
    };
    const tables = definition.withoutTables?.includes(name) ? { tables: "none" as const } : {};
    return [[name, { at: "store", kind, verbs, strategy, codec, ...tables }]];
  }
  if (name === "scale" && definition.scale)
    return [[name, scaleSubresource(kind, verbs, definition.scale)]];
  if (name === "proxy" && definition.proxy)
    return [[name, { at: "proxy", kind, verbs, handle: definition.proxy }]];
  const handle = definition.connect?.[name];
  if (!handle) return [];
  const precheck = definition.connectChecks?.[name];
  const complete = definition.connectCompletions?.[name];
  const connecter: Subresource = {
    at: "connect",
    kind,
    verbs,
    handle,
    ...bodyCodec(definition, subresource, options),
    ...(precheck ? { precheck } : {}),
    ...(complete ? { complete } : {}),
  };
  return [[name, connecter]];
}

function bodyCodec(
  definition: BoundKindDefinition,
  { name, type: model, ...kind }: ApiSubresource,
  { data, smdOf }: BuiltinResourceOptions,
): { readonly codec?: VersionCodec } {
  if (model === undefined) return {};
  const defaults = definition.connectDefaults?.[name];
  const accepts = definition.connectAccepts?.[name];
  return {
    codec: createTypedCodec({
      data,
      kind: { group: kind.group, version: kind.version, kind: kind.kind },
      model,
      smd: () => smdOf(model),
      emptyLists: "null",
      ...(defaults ? { defaults } : {}),
      ...(accepts ? { accepts } : {}),
    }),
  };
}

function scaleSubresource(
  kind: Subresource["kind"],
  verbs: readonly string[],
  scale: ScaleConverter,
): Subresource {
  return {
    at: "scale",
    kind,
    verbs,
    scale,
    scheme: "registers Scale",
    uidCheck: "endpoint",
    table: scaleTable,
  };
}
