// Opens kind data. The file has one JSON line for each group, each table and each type; only the
// lines asked for are parsed, so that opening costs an index and a small operator never pays for
// the thousand types it does not touch. Reads no file: read-kind-data.ts does.
import {
  decodeColumns,
  decodeDescriptions,
  decodeGroup,
  decodeType,
  type GroupLine,
} from "./decode-line.ts";
import { type Layout, openLayout } from "./decode-layout.ts";
import type { GoStruct, KindData } from "./kind-data.ts";

const indexLines = (text: string): ReadonlyMap<string, string> => {
  const lines = new Map<string, string>();
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    // A line is `["<key>",…]`; keys hold no escapes.
    if (text[start] === "[")
      lines.set(text.slice(start + 2, text.indexOf('"', start + 2)), text.slice(start, end));
    start = end + 1;
  }
  return lines;
};

interface Head {
  readonly kubernetes: string;
  readonly groups: readonly (KindData["groups"][number] & { readonly featureGate?: string })[];
}

const servedGroups = ({ groups }: Head, enabled: ReadonlySet<string>): KindData["groups"] =>
  groups.filter(({ group, featureGate }) => featureGate === undefined || enabled.has(group));

const unknownType = (model: string): Error =>
  Object.assign(
    new Error(
      `look up type ${JSON.stringify(model)}: the kind data has no such model; regenerate it with tools/kinds or correct the name`,
    ),
    { code: "ERR_KINDS_UNKNOWN_TYPE" },
  );

/**
 * Opens kind data from the text of a `vX.Y.jsonl` file, and of the layout beside it when that is
 * asked for. Lines are parsed when first asked for and kept. Groups behind a feature gate are left
 * out unless `enabledGroups` has them; their types are known nevertheless.
 */
export const openKindData = (
  text: string,
  readLayout: () => string = () => "",
  enabledGroups: ReadonlySet<string> = new Set(),
): KindData => {
  const head = JSON.parse(text.slice(0, text.indexOf("\n"))) as Head;
  const lines = indexLines(text);
  const types = new Map<string, GoStruct>();
  const groups = new Map<string, GroupLine>();
  let descriptions: readonly string[] | undefined;
  let layout: Layout | undefined;

  const type = (model: string): GoStruct => {
    const known = types.get(model);
    if (known) return known;
    const line = lines.get(model);
    if (line === undefined) throw unknownType(model);
    const struct = decodeType(line, type);
    types.set(model, struct);
    return struct;
  };
  const group = (name: string): GroupLine | undefined => {
    const line = groups.has(name) ? undefined : lines.get(`group:${name}`);
    if (line !== undefined) groups.set(name, decodeGroup(line));
    return groups.get(name);
  };
  return {
    kubernetes: head.kubernetes,
    groups: servedGroups(head, enabledGroups),
    kinds: (name) => group(name)?.kinds ?? [],
    kind: (name, version, kind) =>
      group(name)?.kinds.find((each) => each.version === version && each.kind === kind),
    resource: (name, version, resource) =>
      group(name)?.kinds.find((each) => each.version === version && each.resource === resource),
    columns: (name, version, resource) => {
      const line = lines.get(`columns:${name}/${version}/${resource}`);
      if (line === undefined) return [];
      descriptions ??= decodeDescriptions(lines.get("columns") ?? '["columns",[]]');
      return decodeColumns(line, descriptions);
    },
    typeOf: (name, version, kind) => {
      const model = group(name)?.types.get(`${version}/${kind}`);
      return model === undefined ? undefined : type(model);
    },
    type,
    layout: () => (layout ??= openLayout(readLayout())),
    models: [...lines.keys()].filter((key) => !/^(group|columns)(:|$)/.test(key)),
  };
};
