import { ConfigurationError } from "../../errors/request.ts";

/** Throws for anything but a webhook handler, when the adapter is made. */
export function requireHandler(adapter: string, handler: unknown): void {
  if (hasMethods(handler, "receive")) return;
  throw new ConfigurationError(
    `${adapter}: pass the handler that \`webhooks.handler({ SUCCESS, FAILED, REJECTED })\` returns.`,
  );
}

/** Whether an object or function has all of these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(Object(value), name) === "function");
}
