// The variables of admission's expressions: objects are converted when an expression reads them,
// and composited variables are evaluated when they are first read.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/cel/{activation,composition}.go,
// pkg/cel/lazy/lazy.go.
import {
  type AccessCheck,
  adaptJson,
  CelError,
  CelObject,
  type CelValue,
  createAuthorizer,
  createResourceAuthorizer,
  structType,
  type Variables,
} from "@homeostat/cel";
import type { JsonObject } from "homeostat/api";
import type { CompiledExpression, CompositedVariables } from "./compiled-expression.ts";
import type { GroupVersionResource } from "../matching/rules.ts";
import { admissionRequestValue, type VersionedRequest } from "./versioned-request.ts";

/** What expressions can see of a request. */
export interface ExpressionInput {
  readonly versioned: VersionedRequest;
  /** The resource that `request.resource` names. */
  readonly resource: GroupVersionResource;
  readonly params: JsonObject | undefined;
  readonly namespace: JsonObject | undefined;
  /** Absent where expressions have no `authorizer`. */
  readonly access?: AccessCheck;
}

/** The variables of one run over several expressions. */
export interface RunVariables {
  readonly variables: Variables;
  /** What composited variables have cost since the last call. */
  takeCost(): number;
}

/** The variables for `input`. */
export function createRunVariables(
  { versioned, resource, params, namespace, access }: ExpressionInput,
  composited: CompositedVariables,
): RunVariables {
  const { object, old, request, kind } = versioned;
  const variables: Record<string, CelValue | undefined> = {
    object: adaptJson(object ?? null),
    oldObject: adaptJson(old ?? null),
    request: adaptJson(admissionRequestValue(versioned, kind, resource)),
    params: adaptJson(params ?? null),
    namespaceObject: adaptJson(namespace ?? null),
  };
  if (access) {
    variables.authorizer = createAuthorizer(access);
    variables["authorizer.requestResource"] = createResourceAuthorizer(access, {
      group: request.resource.group,
      resource: request.resource.resource,
      subresource: request.subresource,
      namespace: request.namespace,
      name: request.name,
    });
  }
  const lazy = new LazyVariables(composited, variables);
  variables.variables = lazy;
  return { variables, takeCost: () => lazy.takeCost() };
}

const variablesType = structType("kubernetes.variables");

/** `variables`: a failure is kept as well, and is the error of each read. */
class LazyVariables extends CelObject {
  readonly type = variablesType;
  readonly #composited: CompositedVariables;
  readonly #variables: Variables;
  readonly #known = new Map<string, CelValue | CelError>();
  #cost = 0;

  constructor(composited: CompositedVariables, variables: Variables) {
    super();
    this.#composited = composited;
    this.#variables = variables;
  }

  get(key: CelValue): CelValue | undefined {
    const compiled = typeof key === "string" ? this.#composited.get(key) : undefined;
    if (!compiled) return undefined;
    const name = key as string;
    const value = this.#known.get(name) ?? this.#evaluate(name, compiled);
    this.#known.set(name, value);
    if (value instanceof CelError) throw value;
    return value;
  }

  equals(other: CelValue): boolean {
    return this === other;
  }

  toString(): string {
    return this.type.name;
  }

  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #evaluate(name: string, compiled: CompiledExpression): CelValue | CelError {
    if ("fault" in compiled)
      return new CelError(`composited variable "${name}" fails to compile: ${compiled.fault}`);
    const result = compiled.program.evaluate(this.#variables);
    this.#cost += result.cost;
    return "error" in result
      ? new CelError(`composited variable "${name}" fails to evaluate: ${result.error.message}`)
      : result.value;
  }
}
