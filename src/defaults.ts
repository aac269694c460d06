/**
 * The default of every option that has a fixed one, by the option's name. `timeout` is that of `defineOperation`; each
 * built-in operation has its own (docs/assumptions.md, D1).
 */
export const defaults = {
  timeout: 60_000,
  totalTimeout: 180_000,
  maxRetries: 2,
  /** Exponential from `first` to `max` milliseconds, with full jitter. */
  retryDelay: { first: 500, max: 8_000 },
  maxRetryAfter: 60_000,
  idleTimeout: 60_000,
  eventTimeout: 300_000,
  streamTimeout: false,
  reorderTimeout: 250,
  maxResponseBytes: 16 * 1024 * 1024,
  maxEventBytes: 1024 * 1024,
  pathPrefixes: { verification: "", ai: "api/serviceapi-prod/api", flights: "" },
  dangerouslyAllowHttp: [],
  dangerouslyAllowBrowser: false,
  validation: { request: "strict", response: "essential" },
  mobile: "normalize",
  contextTokenPattern: /^svc_[A-Za-z0-9]+$/,
  logPersonalData: false,
} as const;

/**
 * The estimated lifetime of a search session in milliseconds (docs/assumptions.md, F2), for a checkout and the
 * emulator.
 */
export const defaultSessionLifetime = 900_000;

/** The timeout of `flights.book` in milliseconds, and the longest time that a checkout wants to have left for it. */
export const bookTimeout = 180_000;

/** The defaults of `defineOperation`. */
export const operationDefaults = {
  area: "none",
  essential: [],
  echo: [],
  retry: "never",
  timeout: defaults.timeout,
  autofill: ["client_referenceId"],
} as const;
