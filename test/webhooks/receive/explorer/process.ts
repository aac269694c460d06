/** The real code of a process that receives webhooks, for the world of the explorer. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Claim, WebhookStore } from "../../../../src/webhooks/index.ts";
import { Webhooks } from "../../../../src/webhooks/index.ts";
import { doneWorkOf } from "../../../../src/webhooks/receive/delivery.ts";
import type { Run } from "../../../support/explorer/code.ts";
import type { StoreModel } from "../../stores/store-model.ts";

/** Milliseconds by which the clock moves. All deadlines are a few of them. */
export const tick = 2_500;
export const options = { ackTimeout: 2 * tick, workTimeout: 2 * tick, claimLease: 2 * tick } as const;

/** Something that comes to the code. Deliveries, their requests and their timers have numbers. */
export type Input = { readonly now: number } & (
  | { readonly does: "deliver"; readonly of: number; readonly status: string }
  | { readonly does: "respond"; readonly of: number; readonly number: number; readonly value: unknown }
  | { readonly does: "fail"; readonly of: number; readonly number: number }
  | { readonly does: "tick"; readonly timers: readonly TimerId[] }
  /** The platform ends the request of a delivery, and all that it waits for with it (Workers). */
  | { readonly does: "freeze"; readonly of: number }
);

export type TimerId = readonly [of: number, number: number];

/** A deed of the code of a delivery. */
export type Effect = Deed & { readonly of: number };
type Deed =
  | ({ readonly does: "ask" } & Asked)
  | { readonly does: "setTimer"; readonly number: number; readonly due: number }
  | { readonly does: "clearTimer"; readonly number: number }
  | { readonly does: "tell" }
  | { readonly does: "start"; readonly token: string }
  | { readonly does: "end"; readonly response: string };

/** A request to the store, or to code of the application. */
export interface Asked {
  readonly number: number;
  readonly name: keyof WebhookStore | "handler" | "onConflict";
  readonly token: string;
  /** Its effect on a store. */
  readonly act: (store: StoreModel, now: number) => unknown;
}

/** A delivery, as its process sees it. */
interface Delivered {
  readonly index: number;
  /** All that came to it, in order, with the time. */
  readonly history: string[];
  /** The functions that end its requests. */
  readonly requests: { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }[];
  readonly timers: Map<number, () => void>;
  timersSet: number;
  isTold: boolean;
  isFrozen: boolean;
  response?: string;
}

/** The delivery whose code runs. */
const running = new AsyncLocalStorage<Delivered>();
const runtime = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

