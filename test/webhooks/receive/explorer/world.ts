/**
 * A world whose steps the explorer chooses, one at a time, so that it can choose each: a store, processes with a receiver
 * each, and a clock.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Claim, ClaimResult, WebhookStore } from "../../../../src/webhooks/index.ts";
import { Webhooks } from "../../../../src/webhooks/index.ts";
import { doneWorkOf } from "../../../../src/webhooks/receive/delivery.ts";
import { type Step, Violation, type World } from "../../../support/explorer/explore.ts";
import { StoreModel } from "../../stores/store-model.ts";

/** Milliseconds by which the clock moves. All deadlines are a few of them. */
const tick = 2_500;
const options = { ackTimeout: 2 * tick, workTimeout: 2 * tick, claimLease: 2 * tick } as const;
const key = "payout:po-1";

/** A delivery, and the process that receives it. */
export interface Planned {
  readonly status: "SUCCESS" | "FAILED" | "DUPLICATE";
  readonly process: number;
}

/** One life of a process: after a crash, another one begins. */
interface Process {
  readonly index: number;
  readonly life: number;
  readonly store: WebhookStore;
  readonly receive: (event: object) => Promise<string>;
  isDead: boolean;
}

/** A delivery, as it looks from outside. */
interface Delivered {
  readonly index: number;
  readonly planned: Planned;
  readonly process: Process;
  /** All that came to it, in order, with the time. */
  readonly history: string[];
  response?: string;
  isTold: boolean;
  /** Whether its platform has ended its request, and all that it waits for with it (Workers). */
  isFrozen: boolean;
}

/** A request of a delivery that waits for its response: to the store, or to code of the application. */
interface Request {
  readonly of: Delivered;
  readonly name: keyof WebhookStore | "handler" | "onConflict";
  readonly token: string;
  /** Has its effect. */
  readonly act: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Its result, once it has acted. */
  result?: { readonly value: unknown };
  /** Whether nobody waits for it any more, although it may still arrive. */
  isOrphan?: boolean;
}

interface Timer {
  readonly of: Delivered;
  readonly due: number;
  readonly fire: () => void;
}

/** The delivery whose code runs. */
const running = new AsyncLocalStorage<Delivered>();
const runtime = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

export class WebhookWorld implements World {
  faults = 0;
  ticks = 0;
  now = 0;
  readonly #deliveries: Delivered[] = [];
  readonly #store = new StoreModel();
  readonly #plan: readonly Planned[];
  readonly #processes: Process[] = [];
  #requests: Request[] = [];
  #timers: Timer[] = [];
  /** The claims under which a handler was started, and those whose work is done, with its process. */
  readonly #started = new Set<string>();
  readonly #done = new Map<string, Process>();
  /** The claims that the store has called lost. */
  readonly #lost = new Set<string>();
  #takeovers = 0;
  /** The number of times that `onConflict` has returned. */
  #conflicts = 0;
  #violation: Violation | undefined;

