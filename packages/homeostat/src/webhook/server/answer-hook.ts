// One request that has come in whole, through the hook of its path.
import { parseDuration } from "../../api/duration.ts";
import { describeError } from "../../util/describe-error.ts";
import {
  failure,
  type Hook,
  type HookEffects,
  type HookObserver,
  type HookRequest,
  type HookResponse,
  type ReviewTracer,
} from "../exchange.ts";

/** What answers need. */
export interface AnswerEffects extends HookEffects {
  readonly observer?: HookObserver | undefined;
  readonly trace?: ReviewTracer | undefined;
}

/** Calls `reply` once. */
export function answerHook(
  hook: Hook,
  request: HookRequest,
  effects: AnswerEffects,
  reply: (answer: HookResponse) => void,
): void {
  const counted = effects.observer?.asked(hook.path);
  const finish = (answer: HookResponse): void => {
    reply(answer);
    counted?.(answer.status);
  };
  const fail = (error: unknown): void => {
    effects.observer?.panicked(hook.path);
    finish(broken(error, effects));
  };
  try {
    const work = () => hook.answer(request, effects);
    const answered = effects.trace ? effects.trace(hook.path, work) : work();
    if (!(answered instanceof Promise)) return finish(answered);
    answered.then(finish, fail);
  } catch (error) {
    fail(error);
  }
}

/** No hook throws; whatever does must not end the process. */
function broken(error: unknown, { log }: HookEffects): HookResponse {
  const message = `answering a webhook: ${describeError(error)}`;
  log.error(message, { error });
  return failure(message);
}

/** Of a query with `timeout=10s`, as the API server says it. */
export function timeoutOf(query: string | undefined): number | undefined {
  const value = query === undefined ? undefined : /(?:^|&)timeout=([^&]*)/.exec(query)?.[1];
  if (value === undefined) return undefined;
  if (/^\d{1,4}s$/.test(value)) return Number.parseInt(value) * 1000;
  try {
    return parseDuration(value);
  } catch {
    return undefined;
  }
}