export class ReceiverRun implements Run<Input, Effect> {
  #now = 0;
  #effects: Effect[] = [];
  readonly #deliveries = new Map<number, Delivered>();
  readonly #store: WebhookStore = {
    claim: (name, request) => this.#ask("claim", (store, now) => store.claim(name, request, now)),
    complete: (claim) => this.#ask("complete", (store) => store.complete(claim), claim.token),
    release: (claim) => this.#ask("release", (store) => store.release(claim), claim.token),
    recordConflict: (name, effect) => this.#ask("recordConflict", (store) => store.recordConflict(name, effect)),
    find: (name) => this.#ask("find", (store) => store.find(name)),
    forget: async () => {},
  };
  readonly #receive: (event: object) => Promise<string>;

  constructor() {
    Object.assign(globalThis, {
      setTimeout: (fire: () => void, delay: number) => this.#setTimer(fire, delay),
      clearTimeout: (timer: TimerId | undefined) => this.#clearTimer(timer),
    });
    performance.now = () => this.#now;
    const work = async (_event: unknown, context: { readonly claim: Claim | undefined }) => {
      const token = context.claim?.token ?? "none";
      this.#does({ does: "start", token });
      await this.#ask("handler", () => undefined, token);
    };
    const receiver = new Webhooks({ auth: "none", findOrder: "none", store: this.#store, ...options }).handler({
      ...{ SUCCESS: work, FAILED: work, REJECTED: work },
      onFailure: () => {
        this.#current.isTold = true;
        this.#does({ does: "tell" });
      },
      onConflict: () => this.#ask("onConflict", () => undefined),
    });
    this.#receive = async (event) => {
      const { body } = await receiver.receive({ headers: {}, body: JSON.stringify(event) });
      return JSON.parse(body).status as string;
    };
  }

  end(): void {
    Object.assign(globalThis, runtime);
    Reflect.deleteProperty(performance, "now");
  }

  async take(input: Input): Promise<readonly Effect[]> {
    this.#effects = [];
    this.#now = input.now;
    this.#hand(input);
    await new Promise((resolve) => setImmediate(resolve));
    return this.#effects;
  }

  state(): string {
    return JSON.stringify([
      [...this.#deliveries.values()]
        .sort((a, b) => a.index - b.index)
        .map(({ index, history, response, isTold, isFrozen }) =>
          isFrozen ? index : [index, history, response, isTold],
        ),
      [...doneWorkOf(this.#store).values()],
    ]);
  }

  #hand(input: Input): void {
    switch (input.does) {
      case "deliver":
        this.#deliver(input.of, input.status);
        break;
      case "tick":
        for (const [of, number] of input.timers) this.#fire(this.#delivered(of), number);
        break;
      case "freeze":
        this.#delivered(input.of).isFrozen = true;
        break;
      case "respond":
      case "fail": {
        const { history, requests } = this.#delivered(input.of);
        const request = requests[input.number];
        const value = input.does === "respond" ? JSON.stringify([input.value]) : "failed";
        history.push(`${this.#now} ${input.number} ${value}`);
        // A copy, because another run gets the value, too.
        if (input.does === "respond") request?.resolve(input.value && JSON.parse(value)[0]);
        else request?.reject(new Error("failed"));
      }
    }
  }

  #deliver(index: number, status: string): void {
    const delivered: Delivered = {
      ...{ index, history: [`${this.#now}`], requests: [], timers: new Map(), timersSet: 0 },
      ...{ isTold: false, isFrozen: false },
    };
    this.#deliveries.set(index, delivered);
    const event = { status, client_referenceId: "po-1", transactionId: "T1", txn_amount: 1 };
    const whole = status === "SUCCESS" ? { ...event, utr: "U1" } : event;
    running.run(delivered, () => {
      void this.#receive(whole).then((response) => {
        delivered.response = response;
        this.#does({ does: "end", response });
      });
    });
  }

  #fire(delivered: Delivered, number: number): void {
    const fire = delivered.timers.get(number);
    // A timer that an earlier one has cleared does not fire.
    if (fire === undefined) return;
    delivered.timers.delete(number);
    delivered.history.push(`${this.#now} timer`);
    running.run(delivered, fire);
  }

  #delivered(index: number): Delivered {
    const delivered = this.#deliveries.get(index);
    if (delivered === undefined) throw new Error("Something comes to no delivery.");
    return delivered;
  }

  /** The delivery whose code runs. */
  get #current(): Delivered {
    const current = running.getStore();
    if (current === undefined) throw new Error("Something is done by no delivery.");
    return current;
  }

  #does(deed: Deed): void {
    this.#effects.push({ of: this.#current.index, ...deed });
  }

  #ask<T>(name: Asked["name"], act: (store: StoreModel, now: number) => T, token = ""): Promise<T> {
    const { requests } = this.#current;
    return new Promise<T>((resolve, reject) => {
      this.#does({ does: "ask", number: requests.length, name, token, act });
      requests.push({ resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #setTimer(fire: () => void, delay: number): TimerId {
    const { index, timers } = this.#current;
    const number = ++this.#current.timersSet;
    timers.set(number, fire);
    // All pauses are whole ticks: their length decides only the order, which is the explorer's.
    this.#does({ does: "setTimer", number, due: this.#now + Math.max(1, Math.round(delay / tick)) * tick });
    return [index, number];
  }

  #clearTimer(timer: TimerId | undefined): void {
    if (timer === undefined) return;
    const [of, number] = timer;
    if (this.#delivered(of).timers.delete(number)) this.#effects.push({ of, does: "clearTimer", number });
  }
}
