import { quoteFailures } from "../catalogue/flights.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { type BrokenRule, type Caller, refuse } from "./refusals.ts";

/** Returns the refusal of a verification body that breaks rules, in one sentence. */
export function refuseInOneSentence(broken: readonly BrokenRule[], caller: Caller): EmulatedResponse {
  const rules = broken.map(({ path, message }) => `${path} ${forService(message)}`);
  return refuse(caller, 400, rules.join("; "));
}

/** Returns the refusal of an AI or flight body that breaks rules: the fields, and what is wrong with each. */
export function refuseFields(broken: readonly BrokenRule[]): EmulatedResponse {
  const { status, body } = quoteFailures["failed-with-data-null"];
  const errors: Record<string, string[]> = {};
  for (const { path, message } of broken) {
    errors[path] = [...(errors[path] ?? []), `The ${path} field ${forService(message)}.`];
  }
  return json(status, { ...body, errors });
}

/** After a semicolon the client's schema says what to do in the client. A service would not know it. */
function forService(message: string): string {
  return message.replace(/;.*/s, "");
}
