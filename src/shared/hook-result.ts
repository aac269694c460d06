import { ConfigurationError } from "../errors/request.ts";
import type { Rule } from "./options.ts";
import { ignoreRejection, isThenable } from "./promises.ts";

/**
 * Returns what a function of the caller returned, if it keeps the rule. A promise breaks every rule: it is truthy and
 * has no fields, whatever it resolves with.
 *
 * @param owner - The owner of the function, for the message: the name of an operation.
 * @throws ConfigurationError for any other result. The rejection of a promise is handled.
 */
export function hookResult<T>(owner: string, name: string, result: T, rule: Rule): T {
  ignoreRejection(result);
  const complaint = rule(result, name);
  if (complaint === undefined && !isThenable(result)) return result;
  const must = complaint?.replace(/^must be/, "must return") ?? "must return its result";
  throw new ConfigurationError(`${owner}: \`${name}\` ${must}${isThenable(result) ? ", not a promise" : ""}.`);
}
