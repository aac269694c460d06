import type { WebhookStore } from "../stores/store.ts";
import type { Commit } from "./commits.ts";

/** What the deliveries of one key know of each other within a process, whatever the store says. */
export interface KnownWork {
  /** The last commit that any of them began. */
  commit: Commit | undefined;
  deliveries: number;
}

const known = new WeakMap<WebhookStore, Map<string, KnownWork>>();

/** Runs a delivery's work with what is known of its key; forgotten when the last delivery has ended. */
export async function withKnownWork<T>(
  store: WebhookStore,
  key: string,
  run: (work: KnownWork) => Promise<T>,
): Promise<T> {
  const keys = known.get(store) ?? new Map<string, KnownWork>();
  const work = keys.get(key) ?? { commit: undefined, deliveries: 0 };
  known.set(store, keys.set(key, work));
  work.deliveries += 1;
  try {
    return await run(work);
  } finally {
    work.deliveries -= 1;
    if (work.deliveries === 0) keys.delete(key);
  }
}
