import { type Command, InvalidArgumentError, Option } from "commander";
import { createReference } from "../../shared/ulid.ts";
import { refuseUnused } from "../shared/read-flags.ts";
import { readTextFile } from "../shared/read-input.ts";

/** The flags that make the body of a notification. */
export interface NotificationFlags {
  readonly status: (typeof statuses)[number];
  readonly amount?: number;
  readonly reference?: string;
  readonly body?: string;
}

const statuses = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"] as const;
/** That of the samples. */
const sampleAmount = 8_500;

/** Adds the flags of {@link NotificationFlags}. */
export function addNotificationFlags(command: Command): Command {
  return command
    .addOption(new Option("--status <status>", "status of the payout").choices(statuses).default("SUCCESS"))
    .option("--amount <number>", `txn_amount (default: ${sampleAmount})`, readAmount)
    .option("--reference <text>", "client_referenceId (default: a new one)")
    .option("--body <json>", "the body, or @ and the name of a file that holds it");
}

/**
 * Returns the notification of §6.2, or the body of `--body`, byte for byte.
 *
 * @throws ConfigurationError for a flag that has no effect, or a file that cannot be read.
 */
export async function readNotification(flags: NotificationFlags, command: Command): Promise<string> {
  const { body, status, amount = sampleAmount, reference } = flags;
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
