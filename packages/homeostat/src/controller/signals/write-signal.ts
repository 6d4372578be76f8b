// Sets and clears signals. Labels and annotations are set by an apply of their own, under the field
// manager `<manager>/signal.<name>`, so that managedFields say since when; all else are patches.
import { type KubeObject, keyOf } from "../../api/object-meta.ts";
import { argumentError } from "../../util/argument-error.ts";
import { checkArgument } from "../../util/call-options.ts";
import { isOptions } from "../../util/option-faults.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { retryOnConflict } from "../retry-on-conflict.ts";
import { carriedValue, describeSignal, type Signal, type SignalContext } from "./signal.ts";

/** The last part of the field manager of a signal. */
export const signalSet = (name: string): string => `signal.${name}`;

/** Sets a signal; sends nothing when it is set to `value`. */
export async function setSignal(
  signal: Signal,
  context: SignalContext,
  object: KubeObject,
  value?: string,
): Promise<void> {
  const { carrier, on, name } = signal;
  checkContext(signal, context, object);
  if (value !== undefined) checkArgument(describeSignal(signal), ["its value", value], "a string");
  if ("condition" in carrier) return setCondition(signal, context, object, ["True", value]);
  if ("finalizer" in carrier)
    return patchFinalizers(signal, context, object, (list) => [
      ...new Set([...list, carrier.finalizer]),
    ]);
  const wanted = value ?? "true";
  if (carriedValue(carrier, object) === wanted) return undefined;
  const { uid } = object.metadata;
  const map =
    "label" in carrier
      ? { labels: { [carrier.label]: wanted } }
      : { annotations: { [carrier.annotation]: wanted } };
  const { apiVersion, kind } = on;
  const manifest = { apiVersion, kind, metadata: { ...keyOf(object), uid, ...map } };
  await context.client.apply(on, manifest, { set: signalSet(name) });
}

/** Clears a signal; sends nothing when it is not set. */
export async function clearSignal(
  signal: Signal,
  context: SignalContext,
  object: KubeObject,
): Promise<void> {
  const { carrier, on } = signal;
  checkContext(signal, context, object);
  if (carriedValue(carrier, object) === undefined) return undefined;
  if ("condition" in carrier) return setCondition(signal, context, object, ["False"]);
  if ("finalizer" in carrier)
    return patchFinalizers(signal, context, object, (list) =>
      list.filter((one) => one !== carrier.finalizer),
    );
  const map =
    "label" in carrier
      ? { labels: { [carrier.label]: null } }
      : { annotations: { [carrier.annotation]: null } };
  await context.client.patch(on, address(object), {
    metadata: { uid: object.metadata.uid, ...map },
  });
}

/** @throws ERR_ARGUMENT */
function checkContext(signal: Signal, context: SignalContext, object: KubeObject): void {
  const call = `writing ${describeSignal(signal)}`;
  if (typeof context?.condition !== "function" || !isOptions(context.object))
    throw argumentError(call, context, "the context of a reconcile");
  if (!isOptions(object?.metadata)) throw argumentError(call, object, "an object with metadata");
}

/** Sets the condition of the reconciled object. */
function setCondition(
  signal: Signal,
  { object: reconciled, condition }: SignalContext,
  object: KubeObject,
  [status, message = ""]: readonly [status: "True" | "False", message?: string | undefined],
): void {
  const { uid, name } = object.metadata;
  if ((reconciled as KubeObject).metadata.uid !== uid)
    throw new HomeostatError(
      "ERR_SIGNAL_WRITER",
      `${describeSignal(signal)} of ${object.kind} ${name} is a condition, and another controller's reconcile writes the status of that object`,
      { hint: "set conditions on the reconciled object; for others use an annotation" },
    );
  const { condition: type } = signal.carrier as { readonly condition: string };
  condition(type, status, status === "True" ? "Set" : "Cleared", message);
}

/** Finalizers are patched with the resourceVersion: a list has several writers. */
async function patchFinalizers(
  { on }: Signal,
  { client }: SignalContext,
  object: KubeObject,
  next: (list: readonly string[]) => readonly string[],
): Promise<void> {
  const { uid } = object.metadata;
  await retryOnConflict(async (attempt) => {
    const live =
      attempt === 0 ? object : ((await client.get(on, address(object))) as KubeObject | undefined);
    if (live?.metadata.uid !== uid) return;
    const { resourceVersion, finalizers: list = [] } = live.metadata;
    const finalizers = next(list);
    if (finalizers.length === list.length) return;
    const wanted = finalizers.length > 0 ? finalizers : null;
    const metadata = { uid, resourceVersion, finalizers: wanted };
    await client.patch(on, address(object), { metadata });
  });
}

function address({ metadata: { name, namespace } }: KubeObject) {
  return namespace === undefined ? name : { name, namespace };
}
