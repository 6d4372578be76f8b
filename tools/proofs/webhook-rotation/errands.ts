// A kind with many webhooks.
import { defineResource } from "homeostat";
import {
  type AdmissionWebhook,
  defineMutatingWebhook,
  defineValidatingWebhook,
  invalid,
} from "homeostat/webhook";
import * as z from "zod";

export const Errand = defineResource({
  group: "errands.example.com",
  version: "v1",
  kind: "Errand",
  spec: z.object({ places: z.array(z.string()), tip: z.int().optional() }),
});

/** An errand that all webhooks accept. */
export const errand = (name: string) =>
  Errand({ name, namespace: "default" }, { places: ["market", "harbour"] });

/** One webhook that sets the tip, and others that check it; each says when it is asked. */
export function createHooks(count: number, asked: () => void): readonly AdmissionWebhook[] {
  const tips = defineMutatingWebhook(Errand, {
    timeoutSeconds: 30,
    mutate({ object }) {
      asked();
      object.spec.tip ??= 1;
    },
  });
  const rules = Array.from({ length: count - 1 }, (_, i) =>
    defineValidatingWebhook(Errand, {
      name: `rule-${i}.errands.example.com`,
      path: `/rule-${i}`,
      timeoutSeconds: 30,
      create({ object }) {
        asked();
        if (object.spec.tip !== 1)
          return invalid({ field: "spec.tip", message: "is set before it is checked" });
      },
    }),
  );
  return [tips, ...rules];
}
