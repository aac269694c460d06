import type { Effect, RuledRequest } from "../service/behaviour.ts";
import { limits } from "../state/limits.ts";
import { complaint, isRefusal, refusalResponse } from "./refusal.ts";
import { asItIs, checkResponse, isResponse, readName, refusing, respondTo } from "./response.ts";
import type * as types from "./types.ts";

interface GivenRule extends types.RuleOptions {
  readonly operation: string;
  /** A checked response, or the function that returns one. */
  readonly response: unknown;
}

/** A rule, and the requests that it waits for. Its own properties are what a test may look at. */
export class Rule implements types.Rule {
  readonly id: number;
  readonly operation: string;
  readonly name: string | undefined;
  /** Without those that are about to meet it. */
  remaining: number;
  readonly #given: GivenRule;
  /** The number of requests that are about to meet it: a function may still leave them to other rules. */
  #inFlight = 0;
  #isUsed = false;
  #isWithdrawn = false;

  constructor(id: number, given: GivenRule) {
    this.id = id;
    this.operation = given.operation;
    this.name = typeof given.response === "string" ? given.response : undefined;
    this.remaining = given.times ?? Number.POSITIVE_INFINITY;
    this.#given = given;
  }

  get delay(): number {
    return this.#given.delay ?? 0;
  }

  get isActive(): boolean {
    return this.remaining > 0;
  }

  /** Whether no request can meet it any more, not even after those in flight were left to others. */
  get isOver(): boolean {
    return !this.isActive && this.#inFlight === 0;
  }

  get isLimited(): boolean {
    return Number.isFinite(this.remaining);
  }

  /** Whether no request met it, or fewer than its limit. */
  get isUnused(): boolean {
    return this.isLimited ? this.isActive : !this.#isUsed && this.#inFlight === 0;
  }

  /** Returns its effect, and counts the request; undefined if it leaves the request to others, or it has such an effect. */
  async meet(request: RuledRequest, effects: Effect): Promise<Effect | undefined> {
    const { behaviour } = request;
    if (this.operation !== "*" && this.operation !== behaviour.operation.name) return undefined;
    const ifWanted = (effect: Effect | undefined) =>
      effect && Object.keys(effect).some((kind) => kind in effects) ? undefined : effect;
    const { response } = this.#given;
    const isNamed = typeof response === "string";
    if (ifWanted(isNamed ? readName(response, behaviour.samples) : { respond: respondTo }) === undefined)
      return undefined;
    const needsBody = !isNamed && !isRefusal(response) && !isResponse(response);
    if (needsBody && (await request.refusal()) !== undefined) return undefined;
    // Another request may have met it in the meantime.
    if (!this.isActive) return undefined;
    // Counted while its response is decided, and for good unless there is none.
    this.#inFlight += 1;
    this.remaining -= 1;
    const effect = await effectOf(this.#given, request).then(ifWanted);
    this.#inFlight -= 1;
    if (effect !== undefined) this.#isUsed = true;
    else if (!this.#isWithdrawn) this.remaining += 1;
    return effect;
  }

  withdraw(): void {
    this.#isWithdrawn = true;
    this.remaining = 0;
  }

  [Symbol.dispose](): void {
    this.withdraw();
  }

  /** JSON has no `Infinity`: without a limit there is no number. */
  toJSON(): object {
    const { id, operation, name, remaining } = this;
    return { id, operation, name, ...(this.isLimited && { remaining }) };
  }
}

/** The rules of an emulator, within `limits`. */
export class Rules {
  /** Oldest first. */
  #all: readonly Rule[] = [];
  /** Goes on after `clear()`: an id that was kept then withdraws nothing else. */
  #lastId = 0;

  add(given: GivenRule): Rule {
    this.#lastId += 1;
    const rule = new Rule(this.#lastId, given);
    // Those that are over go first.
    this.#all = [...this.#all.filter(({ isOver }) => !isOver), rule].slice(-limits.entries);
    return rule;
  }

  get active(): readonly Rule[] {
    return this.#all.filter(({ isActive }) => isActive);
  }

  /** The same in the order in which a request meets them: the oldest with a limit first, then the latest without one. */
  get inOrder(): readonly Rule[] {
    const { active } = this;
    return [...active.filter(({ isLimited }) => isLimited), ...active.filter(({ isLimited }) => !isLimited).reverse()];
  }

  get unused(): readonly Rule[] {
    return this.#all.filter(({ isUnused }) => isUnused);
  }

  clear(): void {
    this.#all = [];
  }
}

/**
 * Returns what a request meets, and counts it: the first rule that responds, and the first with a fault of the response.
 * At most one of them is for a limited number of requests, so that such rules are met one after the other.
 */
export async function meet(rules: readonly Rule[], request: RuledRequest) {
  const met: Rule[] = [];
  let effects: Effect = {};
  for (const rule of rules) {
    if (rule.isLimited && met.some(({ isLimited }) => isLimited)) continue;
    const effect = await rule.meet(request, effects);
    if (effect === undefined) continue;
    met.push(rule);
    effects = { ...effects, ...effect };
  }
  const { caller, settings, clock, until, signal } = request;
  const delay = met.reduce((sum, rule) => sum + rule.delay, 0);
  const { respond = respondTo, suffer = (response) => response } = effects;
  return {
    /** The names of its rules, as a log shows them; undefined if it meets none. */
    name: met.map(({ name = "rule" }) => name).join(", ") || undefined,
    respond: async () => {
      if (delay > 0) await until(clock.now() + delay, signal);
      const responding = (async () => respond(request))();
      return suffer(await responding.catch((error) => refusalResponse(error, caller, settings)), request);
    },
  };
}

/** A function that fails becomes a response that says so: a `fetch` that rejects would look like a lost connection. */
async function effectOf({ response, eventDelay }: GivenRule, request: RuledRequest): Promise<Effect | undefined> {
  const { behaviour, body, received } = request;
  let given = response;
  try {
    if (typeof given === "function") given = await given(body, received);
    if (given === undefined) return undefined;
    if (given !== response || isResponse(given)) checkResponse(given, behaviour);
    // A copy is sent: the same `Response` may be for several requests.
    if (isResponse(given)) given = given.clone();
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it threw no Error";
    return refusing(complaint(`The rule of ${behaviour.operation.name} failed: ${reason}`));
  }
  const checked = given;
  if (typeof checked === "string") return readName(checked, behaviour.samples);
  if (isResponse(checked)) return { respond: () => asItIs(checked) };
  if (isRefusal(checked)) return refusing(checked);
  return { respond: () => behaviour.respondWith(request, checked, eventDelay) };
}
