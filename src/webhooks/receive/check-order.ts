import { WebhookPayloadError } from "../../errors/webhook.ts";
import { compareDecimals, type Decimal, parseDecimal } from "../../shared/decimal.ts";
import { readUninherited } from "../../shared/objects.ts";
import { anyOf, oneOf, type Rule, type Rules, readOptions } from "../../shared/options.ts";
import { similarName } from "../../shared/unknown-names.ts";
import type { WebhookEvent } from "../events.ts";
import type { ExpectedAmount, ExpectedOrder, FindOrder } from "../types.ts";
import { isPresent } from "./parse-event.ts";

/**
 * Refuses an event whose reference is unknown, or whose amount, if it has one, is not that of the order (§6.5.2).
 *
 * @returns The `settled` of the order.
 */
export function checkOrder(event: WebhookEvent, order: Awaited<ReturnType<FindOrder>>): ExpectedOrder["settled"] {
  const clientReferenceId = event.client_referenceId;
  if (order === null || order === undefined) {
    const message = "No order is known under this reference.";
    throw new WebhookPayloadError({ reason: "unknownReference", message, clientReferenceId });
  }
  const received: unknown = event.txn_amount;
  // The usual case, without a copy of the order.
  if (order === received && Number.isFinite(order)) return undefined;
  const { amount, settled } = readOrder(order);
  if (!isPresent(received) || isSameAmount(received, amount)) return settled;
  throw new WebhookPayloadError({
    reason: "amountMismatch",
    message: "The amount is not that of the order; see `expectedAmount` and `receivedAmount`.",
    clientReferenceId,
    expectedAmount: amount,
    receivedAmount: describeAmount(received),
  });
}

/** Money is positive. An invalid amount would make the comparison meaningless. */
const amountRule: Rule = (value) =>
  (readAmount(value)?.units ?? 0n) > 0n
    ? undefined
    : `must be a positive amount, such as 1500.5 or the string 1500.50${typeof value === "object" ? "; got an object: pass a string" : ""}`;

type KnownOrder = ExpectedOrder & { readonly amount: number | string };

const orderRules: Rules<KnownOrder> = {
  amount: amountRule,
  settled: anyOf(
    'must be true, false, "SUCCESS", "FAILED" or "REJECTED"; pass null for an order that is open',
    oneOf(true, false, "SUCCESS", "FAILED", "REJECTED"),
  ),
};

function readOrder(order: ExpectedAmount | ExpectedOrder): KnownOrder {
  const amount = plainAmount(order);
  const row = typeof amount === "object" ? pick(amount as ExpectedOrder) : { amount };
  return readOptions<KnownOrder>("findOrder", row, orderRules, ["amount"]);
}

/** Returns a decimal of a library (Decimal.js, Prisma, bignumber.js) and a bigint as a string, all else unchanged. */
function plainAmount<Value>(value: Value | bigint): Value | string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value) || "amount" in value) return value;
  const text: unknown = typeof value.toString === "function" ? value.toString() : undefined;
  return typeof text === "string" && readAmount(text) !== null ? text : value;
}

/**
 * Returns the known properties of a database row, with null as left out, and those that are probably one of them
 * misspelt, to be refused: if `setled` were ignored, an order could be paid twice.
 */
function pick(order: ExpectedOrder): object {
  const missing = Object.keys(orderRules).filter((name) => !(name in order));
  const misspelt = Object.entries(order).filter(([name]) => similarName(name, missing) !== undefined);
  return {
    ...Object.fromEntries(misspelt),
    amount: plainAmount(readUninherited(order, "amount")),
    settled: readUninherited(order, "settled") ?? undefined,
  };
}

/** Money is compared as decimal strings: `1500.5` and `"1500.50"` are equal, `0.1 + 0.2` and `0.3` are not. */
function isSameAmount(received: unknown, expected: number | string): boolean {
  const [came, wanted] = [readAmount(received), readAmount(expected)];
  return came !== null && wanted !== null && compareDecimals(came, wanted) === 0;
}

/** A string has digits and a point only, as databases write them: no exponent, no `+`, no spaces. */
function readAmount(amount: unknown): Decimal | null {
  if (typeof amount !== "string") return parseDecimal(amount);
  return amount.length <= 100 && /^-?\d+(?:\.\d*)?$/.test(amount) ? parseDecimal(amount.replace(/\.$/, "")) : null;
}

/** Returns an amount that an error may show. Errors show nothing else of a body. */
function describeAmount(received: unknown): number | string | undefined {
  if (typeof received === "number") return received;
  return typeof received === "string" && /^-?[\d.]{1,40}$/.test(received) ? received : undefined;
}
