import { type Answer, json } from "./answer.ts";
import { quoteSamples, type SearchName } from "./catalogue/quotes.ts";
import type { PayoutRequest } from "./delivery-types.ts";
import { own } from "./own.ts";
import type { Emulator, ScenarioOptions } from "./types.ts";

/** In front of the emulator's own routes, which steer it from another process. */
export const controlPrefix = "/__emulator/";

type Steered = Omit<Emulator, "fetch" | "listen">;
type Input = Readonly<Record<string, unknown>>;

/** The routes by method and name. */
const routes: Readonly<Record<string, (emulator: Steered, input: Input) => unknown>> = {
  "POST searches": (emulator, input) => emulator.seedSearch(searchName(input.name)),
  "POST payouts": (emulator, input) => emulator.payout(input as PayoutRequest),
  "POST fire": (emulator, input) => emulator.fire((input.event ?? input.outcome) as PayoutRequest["outcome"]),
  "POST scenarios": (emulator, { name, ...options }) => emulator.use(`${name}`, options as ScenarioOptions),
  "POST clock": async ({ clock }, { advance }) => {
    await clock.advance(advance === undefined ? 0 : Number(advance));
    return { now: new Date(clock.now()).toISOString() };
  },
  "POST reset": (emulator) => emulator.reset(),
  "GET deliveries": (emulator) => emulator.deliveries,
  "GET requests": (emulator) => emulator.requests,
  "GET bookings": (emulator) => emulator.bookings,
};

/** Answers a route of the emulator's own; a wrong input is told with 400. */
export async function control(emulator: Steered, method: string, path: string, text: string): Promise<Answer> {
  const name = `${method} ${path.slice(path.lastIndexOf(controlPrefix) + controlPrefix.length)}`;
  const route = own(routes, name);
  if (route === undefined) return json(404, { error: `The emulator's routes are ${Object.keys(routes).join(", ")}.` });
  try {
    return json(200, (await route(emulator, text === "" ? {} : JSON.parse(text))) ?? { done: true });
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : "the input could not be read" });
  }
}

function searchName(name: unknown): SearchName | undefined {
  if (name === undefined) return undefined;
  if (typeof name === "string" && isSearchName(name)) return name;
  throw new RangeError(`The emulator knows no search of that name. Known are ${Object.keys(quoteSamples).join(", ")}.`);
}

function isSearchName(name: string): name is SearchName {
  return Object.hasOwn(quoteSamples, name);
}
