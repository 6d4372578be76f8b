import assert from "node:assert/strict";
import { test } from "node:test";
import { imageTag } from "./image-name.ts";

test("the tag of an image is latest unless it has a tag or a digest", () => {
  const tags = {
    app: "latest",
    "app:1": "1",
    "host:5000/a/b": "latest",
    [`app:latest@sha256:${"a".repeat(64)}`]: "latest",
    [`app@sha256:${"a".repeat(64)}`]: "",
    "App:1": "",
    "a b": "",
  };
  for (const [image, tag] of Object.entries(tags)) assert.equal(imageTag(image), tag, image);
});
