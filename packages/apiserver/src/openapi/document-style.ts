// How upstream's two builders of documents differ: the installer of built-in kinds, and the builder
// for definitions.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go,
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
import {
  deleteCollectionParameters,
  listParameters,
  type ParameterName,
} from "./operation-parameters.ts";

/** What the operations of a resource offer, beside what its verbs say. */
export interface DocumentStyle {
  /** Media types; those of responses to lists and watches are `stream`. */
  readonly mediaTypes: Readonly<
    Record<"response" | "stream" | "body" | "patch", readonly string[]>
  >;
  /** Status codes of a successful patch. */
  readonly patchCodes: readonly number[];
  /** Parameters of a get. */
  readonly getParameters: readonly ParameterName[];
  readonly deleteCollectionParameters: readonly ParameterName[];
  /** DELETE of a collection takes DeleteOptions. */
  readonly deleteCollectionBody: boolean;
  /** The deprecated paths below `/watch/`. */
  readonly watchPaths: boolean;
  /** The kind that operations on subresources name. */
  readonly subresourceKind: "own" | "parent";
}

const textTypes = ["application/json", "application/yaml"];
const protobuf = "application/vnd.kubernetes.protobuf";
const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

export const installerStyle: DocumentStyle = {
  mediaTypes: {
    response: [...textTypes, protobuf],
    stream: [...textTypes, protobuf, "application/json;stream=watch", `${protobuf};stream=watch`],
    body: ["*/*"],
    patch: [jsonPatch, mergePatch, "application/strategic-merge-patch+json", applyPatch],
  },
  patchCodes: [200, 201],
  getParameters: [],
  deleteCollectionParameters,
  deleteCollectionBody: true,
  watchPaths: true,
  subresourceKind: "own",
};

export const definitionStyle: DocumentStyle = {
  mediaTypes: {
    response: textTypes,
    stream: textTypes,
    body: textTypes,
    patch: [jsonPatch, mergePatch, applyPatch],
  },
  patchCodes: [200],
  getParameters: ["resourceVersion"],
  deleteCollectionParameters: listParameters,
  deleteCollectionBody: false,
  watchPaths: false,
  subresourceKind: "parent",
};
