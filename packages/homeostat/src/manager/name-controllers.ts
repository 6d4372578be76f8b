// The controllers of a manager with their names in objects.
import {
  type Controller,
  type ControllerDefinition,
  definitionOf,
} from "../controller/define-controller.ts";
import { type ControllerNames, nameController } from "../controller/names.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

/** The controllers of an operator. */
export interface NamedControllers {
  readonly operator: string;
  readonly controllers: readonly Controller[];
}

/** @throws ERR_CONTROLLER_NAME for an invalid name, or one that two controllers share */
export function nameControllers({
  operator,
  controllers,
}: NamedControllers): ReadonlyMap<ControllerDefinition, ControllerNames> {
  const definitions = controllers.map((controller) => definitionOf(controller));
  const named = definitions.map((one) => [one, nameController(operator, one)] as const);
  refuseSharedNames(definitions);
  return new Map(named);
}

function refuseSharedNames(definitions: readonly ControllerDefinition[]): void {
  const twice = definitions.find(
    (one, i) => definitions.findIndex((other) => other.name === one.name) !== i,
  );
  if (twice)
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `two controllers have the name "${twice.name}"; they would own each other's fields`,
      { hint: "give one of them another `name`" },
    );
}
