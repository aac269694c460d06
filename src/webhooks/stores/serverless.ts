import { readEnvironment } from "../../shared/environment.ts";

/** Environment variables of platforms that start a process for each request, or run many of them. */
const markers = [
  "AWS_LAMBDA_FUNCTION_NAME",
  "VERCEL",
  "NETLIFY",
  "K_SERVICE",
  "FUNCTIONS_WORKER_RUNTIME",
  "DENO_DEPLOYMENT_ID",
];

/** The parts of the runtime that not every one has. */
interface Runtime {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: { emitWarning?(message: string, options: { readonly code: string }): void };
}

let hasLooked = false;

/** Emits a warning of the runtime on a serverless platform, the first time it is called. */
export function warnIfServerless(): void {
  if (hasLooked) return;
  hasLooked = true;
  const { navigator, process } = globalThis as Runtime;
  const isMarked = markers.some((name) => readEnvironment(name) !== undefined);
  if (!isMarked && navigator?.userAgent !== "Cloudflare-Workers") return;
  process?.emitWarning?.(
    "serviceapi/webhooks: memoryStore keeps claims in this process, but this platform runs many, so a payout may be processed twice. Use redisStore or postgresStore.",
    { code: "SERVICEAPI_MEMORY_STORE" },
  );
}
