// The names of the controllers that run in this process: field managers and finalizers, which two
// managers on one server must not share. Each running manager answers the others' questions on a
// channel of the process, so that copies of this package see each other, and nothing is kept here.
import { channel } from "node:diagnostics_channel";
import type { Transport } from "../api/transport.ts";
import type { ControllerNames } from "../controller/names.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

const channelName = "homeostat:running-controllers";

interface Question {
  readonly transport: Transport;
  readonly names: readonly ControllerNames[];
  readonly allowsReplicas: boolean;
  /** Names that a running manager holds, with its operator. */
  readonly taken: { readonly name: string; readonly operator: string }[];
}

/** Who claims which names on which server. */
export interface Claim {
  readonly operator: string;
  readonly names: readonly ControllerNames[];
  readonly transport: Transport;
  /** Managers that all allow it may have the same names. */
  readonly allowsReplicas: boolean;
}

/**
 * Claims the names of a manager's controllers until `release`. @throws ERR_CONTROLLER_RUNNING when
 * a running manager of this process has one of them on the same server.
 */
export function claimNames({ operator, names, transport, allowsReplicas }: Claim): {
  release(): void;
} {
  const claims = channel(channelName);
  const question: Question = { transport, names, allowsReplicas, taken: [] };
  claims.publish(question);
  const [conflict] = question.taken;
  if (conflict)
    throw new HomeostatError(
      "ERR_CONTROLLER_RUNNING",
      `starting ${operator}: ${conflict.name} is in use by the manager of ${conflict.operator}, which runs in this process; the two would overwrite each other's fields and remove each other's finalizers`,
      {
        hint: "stop the other manager first, or give this operator or its controllers other names",
      },
    );
  const answer = answerAs({ operator, names, transport, allowsReplicas });
  claims.subscribe(answer);
  return { release: () => void claims.unsubscribe(answer) };
}

/**
 * Answers questions for a running manager. A manager that is dropped without a stop, as a simulated
 * process is, must not stay in memory for its claim: the channel lives as long as the process.
 */
function answerAs({
  operator,
  names,
  transport,
  allowsReplicas,
}: Claim): (message: unknown) => void {
  const own = new Set(names.flatMap(namesOf));
  const held = new WeakRef(transport);
  return function answer(message) {
    const running = held.deref();
    if (!running) return void channel(channelName).unsubscribe(answer);
    const asked = message as Question;
    if (!isSameServer(asked.transport, running)) return;
    if (allowsReplicas && asked.allowsReplicas) return;
    for (const name of asked.names.flatMap(namesOf))
      if (own.has(name)) asked.taken.push({ name, operator });
  };
}

const namesOf = ({ manager, finalizer }: ControllerNames): readonly string[] => [
  manager,
  finalizer,
];

/** Whether two connections are known to end at one server. */
export function isSameServer(one: Transport, other: Transport): boolean {
  return one === other || (one.server !== undefined && one.server === other.server);
}
