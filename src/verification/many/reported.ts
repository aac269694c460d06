import type { LookUp } from "./look-up.ts";
import type { Settings } from "./options.ts";
import type { FindManyOutcome, FindManyResult } from "./types.ts";

/** A result, and whether its number is still open. */
export interface Found<Input> extends Pick<LookUp, "open"> {
  readonly result: FindManyResult<Input>;
}

/**
 * Yields the results, and throws what ended the run after them.
 *
 * Numbers that are still open at the end have no result: a later run continues with them. In the order of the inputs
 * they have one if the service has responded to a later number, whose response would be paid for again.
 *
 * @param report - Called before each result that is yielded, except for a response, which was counted when it came.
 */
export async function* reported<Input>(
  found: AsyncIterable<Found<Input>>,
  order: Settings["order"],
  report: (found: FindManyOutcome) => void,
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  let failure: { readonly error: unknown } | undefined;
  /** The first open number, and what follows it without a response. */
  const held: FindManyResult<Input>[] = [];
  for await (const { result, open } of found) {
    if (open === "final" && "error" in result) failure ??= { error: result.error };
    if (open !== undefined && order === "completed") continue;
    held.push(result);
    if (open !== undefined || (held.length > 1 && !isResponse(result))) continue;
    for (const one of held.splice(0)) {
      if (one !== result || !isResponse(one)) report(one);
      yield one;
    }
  }
  if (failure !== undefined) throw failure.error;
}

/** Whether a later run would have to ask the service again. */
export function isResponse({ kind, attempts }: FindManyOutcome): boolean {
  return attempts > 0 && kind !== "failed";
}
