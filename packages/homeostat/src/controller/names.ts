// Names that are permanent because objects store them: field managers and finalizers.
import type { Kind } from "../api/kind.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { finalizerName } from "./finalizer.ts";

/**
 * Maximum length of a field manager: k8s.io/apimachinery/pkg/apis/meta/v1/validation
 * FieldManagerMaxLength.
 */
const fieldManagerMaxLength = 128;
const segment = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The names of a controller in objects. */
export interface ControllerNames {
  /** `<operator>/<controller>`. */
  readonly manager: string;
  /** `<group>/<controller>`. */
  readonly finalizer: string;
}

/** Names a controller of an operator. @throws ERR_CONTROLLER_NAME */
export function nameController(operator: string, controller: string, kind: Kind): ControllerNames {
  const manager = `${operator}/${controller}`;
  for (const part of [operator, controller])
    if (!segment.test(part))
      throw new HomeostatError(
        "ERR_CONTROLLER_NAME",
        `"${part}" cannot name an operator or a controller: expected lower-case letters, digits, "-" and "."`,
        {
          hint: "choose a name that can stay for ever; objects carry it",
        },
      );
  if (manager.length > fieldManagerMaxLength)
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `the field manager "${manager}" has ${manager.length} characters, a server takes ${fieldManagerMaxLength}`,
      {
        hint: "shorten the operator's or the controller's name",
      },
    );
  return { manager, finalizer: finalizerName(kind, controller, operator) };
}
