import { ConfigurationError } from "../../errors/request.ts";
import { checkedClock } from "../../shared/clock.ts";
import { readEnvironment } from "../../shared/environment.ts";
import { func, integer, type Rules, readOptions } from "../../shared/options.ts";
import { day, defaultRetention, retention } from "./record.ts";
import type { WebhookStore } from "./store.ts";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * Milliseconds for which a finished reference is kept: at least an hour, or `Infinity`. A delivery that comes later
   * takes effect again, unless `findOrder` returns `settled: true`. @default 7_776_000_000 (90 days)
   */
  readonly retention?: number | undefined;
  /**
   * Maximum number of references. A full store first drops references that were finished more than seven days ago,
   * oldest first, and then refuses claims. @default 1_000_000
   */
  readonly maxRecords?: number | undefined;
  /** The clock, in milliseconds since 1970. @default the system's, though not moved if that is set */
  readonly now?: (() => number) | undefined;
}

const rules: Rules<MemoryStoreOptions> = { retention, maxRecords: integer(1), now: func };

/** The service has given up its retries long before (§6.4). */
const neverDroppedFor = 7 * day;

/** The system's clock is set after boot, perhaps by years: what is done must not be forgotten then, nor a lease end. */
const unmovedTime = () => performance.timeOrigin + performance.now();

/** Work that is done, with the time at which it was. */
interface Done {
  readonly effect: string;
  readonly token: string;
  readonly doneAt: number;
  readonly conflicts: readonly string[];
}

/**
 * Returns a store in the memory of this process: by choosing it you say that **one process** receives all deliveries,
 * as in a script or a test. A restart clears it, and two processes with one each run a payout twice: several processes,
 * or a serverless platform, need `redisStore` or `postgresStore`.
 *
 * @param options - See {@link MemoryStoreOptions}.
 * @throws ConfigurationError for an unknown option or an invalid value.
 *
 * @example
 * ```ts
 * import { memoryStore, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ store: memoryStore({ maxRecords: 10_000 }) }); // one process
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): WebhookStore {
  const given = readOptions("memoryStore", options, rules);
  const { retention = defaultRetention, maxRecords = 1_000_000 } = given;
  const now = given.now === undefined ? unmovedTime : checkedClock("memoryStore", given.now);
  const held = new Map<string, { readonly effect: string; readonly token: string; readonly leasedUntil: number }>();
  /** In the order in which the references were finished. */
  const done = new Map<string, Done>();
  let lastToken = 0;

  const findDone = (key: string, time = now()): Done | undefined => {
    const found = done.get(key);
    if (found === undefined || time - found.doneAt < retention) return found;
    done.delete(key);
    return undefined;
  };
  /** Drops the reference that was finished first, if it was by then. */
  const dropOldest = (doneBy: number): boolean => {
    const [oldest] = done;
    return oldest !== undefined && oldest[1].doneAt <= doneBy && done.delete(oldest[0]);
  };
  return {
    async claim(key, { effect, lease }) {
      if (lastToken === 0) warnIfServerless();
      const time = now();
      const found = findDone(key, time);
      if (found !== undefined) return { kind: "done", effect: found.effect, conflicts: found.conflicts };
      const other = held.get(key);
      if (other !== undefined && other.leasedUntil > time) return { kind: "inFlight" };
      if (other === undefined) {
        // Two expired references for each new one, so that no call pays for all of them.
        dropOldest(time - retention);
        dropOldest(time - retention);
        if (held.size + done.size >= maxRecords && !dropOldest(time - neverDroppedFor)) {
          throw new ConfigurationError(
            `memoryStore is full: ${maxRecords} references, none finished more than seven days ago. Raise \`maxRecords\`, or use redisStore or postgresStore.`,
          );
        }
      }
      // Also after a restart a token is greater than those before it.
      lastToken = Math.max(lastToken + 1, Math.floor(time * 1_000));
      const token = String(lastToken);
      held.set(key, { effect, token, leasedUntil: time + lease });
      return { kind: "claimed", claim: { key, effect, token }, takenOver: other !== undefined };
    },
    async complete({ key, effect, token }) {
      if (held.get(key)?.token !== token) return done.get(key)?.token === token;
      done.set(key, { effect, token, doneAt: now(), conflicts: [] });
      held.delete(key);
      return true;
    },
    async release({ key, token }) {
      if (held.get(key)?.token === token) held.delete(key);
    },
    async recordConflict(key, effect) {
      const found = findDone(key);
      if (found === undefined || found.conflicts.includes(effect)) return;
      done.set(key, { ...found, conflicts: [...found.conflicts, effect] });
    },
    async find(key) {
      const found = findDone(key);
      if (found !== undefined) return { state: "done", effect: found.effect, conflicts: found.conflicts };
      const claimed = held.get(key);
      return claimed && { state: "claimed", effect: claimed.effect, conflicts: [] };
    },
    async forget(key) {
      held.delete(key);
      done.delete(key);
    },
  };
}

/** Environment variables of platforms that start a process for each request, or run many of them. */
const markers = [
  "AWS_LAMBDA_FUNCTION_NAME",
  "VERCEL",
  "NETLIFY",
  "K_SERVICE",
  "FUNCTIONS_WORKER_RUNTIME",
  "DENO_DEPLOYMENT_ID",
];

let hasLooked = false;

/** Emits a warning of the runtime on a serverless platform, at the first claim. */
function warnIfServerless(): void {
  if (hasLooked) return;
  hasLooked = true;
  // Not every runtime has them.
  const { navigator, process }: Partial<Pick<typeof globalThis, "navigator" | "process">> = globalThis;
  const isMarked = markers.some((name) => readEnvironment(name) !== undefined);
  if (!isMarked && navigator?.userAgent !== "Cloudflare-Workers") return;
  process?.emitWarning?.(
    "serviceapi/webhooks: memoryStore keeps claims in this process, but this platform runs many, so a payout may be processed twice. Use redisStore or postgresStore.",
    { code: "SERVICEAPI_MEMORY_STORE" },
  );
}
