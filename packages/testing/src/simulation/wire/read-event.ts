// The head of an event of a watch.

/** What an event is about. */
export interface EventHead {
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Frame {
  readonly type?: string;
  readonly object?: { readonly metadata?: Partial<Omit<EventHead, "type">> };
}

export function readEvent(frame: Uint8Array): EventHead {
  const { type = "", object } = parse(frame);
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = object?.metadata ?? {};
  return { type, namespace, name, uid, resourceVersion };
}

function parse(frame: Uint8Array): Frame {
  try {
    return JSON.parse(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString());
  } catch {
    return {};
  }
}

/** `MODIFIED shop/a`. */
export const describeEvent = ({ type, namespace, name }: EventHead): string =>
  [type, [namespace, name].filter((part) => part !== "").join("/")].join(" ").trim();
