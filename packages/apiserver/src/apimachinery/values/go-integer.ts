// Converts numbers to integers as a Go program on amd64 does: the lowest bits remain, and a float
// beyond 64 bits is the least integer of 64 bits.
// Upstream: k8s.io/apimachinery/pkg/runtime/converter.go (fromUnstructured), Go's reflect.

const float64Limit = 2 ** 63;
const int64Min = -(2n ** 63n);

/** `number` as an integer of the type; undefined if it has a fraction. */
export function convertInteger(
  type: "int32" | "int64",
  number: number | bigint,
): number | bigint | undefined {
  if (typeof number === "number" && !Number.isInteger(number)) return undefined;
  const isBeyond = typeof number === "number" && Math.abs(number) >= float64Limit;
  const wrapped = BigInt.asIntN(type === "int32" ? 32 : 64, isBeyond ? int64Min : BigInt(number));
  const plain = Number(wrapped);
  return Number.isSafeInteger(plain) ? plain : wrapped;
}
