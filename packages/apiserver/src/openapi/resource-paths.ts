// The paths of one resource: what can be done with it, and with which bodies and answers.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go; for custom resources
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go, which differs in many
// small ways.
import type { JsonObject } from "homeostat/api";
import { componentRef } from "./builtin-component.ts";
import { operationNames } from "./operation-id.ts";
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  type Operation,
  type ParameterName,
  patchParameters,
  pathItem,
  writeParameters,
} from "./operation-parameters.ts";

/** What the paths of a resource are made from. */
export interface DocumentedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly custom: boolean;
  /** Model names. */
  readonly model: string;
  readonly listModel: string | undefined;
  /** DELETE answers the object. */
  readonly deleteReturnsObject: boolean;
  readonly subresources: readonly DocumentedSubresource[];
}

/** A subresource with a body of its own, or that of its parent. */
export interface DocumentedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly model: string;
  /** The kind that operations name. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const protobuf = "application/vnd.kubernetes.protobuf";
const plainTypes = ["application/json", "application/yaml"];
const patchTypes = ["application/json-patch+json", "application/merge-patch+json"];
const codes: Readonly<Record<string, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  401: "Unauthorized",
};

/** Paths by template, e.g. `/apis/apps/v1/namespaces/{namespace}/deployments/{name}`. */
export function resourcePaths(resource: DocumentedResource): Readonly<Record<string, JsonObject>> {
  return new Paths(resource).all();
}

class Paths {
  readonly #resource: DocumentedResource;
  readonly #prefix: string;
  readonly #root: string;
  readonly #inside: readonly ParameterName[];

  constructor(resource: DocumentedResource) {
    this.#resource = resource;
    this.#prefix = resource.group
      ? `/apis/${resource.group}/${resource.version}`
      : `/api/${resource.version}`;
    this.#root = `${resource.namespaced ? "/namespaces/{namespace}" : ""}/${resource.resource}`;
    this.#inside = resource.namespaced ? ["namespace", "pretty"] : ["pretty"];
  }

