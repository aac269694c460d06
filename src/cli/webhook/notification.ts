import { type Command, InvalidArgumentError } from "commander";
import { createReference } from "../../shared/ulid.ts";
import { readTextFile } from "../shared/input.ts";
import { choice, type FlagsOf, option, refuseUnused, withDefault } from "../shared/options.ts";

const statuses = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"] as const;
/** That of the samples. */
const sampleAmount = 8_500;

/** The options that make the body of a notification. */
export const notificationOptions = [
  withDefault(choice("--status <status>", "status of the payout", statuses), "SUCCESS"),
  option("--amount <number>", `txn_amount (default: ${sampleAmount})`, readAmount),
  option("--reference <text>", "client_referenceId (default: a new one)"),
  option("--body <json>", "the body, or @ and the name of a file that holds it"),
] as const;

/**
 * Returns the notification of §6.2, or the body of `--body`, byte for byte.
 *
 * @throws ConfigurationError for a flag that has no effect, or a file that cannot be read.
 */
export async function readNotification(
  { body, status, amount = sampleAmount, reference }: FlagsOf<typeof notificationOptions>,
  command: Command,
): Promise<string> {
  if (body === undefined) {
    const { payoutEvent } = await import("../../emulator/deliveries/payout-event.ts");
    const client_referenceId = reference ?? createReference();
    return JSON.stringify(payoutEvent({ outcome: status, client_referenceId, amount }, Date.now() % 1_000_000));
  }
  refuseUnused(command, ["status", "amount", "reference"], "with --body");
  return body.startsWith("@") ? readTextFile(body.slice(1), "--body") : body;
}

function readAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() !== "" && Number.isFinite(amount)) return amount;
  throw new InvalidArgumentError("It must be a number, such as 1500.50.");
}
