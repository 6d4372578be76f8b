// A ConfigMap in protobuf as client-go sends it: four magic bytes and a runtime.Unknown around the
// message. Encoded here, because a benchmark must not use the encoder that it measures.
// Upstream: k8s.io/apimachinery/pkg/runtime/generated.proto (Unknown),
// k8s.io/api/core/v1/generated.proto (ConfigMap).

/** The media type of built-in kinds in protobuf. */
export const protobufType = "application/vnd.kubernetes.protobuf";

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** The bytes of a request that creates a ConfigMap. */
export function configMapEnvelope(
  name: string,
  data: Readonly<Record<string, string>>,
): Uint8Array {
  const metadata = field(1, Buffer.from(name));
  const entries = Object.entries(data).map(([key, value]) =>
    field(2, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))])),
  );
  const typeMeta = Buffer.concat([field(1, Buffer.from("v1")), field(2, Buffer.from("ConfigMap"))]);
  return Buffer.concat([
    magic,
    field(1, typeMeta),
    field(2, Buffer.concat([field(1, metadata), ...entries])),
  ]);
}

/** A length-delimited field (wire type 2). */
function field(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