  all(): Readonly<Record<string, JsonObject>> {
    const paths = new Map<string, readonly Operation[]>([
      [this.#prefix + this.#root, this.#collection()],
      [`${this.#prefix}${this.#root}/{name}`, this.#item()],
    ]);
    const { namespaced, resource, verbs, custom } = this.#resource;
    if (namespaced && verbs.includes("list"))
      paths.set(`${this.#prefix}/${resource}`, [this.#list("ForAllNamespaces", ["pretty"])]);
    if (!custom && verbs.includes("watch"))
      for (const [path, operation] of this.#watches())
        paths.set(`${this.#prefix}/watch${path}`, [operation]);
    for (const sub of this.#resource.subresources)
      paths.set(`${this.#prefix}${this.#root}/{name}/${sub.name}`, this.#sub(sub));
    return Object.fromEntries(
      [...paths]
        .filter(([, operations]) => operations.length > 0)
        .map(([path, operations]) => [path, pathItem(operations)]),
    );
  }

  #has(verb: string): boolean {
    return this.#resource.verbs.includes(verb);
  }

  #collection(): readonly Operation[] {
    const { model, custom } = this.#resource;
    const operations: Operation[] = [];
    if (this.#has("list")) operations.push(this.#list(this.#scope(), this.#inside));
    if (this.#has("create"))
      operations.push(
        this.#operation(
          "post",
          "create",
          "post",
          [...writeParameters, ...this.#inside],
          { 200: model, 201: model, 202: model },
          this.#body(model),
        ),
      );
    if (this.#has("deletecollection")) {
      const parameters = custom ? listParameters : deleteCollectionParameters;
      operations.push(
        this.#operation(
          "delete",
          "delete",
          "deletecollection",
          [...parameters, ...this.#inside],
          { 200: `${meta}Status` },
          custom ? {} : this.#deleteBody(),
          `Collection${this.#scope()}${this.#resource.kind}`,
        ),
      );
    }
    return operations;
  }

  #item(): readonly Operation[] {
    const { model, custom, deleteReturnsObject } = this.#resource;
    const inside: readonly ParameterName[] = ["name", ...this.#inside];
    const gone = deleteReturnsObject ? model : `${meta}Status`;
    const operations: Operation[] = [];
    if (this.#has("get"))
      operations.push(
        this.#operation(
          "get",
          "read",
          "get",
          [...(custom ? (["resourceVersion"] as const) : []), ...inside],
          { 200: model },
        ),
      );
    if (this.#has("update"))
      operations.push(
        this.#operation(
          "put",
          "replace",
          "put",
          [...writeParameters, ...inside],
          { 200: model, 201: model },
          this.#body(model),
        ),
      );
    if (this.#has("delete"))
      operations.push(
        this.#operation(
          "delete",
          "delete",
          "delete",
          [...deleteParameters, ...inside],
          { 200: gone, 202: gone },
          this.#deleteBody(),
        ),
      );
    if (this.#has("patch")) operations.push(this.#patch(model, inside, ""));
    return operations;
  }

  #sub(sub: DocumentedSubresource): readonly Operation[] {
    const inside: readonly ParameterName[] = ["name", ...this.#inside];
    const rest = `${this.#scope()}${this.#resource.kind}${sub.name.slice(0, 1).toUpperCase()}${sub.name.slice(1)}`;
    const { model } = sub;
    // Custom resources name their own kind even on /scale.
    const gvk = this.#resource.custom ? this.#resource : sub;
    const operations: Operation[] = [];
    if (sub.verbs.includes("get"))
      operations.push(
        this.#operation(
          "get",
          "read",
          "get",
          [...(this.#resource.custom ? (["resourceVersion"] as const) : []), ...inside],
          { 200: model },
          {},
          rest,
          gvk,
        ),
      );
    if (sub.verbs.includes("create"))
      operations.push(
        this.#operation(
          "post",
          "create",
          "post",
          [...writeParameters, ...inside],
          { 200: model, 201: model, 202: model },
          this.#body(model),
          rest,
          gvk,
        ),
      );
    if (sub.verbs.includes("update"))
      operations.push(
        this.#operation(
          "put",
          "replace",
          "put",
          [...writeParameters, ...inside],
          { 200: model, 201: model },
          this.#body(model),
          rest,
          gvk,
        ),
      );
    if (sub.verbs.includes("patch")) operations.push(this.#patch(model, inside, rest, gvk));
    return operations;
  }

  #watches(): readonly (readonly [string, Operation])[] {
    const { namespaced, resource, kind } = this.#resource;
    const watch = (action: string, rest: string, inside: readonly ParameterName[]): Operation =>
      this.#operation(
        "get",
        "watch",
        action,
        [...listParameters, ...inside],
        { 200: `${meta}WatchEvent` },
        {},
        rest,
        this.#resource,
        "streamed",
      );
    const watches: (readonly [string, Operation])[] = [];
    if (namespaced)
      watches.push([`/${resource}`, watch("watchlist", `${kind}ListForAllNamespaces`, ["pretty"])]);
    watches.push([this.#root, watch("watchlist", `${this.#scope()}${kind}List`, this.#inside)]);
    watches.push([
      `${this.#root}/{name}`,
      watch("watch", `${this.#scope()}${kind}`, ["name", ...this.#inside]),
    ]);
    return watches;
  }

  #scope(): string {
    return this.#resource.namespaced ? "Namespaced" : "";
  }

  #list(where: string, inside: readonly ParameterName[]): Operation {
    const { kind, listModel = "" } = this.#resource;
    const rest = where === "ForAllNamespaces" ? `${kind}${where}` : `${where}${kind}`;
    return this.#operation(
      "get",
      "list",
      "list",
      [...listParameters, ...inside],
      { 200: listModel },
      {},
      rest,
      this.#resource,
      "streamed",
    );
  }

  #patch(
    model: string,
    inside: readonly ParameterName[],
    rest: string,
    gvk: DocumentedResource | DocumentedSubresource = this.#resource,
  ): Operation {
    const { custom } = this.#resource;
    const accepted = [
      ...patchTypes,
      ...(custom ? [] : ["application/strategic-merge-patch+json"]),
      "application/apply-patch+yaml",
    ];
    const body = { requestBody: { content: content(accepted, `${meta}Patch`), required: true } };
    return this.#operation(
      "patch",
      "patch",
      "patch",
      [...patchParameters, ...inside],
      custom ? { 200: model } : { 200: model, 201: model },
      body,
      rest || undefined,
      gvk,
    );
  }

  #body(model: string): JsonObject {
    return {
      requestBody: {
        content: content(this.#resource.custom ? plainTypes : ["*/*"], model),
        required: true,
      },
    };
  }

  #deleteBody(): JsonObject {
    return {
      requestBody: {
        content: content(this.#resource.custom ? plainTypes : ["*/*"], `${meta}DeleteOptions`),
      },
    };
  }

  #operation(
    method: Operation["method"],
    verb: string,
    action: string,
    parameters: readonly ParameterName[],
    answers: Readonly<Record<number, string>>,
    body: JsonObject = {},
    rest = `${this.#scope()}${this.#resource.kind}`,
    { group, version, kind }: DocumentedResource | DocumentedSubresource = this.#resource,
    answered: "plain" | "streamed" = "plain",
  ): Operation {
    const names = operationNames(this.#prefix);
    const responses: JsonObject = { 401: { description: codes[401]! } };
    for (const [code, model] of Object.entries(answers))
      responses[code] = {
        description: codes[code]!,
        content: content(this.#answerTypes(answered), model),
      };
    return {
      method,
      parameters,
      body: {
        tags: [names.tag],
        operationId: names.id(verb, rest),
        ...body,
        responses,
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": { group, version, kind },
      },
    };
  }

  #answerTypes(answered: "plain" | "streamed"): readonly string[] {
    if (this.#resource.custom) return plainTypes;
    return answered === "plain"
      ? [...plainTypes, protobuf]
      : [...plainTypes, protobuf, "application/json;stream=watch", `${protobuf};stream=watch`];
  }
}

function content(types: readonly string[], model: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: componentRef(model) }]));
}
