import type { EmulatedResponse } from "../http/messages.ts";
import type { Behaviour, Call } from "../service/behaviour.ts";
import type { ReceivedRequest } from "../service/received-request.ts";
import { complaint, isRefusal, orRefusal, Refused } from "./refusal.ts";
import { asItIs, checkResponse, isResponse, readName } from "./response.ts";
import type { GivenRule, Rule } from "./rules.ts";

export interface RuledRequest {
  readonly behaviour: Behaviour;
  readonly received: ReceivedRequest;
  readonly call: Call<unknown>;
  /** Resolves to false if the service refuses its body: then it meets no function and no body. */
  readonly isAccepted: () => Promise<boolean>;
  /** Responds as the emulator does without a rule, with a sample if one is named. */
  readonly respond: (sample?: string) => Promise<EmulatedResponse>;
}

/** The meaning of a rule for a request: a response, or a fault of the response. */
interface Effect {
  readonly respond?: () => EmulatedResponse | Promise<EmulatedResponse>;
  readonly suffer?: (response: EmulatedResponse) => EmulatedResponse | Promise<EmulatedResponse>;
}

/**
 * Returns what a request meets, and counts it: the first rule that responds, and the first with a fault of the response.
 * At most one of them is for a limited number of requests, so that such rules are met one after the other.
 */
export async function meet(rules: readonly Rule[], request: RuledRequest) {
  const met: Rule[] = [];
  let effects: Effect = {};
  const isLimited = ({ remaining }: Rule) => Number.isFinite(remaining);
  for (const rule of rules) {
    if (isLimited(rule) && met.some(isLimited)) continue;
    const effect = await effectOf(rule, request, effects);
    if (effect === undefined) continue;
    met.push(rule);
    effects = { ...effects, ...effect };
  }
  const { caller, settings, clock, until, signal } = request.call;
  const delay = met.reduce((sum, { given }) => sum + (given.delay ?? 0), 0);
  const { respond = request.respond, suffer = (response) => response } = effects;
  return {
    /** The names of its rules, as a log shows them; undefined if it meets none. */
    name: met.map(({ name = "rule" }) => name).join(", ") || undefined,
    respond: async () => {
      if (delay > 0) await until(clock.now() + delay, signal);
      return suffer(await orRefusal(respond, caller, settings));
    },
  };
}

/** Returns the effect of a rule, and counts the request; undefined if the rule leaves it to others, or it has such an effect. */
async function effectOf(rule: Rule, request: RuledRequest, effects: Effect): Promise<Effect | undefined> {
  const { operation, response } = rule.given;
  if (operation !== "*" && operation !== request.behaviour.operation.name) return undefined;
  const isWanted = (effect: Effect) => !Object.keys(effect).some((kind) => kind in effects);
  const named = typeof response === "string" ? effectOfName(response, request) : { respond: request.respond };
  if (named === undefined || !isWanted(named)) return undefined;
  const needsBody = typeof response !== "string" && !isRefusal(response) && !isResponse(response);
  if (needsBody && !(await request.isAccepted())) return undefined;
  // Another request may have met it in the meantime.
  if (!rule.isActive) return undefined;
  rule.take();
  const effect = typeof response === "string" ? named : await effectOfValue(rule.given, request);
  const isMet = effect !== undefined && isWanted(effect);
  rule.settle(isMet);
  return isMet ? effect : undefined;
}

/** A function that fails becomes a response that says so: a `fetch` that rejects would look like a lost connection. */
async function effectOfValue({ response, eventDelay }: GivenRule, request: RuledRequest): Promise<Effect | undefined> {
  const { behaviour, call, received } = request;
  let given = response;
  try {
    if (typeof given === "function") given = await given(call.body, received);
    if (given === undefined) return undefined;
    if (given !== response || isResponse(given)) checkResponse(given, behaviour);
    // A copy is sent: the same `Response` may be for several requests.
    if (isResponse(given)) given = given.clone();
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it threw no Error";
    return refusing(complaint(`The rule of ${behaviour.operation.name} failed: ${reason}`));
  }
  const checked = given;
  if (typeof checked === "string") return effectOfName(checked, request);
  if (isResponse(checked)) return { respond: () => asItIs(checked) };
  if (isRefusal(checked)) return refusing(new Refused(checked));
  return { respond: () => behaviour.respondWith(call, checked, eventDelay) };
}

function effectOfName(name: string, request: RuledRequest): Effect | undefined {
  const { behaviour, call } = request;
  const named = readName(name, behaviour.samples);
  if (named === undefined) return undefined;
  if ("sample" in named) return { respond: () => request.respond(named.sample) };
  if ("refusal" in named) return refusing(new Refused(named.refusal));
  const { fault, amount } = named;
  const context = { echo: behaviour.operation.echo, amount, signal: call.signal };
  if ("instead" in fault) return { respond: () => fault.instead(context) };
  return { suffer: (response) => fault.after(response, context) };
}

function refusing(refused: Refused): Effect {
  return { respond: () => Promise.reject(refused) };
}
