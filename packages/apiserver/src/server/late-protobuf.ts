// The protobuf codec, loaded with the first request that names protobuf: clients that speak JSON do
// not pay for it at start-up.
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import type { ProtobufCodec } from "../apimachinery/rest/protobuf-codec.ts";

/**
 * Creates a codec whose `load` must have resolved before the other functions are called. A failed
 * load is not kept: the next one tries again.
 */
export function createLateProtobuf(
  data: KindData,
  importCodec = () => import("../protobuf/protobuf-codec.ts"),
): Required<ProtobufCodec> {
  let codec: Omit<Required<ProtobufCodec>, "load"> | undefined;
  const loaded = (): NonNullable<typeof codec> => {
    if (!codec) throw new Error("the protobuf codec was used before it was loaded");
    return codec;
  };
  return {
    load() {
      if (codec) return undefined;
      return importCodec().then((module) => {
        codec ??= module.createProtobufCodec(data);
      });
    },
    decode: (bytes, fallback) => loaded().decode(bytes, fallback),
    encode: (object) => loaded().encode(object),
    encodeMessage: (gvk, object) => loaded().encodeMessage(gvk, object),
    seal: (type, raw) => loaded().seal(type, raw),
    encodeList: (list, items) => loaded().encodeList(list, items),
    frame: (type, envelope) => loaded().frame(type, envelope),
  };
}
