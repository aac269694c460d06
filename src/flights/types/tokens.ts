/**
 * The token of a fare quote result, the only one that books (§2.4, §4.3).
 *
 * It comes from `fareQuote`; {@link quoteToken} marks one that was stored as text. A search token is refused by the compiler,
 * because the two are both opaque text and the service notices a mix-up only when the passenger has paid.
 */
export type QuoteToken = string & { readonly __quote: true };

/** The token of a flight in a search result (§4.4, §4.5): any text that is not a {@link QuoteToken}. */
export type SearchToken = string & { readonly __quote?: never };

/**
 * Marks a text as a quote token, for one that was read back from a database or a form.
 *
 * @param text - `token` of a fare quote result, exactly as it came (it may hold `[ ] + / =`).
 * @returns The same text.
 *
 * @example
 * ```ts
 * import { quoteToken } from "serviceapi";
 *
 * const token = quoteToken(sessionStorage.quote);
 * ```
 */
export function quoteToken(text: string): QuoteToken {
  return text as QuoteToken;
}
