// Keeps the condition Dangling of every FlowSchema: whether its priority level exists.
// Upstream: k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go (presyncFlowSchemaStatus,
// digestConfigObjects).
import type { Decoded } from "homeostat/api";
import type {
  FlowSchema,
  FlowSchemaCondition,
  PriorityLevelConfiguration,
} from "homeostat/k8s/flowcontrol/v1";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { HookContext } from "./hook-context.ts";
import { HookController } from "./hook-controller.ts";
import { StoredResource } from "./stored-resource.ts";

const group = "flowcontrol.apiserver.k8s.io";
const manager = "api-priority-and-fairness-config-consumer-v1";
const minuteMs = 60_000;
/** Writes of one FlowSchema in a minute, so that two servers that disagree do not race. */
const maxWrites = 6;
const delayMs = 30_000;

/** The controller. Starts at once. */
export class FlowSchemaStatusController extends HookController {
  readonly #schemas: StoredResource<FlowSchema>;
  readonly #levels: StoredResource<PriorityLevelConfiguration>;
  /** Times of the writes of the last minute, by name. */
  readonly #writes = new Map<string, readonly number[]>();

  constructor(context: HookContext) {
    super(context, { failing: (name) => `the status of FlowSchema ${name} cannot be written` });
    const { core } = context;
    this.#schemas = new StoredResource(core, group, "flowschemas");
    this.#levels = new StoredResource(core, group, "prioritylevelconfigurations");
    const names = new Set<string>();
    this.onStop(
      this.#schemas.follow(({ name, revision: { type } }) => {
        if (type === "DELETED") names.delete(name);
        else names.add(name);
        this.add(name);
      }),
    );
    this.onStop(
      this.#levels.follow(({ revision: { type } }) => {
        if (type !== "MODIFIED") for (const name of names) this.add(name);
      }),
    );
    this.start((name) => this.#sync(name));
  }

  async #sync(name: string): Promise<void> {
    const schema = this.#schemas.find("", name);
    if (!schema) return void this.#writes.delete(name);
    const level = schema.spec?.priorityLevelConfiguration?.name ?? "";
    const wanted = conditionOf(level, this.#levels.latest("", level) !== undefined);
    if (isPresent(schema, wanted)) return;
    const now = this.context.core.runtime.clock.now();
    const recent = (this.#writes.get(name) ?? []).filter((at) => at > now - minuteMs);
    if (recent.length >= maxWrites) return this.add(name, delayMs);
    this.#writes.set(name, [...recent, now]);
    await this.#apply(name, { ...wanted, lastTransitionTime: formatSeconds(now) });
  }

  /** An object that is gone needs no status. Rejects for every other refusal. */
  async #apply(name: string, condition: Decoded<FlowSchemaCondition>): Promise<void> {
    const { status } = await this.context.loopback(
      "PATCH",
      `/apis/${group}/v1/flowschemas/${name}/status?fieldManager=${manager}&force=true`,
      {
        kind: "FlowSchema",
        apiVersion: `${group}/v1`,
        metadata: { name },
        status: { conditions: [condition] },
      },
    );
    if (status >= 300 && status !== 404)
      throw new Error(`apply the status of FlowSchema ${name}: expected 200, got ${status}`);
  }
}

function conditionOf(level: string, exists: boolean): Decoded<FlowSchemaCondition> {
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${quoteGo(level)}`;
  return exists
    ? { type: "Dangling", status: "False", reason: "Found", message: `${subject} and it exists` }
    : {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${subject} but there is no such object`,
      };
}

const isPresent = (
  { status }: Decoded<FlowSchema>,
  wanted: Decoded<FlowSchemaCondition>,
): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: value, reason, message }) =>
      type === wanted.type &&
      value === wanted.status &&
      reason === wanted.reason &&
      message === wanted.message,
  );
