/**
 * A world whose steps the explorer chooses, one at a time, so that it can choose each: a store, processes with a receiver
 * each, and a clock.
 */
import type { ClaimResult } from "../../../../src/webhooks/index.ts";
import { Code, type Point } from "../../../support/explorer/code.ts";
import { type Step, Violation, type World } from "../../../support/explorer/explore.ts";
import { StoreModel } from "../../stores/store-model.ts";
import { type Asked, type Effect, type Input, options, ReceiverRun, type TimerId, tick } from "./process.ts";

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
  readonly point: Point<Input, Effect>;
  readonly isDead: boolean;
}

/** A delivery, as it looks from outside. */
interface Delivered {
  readonly planned: Planned;
  /** The place of its process in the list of all. */
  readonly process: number;
  readonly response?: string;
  readonly isTold: boolean;
  /** Whether its platform has ended its request, and all that it waits for with it (Workers). */
  readonly isFrozen: boolean;
}

/** A request of a delivery that waits for its response. */
interface Request extends Asked {
  /** The place of its delivery in the list of all. */
  readonly of: number;
  /** Its result, once it has acted. */
  readonly result?: { readonly value: unknown };
  /** Whether nobody waits for it any more, although it may still arrive. */
  readonly isOrphan?: boolean;
}

interface Timer {
  readonly id: TimerId;
  readonly due: number;
}

/** All that changes. The lists and sets are replaced, and only the store changes in place. */
interface Moment {
  faults: number;
  ticks: number;
  now: number;
  readonly store: StoreModel;
  deliveries: readonly Delivered[];
  processes: readonly Process[];
  requests: readonly Request[];
  timers: readonly Timer[];
  /** The claims under which a handler was started, and those whose work is done, with the place of its process. */
  started: readonly string[];
  done: ReadonlyMap<string, number>;
  /** The claims that the store has called lost. */
  lost: readonly string[];
  takeovers: number;
  /** The number of times that `onConflict` has returned. */
  conflicts: number;
}

export class WebhookWorld implements World {
  readonly #plan: readonly Planned[];
  readonly #code: Code<Input, Effect>;
  readonly #at: Moment;
  #violation: Violation | undefined;

