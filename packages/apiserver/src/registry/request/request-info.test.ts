import assert from "node:assert/strict";
import { test } from "node:test";
import { Query } from "./query.ts";
import { readRequestInfo } from "./request-info.ts";

const info = (method: string, path: string, query = ""): unknown => {
  const { isResource, verb, group, version, namespace, resource, name, subresource } =
    readRequestInfo(method, path, new Query(query));
  return isResource
    ? [verb, group, version, namespace, resource, name, subresource].join("|")
    : `${verb} plain`;
};

test("paths and methods", () => {
  const requests: Readonly<Record<string, string>> = {
    "GET /api/v1/namespaces/x/pods": "list||v1|x|pods||",
    "GET /api/v1/namespaces/x/pods?watch=1": "watch||v1|x|pods||",
    "GET /api/v1/namespaces/x/pods/p?watch=1": "get||v1|x|pods|p|",
    "GET /api/v1/namespaces": "list||v1||namespaces||",
    "GET /api/v1/namespaces/x": "get||v1|x|namespaces|x|",
    "PUT /api/v1/namespaces/x/finalize": "update||v1|x|namespaces|x|finalize",
    "GET /apis/g/v2/widgets?fieldSelector=metadata.name%3Dq": "list|g|v2||widgets|q|",
    "GET /apis/g/v2/watch/namespaces/x/widgets/w": "watch|g|v2|x|widgets|w|",
    "DELETE /apis/g/v2/namespaces/x/widgets/": "deletecollection|g|v2|x|widgets||",
    "PATCH /apis/g/v2/namespaces/x/widgets/w/scale": "patch|g|v2|x|widgets|w|scale",
    "GET /apis/g/v2": "get plain",
    "POST /version": "post plain",
  };
  for (const [request, expected] of Object.entries(requests)) {
    const [, method = "", path = "", query] = /^(\w+) ([^?]*)\??(.*)$/.exec(request) ?? [];
    assert.equal(info(method, path, query), expected, request);
  }
});

test("a prefix without a resource is an error", () => {
  assert.throws(() => readRequestInfo("GET", "/api/v1/watch", new Query("a=b")), {
    name: "RequestInfoError",
    message: "unable to determine kind and namespace from url, /api/v1/watch?a=b",
  });
});

test("queries as Go parses them", () => {
  const query = new Query("a=1&a=2&b=x+y%20z&c&bad=%zz&semi=1;2&f=FALSE&g=0&h=");
  assert.deepEqual(query.all("a"), ["1", "2"]);
  assert.equal(query.text("b"), "x y z");
  assert.deepEqual(
    [query.first("c"), query.first("bad"), query.first("semi")],
    ["", undefined, undefined],
  );
  assert.deepEqual(
    [query.flag("f"), query.flag("g"), query.flag("h"), query.flag("c"), query.flag("none")],
    [false, false, true, true, undefined],
  );
  assert.throws(() => new Query("n=two").integer("n"), {
    message: 'strconv.ParseInt: parsing "two": invalid syntax',
  });
  assert.throws(() => new Query("n=9223372036854775808").integer("n"), {
    message: 'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  });
});
