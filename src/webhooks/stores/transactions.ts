import type { Claim } from "./store.ts";

/** Waits for a transaction that completes a claim, and rejects unless it was committed. */
type Ending = () => Promise<unknown>;

/** Those that running handlers have begun, by claim: not on the claim or its store, of which there may be copies. */
const begun = new Map<string, Ending[]>();

function nameOf(claim: Claim | undefined): string {
  return `${claim?.token} ${claim?.key}`;
}

/**
 * Notes a transaction that completes a claim, if its handler is running.
 *
 * @returns Whether the handler has begun one before.
 */
export function beginTransaction(claim: Claim, ending: Ending): boolean {
  const endings = begun.get(nameOf(claim)) ?? [];
  return endings.push(ending) > 1;
}

/**
 * Runs a handler, and waits for the transactions that it began on its claim, also for those that it did not await.
 *
 * @returns Whether the claim was completed in one, without a promise if the handler has ended and began none.
 * @throws The error of the handler, or that of a transaction, also if the handler caught it.
 */
export function runWithTransactions(claim: Claim | undefined, run: () => unknown): boolean | Promise<boolean> {
  const endings: Ending[] = [];
  begun.set(nameOf(claim), endings);
  let isRunning = false;
  try {
    const returned = run();
    isRunning = returned !== undefined || endings.length > 0;
    return isRunning && waitFor(claim, returned, endings);
  } finally {
    if (!isRunning) begun.delete(nameOf(claim));
  }
}

async function waitFor(claim: Claim | undefined, returned: unknown, endings: readonly Ending[]): Promise<boolean> {
  try {
    await returned;
    for (const ending of endings) await ending();
    return endings.length > 0;
  } finally {
    begun.delete(nameOf(claim));
  }
}
