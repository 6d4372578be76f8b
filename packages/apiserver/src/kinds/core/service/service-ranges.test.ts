import assert from "node:assert/strict";
import { test } from "node:test";
import { createServicePool } from "./service-pool.ts";
import { readServiceRanges } from "./service-ranges.ts";

test("a range leaves out network and broadcast, and its lower part is for those who choose", () => {
  const { addresses } = readServiceRanges({ addresses: "10.96.7.9/16" });
  assert.deepEqual([addresses.range, addresses.first], ["10.96.0.0/16", "10.96.0.1"]);
  const pool = createServicePool(
    readServiceRanges({ addresses: "10.96.0.0/16", ports: "20000-20099" }),
  );
  assert.equal(pool.claim().nextAddress(), "10.96.1.1");
  assert.equal(pool.claim().nextPort(), 20_016);
  assert.throws(() => pool.claim().address("10.96.255.255"), /does not match the current range/);
  assert.throws(() => pool.claim().port(30_000), /The range of valid ports is 20000-20099/);
  assert.equal(
    createServicePool(readServiceRanges({ addresses: "10.0.0.0/28" }))
      .claim()
      .nextAddress(),
    "10.0.0.1",
  );
});

test("invalid ranges are refused", () => {
  for (const addresses of ["10.0.0.0", "fd00::/112", "10.0.0.0/31"])
    assert.throws(
      () => readServiceRanges({ addresses }),
      new RegExp(`^Error: expected a range of .*, got "${addresses.replaceAll(/[./]/g, "\\$&")}"$`),
    );
  for (const ports of ["a", "5-1", "1-70000"])
    assert.throws(() => readServiceRanges({ ports }), /expected a range of ports/);
  assert.deepEqual(readServiceRanges({ ports: "100+20" }).ports, {
    first: 100,
    firstDynamic: 116,
    last: 120,
  });
});

test("a dry run allocates nothing, and shows placeholders", () => {
  const pool = createServicePool();
  pool.hold({ addresses: ["10.0.0.40"], ports: [31_000] });
  const claim = pool.dryClaim();
  assert.deepEqual(
    [claim.nextAddress(), claim.nextPort(), claim.nextPort()],
    ["10.0.0.0", 32_769, 32_770],
  );
  claim.address("10.0.0.40");
  assert.throws(() => claim.port(31_000), /already allocated/);
  assert.throws(
    () => claim.address("10.0.0.255"),
    /is not in the valid range. The range of valid IPs is 10.0.0.0\/24/,
  );
});
