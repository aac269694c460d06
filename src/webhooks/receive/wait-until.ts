import type { RequestContext } from "../types.ts";

/** Keeps the process alive until the work has ended. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** Keys under which Vercel and Next.js keep the context of the current request. */
const contextKeys = ["@vercel/request-context", "@next/request-context"];

/**
 * Returns the platform's way to keep work alive that outlives the response (docs/assumptions.md, W16); a function that
 * does nothing if the platform needs none.
 */
export function findWaitUntil(context: RequestContext | undefined): WaitUntil {
  return (work) => {
    try {
      holderOf(context)?.waitUntil?.(work);
    } catch {
      // A platform that refuses, as after the end of the request, still lets the work run as long as the process lives.
    }
  };
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
