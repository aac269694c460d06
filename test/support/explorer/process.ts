/** The real code of a process. Its timers wait, and the requests of its actors, until the world hands it something. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Run } from "./code.ts";

/** The types in which processes differ. */
export interface Kind {
  /** All that an actor needs to start. */
  readonly start: unknown;
  /** The end of an actor. */
  readonly ending: unknown;
  /** The name of a request, and the part of it that decides its effect. */
  readonly name: string;
  readonly content: unknown;
  /** The thing on which requests act. */
  readonly model: object;
  /** All that code sees of the world without a request. */
  readonly sight?: unknown;
}

export type TimerId = readonly [of: number, number: number];

/** Something that comes to the code. Actors, their requests and their timers have numbers. */
export type Happening<K extends Kind> =
  | { readonly does: "start"; readonly of: number; readonly start: K["start"] }
  | { readonly does: "respond"; readonly of: number; readonly number: number; readonly value: unknown }
  | { readonly does: "fail"; readonly of: number; readonly number: number; readonly failure: Failure }
  | { readonly does: "tick"; readonly timers: readonly TimerId[] }
  | { readonly does: "leave"; readonly of: number };

export interface Input<K extends Kind> {
  /** Milliseconds by the clock on the wall, and by that of the timers. */
  readonly now: number;
  readonly awake: number;
  readonly sight?: K["sight"];
  readonly happening: Happening<K>;
}

/** The error of a request. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
}

/** A deed of the code of an actor. */
export type Effect<K extends Kind> = { readonly of: number } & (
  | ({ readonly does: "ask" } & Asked<K>)
  /** Nobody waits for a request any more. */
  | { readonly does: "abandon"; readonly number: number }
  | { readonly does: "setTimer"; readonly number: number; readonly due: number }
  | { readonly does: "clearTimer"; readonly number: number }
  | { readonly does: "end"; readonly ending: K["ending"] }
);

/** A request to something outside of the process, or to code of the application. */
export interface Asked<K extends Kind> {
  readonly number: number;
  readonly name: K["name"];
  readonly content: K["content"];
  readonly act: (model: K["model"], now: number) => unknown;
}

/** Somebody, or something, for whom code runs, as its process sees it. */
export interface Actor {
  readonly index: number;
  /** All that came to it, in order, with the time. */
  readonly history: string[];
  /** Its requests; undefined for one that has ended. */
  readonly requests: (Request | undefined)[];
  /** Its timers; undefined for one that has fired, or was cleared. */
  readonly timers: (Timer | undefined)[];
}

interface Request {
  readonly name: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** The number of the actor whose code runs. */
const running = new AsyncLocalStorage<number>();
const runtime = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

export abstract class ProcessRun<K extends Kind, A extends Actor> implements Run<Input<K>, Effect<K>> {
  protected now = 0;
  #awake = 0;
  #effects: Effect<K>[] = [];
  protected readonly actors = new Map<number, A>();

  constructor() {
    Object.assign(globalThis, {
      // A request that an earlier file has left, and the runner, have timers, too.
      setTimeout: (fire: () => void, delay: number) =>
        running.getStore() === undefined ? runtime.setTimeout(fire, delay) : this.#setTimer(fire, delay),
      clearTimeout: (timer: TimerId | NodeJS.Timeout | undefined) =>
        Array.isArray(timer) ? this.#clearTimer(timer as TimerId) : runtime.clearTimeout(timer as NodeJS.Timeout),
    });
    performance.now = () => this.#awake;
  }

  end(): void {
    Object.assign(globalThis, runtime);
    Reflect.deleteProperty(performance, "now");
  }

  async take({ now, awake, happening }: Input<K>): Promise<readonly Effect<K>[]> {
    this.#effects = [];
    this.now = now;
    this.#awake = awake;
    this.#hand(happening);
    await new Promise((resolve) => setImmediate(resolve));
    return this.#effects;
  }

  state(): string {
    return JSON.stringify([...this.actors.values()].map((actor) => this.stateOf(actor)));
  }

