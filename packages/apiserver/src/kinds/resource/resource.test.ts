import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openKind } from "../open-kind.suite.ts";
import { compileSelector } from "./compile-selector.ts";
import { shareIdErrors } from "./device-names.ts";

const group = "resource.k8s.io";
const request = (more: object = {}): object => ({
  name: "gpu",
  exactly: { deviceClassName: "fast", ...more },
});
const claimOf = (devices: object): object => ({
  metadata: { name: "c", namespace: "n" },
  spec: { devices },
});
const bodies = (errors: readonly { readonly body: string }[]): readonly string[] =>
  errors.map(({ body }) => body);

describe("ResourceClaim", () => {
  const claims = openKind(group, "resourceclaims");
  const errorsOf = (devices: object): readonly string[] => claims.create(claimOf(devices)).errors;

  it("asks for one device where it does not say how many", () => {
    const { object, errors } = claims.create(
      claimOf({ requests: [request({ tolerations: [{ key: "a" }] })] }),
    );
    assert.deepEqual(errors, []);
    assert.deepEqual(object["spec"], {
      devices: {
        requests: [
          {
            name: "gpu",
            exactly: {
              deviceClassName: "fast",
              allocationMode: "ExactCount",
              count: 1,
              tolerations: [{ key: "a", operator: "Equal" }],
            },
          },
        ],
      },
    });
  });
  it("needs exactly one way to ask", () => {
    assert.deepEqual(errorsOf({ requests: [{ name: "a" }] }), [
      "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
    ]);
  });
  it("refers to its own requests and their alternatives", () => {
    const devices = {
      requests: [{ name: "any", firstAvailable: [{ name: "big", deviceClassName: "x" }] }],
      constraints: [{ requests: ["any/big", "any/small"], matchAttribute: "a.b/c" }],
    };
    assert.deepEqual(errorsOf(devices), [
      "spec.devices.constraints[0].requests[1]: Invalid value: \"any/small\": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
    ]);
  });
  it("gives administrators access only in marked namespaces", () => {
    assert.match(
      errorsOf({ requests: [request({ adminAccess: true })] }).join(),
      /admin access to devices requires the `resource.kubernetes.io\/admin-access: true` label/,
    );
  });
  it("keeps its spec, and prints a changed one as Go does", () => {
    const { object } = claims.create(claimOf({ requests: [request()] }));
    assert.match(
      claims.update(object, claimOf({ requests: [request({ count: 2 })] })).errors.join(),
      /^spec: Invalid value: \{"Devices":\{"Requests":\[\{"Name":"gpu","Exactly":\{"DeviceClassName":"fast","Selectors":null,/,
    );
  });
  it("is pending, then allocated, then reserved; reports go with their devices", () => {
    const { object } = claims.create(claimOf({ requests: [request()] }));
    const device = { driver: "d.e", pool: "p", device: "v" };
    const given = {
      ...object,
      status: {
        allocation: { devices: { results: [{ request: "gpu", ...device }] } },
        reservedFor: [{ resource: "pods", name: "p", uid: "u" }],
        devices: [device],
      },
    };
    const changed = claims.update(object, given, "status");
    assert.deepEqual(changed.errors, []);
    assert.deepEqual(
      [claims.cells(object)[1], claims.cells(changed.object)[1]],
      ["pending", "allocated,reserved"],
    );
    assert.deepEqual(
      claims.update(changed.object, { ...given, status: { devices: [device] } }, "status").object[
        "status"
      ],
      {},
    );
  });
});

describe("ResourceSlice", () => {
  const slices = openKind(group, "resourceslices");
  const sliceOf = (more: object): object => ({
    metadata: { name: "s" },
    spec: { driver: "d.e", pool: { name: "p", resourceSliceCount: 1 }, nodeName: "n", ...more },
  });

  it("is reached from one place only", () => {
    assert.deepEqual(slices.create(sliceOf({ allNodes: true })).errors, [
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ]);
  });
  it("dates taints", () => {
    const { object } = slices.create(
      sliceOf({ devices: [{ name: "x", taints: [{ key: "a", effect: "None" }] }] }),
    );
    assert.equal(
      JSON.stringify(object["spec"]).includes('"timeAdded":"2026-01-01T00:00:00Z"'),
      true,
    );
  });
  it("holds shared capacities to their policies", () => {
    const withPolicy = (requestPolicy: object): readonly string[] =>
      slices.create(
        sliceOf({
          devices: [
            {
              name: "x",
              allowMultipleAllocations: true,
              capacity: { a: { value: "10", requestPolicy } },
            },
          ],
        }),
      ).errors;
    assert.deepEqual(
      withPolicy({ default: "4", validRange: { min: "1", max: "10", step: "3" } }),
      [],
    );
    assert.deepEqual(withPolicy({ default: "5", validRange: { min: "1", step: "3" } }), [
      'spec.devices[0].capacity[a].requestPolicy.validRange.step: Invalid value: "5": value is not a multiple of a given step (3) from (1)',
    ]);
  });
});

describe("selectors", () => {
  const faultOf = (expression: string): string => {
    const compiled = compileSelector(expression, "new");
    return "fault" in compiled ? compiled.fault : "";
  };
  it("evaluate to a bool, or to a value that depends on the device", () => {
    for (const expression of [
      "device.driver == 'a'",
      "device.attributes['a'].b",
      "cel.bind(a, device.attributes['a'], a.b && a.c)",
      "device.allowMultipleAllocations",
    ])
      assert.equal(faultOf(expression), "");
    assert.equal(
      faultOf("device.attributes['a']"),
      "must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)",
    );
  });
  it("know how large a device can be", () => {
    const cheap = compileSelector("device.attributes.all(a, a == device.driver)", "new");
    const dear = compileSelector(
      "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b && c == d))))",
      "new",
    );
    assert.equal("cost" in cheap && cheap.cost < 1_000_000, true);
    assert.equal("cost" in dear && dear.cost > 1_000_000, true);
  });
  it("do not loop over an attribute", () =>
    assert.match(
      faultOf("device.attributes['a'].b.exists(x, x == 1)"),
      /expression of type 'any' cannot be range of a comprehension/,
    ));
});

it("shares are named by UUIDs in their usual form", () => {
  const id = "7e730884-53a7-4cf0-a40c-d749ed628b7e";
  assert.deepEqual(shareIdErrors(id, "x"), []);
  assert.deepEqual(bodies(shareIdErrors("abc", "x")), [
    'Invalid value: "abc": error validating uid: invalid UUID length: 3',
  ]);
  assert.match(bodies(shareIdErrors(`urn:uuid:${id}`, "x")).join(), /RFC 4122 normalized form/);
});
