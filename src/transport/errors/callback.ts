import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { hookResult } from "../../shared/hook-result.ts";
import type { Rule } from "../../shared/options.ts";
import type { CallContext, CalledOperation } from "../request.ts";
import { summarize } from "../summarize.ts";
import { adviseBy } from "./advice.ts";
import { detailsOf } from "./details.ts";

/**
 * Calls a schema or hook of the caller on a response. Whatever it throws becomes the error of the callback: an error of
 * this library that it passes on belongs to another call.
 */
export function callHook<T>(call: CallContext, hook: () => T): T {
  try {
    return hook();
  } catch (error) {
    throw callbackError(call, error);
  }
}

/**
 * Calls a hook of the operation on a response. A result that breaks the rule, such as a promise, is the error of the
 * callback: it would be taken for a decision that the hook has not made.
 */
export function askHook<T>(call: CallContext, name: string & keyof CalledOperation, ask: () => T, rule: Rule): T {
  return callHook(call, () => hookResult(call.operation.name, name, ask(), rule));
}

/**
 * Returns the error for a schema or function of the caller that failed on a response: the request was sent, its outcome
 * is unknown.
 */
export function callbackError(call: CallContext, error: unknown): ConfigurationError {
  const { operation, secrets } = call;
  const isOurs = ServiceApiError.isInstance(error);
  const problem = isOurs
    ? error.message
    : `${operation.name}: a schema or function that was passed to this library threw while the call was running.`;
  return new ConfigurationError(`${problem} ${adviseBy("unknown", operation)}`, {
    ...detailsOf(call, "unknown"),
    cause: isOurs ? undefined : summarize(error, secrets),
  });
}

/**
 * Returns the error for a call that was not sent. An error of another class comes from a schema or function of the
 * caller.
 */
export function refusedBeforeSending(error: unknown): ServiceApiError {
  if (ServiceApiError.isInstance(error)) return error;
  return new ConfigurationError("A schema or function that was passed to this library threw. Nothing was sent.", {
    cause: summarize(error, []),
  });
}
