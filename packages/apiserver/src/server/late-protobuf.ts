// The protobuf codec, loaded with the first request that names protobuf: clients that speak JSON do
// not pay for it at start-up.
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import type { ProtobufCodec } from "../apimachinery/rest/protobuf-codec.ts";

/** Creates a codec whose `load` must have resolved before the other functions are called. */
export function createLateProtobuf(data: KindData): Required<ProtobufCodec> {
  let codec: Omit<Required<ProtobufCodec>, "load"> | undefined;
  const loaded = (): NonNullable<typeof codec> => {
    if (!codec) throw new Error("the protobuf codec was used before it was loaded");
    return codec;
  };
  return {
    load() {
      if (codec) return undefined;
      // Node keeps a module that loaded; a failure is not kept, so that the next request retries.
      return import("../protobuf/protobuf-codec.ts").then((module) => {
        codec ??= module.createProtobufCodec(data);
      });
    },
    decode: (bytes, fallback) => loaded().decode(bytes, fallback),
    encode: (object) => loaded().encode(object),
    frame: (type, envelope) => loaded().frame(type, envelope),
  };
}
