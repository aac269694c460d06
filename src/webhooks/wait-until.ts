import type { RequestContext } from "./types.ts";

type WaitUntil = (work: Promise<unknown>) => void;

/** Where Vercel and Next.js keep the context of the request that is being answered. */
const contextKeys = ["@vercel/request-context", "@next/request-context"];

/** How this platform is told of work that outlives the answer (policy 43); does nothing where it needs no telling. */
export function findWaitUntil(context: RequestContext | undefined): WaitUntil {
  if (typeof context?.waitUntil === "function") return (work) => context.waitUntil?.(work);
  for (const key of contextKeys) {
    const holder = (globalThis as Record<symbol, { get?(): RequestContext | undefined } | undefined>)[Symbol.for(key)];
    const found = holder?.get?.();
    if (typeof found?.waitUntil === "function") return (work) => found.waitUntil?.(work);
  }
  return () => {};
}
