// A control plane with a custom resource that a webhook converts: `tags` is a list in v1, and a text
// in v1beta1.
import type { TestContext } from "node:test";
import { encodeJsonBytes, isObject, type Json, type JsonObject } from "homeostat/api";
import { type Handler, wholeBody } from "../../apimachinery/handler.ts";
import { createTestPlane } from "./test-plane.ts";

/** The definitions. */
export const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** The posts in one version, or one of them. */
export const at = (version: string, name = ""): string =>
  `/apis/x.io/${version}/namespaces/default/posts${name ? `/${name}` : ""}`;
export const merge = "application/merge-patch+json";
export const apply = "application/apply-patch+yaml";

const version = (name: string, storage: boolean, tags: JsonObject): JsonObject => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { tags, size: { type: "integer" } } },
        status: { type: "object", properties: { seen: { type: "integer" } } },
      },
    },
  },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.seen" },
  },
  selectableFields: name === "v1beta1" ? [{ jsonPath: ".spec.tags" }] : [],
});

/** The definition of posts, which a webhook converts. */
export const definition = (storage = "v1", reviews = ["v1"]): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "posts.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "posts", kind: "Post" },
    versions: [
      version("v1", storage === "v1", { type: "array", items: { type: "string" } }),
      version("v1beta1", storage === "v1beta1", { type: "string" }),
    ],
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { service: { namespace: "default", name: "turner", path: "/turn" } },
        conversionReviewVersions: reviews,
      },
    },
  },
});

/** What the webhook does to an object that it has turned; or another answer. */
interface Turner {
  mangle: (object: JsonObject) => void;
  answer: ((request: JsonObject) => JsonObject) | undefined;
  readonly reviews: JsonObject[];
}

function turn(object: JsonObject, apiVersion: string): JsonObject {
  const turned = structuredClone(object);
  turned.apiVersion = apiVersion;
  const { spec } = turned;
  if (!isObject(spec)) return turned;
  if (apiVersion.endsWith("/v1") && typeof spec.tags === "string") spec.tags = spec.tags.split(",");
  if (apiVersion.endsWith("beta1") && Array.isArray(spec.tags)) spec.tags = spec.tags.join(",");
  return turned;
}

function createTurner(): { readonly turner: Turner; readonly handler: Handler } {
  const turner: Turner = { mangle: () => {}, answer: undefined, reviews: [] };
  const handler: Handler = async ({ body }) => {
    const review = JSON.parse(new TextDecoder().decode(wholeBody(body))) as JsonObject;
    turner.reviews.push(review);
    const request = review.request as JsonObject;
    const convertedObjects = (request.objects as JsonObject[]).map((object) => {
      const turned = turn(object, String(request.desiredAPIVersion));
      turner.mangle(turned);
      return turned;
    });
    const response = turner.answer?.(request) ?? {
      uid: request.uid!,
      result: { status: "Success" },
      convertedObjects,
    };
    const answer = { kind: review.kind!, apiVersion: review.apiVersion!, response };
    return { status: 200, headers: {}, body: encodeJsonBytes(answer) };
  };
  return { turner, handler };
}

/** A control plane that serves posts. */
export async function createConversionServer(t: TestContext, reviews?: string[]) {
  const { turner, handler } = createTurner();
  const plane = await createTestPlane({
    userAgent: "me/1",
    serviceLocations: new Map([["default/turner", handler]]),
  });
  t.after(() => plane.close());
  const { runtime, send } = plane;
  const ask = async (...request: Parameters<typeof send>): Promise<JsonObject> =>
    (await plane.ask(...request)).body;
  const create = (version: string, name: string, tags: Json): Promise<JsonObject> =>
    ask("POST", at(version), post(version, name, tags));
  const served = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) {
      await runtime.advance(10);
      if ((await ask("GET", at("v1"))).kind === "PostList") return;
    }
  };
  await ask("POST", root, definition("v1", reviews));
  await served();
  return { runtime, turner, send, ask, create };
}

export const post = (apiVersion: string, name: string, tags: Json): JsonObject => ({
  apiVersion: `x.io/${apiVersion}`,
  kind: "Post",
  metadata: { name },
  spec: { tags },
});
export const tagsOf = (object: JsonObject): Json | undefined =>
  isObject(object.spec) ? object.spec.tags : object.message;
export const messageOf = (object: JsonObject): Json | undefined => object.message ?? object.kind;
