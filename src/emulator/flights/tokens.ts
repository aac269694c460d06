import { type QuotedResult, quoteSamples } from "../catalogue/quotes.ts";
import type { Call } from "../service/behaviour.ts";
import type { Search } from "../state/state.ts";
import { shiftDates } from "./dates.ts";

/** The reason why a token cannot be used (§7.2). */
export type TokenRefusal = "expired" | "mismatch" | "invalid";

type TokenCall = Call<{ readonly trace_id: string; readonly token: string }>;
type Refused = { readonly refused: TokenRefusal };

/** Returns the search that the token was issued for. */
export function findSearch(call: TokenCall): { readonly search: Search } | Refused {
  const issued = call.state.tokens.get(call.body.token);
  const search = issued?.search ?? adopted(call);
  if (search === undefined || issued?.kind === "quote") return { refused: "invalid" };
  return check(call, search) ?? { search };
}

/** Returns the search and the quote that the token was issued for. */
export function findQuote(call: TokenCall): { readonly search: Search; readonly quoted: QuotedResult } | Refused {
  const issued = call.state.tokens.get(call.body.token);
  if (issued?.kind === "quote") return check(call, issued.search) ?? issued;
  const search = adopted(call);
  const [quoted] = quoteSamples["domestic-oneway-full-service"];
  if (search === undefined || issued !== undefined || quoted === undefined) return { refused: "invalid" };
  return { search, quoted: shiftDates<QuotedResult>(quoted, search.startedAt) };
}

/** Returns the search of a token; of the default search for a token that cannot be used, begun just now. */
export function anySearch(call: TokenCall): Search {
  const { body, clock, state } = call;
  return state.tokens.get(body.token)?.search ?? startedNow(body.trace_id, clock.now());
}

/** Returns the quote of a token; that of the default search for a token that cannot be used. */
export function anyQuote(call: TokenCall): QuotedResult | undefined {
  const issued = call.state.tokens.get(call.body.token);
  if (issued?.kind === "quote") return issued.quoted;
  const { name, startedAt } = anySearch(call);
  return shiftDates(quoteSamples[name], startedAt)[0];
}

function check({ body, clock, settings }: TokenCall, search: Search): Refused | undefined {
  if (search.trace_id !== body.trace_id) return { refused: "mismatch" };
  return clock.now() - search.startedAt >= settings.sessionLifetime ? { refused: "expired" } : undefined;
}

/** Without `strict`, a token that was not issued counts as one of the default search, begun just now. */
function adopted({ body, clock, settings }: TokenCall): Search | undefined {
  if (settings.strict) return undefined;
  return startedNow(body.trace_id, clock.now());
}

function startedNow(trace_id: string, startedAt: number): Search {
  return { name: "domestic-oneway-full-service", trace_id, startedAt };
}
