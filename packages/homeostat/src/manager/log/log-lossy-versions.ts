// Warns of versions of one kind that a manager works with, and that nothing converts.
import { isConverted } from "../../api/resource/converted-versions.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";
import { describeLossyVersions } from "../../api/resource/lossy-versions.ts";
import type { ControllerDefinition } from "../../controller/define-controller.ts";
import { declaredKinds } from "../../controller/declared-kinds.ts";
import type { Log } from "../../util/guard-log.ts";

export function logLossyVersions(controllers: readonly ControllerDefinition[], log: Log): void {
  const definitions = controllers
    .flatMap(declaredKinds)
    .map(definitionOfKind)
    .filter((one) => one !== undefined);
  const kinds = Map.groupBy(new Set(definitions), ({ group, kind }) => `${kind}.${group}`);
  for (const versions of kinds.values()) {
    const loss = versions.some(isConverted) ? undefined : describeLossyVersions(versions);
    if (loss !== undefined) log.warn(loss);
  }
}
