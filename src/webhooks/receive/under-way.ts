import type { RequestContext } from "../types.ts";

/** The work of a receiver that is under way, for a server that is shut down. */
export class UnderWay {
  readonly #work = new Set<Promise<unknown>>();

  /** Adds work until it ends. */
  add(work: Promise<unknown>): void {
    const end = () => this.#work.delete(work);
    this.#work.add(work);
    work.then(end, end);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}

/** Keys under which Vercel and Next.js keep the context of the current request. */
const contextKeys = ["@vercel/request-context", "@next/request-context"];

/** Has the platform, if it can, keep work alive that outlives the response (docs/assumptions.md, W16). */
export function keepAlive(work: Promise<unknown>, context: RequestContext | undefined): void {
  try {
    holderOf(context)?.waitUntil?.(work);
  } catch {
    // A platform that refuses, as after the end of the request, still lets the work run as long as the process lives.
  }
}

function holderOf(context: RequestContext | undefined): RequestContext | undefined {
  if (typeof context?.waitUntil === "function") return context;
  for (const key of contextKeys) {
    const holder = (globalThis as Record<symbol, { get?(): RequestContext | undefined } | undefined>)[Symbol.for(key)];
    const found = holder?.get?.();
    if (typeof found?.waitUntil === "function") return found;
  }
  return undefined;
}
