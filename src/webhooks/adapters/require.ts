import { ConfigurationError } from "../../errors/request.ts";

/** Refuses what is not a webhook handler, when the adapter is made. */
export function requireHandler(adapter: string, handler: unknown): void {
  if (hasMethods(handler, "receive")) return;
  throw new ConfigurationError(`${adapter}: pass what \`webhooks.handler({ SUCCESS, FAILED, REJECTED })\` returned.`);
}

/** True for an object or function that has all of these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(Object(value), name) === "function");
}
