import { ConfigurationError } from "../../errors/request.ts";
import { type Money, readMoney } from "../../flights/quote/money.ts";
import { field } from "../../shared/json.ts";

/** Formats an amount with its currency: `INR 7480`, `INR 862.50`. */
export function formatMoney(money: Money | null): string {
  return money === null ? "not readable" : `${money.currency} ${money.amount.replace(/\.\d$/, "$&0")}`;
}

/**
 * Reads `--max-total`, as one word or two: `7600 INR` or `INR 7600`. The digits stay text.
 *
 * @throws ConfigurationError for anything else, such as an amount without a currency.
 */
export function readMaxTotal(words: readonly string[]): Money {
  const text = words.join(" ").trim();
  const { amount, currency } =
    /^(?<amount>[\d.]+) ?(?<currency>[a-z]{3})$/i.exec(text)?.groups ??
    /^(?<currency>[a-z]{3}) ?(?<amount>[\d.]+)$/i.exec(text)?.groups ??
    {};
  const money = readMoney(amount, currency);
  if (money !== null) return money;
  throw new ConfigurationError(
    'The limit --max-total must be an amount with its currency, such as "7600 INR" or "7600.50 INR". It comes after the trace_id and token.',
  );
}

/** Reads an amount of a fare, exactly; null if it is missing or not an amount. */
export function readFare(fare: unknown, name: string): Money | null {
  return readMoney(field(fare, name), field(fare, "currency"));
}
