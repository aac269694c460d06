import { defaults } from "../defaults.ts";
import { ConfigurationError } from "../errors/request.ts";
import { ignoreRejection } from "../shared/ignore-rejection.ts";
import { framings } from "./ai/framing.ts";
import type { Behaviour } from "./behaviour.ts";
import { checked } from "./check-options.ts";
import { Clock } from "./clock.ts";
import { control, controlPrefix } from "./control.ts";
import { Deliveries } from "./deliveries/deliveries.ts";
import { faults } from "./faults.ts";
import type { Answer } from "./http/answer.ts";
import { makeFetch } from "./http/fetch.ts";
import { nearest } from "./nearest.ts";
import {
  type EmulatedRequest,
  findBehaviour,
  isScenario,
  notFound,
  type ServiceContext,
  scenarioNames,
  serve,
} from "./service.ts";
import { State } from "./state.ts";
import type { Emulator, EmulatorOptions, RequestLine } from "./types.ts";

export type { FramingName } from "./ai/framing.ts";
export type { SearchName } from "./catalogue/quotes.ts";
export type { EmulatorClock } from "./clock.ts";
export type * from "./deliveries/types.ts";
export type * from "./types.ts";
export type { EmulatedBooking, SeededSearch } from "./types.ts";

/**
 * The service of the interface document, stateful and deterministic, in memory: for tests and demonstrations without
 * credentials. It is built from the operations that the client sends.
 *
 * Any credentials do. The secret `wrong-secret` fails to authenticate (§5) and the client id `blocked-ip` is refused;
 * docs/emulator.md lists every further magic value and scenario.
 *
 * @param given - See {@link EmulatorOptions}. All of them have defaults.
 * @throws {ConfigurationError} for an unknown option or an invalid value, such as a `scenario` that no operation knows or
 *   a `now` that is not a time.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { createEmulator } from "serviceapi/emulator";
 *
 * const emulator = createEmulator({ pace: 0 });
 * const api = new ServiceApi({
 *   baseUrl: "https://emulator.example",
 *   clientId: "demo-client",
 *   clientSecret: "demo-secret",
 *   fetch: emulator.fetch,
 * });
 *
 * const quote = await api.flights.fareQuote(emulator.seedSearch());
 * console.log(quote.data.result[0]?.fare.total_fare); // 7480
 * ```
 */
export function createEmulator(given: EmulatorOptions = {}): Emulator {
  const options = checked.options(given);
  const state = new State();
  const clock = new Clock(startOf(options.now));
  const deliveries = new Deliveries(options.webhook ?? {}, clock, () => state.next());
  const settings = settingsOf(options);
  const context: ServiceContext = { state, clock, settings };

  const steered: Omit<Emulator, "fetch" | "listen"> = {
    requests: state.requests,
    bookings: state.bookings,
    deliveries: deliveries.history,
    clock,
    seedSearch(name = "domestic-oneway-full-service") {
      checked.search(name);
      return state.openSearch(name, clock.now());
    },
    use(scenario, options = {}) {
      const { operation, times = Number.POSITIVE_INFINITY } = checked.scenario(options);
      state.use({ name: known(scenario), operation, left: times });
    },
    deliverTo(to, further = {}) {
      deliveries.settings = { ...deliveries.settings, ...checked.webhook(to, further) };
    },
    payout: async (payout = {}) => deliveries.payout(checked.payout(payout)),
    async fire(event = "SUCCESS", fireOptions = {}) {
      checked.event(event);
      return deliveries.fire(event, checked.fire(fireOptions));
    },
    reset() {
      state.clear();
      clock.clear();
      deliveries.clear();
    },
  };

  async function answer(request: EmulatedRequest, behaviour: Behaviour | undefined, body: unknown): Promise<Answer> {
    const { method, path } = request;
    if (path.includes(controlPrefix)) return control(steered, method, path, request.body);
    const { "client-secret": _secret, ...headers } = Object.fromEntries(request.headers);
    const operation = behaviour?.operation.name;
    state.receive({ operation, method, path, headers, body, receivedAt: clock.now() }, request.body.length);
    return behaviour === undefined ? notFound() : serve(behaviour, request, body, context);
  }

  async function handle(request: EmulatedRequest): Promise<Answer> {
    const body = parse(request.body);
    const behaviour = findBehaviour(request.path, body, context);
    const log = startLine(request, behaviour, options.onRequest);
    try {
      const answered = await answer(request, behaviour, body);
      log(answered.status);
      return answered;
    } catch (error) {
      log(undefined);
      throw error;
    }
  }

  return {
    ...steered,
    fetch: makeFetch(handle),
    // Node's own modules are loaded by the first call, so that everything else runs wherever `fetch` does.
    listen: async (where = {}) => (await import("./http/server.ts")).listen(handle, checked.where(where)),
  };
}

function settingsOf(options: EmulatorOptions): ServiceContext["settings"] {
  return {
    pace: options.pace ?? 15,
    framing: framings[options.framing ?? "sse"],
    strict: options.strict ?? true,
    sessionMs: options.sessionMs ?? 900_000,
    retryAfterSeconds: options.retryAfterSeconds ?? 2,
    failureStatus: options.failureStatus,
    scenario: options.scenario === undefined ? undefined : known(options.scenario),
    pathPrefixes: { ...defaults.pathPrefixes, ...options.pathPrefixes },
  };
}

function known(scenario: unknown): string {
  if (typeof scenario !== "string") throw new ConfigurationError("emulator.use: the scenario must be a string.");
  if (isScenario(scenario)) return scenario;
  const near = nearest(scenario.replace(/:.*/s, ""), scenarioNames());
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(", ")}?`
      : `Every operation knows ${Object.keys(faults).join(", ")}; its samples are listed in docs/emulator.md.`;
  throw new ConfigurationError(`The emulator knows no scenario "${scenario}". ${hint}`);
}

function startOf(now: EmulatorOptions["now"]): number | undefined {
  if (now === undefined) return undefined;
  const time = new Date(now).getTime();
  if (Number.isNaN(time))
    throw new ConfigurationError("createEmulator: `now` must be a time that `new Date(now)` can read.");
  return time;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Tells `onRequest` how a request ended: with a status, or without an answer. */
function startLine(
  { method, path }: EmulatedRequest,
  behaviour: Behaviour | undefined,
  onRequest: ((line: RequestLine) => void) | undefined,
): (status: number | undefined) => void {
  const started = performance.now();
  const operation = behaviour?.operation.name ?? path;
  return (status) => {
    try {
      const durationMs = Math.round(performance.now() - started);
      ignoreRejection(onRequest?.({ method, operation, status, durationMs }));
    } catch {
      // A log that fails changes no response.
    }
  };
}
