// The paths of one resource: operations with their bodies and responses.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go,
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
import type { GroupVersionKind, JsonObject } from "homeostat/api";
import { componentRef } from "./builtin-component.ts";
import type { DocumentStyle } from "./document-style.ts";
import { operationNames } from "./operation-id.ts";
import {
  deleteParameters,
  listParameters,
  type Operation,
  type ParameterName,
  patchParameters,
  pathItem,
  writeParameters,
} from "./operation-parameters.ts";

/** What the paths of a resource are made from. */
export interface DocumentedResource extends GroupVersionKind {
  readonly resource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly style: DocumentStyle;
  /** Model names. */
  readonly model: string;
  readonly listModel: string | undefined;
  /** DELETE answers the object. */
  readonly deleteReturnsObject: boolean;
  readonly subresources: readonly DocumentedSubresource[];
}

/**
 * A subresource with a body of its own, or that of its parent; the kind is what operations name.
 */
export interface DocumentedSubresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly model: string;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
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

/** One object: the resource itself, or a subresource of it. */
interface Endpoint {
  readonly verbs: readonly string[];
  readonly model: string;
  /** The end of operation ids, e.g. `NamespacedPodStatus`. */
  readonly rest: string;
  readonly kind: GroupVersionKind;
}

interface OperationParts {
  readonly method: Operation["method"];
  /** The beginning of the operation id. */
  readonly verb: string;
  /** `x-kubernetes-action`; the method unless given. */
  readonly action?: string;
  readonly parameters: readonly ParameterName[];
  /** Models by status code. */
  readonly responses: Readonly<Record<number, string>>;
  readonly responseTypes?: readonly string[];
  readonly body?: JsonObject;
  readonly rest: string;
  readonly kind?: GroupVersionKind;
}

class Paths {
  readonly #resource: DocumentedResource;
  readonly #prefix: string;
  readonly #root: string;
  readonly #inside: readonly ParameterName[];
  readonly #scope: string;

  constructor(resource: DocumentedResource) {
    this.#resource = resource;
    this.#prefix = resource.group
      ? `/apis/${resource.group}/${resource.version}`
      : `/api/${resource.version}`;
    this.#root = `${resource.namespaced ? "/namespaces/{namespace}" : ""}/${resource.resource}`;
    this.#inside = resource.namespaced ? ["namespace", "pretty"] : ["pretty"];
    this.#scope = resource.namespaced ? "Namespaced" : "";
  }

