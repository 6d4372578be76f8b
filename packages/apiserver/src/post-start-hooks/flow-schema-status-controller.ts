// Sets the condition Dangling of FlowSchemas: whether the priority level exists that they name.
// Upstream: k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go (presyncFlowSchemaStatus,
// syncFlowSchemaStatus), the hook priority-and-fairness-config-consumer.
import type { Decoded, JsonObject } from "homeostat/api";
import type {
  FlowSchema,
  FlowSchemaCondition,
  PriorityLevelConfiguration,
} from "homeostat/k8s/flowcontrol/v1";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { HookContext } from "./hook-context.ts";
import { HookController } from "./hook-controller.ts";
import { StoredResource } from "./stored-resource.ts";

const group = "flowcontrol.apiserver.k8s.io";
const manager = "api-priority-and-fairness-config-consumer-v1";

/** The controller. Starts at once; bootstrap objects have the condition. */
export class FlowSchemaStatusController extends HookController {
  readonly #schemas: StoredResource<FlowSchema>;
  readonly #levels: StoredResource<PriorityLevelConfiguration>;

  constructor(context: HookContext) {
    super(context, { failing: (name) => `the status of FlowSchema ${name} cannot be set` });
    this.#schemas = new StoredResource(context.core, group, "flowschemas");
    this.#levels = new StoredResource(context.core, group, "prioritylevelconfigurations");
    this.onStop(this.#schemas.watch(({ name }) => this.add(name)));
    this.onStop(this.#levels.watch(({ name }) => this.#levelChanged(name)));
    this.start((name) => this.#sync(name));
  }

  #levelChanged(level: string): void {
    for (const revision of this.#schemas.list("")) {
      const schema = this.#schemas.decode(revision);
      if (levelOf(schema) === level) this.add(schema.metadata?.name ?? "");
    }
  }

  async #sync(name: string): Promise<void> {
    const schema = this.#schemas.find("", name);
    if (!schema) return;
    const wanted = danglingCondition(
      schema,
      this.#levels.latest("", levelOf(schema)) !== undefined,
    );
    const found = schema.status?.conditions?.find(({ type }) => type === wanted.type);
    const isSame = (["status", "reason", "message"] as const).every(
      (field) => found?.[field] === wanted[field],
    );
    if (isSame) return;
    const now = formatSeconds(this.context.core.runtime.clock.now());
    await this.#apply(name, { ...wanted, lastTransitionTime: now });
  }

  async #apply(name: string, condition: JsonObject): Promise<void> {
    const path = `/apis/${group}/v1/flowschemas/${name}/status?fieldManager=${manager}&force=true`;
    const { status } = await this.context.loopback("PATCH", path, {
      apiVersion: `${group}/v1`,
      kind: "FlowSchema",
      metadata: { name },
      status: { conditions: [condition] },
    });
    if (status >= 300 && status !== 404)
      throw new Error(`PATCH FlowSchema ${name}: expected 200, got ${status}`);
  }
}

const levelOf = ({ spec }: Decoded<FlowSchema>): string =>
  spec?.priorityLevelConfiguration?.name ?? "";

/** The condition of a schema whose level exists or not. */
function danglingCondition(
  schema: Decoded<FlowSchema>,
  hasLevel: boolean,
): Omit<FlowSchemaCondition, "lastTransitionTime"> & { readonly type: string } {
  const level = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(levelOf(schema))}`;
  return hasLevel
    ? { type: "Dangling", status: "False", reason: "Found", message: `${level} and it exists` }
    : {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${level} but there is no such object`,
      };
}
