import { ConfigurationError } from "../../errors/request.ts";
import { objectWith } from "../../shared/options.ts";

/** Throws for anything but a webhook handler, when the adapter is made. */
export function requireHandler(adapter: string, handler: unknown): void {
  if (objectWith("receive")(handler, "") === undefined) return;
  throw new ConfigurationError(
    `${adapter}: pass the handler that \`webhooks.handler({ SUCCESS, FAILED, REJECTED })\` returns.`,
  );
}