  constructor(plan: readonly Planned[]) {
    this.#plan = plan;
    Object.assign(globalThis, {
      setTimeout: (fire: () => void, delay: number) => this.#setTimer(fire, delay),
      clearTimeout: (timer: unknown) => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      },
    });
    performance.now = () => this.now;
  }

  end(): void {
    Object.assign(globalThis, runtime);
    Reflect.deleteProperty(performance, "now");
  }

  async take(step: Step): Promise<void> {
    if (step.isFault) this.faults++;
    step.take();
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#violation !== undefined) throw this.#violation;
  }

  steps(): readonly Step[] {
    const planned = this.#plan[this.#deliveries.length];
    return [
      ...(planned === undefined ? [] : [this.#deliver(planned)]),
      ...this.#requests.flatMap((request) => this.#stepsOf(request)),
      ...this.#processes.filter((process) => this.#isAtWork(process)).map((process) => this.#crash(process)),
      ...this.#deliveries.filter((delivered) => this.#outlivesResponse(delivered)).map((one) => this.#freeze(one)),
      ...(this.#liveTimers().length > 0 ? [this.#tick()] : []),
    ];
  }

  /** The next step of a world in which nothing fails any more; undefined once nothing is under way. */
  #nextGood(): Step | undefined {
    const waiting = this.#requests.find((request) => !isLate(request));
    if (waiting !== undefined) return this.#stepsOf(waiting)[0];
    return this.#liveTimers().length > 0 ? this.#tick() : undefined;
  }

  /** The step that delivers an event to a process. */
  #deliver(planned: Planned): Step {
    return {
      name: `deliver ${planned.status} to process ${planned.process}`,
      isFault: false,
      take: () => {
        const process = this.#processOf(planned.process);
        const index = this.#deliveries.length;
        const delivered: Delivered = {
          index,
          planned,
          process,
          history: [`${this.now}`],
          isTold: false,
          isFrozen: false,
        };
        this.#deliveries.push(delivered);
        const event = { status: planned.status, client_referenceId: "po-1", transactionId: "T1", txn_amount: 1 };
        const whole = planned.status === "SUCCESS" ? { ...event, utr: "U1" } : event;
        running.run(delivered, () => {
          void process.receive(whole).then((status) => this.#onResponse(delivered, status));
        });
      },
    };
  }

  ending(): string {
    return this.#deliveries.map(({ planned, response }) => `${planned.status}: ${response}`).join(", ");
  }

  /** From here on nothing fails: what is under way ends, and a redelivery ends the reference, once its lease is over. */
  async finish(take: (step: Step) => Promise<void>): Promise<void> {
    const settle = async () => {
      for (let step = this.#nextGood(); step !== undefined; step = this.#nextGood()) await take(step);
    };
    await settle();
    if (this.#deliveries.some(({ response, process }) => response === undefined && !process.isDead)) {
      throw new Violation("a delivery without a response");
    }
    this.now += options.claimLease;
    for (const process of [0, 1]) {
      await take(this.#deliver({ status: "SUCCESS", process }));
      await settle();
      if (this.#deliveries.at(-1)?.response === "FAILED" || !this.#isDone) {
        throw new Violation("a reference that hangs");
      }
    }
  }

  state(): string {
    const aliveOrGone = ({ isDead, index, life }: Process) => (isDead ? "dead" : `${index}.${life}`);
    return JSON.stringify([
      [this.faults, this.ticks, this.now, this.#takeovers, this.#conflicts, this.#store.state()],
      this.#deliveries.map(({ process, history, response, isTold, isFrozen }) =>
        process.isDead || isFrozen ? "gone" : [aliveOrGone(process), history, response, isTold],
      ),
      this.#requests
        .map((request) =>
          JSON.stringify([isLate(request) || request.of.index, request.name, request.token, request.result]),
        )
        .sort(),
      this.#liveTimers()
        .map(({ of, due }) => `${of.index} ${due}`)
        .sort(),
      this.#processes.filter(({ isDead }) => !isDead).map(({ store }) => [...doneWorkOf(store).values()]),
      [...this.#started].sort(),
      [...this.#done].map(([token, process]) => `${token} ${aliveOrGone(process)}`).sort(),
      [...this.#lost].sort(),
    ]);
  }

  get #isDone(): boolean {
    return this.#store.find(key)?.state === "done";
  }

  #liveTimers(): readonly Timer[] {
    return this.#timers.filter(({ of }) => !isGone(of));
  }

  #isAtWork(process: Process): boolean {
    return this.#requests.some((request) => request.of.process === process && !isLate(request));
  }

  #outlivesResponse(delivered: Delivered): boolean {
    const isWaiting = this.#requests.some((request) => request.of === delivered && !isLate(request));
    return delivered.response !== undefined && isWaiting;
  }

  #setTimer(fire: () => void, delay: number): Timer {
    const of = running.getStore();
    if (of === undefined) throw new Error("A timer of no delivery.");
    // All pauses are whole ticks: their length decides only the order, which is the explorer's.
    const timer = { of, due: this.now + Math.max(1, Math.round(delay / tick)) * tick, fire };
    this.#timers.push(timer);
    return timer;
  }

  #stepsOf(request: Request): readonly Step[] {
    const { of, name } = request;
    const step = (what: string, isFault: boolean, take: () => void): Step => ({
      name: `${what}: ${name} of delivery ${of.index}`,
      isFault,
      take,
    });
    const perform = () => {
      request.result = { value: request.act() };
    };
    const both = () => {
      perform();
      this.#respond(request);
    };
    if (isLate(request)) {
      const arrive = () => {
        perform();
        this.#remove(request);
      };
      return [step("arrives late", false, arrive)];
    }
    const fail = (what: string) => step(what, true, () => this.#fail(request));
    if (name === "handler" || name === "onConflict") return [step("returns", false, both), fail("throws")];
    if (request.result !== undefined) {
      return [step("responds", false, () => this.#respond(request)), fail("acted, its response is lost")];
    }
    const orphan = () => {
      this.#fail(request);
      request.isOrphan = true;
      this.#requests.push(request);
    };
    return [
      step("acts and responds", false, both),
      step("acts", false, perform),
      fail("fails"),
      step("fails, though it is on its way", true, orphan),
    ];
  }

  #respond(request: Request): void {
    const value = request.result?.value;
    if (request.name === "claim" && (value as ClaimResult).kind === "claimed") {
      if ((value as Extract<ClaimResult, { kind: "claimed" }>).takenOver) this.#takeovers++;
    }
    if (request.name === "complete" && value === false) this.#lost.add(request.token);
    this.#come(request, JSON.stringify(value ?? null));
    request.resolve(value);
  }

  #fail(request: Request): void {
    this.#come(request, "failed");
    request.reject(new Error(`${request.name} failed`));
  }

  #come(request: Request, what: string): void {
    this.#remove(request);
    request.of.history.push(`${this.now} ${request.name} ${request.token} ${what}`);
  }

  #remove(request: Request): void {
    this.#requests = this.#requests.filter((each) => each !== request);
  }

  #crash(process: Process): Step {
    return {
      name: `crash of process ${process.index}`,
      isFault: true,
      take: () => {
        process.isDead = true;
        this.#dropLost();
      },
    };
  }

  #freeze(delivered: Delivered): Step {
    return {
      name: `end of the request of delivery ${delivered.index}`,
      isFault: true,
      take: () => {
        delivered.isFrozen = true;
        this.#dropLost();
      },
    };
  }

  /** A request that was sent to the store may still arrive; others are lost with whoever waited for them. */
  #dropLost(): void {
    this.#requests = this.#requests.filter((request) => {
      const isOfStore = request.name !== "handler" && request.name !== "onConflict";
      return !isLate(request) || (isOfStore && request.result === undefined);
    });
  }

  #tick(): Step {
    return {
      name: "tick",
      isFault: false,
      isTick: true,
      take: () => {
        this.ticks++;
        this.now += tick;
        for (const timer of this.#liveTimers()) {
          // A timer that an earlier one has cleared does not fire.
          if (timer.due > this.now || !this.#timers.includes(timer)) continue;
          this.#timers = this.#timers.filter((each) => each !== timer);
          timer.of.history.push(`${this.now} timer`);
          running.run(timer.of, timer.fire);
        }
      },
    };
  }

  #processOf(index: number): Process {
    const lives = this.#processes.filter((process) => process.index === index);
    const alive = lives.find(({ isDead }) => !isDead);
    if (alive !== undefined) return alive;
    const started = this.#start(index, lives.length);
    this.#processes.push(started);
    return started;
  }

  #start(index: number, life: number): Process {
    const ask = <T>(name: Request["name"], act: () => T, token = ""): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const of = running.getStore();
        if (of === undefined) throw new Error("A request of no delivery.");
        this.#requests.push({ of, name, token, act, resolve: resolve as Request["resolve"], reject });
      });
    const store: WebhookStore = {
      claim: (name, request) => ask("claim", () => this.#store.claim(name, request, this.now)),
      complete: (claim) => ask("complete", () => this.#store.complete(claim), claim.token),
      release: (claim) => ask("release", () => this.#store.release(claim), claim.token),
      recordConflict: (name, effect) => ask("recordConflict", () => this.#store.recordConflict(name, effect)),
      find: (name) => ask("find", () => this.#store.find(name)),
      forget: async () => {},
    };
    const work = async (_event: unknown, context: { readonly claim: Claim | undefined }) => {
      const token = context.claim?.token ?? "none";
      this.#onStart(process, token);
      await ask("handler", () => this.#done.set(token, process) && undefined, token);
    };
    const tell = () => {
      const of = running.getStore();
      if (of !== undefined) of.isTold = true;
    };
    const receiver = new Webhooks({ auth: "none", findOrder: "none", store, ...options }).handler({
      ...{ SUCCESS: work, FAILED: work, REJECTED: work },
      onFailure: tell,
      onConflict: () => ask("onConflict", () => void this.#conflicts++),
    });
    const receive = async (event: object) => {
      const { body } = await receiver.receive({ headers: {}, body: JSON.stringify(event) });
      return JSON.parse(body).status as string;
    };
    const process: Process = { index, life, store, receive, isDead: false };
    return process;
  }

  #onStart(process: Process, token: string): void {
    const unrecorded = [...this.#done].filter(([, by]) => by === process);
    if (this.#isDone) this.#violate("a handler was started after the commit");
    if (this.#started.has(token)) this.#violate("a handler was started twice under one claim");
    if (unrecorded.length > 0) this.#violate("a process started work again that it had done");
    this.#started.add(token);
  }

  #onResponse(delivered: Delivered, status: string): void {
    const { planned, process, isTold } = delivered;
    if (process.isDead) return;
    delivered.response = status;
    const isNotification = planned.status === "DUPLICATE";
    if (status !== "FAILED" && !this.#isDone && !(isNotification && isTold))
      this.#violate(`${status} before the commit`);
    if (status === "FAILED" && !isTold) this.#violate("FAILED, and no hook was called");
    if (this.#isDone && this.#done.size === 0) this.#violate("committed, and not done");
    if (this.#done.size > 1 + this.#takeovers) this.#violate("done twice, though no claim was taken over");
    const { effect = "" } = this.#store.find(key) ?? {};
    const isContradiction = !isNotification && !effect.includes(`status=${planned.status}`);
    if (status === "DUPLICATE" && isContradiction && this.#conflicts === 0)
      this.#violate("a conflict that nobody was told");
  }

  #violate(what: string): void {
    this.#violation ??= new Violation(what);
  }
}

function isGone({ process, isFrozen }: Delivered): boolean {
  return process.isDead || isFrozen;
}

/** Whether nobody waits for a request any more. */
function isLate({ of, isOrphan }: Request): boolean {
  return isOrphan === true || isGone(of);
}