  constructor(plan: readonly Planned[], code = new Code<Input, Effect>(() => new ReceiverRun()), at?: Moment) {
    this.#plan = plan;
    this.#code = code;
    this.#at = at ?? {
      ...{ faults: 0, ticks: 0, now: 0, store: new StoreModel(), takeovers: 0, conflicts: 0 },
      ...{ deliveries: [], processes: [], requests: [], timers: [], started: [], done: new Map(), lost: [] },
    };
  }

  copy(): WebhookWorld {
    return new WebhookWorld(this.#plan, this.#code, { ...this.#at, store: this.#at.store.copy() });
  }

  get faults(): number {
    return this.#at.faults;
  }

  get ticks(): number {
    return this.#at.ticks;
  }

  async take(step: Step): Promise<void> {
    if (step.isFault) this.#at.faults++;
    await step.take();
    if (this.#violation !== undefined) throw this.#violation;
  }

  steps(): readonly Step[] {
    const { deliveries, requests, processes } = this.#at;
    const planned = this.#plan[deliveries.length];
    return [
      ...(planned === undefined ? [] : [this.#deliver(planned)]),
      ...requests.flatMap((request) => this.#stepsOf(request)),
      ...[...processes.keys()].filter((process) => this.#isAtWork(process)).map((process) => this.#crash(process)),
      ...[...deliveries.keys()].filter((index) => this.#outlivesResponse(index)).map((index) => this.#freeze(index)),
      ...(this.#liveTimers().length > 0 ? [this.#tick()] : []),
    ];
  }

  /** The next step of a world in which nothing fails any more; undefined once nothing is under way. */
  #nextGood(): Step | undefined {
    const waiting = this.#at.requests.find((request) => !this.#isLate(request));
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
        const of = this.#at.deliveries.length;
        this.#at.deliveries = [...this.#at.deliveries, { planned, process, isTold: false, isFrozen: false }];
        return this.#hand(process, { now: this.#at.now, does: "deliver", of, status: planned.status });
      },
    };
  }

  ending(): string {
    return this.#at.deliveries.map(({ planned, response }) => `${planned.status}: ${response}`).join(", ");
  }

  /** From here on nothing fails: what is under way ends, and a redelivery ends the reference, once its lease is over. */
  async finish(take: (step: Step) => Promise<void>): Promise<void> {
    const settle = async () => {
      for (let step = this.#nextGood(); step !== undefined; step = this.#nextGood()) await take(step);
    };
    await settle();
    if (this.#at.deliveries.some(({ response, process }) => response === undefined && !this.#isDead(process))) {
      throw new Violation("a delivery without a response");
    }
    this.#at.now += options.claimLease;
    for (const process of [0, 1]) {
      await take(this.#deliver({ status: "SUCCESS", process }));
      await settle();
      if (this.#at.deliveries.at(-1)?.response === "FAILED" || !this.#isDone) {
        throw new Violation("a reference that hangs");
      }
    }
  }

  state(): string {
    const { faults, ticks, now, takeovers, conflicts, store, deliveries, requests, processes, started, done, lost } =
      this.#at;
    const aliveOrGone = (process: number) => (this.#isDead(process) ? "dead" : process);
    return JSON.stringify([
      [faults, ticks, now, takeovers, conflicts, store.state()],
      deliveries.map(({ process }, index) => (this.#isGone(index) ? "gone" : process)),
      requests
        .map((request) => {
          const { of, name, token, result } = request;
          return JSON.stringify([this.#isLate(request) || of, name, token, result]);
        })
        .sort(),
      this.#liveTimers()
        .map(({ id: [of], due }) => `${of} ${due}`)
        .sort(),
      processes.map(({ isDead, index, life, point }) => (isDead ? index : [index, life, point.id])),
      [...started].sort(),
      [...done].map(([token, process]) => `${token} ${aliveOrGone(process)}`).sort(),
      [...lost].sort(),
    ]);
  }

  get #isDone(): boolean {
    return this.#at.store.find(key)?.state === "done";
  }

  #isDead(process: number): boolean {
    return this.#at.processes[process]?.isDead === true;
  }

  #isGone(delivery: number): boolean {
    const delivered = this.#at.deliveries[delivery];
    return delivered === undefined || delivered.isFrozen || this.#isDead(delivered.process);
  }

  /** Whether nobody waits for a request any more. */
  #isLate({ of, isOrphan }: Request): boolean {
    return isOrphan === true || this.#isGone(of);
  }

  #liveTimers(): readonly Timer[] {
    return this.#at.timers.filter(({ id: [of] }) => !this.#isGone(of));
  }

  #isAtWork(process: number): boolean {
    return this.#at.requests.some((one) => this.#at.deliveries[one.of]?.process === process && !this.#isLate(one));
  }

  #outlivesResponse(delivery: number): boolean {
    const isWaiting = this.#at.requests.some((request) => request.of === delivery && !this.#isLate(request));
    return this.#at.deliveries[delivery]?.response !== undefined && isWaiting;
  }

  #stepsOf(request: Request): readonly Step[] {
    const { of, name } = request;
    const step = (what: string, isFault: boolean, take: Step["take"]): Step => ({
      name: `${what}: ${name} of delivery ${of}`,
      isFault,
      take,
    });
    const perform = (): Request => {
      const acted = { ...request, result: { value: this.#act(request) } };
      this.#at.requests = this.#at.requests.map((each) => (each === request ? acted : each));
      return acted;
    };
    if (this.#isLate(request)) return [step("arrives late", false, () => this.#remove(perform()))];
    const fail = (what: string) => step(what, true, () => this.#fail(request));
    if (name === "handler" || name === "onConflict") {
      return [step("returns", false, () => this.#respond(perform())), fail("throws")];
    }
    if (request.result !== undefined) {
      return [step("responds", false, () => this.#respond(request)), fail("acted, its response is lost")];
    }
    const orphan = () => {
      const failed = this.#fail(request);
      this.#at.requests = [...this.#at.requests, { ...request, isOrphan: true }];
      return failed;
    };
    return [
      step("acts and responds", false, () => this.#respond(perform())),
      step("acts", false, () => void perform()),
      fail("fails"),
      step("fails, though it is on its way", true, orphan),
    ];
  }

  #act({ name, of, token, act }: Request): unknown {
    const process = this.#at.deliveries[of]?.process;
    if (name === "handler" && process !== undefined) this.#at.done = new Map(this.#at.done).set(token, process);
    if (name === "onConflict") this.#at.conflicts++;
    return act(this.#at.store, this.#at.now);
  }

  #respond(request: Request): Promise<void> {
    const value = request.result?.value;
    if (request.name === "claim" && (value as ClaimResult).kind === "claimed") {
      if ((value as Extract<ClaimResult, { kind: "claimed" }>).takenOver) this.#at.takeovers++;
    }
    if (request.name === "complete" && value === false) this.#at.lost = [...this.#at.lost, request.token];
    return this.#end(request, { does: "respond", value });
  }

  #fail(request: Request): Promise<void> {
    return this.#end(request, { does: "fail" });
  }

  #end(request: Request, how: { readonly does: "respond"; readonly value: unknown } | { readonly does: "fail" }) {
    const { of, number } = request;
    this.#remove(request);
    return this.#hand(this.#at.deliveries[of]?.process ?? 0, { now: this.#at.now, of, number, ...how });
  }

  #remove(request: Request): void {
    this.#at.requests = this.#at.requests.filter((each) => each !== request);
  }

  #crash(process: number): Step {
    return {
      name: `crash of process ${this.#at.processes[process]?.index}`,
      isFault: true,
      take: () => {
        this.#changeProcess(process, { isDead: true });
        this.#dropLost();
      },
    };
  }

  #freeze(delivery: number): Step {
    return {
      name: `end of the request of delivery ${delivery}`,
      isFault: true,
      take: async () => {
        this.#changeDelivery(delivery, { isFrozen: true });
        this.#dropLost();
        const { process = 0 } = this.#at.deliveries[delivery] ?? {};
        await this.#hand(process, { now: this.#at.now, does: "freeze", of: delivery });
      },
    };
  }

  /** A request that was sent to the store may still arrive; others are lost with whoever waited for them. */
  #dropLost(): void {
    this.#at.requests = this.#at.requests.filter((request) => {
      const isOfStore = request.name !== "handler" && request.name !== "onConflict";
      return !this.#isLate(request) || (isOfStore && request.result === undefined);
    });
  }

  #tick(): Step {
    return {
      name: "tick",
      isFault: false,
      isTick: true,
      take: async () => {
        this.#at.ticks++;
        this.#at.now += tick;
        const { now } = this.#at;
        const due = this.#liveTimers().filter((timer) => timer.due <= now);
        this.#at.timers = this.#at.timers.filter((timer) => !due.includes(timer));
        for (const process of this.#at.processes.keys()) {
          const timers = due
            .map(({ id }) => id)
            .filter(([of]) => this.#at.deliveries[of]?.process === process)
            .sort(([a, m], [b, n]) => a - b || m - n);
          if (timers.length > 0) await this.#hand(process, { now, does: "tick", timers });
        }
      },
    };
  }

  #processOf(index: number): number {
    const alive = this.#at.processes.findIndex((process) => process.index === index && !process.isDead);
    if (alive >= 0) return alive;
    const life = this.#at.processes.filter((process) => process.index === index).length;
    this.#at.processes = [...this.#at.processes, { index, life, point: this.#code.start, isDead: false }];
    return this.#at.processes.length - 1;
  }

  #changeProcess(at: number, change: Partial<Process>): void {
    this.#at.processes = this.#at.processes.map((each, i) => (i === at ? { ...each, ...change } : each));
  }

  #changeDelivery(at: number, change: Partial<Delivered>): void {
    this.#at.deliveries = this.#at.deliveries.map((each, i) => (i === at ? { ...each, ...change } : each));
  }

  /** Hands something to the code of a process. */
  async #hand(process: number, input: Input): Promise<void> {
    const { point } = this.#at.processes[process] ?? { point: this.#code.start };
    const reaction = await this.#code.react(point, input);
    this.#changeProcess(process, { point: reaction.point });
    for (const effect of reaction.effects) this.#note(process, effect);
  }

  #note(process: number, effect: Effect): void {
    const { of } = effect;
    switch (effect.does) {
      case "ask":
        this.#at.requests = [...this.#at.requests, effect];
        break;
      case "setTimer":
        this.#at.timers = [...this.#at.timers, { id: [of, effect.number], due: effect.due }];
        break;
      case "clearTimer":
        this.#at.timers = this.#at.timers.filter(({ id }) => id[0] !== of || id[1] !== effect.number);
        break;
      case "tell":
        this.#changeDelivery(of, { isTold: true });
        break;
      case "start":
        this.#onStart(process, effect.token);
        break;
      case "end":
        this.#onResponse(of, effect.response);
        break;
    }
  }

  #onStart(process: number, token: string): void {
    const { done, started } = this.#at;
    if (this.#isDone) this.#violate("a handler was started after the commit");
    if (started.includes(token)) this.#violate("a handler was started twice under one claim");
    if ([...done.values()].includes(process)) this.#violate("a process started work again that it had done");
    this.#at.started = [...started, token];
  }

  #onResponse(delivery: number, response: string): void {
    this.#changeDelivery(delivery, { response });
    const { store, done, takeovers, conflicts, deliveries } = this.#at;
    const { planned, isTold } = deliveries[delivery] ?? {};
    const isNotification = planned?.status === "DUPLICATE";
    if (response !== "FAILED" && !this.#isDone && !(isNotification && isTold))
      this.#violate(`${response} before the commit`);
    if (response === "FAILED" && !isTold) this.#violate("FAILED, and no hook was called");
    if (this.#isDone && done.size === 0) this.#violate("committed, and not done");
    if (done.size > 1 + takeovers) this.#violate("done twice, though no claim was taken over");
    const { effect = "" } = store.find(key) ?? {};
    const isContradiction = !isNotification && !effect.includes(`status=${planned?.status}`);
    if (response === "DUPLICATE" && isContradiction && conflicts === 0)
      this.#violate("a conflict that nobody was told");
  }

  #violate(what: string): void {
    this.#violation ??= new Violation(what);
  }
}
