import type { Claim, WebhookStore } from "../stores/store.ts";
import type { DeliveryContext } from "./delivery-context.ts";

/**
 * Work that this process has done and that the store has not recorded: it must not run again here. It is data, and no
 * promise of its delivery: where a request ends with its promises, as on Workers, the redelivery records it.
 */
export interface DoneWork {
  /** The claim under which it is recorded: a newer one if another delivery of this process took it over. */
  claim: Claim;
  /** When the store said that the claim was lost to another; `Infinity` before. */
  lostAt: number;
}

const doneWork = new WeakMap<WebhookStore, Map<string, DoneWork>>();

/** The work of this process that a store has not recorded, by key. */
export function doneWorkOf(store: WebhookStore): Map<string, DoneWork> {
  const known = doneWork.get(store) ?? new Map<string, DoneWork>();
  doneWork.set(store, known);
  return known;
}

/** A request to the store that takes longer may hang indefinitely, on a connection that nobody closed. */
export const attemptTimeout = 5_000;
const firstPause = 50;
const maxPause = 30_000;

/**
 * Records work that is done, in a store that may be away. `complete` is retried until the store has responded, however
 * long that takes: to give up would do the work twice. Keeps the process alive meanwhile.
 *
 * @returns Whether it is recorded. If not, its lease ran out and another delivery took the claim over.
 */
export async function commit(work: DoneWork, { settings: { store }, state }: DeliveryContext): Promise<boolean> {
  const works = doneWorkOf(store);
  const { key } = work.claim;
  works.set(key, work);
  work.lostAt = Infinity;
  state.obstacle = "commitPending";
  let isRecorded: boolean | undefined;
  const end = Promise.withResolvers<void>();
  // An attempt that was given up may still get its response, which then counts.
  const attempt = async (claim: Claim) => {
    try {
      const isDone = (await store.complete(claim)) === true;
      if (!isDone && claim !== work.claim) return;
      isRecorded = isDone;
      end.resolve();
    } catch (error) {
      state.commitError = error;
    }
  };
  for (let pause = firstPause; isRecorded === undefined; pause = Math.min(2 * pause, maxPause)) {
    await within(attemptTimeout, end.promise, attempt(work.claim));
    if (isRecorded === undefined) await within(pause, end.promise);
  }
  if (isRecorded) works.delete(key);
  else work.lostAt = performance.now();
  return isRecorded;
}

/** Waits for the first of some promises, for a number of milliseconds at most. */
export async function within(duration: number, ...promises: readonly Promise<unknown>[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, duration);
  });
  await Promise.race([isOver, ...promises]);
  clearTimeout(timer);
}
