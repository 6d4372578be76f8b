// What a reference of an object is called in `wait.forRef(…)`.
import type { KubeObject } from "../api/object-meta.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ControllerDefinition } from "./define-controller.ts";
import { targetsOf } from "./resolve-refs.ts";

/** E.g. `Theme "dark"`. @throws ERR_UNDECLARED */
export function describeRef(
  definition: ControllerDefinition,
  object: KubeObject,
  name: string,
): string {
  const declared = Object.hasOwn(definition.refs, name) ? definition.refs[name] : undefined;
  if (!declared)
    throw new HomeostatError(
      "ERR_UNDECLARED",
      `"${definition.name}" waits for the reference "${name}", which it does not declare; it has ${Object.keys(definition.refs).join(", ") || "none"}`,
      { hint: "list it in `refs`, or say what it waits for: wait.for(…)" },
    );
  const { keys, selections } = targetsOf(declared, object);
  const own = object.metadata.namespace;
  const targets = [
    ...keys.map(({ namespace, name: target }) =>
      namespace === own || namespace === undefined ? `"${target}"` : `"${namespace}/${target}"`,
    ),
    ...selections.map((selection) => JSON.stringify(selection.labels ?? selection)),
  ];
  return `${declared.target.kind} ${targets.join(", ") || `(${name}: no target)`}`;
}
