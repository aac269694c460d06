import type { FindManyResult } from "../../verification/many/options.ts";
import { exitCodeOf, exitCodes } from "../shared/errors.ts";

type Failed = Extract<FindManyResult, { kind: "failed" }>;

/** Signs of an outage, which tell it from rows that always fail. */
interface OutageSettings {
  /** Aborted by Ctrl-C. */
  readonly stopped: AbortSignal;
  /** Ends the run after the requests under way. */
  readonly outage: AbortController;
  /** A number that the service responded to in an earlier run. */
  readonly known: string | undefined;
  /** Looks a number up again: whether the service responds to it. */
  readonly responds: (number: string) => Promise<boolean>;
}

/** Rows that fail one after the other before the service is asked for a number that it knows. */
const limits = { first: 10, last: 160 };

/** Rows that are held back at most, in memory. */
const maxHeld = 1_000;

/**
 * Holds back failed rows until another follows that did not fail. If there are too many, a number that had a response
 * is looked up again. If it has one again, the rows are at fault: the run goes on, and asks less often. If not, or if no
 * number had a response so far, the run ends with an error after the requests under way.
 *
 * The rows that are held then are looked up when the run continues. Without a known number they may be at fault as
 * well: they have their results, unless nothing was sent, so that the next run continues behind them.
 */
export async function* withoutOutage<Row extends { readonly vpa_mobile: string }>(
  results: AsyncIterable<FindManyResult<Row>>,
  { stopped, outage, responds, ...settings }: OutageSettings,
): AsyncGenerator<FindManyResult<Row>> {
  const held: FindManyResult<Row>[] = [];
  let { known } = settings;
  let [failures, limit] = [0, limits.first];
  let failure: { readonly error: Failed["error"]; readonly isProved: boolean } | undefined;
  for await (const result of results) {
    held.push(result);
    if (held.length > maxHeld) yield* held.splice(0);
    // An invalid number or a duplicate was not sent, and says nothing new of the service.
    const isNew = result.attempts > 0;
    if (!isOutOfReach(result)) {
      if (!isNew && failures > 0) continue;
      if (hasResponse(result)) known = result.input.vpa_mobile;
      failures = 0;
      yield* held.splice(0);
      continue;
    }
    if (isNew) failures++;
    if (failures < limit || failure !== undefined || stopped.aborted) continue;
    if (known !== undefined && (await responds(known))) {
      limit = Math.min(2 * limit, limits.last);
      failures = 0;
      yield* held.splice(0);
    } else if (!stopped.aborted) {
      const { error } = result;
      failure = { error, isProved: known !== undefined || error.outcome === "notSent" };
      outage.abort();
    }
  }
  // After an interruption they are looked up when the run continues.
  if (!stopped.aborted && failure?.isProved !== true) yield* held;
  if (failure !== undefined) throw failure.error;
}

/** Whether an error says that the service is not there, or not able to respond. */
export function isAway(error: Failed["error"]): boolean {
  return error.isRetryable || exitCodeOf(error) === exitCodes.unavailable;
}

function isOutOfReach<Row>(result: FindManyResult<Row>): result is Extract<FindManyResult<Row>, { kind: "failed" }> {
  return result.kind === "failed" && isAway(result.error);
}

function hasResponse({ kind, attempts }: FindManyResult<unknown>): boolean {
  return attempts > 0 && (kind === "found" || kind === "notFound");
}
