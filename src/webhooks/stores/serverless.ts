/** Environment variables of platforms that start a process for each request, or run many of them. */
const markers = [
  "AWS_LAMBDA_FUNCTION_NAME",
  "VERCEL",
  "NETLIFY",
  "K_SERVICE",
  "FUNCTIONS_WORKER_RUNTIME",
  "DENO_DEPLOYMENT_ID",
];

const message =
  "serviceapi/webhooks: memoryStore keeps claims in this process, but this platform runs many, so a payout may be processed twice. Use redisStore or postgresStore.";

let hasLooked = false;

/** Emits a warning of the runtime on a serverless platform, the first time it is called. */
export function warnIfServerless(): void {
  if (hasLooked) return;
  hasLooked = true;
  if (isServerless()) runtime().process?.emitWarning?.(message, { code: "SERVICEAPI_MEMORY_STORE" });
}

function isServerless(): boolean {
  const { navigator, process } = runtime();
  if (navigator?.userAgent === "Cloudflare-Workers") return true;
  try {
    return markers.some((name) => process?.env?.[name] !== undefined);
  } catch {
    return false; // Deno without permission to read the environment.
  }
}

interface Runtime {
  readonly navigator?: { readonly userAgent?: string };
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    emitWarning?(message: string, options: { readonly code: string }): void;
  };
}

function runtime(): Runtime {
  return globalThis as Runtime;
}