  protected abstract stateOf(actor: A): unknown;

  /** Returns the requests and timers for which the code of an actor waits: it goes on by them alone. */
  protected waitsOf({ requests, timers }: A): unknown {
    return [requests.map((request) => request?.name), timers.map((timer) => timer?.due)];
  }

  protected abstract start(index: number, start: K["start"]): void;
  protected abstract leave(actor: A): void;

  /** Returns a value from outside as it goes into the history. */
  protected brief(value: unknown): unknown {
    return value;
  }

  /** Returns a copy of a value from outside, because other runs get it, too. */
  protected own<T>(value: T): T {
    return value === undefined ? value : JSON.parse(JSON.stringify(value));
  }

  protected pauseOf(delay: number): number {
    return delay;
  }

  /** Runs the code of an actor. */
  protected run(actor: A, code: (actor: A) => Promise<K["ending"]>): void {
    const { index: of } = actor;
    this.actors.set(of, actor);
    this.come(actor, "start");
    running.run(of, () => {
      void code(actor).then((ending) => this.#effects.push({ of, does: "end", ending }));
    });
  }

  protected come({ history }: A, what: string): void {
    history.push(`${this.now} ${this.#awake} ${what}`);
  }

  /** The actor whose code runs. */
  protected get current(): A {
    return this.#actor(running.getStore());
  }

  protected ask<T>(name: K["name"], content: K["content"], act: (model: K["model"], now: number) => T): Promise<T> {
    const { index: of, requests } = this.current;
    return new Promise<T>((resolve, reject) => {
      this.#effects.push({ of, does: "ask", number: requests.length, name, content, act });
      requests.push({ name, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  protected abandon({ index: of }: A, number: number): void {
    this.#effects.push({ of, does: "abandon", number });
  }

  #hand(happening: Happening<K>): void {
    switch (happening.does) {
      case "start":
        this.start(happening.of, happening.start);
        break;
      case "tick":
        for (const timer of happening.timers) this.#fire(timer);
        break;
      case "leave": {
        const actor = this.#actor(happening.of);
        running.run(actor.index, () => this.leave(actor));
        break;
      }
      case "respond": {
        const { of, number, value } = happening;
        const actor = this.#actor(of);
        this.come(actor, `${number} ${JSON.stringify([this.brief(value)])}`);
        this.#takeRequest(actor, number).resolve(this.own(value));
        break;
      }
      case "fail": {
        const { of, number, failure } = happening;
        const actor = this.#actor(of);
        this.come(actor, `${number} ${failure.message}`);
        this.#takeRequest(actor, number).reject(Object.assign(new Error(failure.message), failure));
        break;
      }
    }
  }

  #actor(index: number | undefined): A {
    const actor = index === undefined ? undefined : this.actors.get(index);
    if (actor === undefined) throw new Error("Something comes to no actor, or is done by none.");
    return actor;
  }

  #setTimer(fire: () => void, delay: number): TimerId {
    const { index: of, timers } = this.current;
    const due = this.#awake + this.pauseOf(delay);
    const number = timers.push({ due, fire }) - 1;
    this.#effects.push({ of, does: "setTimer", number, due });
    return [of, number];
  }

  #clearTimer(timer: TimerId): void {
    if (this.#takeTimer(timer) !== undefined) {
      this.#effects.push({ of: timer[0], does: "clearTimer", number: timer[1] });
    }
  }

  #fire(timer: TimerId): void {
    const taken = this.#takeTimer(timer);
    // A timer that an earlier one has cleared does not fire.
    if (taken === undefined) return;
    this.come(this.#actor(timer[0]), "timer");
    running.run(timer[0], taken.fire);
  }

  #takeTimer([of, number]: TimerId): Timer | undefined {
    const { timers } = this.#actor(of);
    const timer = timers[number];
    timers[number] = undefined;
    return timer;
  }

  #takeRequest({ requests }: A, number: number): Request {
    const request = requests[number];
    if (request === undefined) throw new Error("Nobody waits for this request.");
    requests[number] = undefined;
    return request;
  }
}
