import { ConfigurationError } from "../../errors/request.ts";
import { field, isObject } from "../../shared/json.ts";
import { refuseUnknownNames } from "../../shared/unknown-names.ts";
import { quoteSamples, type SearchName } from "../catalogue/quotes.ts";
import type { PayoutRequest } from "../deliveries/types.ts";
import { type Answer, json } from "./response.ts";
import { own } from "../objects.ts";
import type { Emulator } from "../types.ts";

/** In front of the emulator's own routes, which steer it from another process. */
export const controlPrefix = "/__emulator/";

type Steered = Omit<Emulator, "fetch" | "listen">;
/** Parsed JSON of any kind. */
type Input = unknown;

interface Route {
  /** The fields of its input. */
  readonly fields: readonly string[];
  readonly run: (emulator: Steered, input: Input) => unknown;
}

/** The routes by method and name. */
const routes: Readonly<Record<string, Route>> = {
  "POST searches": {
    fields: ["name"],
    run: (emulator, input) => emulator.seedSearch(searchName(text(input, "name"))),
  },
  "POST payouts": {
    fields: ["amount", "client_referenceId", "outcome", "plan"],
    run: (emulator, input) => emulator.payout(payoutRequest(input)),
  },
  "POST fire": { fields: ["outcome", "event"], run: fire },
  "POST scenarios": {
    fields: ["name", "operation", "times"],
    run: (emulator, input) =>
      emulator.use(text(input, "name") ?? "", { operation: text(input, "operation"), times: number(input, "times") }),
  },
  "POST clock": {
    fields: ["advance"],
    run: async ({ clock }, input) => {
      await clock.advance(number(input, "advance") ?? 0);
      return { now: new Date(clock.now()).toISOString() };
    },
  },
  "POST reset": { fields: [], run: (emulator) => emulator.reset() },
  "GET deliveries": { fields: [], run: (emulator) => emulator.deliveries },
  "GET requests": { fields: [], run: (emulator) => emulator.requests },
  "GET bookings": { fields: [], run: (emulator) => emulator.bookings },
};

/** Answers a route of the emulator's own; a wrong input is told with 400. */
export async function control(emulator: Steered, method: string, path: string, body: string): Promise<Answer> {
  const name = `${method} ${path.slice(path.lastIndexOf(controlPrefix) + controlPrefix.length)}`;
  const route = own(routes, name);
  if (route === undefined) return json(404, { error: `The emulator's routes are ${Object.keys(routes).join(", ")}.` });
  try {
    const input: unknown = body === "" ? {} : JSON.parse(body);
    refuseUnknownNames(name, "field", requireObject(input, "The body"), route.fields);
    return json(200, (await route.run(emulator, input)) ?? { done: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : "the input could not be read" });
  }
}

function fire(emulator: Steered, input: Input): unknown {
  const event = field(input, "event");
  return emulator.fire(event === undefined ? payoutRequest(input).outcome : { ...requireObject(event, "event") });
}

function requireObject(value: unknown, name: string): object {
  if (isObject(value)) return value;
  throw new ConfigurationError(`${name} must be a JSON object.`);
}

/** The names in it are checked by `payout()` itself. */
function payoutRequest(input: Input): PayoutRequest {
  return {
    amount: number(input, "amount"),
    client_referenceId: text(input, "client_referenceId"),
    outcome: text(input, "outcome") as PayoutRequest["outcome"],
    plan: text(input, "plan") as PayoutRequest["plan"],
  };
}

function searchName(name: string | undefined): SearchName | undefined {
  if (name === undefined || isSearchName(name)) return name;
  throw new ConfigurationError(
    `The emulator knows no search of that name. Known are ${Object.keys(quoteSamples).join(", ")}.`,
  );
}

function isSearchName(name: string): name is SearchName {
  return Object.hasOwn(quoteSamples, name);
}

function text(input: Input, name: string): string | undefined {
  const value = field(input, name);
  if (value === undefined || typeof value === "string") return value;
  throw new ConfigurationError(`${name} must be a string.`);
}

function number(input: Input, name: string): number | undefined {
  const value = field(input, name);
  if (value === undefined || typeof value === "number") return value;
  throw new ConfigurationError(`${name} must be a number.`);
}
