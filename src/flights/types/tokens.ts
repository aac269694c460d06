import { ConfigurationError } from "../../errors/request.ts";

/** The compiler shows this name when a search token is passed to `book`. No such property exists at run time. */
type Advice = "Use the `token` of a fareQuote result; quoteToken(text) marks a stored one";

/**
 * The token of a fare quote result, the only one that books (§2.4, §4.3).
 *
 * It comes from `fareQuote`; {@link quoteToken} marks a stored one. The compiler refuses a search token, because both
 * are opaque strings and the service notices a mix-up only after the passenger has paid.
 */
export type QuoteToken = string & { readonly [Name in Advice]: true };

/** The token of a flight in a search result (§4.4, §4.5): any string that is not a {@link QuoteToken}. */
export type SearchToken = string & { readonly [Name in Advice]?: never };

/** The estimated lifetime of a search session, and of its tokens, in milliseconds (docs/assumptions.md, F2). */
export const defaultSessionLifetime = 900_000;

/**
 * Marks a string as a quote token, such as one that was read from a database or a form.
 *
 * @param text - `token` of a fare quote result, exactly as received (it may contain `[ ] + / =`).
 * @returns The same string.
 * @throws {@link ConfigurationError} if `text` is not a non-empty string.
 *
 * @example
 * ```ts
 * import { quoteToken } from "serviceapi";
 *
 * const token = quoteToken(sessionStorage.quote);
 * ```
 */
export function quoteToken(text: string): QuoteToken {
  if (typeof text !== "string" || text === "") {
    throw new ConfigurationError("quoteToken: the token must be a non-empty string.");
  }
  return text as QuoteToken;
}
