import type { LookUp } from "./look-up.ts";
import type { Settings } from "./options.ts";
import type { FindManyOutcome, FindManyResult } from "./types.ts";

/** A result, and whether its number is still open. */
export interface Found<Input> extends Pick<LookUp, "open"> {
  readonly result: FindManyResult<Input>;
  /** Whether it was reported when it came. */
  readonly isReported: boolean;
}

/**
 * Yields the results, and throws what ended the run after them.
 *
 * Numbers that are still open at the end have no result: a later run continues with them. In the order of the inputs
 * they have one if the service has responded to a later number, whose response would be paid for again.
 *
 * @param report - Called before each result that is yielded, unless it was reported when it came.
 */
export async function* reported<Input>(
  found: AsyncIterable<Found<Input>>,
  order: Settings["order"],
  report: (found: FindManyOutcome) => void,
): AsyncGenerator<FindManyResult<Input>, void, undefined> {
  let failure: { readonly error: unknown } | undefined;
  /** The first open number, and what follows it without a response. */
  const held: Found<Input>[] = [];
  for await (const one of found) {
    const { result, open } = one;
    if (open === "final" && "error" in result) failure ??= { error: result.error };
    if (open !== undefined && order === "completed") continue;
    held.push(one);
    if (open !== undefined || (held.length > 1 && !isResponse(result))) continue;
    for (const { result, isReported } of held.splice(0)) {
      if (!isReported) report(result);
      yield result;
    }
  }
  if (failure !== undefined) throw failure.error;
}

/** Whether a later run would have to ask the service again. */
export function isResponse({ kind, attempts }: FindManyOutcome): boolean {
  return attempts > 0 && kind !== "failed";
}