  all(): Readonly<Record<string, JsonObject>> {
    const { namespaced, resource, kind, verbs, style, subresources } = this.#resource;
    const item = `${this.#prefix}${this.#root}/{name}`;
    const paths = new Map<string, readonly Operation[]>([
      [this.#prefix + this.#root, this.#collection()],
      [item, this.#item()],
    ]);
    if (namespaced && verbs.includes("list"))
      paths.set(`${this.#prefix}/${resource}`, [this.#list(`${kind}ForAllNamespaces`, ["pretty"])]);
    if (style.watchPaths && verbs.includes("watch"))
      for (const [path, operation] of this.#watches())
        paths.set(`${this.#prefix}/watch${path}`, [operation]);
    for (const sub of subresources) paths.set(`${item}/${sub.name}`, this.#subresource(sub));
    return Object.fromEntries(
      [...paths]
        .filter(([, operations]) => operations.length > 0)
        .map(([path, operations]) => [path, pathItem(operations)]),
    );
  }

  #collection(): readonly Operation[] {
    const { verbs, model, kind, style } = this.#resource;
    const rest = `${this.#scope}${kind}`;
    const operations: Operation[] = [];
    if (verbs.includes("list")) operations.push(this.#list(rest, this.#inside));
    if (verbs.includes("create")) operations.push(this.#create(model, this.#inside, { rest }));
    if (verbs.includes("deletecollection"))
      operations.push(
        this.#operation({
          method: "delete",
          verb: "delete",
          action: "deletecollection",
          parameters: [...style.deleteCollectionParameters, ...this.#inside],
          responses: { 200: `${meta}Status` },
          body: style.deleteCollectionBody ? this.#deleteBody() : {},
          rest: `Collection${rest}`,
        }),
      );
    return operations;
  }

  #item(): readonly Operation[] {
    const { verbs, model, kind, deleteReturnsObject } = this.#resource;
    const rest = `${this.#scope}${kind}`;
    const deleted = deleteReturnsObject ? model : `${meta}Status`;
    const operations = this.#object({ verbs, model, rest, kind: this.#resource });
    if (verbs.includes("delete"))
      operations.push(
        this.#operation({
          method: "delete",
          verb: "delete",
          parameters: [...deleteParameters, "name", ...this.#inside],
          responses: { 200: deleted, 202: deleted },
          body: this.#deleteBody(),
          rest,
        }),
      );
    return operations;
  }

  #subresource(sub: DocumentedSubresource): readonly Operation[] {
    const { verbs, model, name } = sub;
    const rest = `${this.#scope}${this.#resource.kind}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    const kind = this.#resource.style.subresourceKind === "own" ? sub : this.#resource;
    const operations = this.#object({ verbs, model, rest, kind });
    if (verbs.includes("create"))
      operations.push(this.#create(model, ["name", ...this.#inside], { rest, kind }));
    return operations;
  }

  /** Get, update and patch of one object. */
  #object({ verbs, model, rest, kind }: Endpoint): Operation[] {
    const { style } = this.#resource;
    const byVerb: Readonly<Record<string, Omit<OperationParts, "rest">>> = {
      get: {
        method: "get",
        verb: "read",
        parameters: style.getParameters,
        responses: { 200: model },
      },
      update: {
        method: "put",
        verb: "replace",
        parameters: writeParameters,
        responses: { 200: model, 201: model },
        body: this.#body(model),
      },
      patch: {
        method: "patch",
        verb: "patch",
        parameters: patchParameters,
        responses: Object.fromEntries(style.patchCodes.map((code) => [code, model])),
        body: requestBody(content(style.mediaTypes.patch, `${meta}Patch`)),
      },
    };
    return Object.entries(byVerb)
      .filter(([verb]) => verbs.includes(verb))
      .map(([, parts]) => {
        const parameters = [...parts.parameters, "name" as const, ...this.#inside];
        return this.#operation({ ...parts, parameters, rest, kind });
      });
  }

  #create(
    model: string,
    inside: readonly ParameterName[],
    named: Pick<OperationParts, "rest" | "kind">,
  ): Operation {
    return this.#operation({
      method: "post",
      verb: "create",
      parameters: [...writeParameters, ...inside],
      responses: { 200: model, 201: model, 202: model },
      body: this.#body(model),
      ...named,
    });
  }

  #watches(): readonly (readonly [string, Operation])[] {
    const { namespaced, resource, kind, style } = this.#resource;
    const watch = (action: string, rest: string, inside: readonly ParameterName[]): Operation =>
      this.#operation({
        method: "get",
        verb: "watch",
        action,
        parameters: [...listParameters, ...inside],
        responses: { 200: `${meta}WatchEvent` },
        responseTypes: style.mediaTypes.stream,
        rest,
      });
    const watches: (readonly [string, Operation])[] = [];
    if (namespaced)
      watches.push([`/${resource}`, watch("watchlist", `${kind}ListForAllNamespaces`, ["pretty"])]);
    watches.push([this.#root, watch("watchlist", `${this.#scope}${kind}List`, this.#inside)]);
    watches.push([
      `${this.#root}/{name}`,
      watch("watch", `${this.#scope}${kind}`, ["name", ...this.#inside]),
    ]);
    return watches;
  }

  #list(rest: string, inside: readonly ParameterName[]): Operation {
    const { listModel = "", style } = this.#resource;
    return this.#operation({
      method: "get",
      verb: "list",
      action: "list",
      parameters: [...listParameters, ...inside],
      responses: { 200: listModel },
      responseTypes: style.mediaTypes.stream,
      rest,
    });
  }

  #body(model: string): JsonObject {
    return requestBody(content(this.#resource.style.mediaTypes.body, model));
  }

  #deleteBody(): JsonObject {
    const { body } = this.#resource.style.mediaTypes;
    return { requestBody: { content: content(body, `${meta}DeleteOptions`) } };
  }

  #operation(parts: OperationParts): Operation {
    const { method, verb, action = method, parameters, body = {}, rest } = parts;
    const { responseTypes = this.#resource.style.mediaTypes.response } = parts;
    const { group, version, kind } = parts.kind ?? this.#resource;
    const names = operationNames(this.#prefix);
    const responses: JsonObject = { 401: { description: codes[401]! } };
    for (const [code, model] of Object.entries(parts.responses))
      responses[code] = { description: codes[code]!, content: content(responseTypes, model) };
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
}

function content(types: readonly string[], model: string): JsonObject {
  return Object.fromEntries(types.map((type) => [type, { schema: componentRef(model) }]));
}

const requestBody = (content: JsonObject): JsonObject => ({
  requestBody: { content, required: true },
});
