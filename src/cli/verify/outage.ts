import type { FindManyResult } from "../../verification/many/types.ts";
import { exitCodeOf, exitCodes } from "../shared/exit-codes.ts";

/** Rows that fail one after the other before the service counts as out of reach. */
const maxFailuresInARow = 10;

/**
 * Holds back failed rows until another follows that did not fail. If there are too many, the service is out of reach:
 * the run ends after the requests under way, with an error, and those rows are looked up when it continues.
 */
export async function* withoutOutage<Row>(
  results: AsyncIterable<FindManyResult<Row>>,
  stopped: AbortSignal,
  outage: AbortController,
): AsyncGenerator<FindManyResult<Row>> {
  const held: FindManyResult<Row>[] = [];
  let failures = 0;
  let failure: { readonly error: unknown } | undefined;
  for await (const result of results) {
    held.push(result);
    if (result.kind === "failed" && exitCodeOf(result.error) === exitCodes.unavailable) {
      // A duplicate says nothing new of the service.
      if (result.attempts > 0) failures++;
      if (failures < maxFailuresInARow) continue;
      failure ??= { error: result.error };
      outage.abort();
      continue;
    }
    failures = 0;
    yield* held.splice(0);
  }
  if (failure !== undefined) throw failure.error;
  // After an interruption they are looked up when the run continues.
  if (!stopped.aborted) yield* held;
}
