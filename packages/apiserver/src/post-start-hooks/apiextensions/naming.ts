// The names that a definition gets: those that are free in its group, or already its own.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go.
import { equalJson, type Json } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type {
  Definition,
  DefinitionCondition,
  DefinitionNames,
} from "../../kinds/apiextensions/definition/definition.ts";
import { setCondition } from "../../kinds/apiextensions/definition/set-condition.ts";

/** The next accepted names and conditions of a definition. */
export interface NamingOutcome {
  readonly acceptedNames: DefinitionNames;
  readonly conditions: readonly DefinitionCondition[];
}

/**
 * The names of a definition, given all definitions of its group; undefined when its status has them
 * already. `now` dates conditions that change.
 */
export function acceptNames(
  definition: Definition,
  group: readonly Definition[],
  now: string,
): NamingOutcome | undefined {
  const accepted = definition.status.acceptedNames ?? {};
  const requested = definition.spec.names ?? {};
  if (equalJson(withoutEmpty(requested), withoutEmpty(accepted))) return undefined;
  const { names, conflict } = chooseNames(requested, accepted, takenNames(group));
  const naming: DefinitionCondition = conflict
    ? { type: "NamesAccepted", status: "False", ...conflict }
    : {
        type: "NamesAccepted",
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
      };
  const before = conditionOf(definition, "NamesAccepted");
  if (
    equalJson(withoutEmpty(names), withoutEmpty(accepted)) &&
    before?.status === naming.status &&
    before.reason === naming.reason &&
    before.message === naming.message
  )
    return undefined;
  const conditions = setCondition(
    setCondition(definition.status.conditions ?? [], naming, now),
    establishedBefore(definition, naming),
    now,
  );
  return { acceptedNames: names, conditions };
}

/** The conditions with Established, once the names are accepted; undefined when it is set. */
export function establish(
  definition: Definition,
  now: string,
): readonly DefinitionCondition[] | undefined {
  if (
    conditionOf(definition, "NamesAccepted")?.status !== "True" ||
    conditionOf(definition, "Established")?.status === "True"
  )
    return undefined;
  return setCondition(
    definition.status.conditions ?? [],
    {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    },
    now,
  );
}

const conditionOf = (definition: Definition, type: string): DefinitionCondition | undefined =>
  definition.status.conditions?.find((condition) => condition.type === type);

/** Established stays true once it is; before, its reason says what is missing. */
function establishedBefore(
  definition: Definition,
  naming: DefinitionCondition,
): DefinitionCondition {
  const old = conditionOf(definition, "Established") ?? {
    type: "Established",
    status: "False",
    reason: "NotAccepted",
    message: "not all names are accepted",
  };
  if (old.status === "True" || naming.status !== "True") return old;
  return {
    type: "Established",
    status: "False",
    reason: "Installing",
    message: "the initial names have been accepted",
  };
}

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(group: readonly Definition[]): Taken {
  const all = group.map((definition) => definition.status.acceptedNames ?? {});
  return {
    resources: new Set(
      all.flatMap((names) => [
        names.plural ?? "",
        names.singular ?? "",
        ...(names.shortNames ?? []),
      ]),
    ),
    kinds: new Set(all.flatMap((names) => [names.kind ?? "", names.listKind ?? ""])),
  };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

/** Tries every name. The last conflict is reported. */
function chooseNames(
  requested: DefinitionNames,
  accepted: DefinitionNames,
  taken: Taken,
): { readonly names: DefinitionNames; readonly conflict: Conflict | undefined } {
  let conflict: Conflict | undefined;
  const take = (
    field: "plural" | "singular" | "kind" | "listKind",
    used: ReadonlySet<string>,
    reason: string,
  ): string | undefined => {
    const name = requested[field] ?? "";
    if (name === (accepted[field] ?? "") || !used.has(name)) return requested[field];
    conflict = { reason, message: inUse(name) };
    return accepted[field];
  };
  const plural = take("plural", taken.resources, "PluralConflict");
  const singular = take("singular", taken.resources, "SingularConflict");
  const clashes = (requested.shortNames ?? [])
    .filter((name) => !accepted.shortNames?.includes(name) && taken.resources.has(name))
    .map(inUse);
  const sameShortNames = equalJson(listOf(requested.shortNames), listOf(accepted.shortNames));
  if (clashes.length && !sameShortNames)
    conflict = {
      reason: "ShortNamesConflict",
      message: clashes.length === 1 ? clashes[0]! : `[${[...new Set(clashes)].join(", ")}]`,
    };
  const shortNames = clashes.length && !sameShortNames ? accepted.shortNames : requested.shortNames;
  const kind = take("kind", taken.kinds, "KindConflict");
  const listKind = take("listKind", taken.kinds, "ListKindConflict");
  const names = {
    plural: plural ?? "",
    singular,
    shortNames,
    kind: kind ?? "",
    listKind,
    categories: requested.categories,
  };
  return {
    names: Object.fromEntries(
      Object.entries(names).filter(([, value]) => value !== undefined),
    ) as DefinitionNames,
    conflict,
  };
}

const inUse = (name: string): string => `${quoteGo(name)} is already in use`;
const listOf = (names: readonly string[] | undefined): Json => [...(names ?? [])];

function withoutEmpty(names: DefinitionNames): Json {
  return Object.fromEntries(
    Object.entries(names)
      .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value))
      .map(([key, value]) => [key, value as Json]),
  );
}
