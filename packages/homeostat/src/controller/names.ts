// Names that are permanent because objects store them: field managers and finalizers.
import { parseApiVersion } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

/**
 * Maximum length of a field manager: k8s.io/apimachinery/pkg/apis/meta/v1/validation
 * FieldManagerMaxLength.
 */
const fieldManagerMaxLength = 128;
/**
 * Maximum length of a finalizer's name after the slash: k8s.io/apimachinery/pkg/util/validation.
 */
const finalizerNameMaxLength = 63;
const operatorPattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
/** Without dots: the last dot of a finalizer separates operator and controller. */
const controllerPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const finalizerPattern = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;
const hint = "choose a name that can stay for ever; objects carry it";

/** The names of a controller in objects. */
export interface ControllerNames {
  /** `<operator>/<controller>`, unless set by hand. */
  readonly manager: string;
  /** The managers under which this controller has ever written its finalizer. */
  readonly managers: readonly string[];
  /** `<group>/<operator>.<controller>`, unless set by hand. */
  readonly finalizer: string;
  /** `<group>/<controller>`, the finalizer of earlier releases. */
  readonly formerFinalizer: string;
}

/** What names a controller. */
export interface NamedController {
  readonly name: string;
  readonly kind: Kind;
  /** Set by hand. */
  readonly fieldManager?: string;
  /** Set by hand. */
  readonly finalizer?: string;
}

/** Names a controller of an operator. @throws ERR_CONTROLLER_NAME */
export function nameController(operator: string, controller: NamedController): ControllerNames {
  checkPart(operator, operatorPattern, `lower-case letters, digits, "-" and "."`);
  checkPart(controller.name, controllerPattern, `lower-case letters, digits and "-"`);
  const usual = `${operator}/${controller.name}`;
  const manager = controller.fieldManager ?? usual;
  const group = parseApiVersion(controller.kind.apiVersion)?.group;
  const finalizer =
    controller.finalizer ?? (group ? `${group}/${operator}.${controller.name}` : usual);
  checkManager(manager);
  checkFinalizer(finalizer);
  return {
    manager,
    managers: [...new Set([manager, usual])],
    finalizer,
    formerFinalizer: `${group || operator}/${controller.name}`,
  };
}

function checkPart(part: string, pattern: RegExp, expected: string): void {
  if (!pattern.test(part))
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `"${part}" cannot name an operator or a controller: expected ${expected}`,
      { hint },
    );
}

function checkManager(manager: string): void {
  if (manager.length > fieldManagerMaxLength)
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `the field manager "${manager}" has ${manager.length} characters, a server takes ${fieldManagerMaxLength}`,
      { hint: "shorten the operator's or the controller's name, or set `fieldManager`" },
    );
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u.test(manager))
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `${JSON.stringify(manager)} cannot be a field manager: expected printable characters`,
      { hint },
    );
}

function checkFinalizer(finalizer: string): void {
  const length = finalizer.length - finalizer.indexOf("/") - 1;
  if (length > finalizerNameMaxLength)
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `the finalizer "${finalizer}" has ${length} characters after the slash, a server takes ${finalizerNameMaxLength}`,
      { hint: "shorten the operator's or the controller's name, or set `finalizer`" },
    );
  if (!finalizerPattern.test(finalizer))
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `"${finalizer}" cannot be a finalizer: expected <domain>/<name>`,
      { hint },
    );
}
