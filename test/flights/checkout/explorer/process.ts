/** The real code of a process that books, for the world of the explorer. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, webcrypto } from "node:crypto";
import { ServiceApiError } from "../../../../src/errors/base.ts";
import {
  type BookingJournal,
  type Checkout,
  type JournalRow,
  type LookupResult,
  reconcile,
  resumeCheckout,
  type SavedCheckout,
} from "../../../../src/flights/index.ts";
import { ServiceApi } from "../../../../src/service-api.ts";
import type { Run } from "../../../support/explorer/code.ts";
import type { JournalModel } from "../../journal/journal-model.ts";
import { day, passengers, quoteOf } from "../support.ts";

/** Somebody who does something, in a process. */
export interface Planned {
  readonly process: number;
  /**
   * The deed: `book` in a new tab, `bookAgain` on the trip of another actor, `resumeAndBook` on the trip that one has
   * saved, `closeRows` of the journal after a look-up, `closeTrip` on the trip that another actor has saved.
   */
  readonly does: "book" | "bookAgain" | "resumeAndBook" | "closeRows" | "closeTrip";
  /** The actor whose trip it is. */
  readonly on?: number;
  /** The number of the order. @default a new one */
  readonly reference?: string;
  /** The search that the trip is from. @default "T" */
  readonly search?: keyof typeof quotes;
}

/** Parts of the world that differ, most of them faulty. */
export interface Planted {
  /** Changes the journal of each process. */
  readonly journal?: (journal: BookingJournal) => Partial<BookingJournal>;
  /** Changes what a settlement does when it acts. */
  readonly settle?: (model: JournalModel, ...settlement: Parameters<JournalModel["settle"]>) => boolean;
  /** Changes the clock of each process. */
  readonly now?: (time: number, process: number) => number;
  /** Whether the credentials of a call take time. */
  readonly areCredentialsSlow?: boolean;
  /** Changes `fetch` of each process. */
  readonly fetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
}

/** A booking that the service has made. */
export interface Made {
  readonly pnr: string;
  readonly reference: string;
}

/** Something that comes to the code. Actors, their requests and their timers have numbers. */
export type Input = {
  /** Milliseconds by the clock on the wall, and by that of the timers. */
  readonly now: number;
  readonly awake: number;
  /** The bookings that a look-up can find. */
  readonly made: readonly Made[];
} & (
  | { readonly does: "start"; readonly of: number; readonly planned: Planned; readonly begin: Beginning }
  | { readonly does: "respond"; readonly of: number; readonly number: number; readonly value: unknown }
  | {
      readonly does: "fail";
      readonly of: number;
      readonly number: number;
      readonly message: string;
      readonly code: string | undefined;
      readonly isOfNetwork: boolean;
    }
  | { readonly does: "tick"; readonly timers: readonly TimerId[] }
  | { readonly does: "leave"; readonly of: number }
);

/** The order and the trip of an actor that begins. */
interface Beginning {
  readonly reference: string;
  readonly saved: SavedCheckout;
}

export type TimerId = readonly [of: number, number: number];

/** A deed of the code of an actor. */
export type Effect = Deed & { readonly of: number };
type Deed =
  | ({ readonly does: "ask" } & Asked)
  /** Nobody waits for a request to the service any more. */
  | { readonly does: "abandon"; readonly number: number }
  | { readonly does: "setTimer"; readonly number: number; readonly due: number }
  | { readonly does: "clearTimer"; readonly number: number }
  /** Uses a row of its own reference. */
  | { readonly does: "use"; readonly attemptId: string }
  | { readonly does: "end"; readonly ending: Ending; readonly saved: SavedCheckout | undefined };

export type Ending =
  | { readonly is: "booked"; readonly pnr: string; readonly isWarned: boolean }
  | { readonly is: "closed"; readonly how: string }
  | { readonly is: "failed"; readonly error: string; readonly kind?: string; readonly outcome?: string };

/** A request to the journal, the service or code of the application. */
export interface Asked {
  readonly number: number;
  readonly name: keyof BookingJournal | "credentials" | "fetch";
  /** The part that decides its effect. */
  readonly content: string;
  /** Its effect on a journal. */
  readonly act: (model: JournalModel) => unknown;
}

/** An actor, as its process sees it. */
interface Actor {
  readonly index: number;
  readonly planned: Planned;
  readonly reference: string;
  readonly trip: Checkout | undefined;
  readonly aborter: AbortController;
  /** All that came to it, in order, with the time. */
  readonly history: string[];
  /** The functions that end its requests. */
  readonly requests: { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }[];
  readonly timers: Map<number, () => void>;
  timersSet: number;
  hasEnded: boolean;
}

/** The actor whose code runs. */
const running = new AsyncLocalStorage<Actor>();
const runtime = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  AbortController: globalThis.AbortController,
};

export class CheckoutRun implements Run<Input, Effect> {
  #now = 0;
  #awake = 0;
  #made: readonly Made[] = [];
  #effects: Effect[] = [];
  readonly #actors = new Map<number, Actor>();
  /** The random names of attempts, by the names that the world knows. */
  readonly #names = new Map<string, string>();
  readonly #planted: Planted;
  readonly #journal: BookingJournal;
  readonly #api: ServiceApi;

  constructor(planted: Planted) {
    this.#planted = planted;
    Object.assign(globalThis, {
      setTimeout: (fire: () => void, delay: number) => this.#setTimer(fire, delay),
      clearTimeout: (timer: TimerId | undefined) => this.#clearTimer(timer),
      // The tests note who makes one, which takes as long as the rest of a step.
      AbortController: AbortController.prototype.constructor,
    });
    performance.now = () => this.#awake;
    // A digest that is asynchronous ends at a time that nobody chooses.
    webcrypto.subtle.digest = async (_algorithm, data) =>
      new Uint8Array(
        createHash("sha256")
          .update(data as Uint8Array)
          .digest(),
      ).buffer;
    const kept = this.#makeJournal();
    this.#journal = { ...kept, ...planted.journal?.(kept) };
    this.#api = this.#makeApi();
  }

  end(): void {
    Object.assign(globalThis, runtime);
    Reflect.deleteProperty(performance, "now");
    Reflect.deleteProperty(webcrypto.subtle, "digest");
    // The code that still waits in this run is never continued: nobody listens any more.
    for (const { aborter } of this.#actors.values()) Object.defineProperty(aborter.signal, "aborted", { value: true });
  }

  async take(input: Input): Promise<readonly Effect[]> {
    this.#effects = [];
    this.#now = input.now;
    this.#awake = input.awake;
    this.#made = input.made;
    this.#hand(input);
    await new Promise((resolve) => setImmediate(resolve));
    return this.#effects;
  }

  state(): string {
    const actors = [...this.#actors.values()].sort((a, b) => a.index - b.index);
    return JSON.stringify(
      actors.map(({ index, history, hasEnded, trip }) => {
        return [index, history, hasEnded, brief(this.#named(trip?.bookingAttempts))];
      }),
    );
  }

  #hand(input: Input): void {
    switch (input.does) {
      case "start":
        this.#start(input.of, input.planned, input.begin);
        break;
      case "tick":
        for (const [of, number] of input.timers) this.#fire(this.#actor(of), number);
        break;
      case "leave": {
        const actor = this.#actor(input.of);
        this.#come(actor, "left");
        running.run(actor, () => actor.aborter.abort(new Error("left")));
        break;
      }
      case "respond": {
        const actor = this.#actor(input.of);
        this.#come(actor, `${input.number} ${JSON.stringify(brief(input.value) ?? null)}`);
        actor.requests[input.number]?.resolve(this.#own(input.value));
        break;
      }
      case "fail": {
        const actor = this.#actor(input.of);
        this.#come(actor, `${input.number} ${input.message}`);
        const cause = Object.assign(new Error(input.message), { code: input.code });
        const error = input.isOfNetwork ? new TypeError("fetch failed", { cause }) : cause;
        actor.requests[input.number]?.reject(error);
        break;
      }
    }
  }

  #come(actor: Actor, what: string): void {
    actor.history.push(`${this.#now} ${this.#awake} ${what}`);
  }

  #start(index: number, planned: Planned, { reference, saved }: Beginning): void {
    const { does, on } = planned;
    const options = { journal: this.#journal, now: () => day + this.#now };
    const made = () => resumeCheckout(this.#api, this.#own(saved), options);
    const again = on === undefined ? undefined : this.#actors.get(on)?.trip;
    const trip = does === "closeRows" ? undefined : does === "bookAgain" ? again : made();
    const actor: Actor = {
      ...{ index, planned, reference, trip, aborter: new AbortController() },
      ...{ history: [], requests: [], timers: new Map(), timersSet: 0, hasEnded: false },
    };
    this.#come(actor, "start");
    this.#actors.set(index, actor);
    running.run(actor, () => {
      void this.#run(actor).then(
        (ending) => this.#end(actor, ending),
        (error) => this.#end(actor, failureOf(error)),
      );
    });
  }

  async #run(actor: Actor): Promise<Ending> {
    const { planned, trip, reference } = actor;
    if (trip === undefined) return { is: "closed", how: await this.#closeRows() };
    if (planned.does === "closeTrip") {
      return { is: "closed", how: (await trip.reconcile(this.#lookUp(reference), reference)).state };
    }
    const { signal } = actor.aborter;
    const { pnr, warnings } = await trip.book({ passengers, clientReferenceId: reference }, { signal });
    return { is: "booked", pnr, isWarned: warnings.some(({ path }) => path[0] === "journal") };
  }

  /** Closes all rows after a look-up, as the guide does; what is not overdue, the library has to refuse. */
  async #closeRows(): Promise<string> {
    const endings: string[] = [];
    for (const row of await this.#journal.pending()) {
      const found = this.#lookUp(row.clientReferenceId);
      const closing = reconcile(this.#journal, row, found, { now: () => day + this.#now });
      endings.push(await closing.then(({ state }) => state, kindOf));
    }
    return endings.join();
  }

  /** Asks the service about a reference. */
  #lookUp(reference: string): LookupResult {
    const made = this.#made.find((booking) => booking.reference === reference);
    this.#come(this.#current, `look-up of ${reference}: ${made?.pnr}`);
    return made === undefined ? "notBooked" : { pnr: made.pnr };
  }

  #end(actor: Actor, ending: Ending): void {
    actor.hasEnded = true;
    this.#does({ does: "end", ending, saved: this.#named(actor.trip?.toJSON()) });
  }

  #fire(actor: Actor, number: number): void {
    const fire = actor.timers.get(number);
    // A timer that an earlier one has cleared does not fire.
    if (fire === undefined) return;
    actor.timers.delete(number);
    this.#come(actor, "timer");
    running.run(actor, fire);
  }

  #actor(index: number): Actor {
    const actor = this.#actors.get(index);
    if (actor === undefined) throw new Error("Something comes to no actor.");
    return actor;
  }

  /** The actor whose code runs. */
  get #current(): Actor {
    const current = running.getStore();
    if (current === undefined) throw new Error("Something is done by no actor.");
    return current;
  }

  #does(deed: Deed): void {
    this.#effects.push({ of: this.#current.index, ...deed });
  }

  #ask<T>(name: Asked["name"], content: string, act: (model: JournalModel) => T): Promise<T> {
    const { requests } = this.#current;
    return new Promise<T>((resolve, reject) => {
      this.#does({ does: "ask", number: requests.length, name, content, act });
      requests.push({ resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #setTimer(fire: () => void, delay: number): TimerId {
    const { index, timers } = this.#current;
    const number = ++this.#current.timersSet;
    timers.set(number, fire);
    this.#does({ does: "setTimer", number, due: this.#awake + delay });
    return [index, number];
  }

  #clearTimer(timer: TimerId | undefined): void {
    if (timer === undefined) return;
    const [of, number] = timer;
    if (this.#actor(of).timers.delete(number)) this.#effects.push({ of, does: "clearTimer", number });
  }

  #makeJournal(): BookingJournal {
    return {
      conflict: (given, options) => {
        const row = this.#use(given);
        return this.#ask("conflict", brief(row) as string, (model) => model.conflicts(row, options)[0]);
      },
      claim: (given, options) => {
        const row = this.#use(given);
        return this.#ask("claim", brief(row) as string, (model) => model.claim(row, options)[0]);
      },
      settle: (given, from) => {
        const row = this.#named(given);
        const settle = this.#planted.settle ?? ((model) => model.settle(row, from));
        return this.#ask("settle", `${from} ${brief(row)}`, (model) => settle(model, row, from));
      },
      find: (reference) => this.#ask("find", reference, (model) => model.find(reference)),
      get: (given) => {
        const attemptId = this.#named(given);
        return this.#ask("get", attemptId, (model) => model.get(attemptId));
      },
      pending: () => this.#ask("pending", "", (model) => model.pending()),
    };
  }

  #makeApi(): ServiceApi {
    const send: typeof globalThis.fetch = async (_url, init) => {
      const { index: of, requests } = this.#current;
      const number = requests.length;
      const response = this.#ask("fetch", "", () => undefined);
      init?.signal?.addEventListener("abort", () => this.#effects.push({ of, does: "abandon", number }));
      const body = await response;
      return body === undefined ? new Response(null, { status: 401 }) : Response.json(body);
    };
    return new ServiceApi({
      ...{ baseUrl: "https://api.example.com", clientId: "a" },
      clientSecret: this.#planted.areCredentialsSlow
        ? () => this.#ask("credentials", "", () => "a-secret")
        : "a-secret",
      fetch: this.#planted.fetch?.(send) ?? send,
    });
  }

  /** Returns a row as the world knows it. An attempt that is new has the number of its actor. */
  #use(row: JournalRow): JournalRow {
    const { index, reference } = this.#current;
    const isNamed = row.attemptId.startsWith("#") || [...this.#names.values()].includes(row.attemptId);
    const own = [...this.#names.keys()].filter((name) => name.startsWith(`#${index} `)).length;
    if (!isNamed) this.#names.set(`#${index} ${own}`, row.attemptId);
    const named = this.#named(row);
    if (row.clientReferenceId === reference) this.#does({ does: "use", attemptId: named.attemptId });
    return named;
  }

  /** Names attempts as the world does. */
  #named<T>(value: T): T {
    return this.#renamed(value, (name, id) => [id, name]);
  }

  /** Names attempts as they are named in this run. */
  #own<T>(value: T): T {
    return this.#renamed(value, (name, id) => [name, id]);
  }

  #renamed<T>(value: T, names: (name: string, id: string) => readonly [from: string, to: string]): T {
    if (value === undefined) return value;
    let text = JSON.stringify(value);
    for (const [name, id] of this.#names) {
      const [from, to] = names(name, id);
      text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
    }
    return JSON.parse(text);
  }
}

function failureOf(error: unknown): Ending {
  if (!ServiceApiError.isInstance(error)) return { is: "failed", error: String(error) };
  return { is: "failed", error: String(error), kind: error.kind, outcome: error.outcome };
}

/** The rows in a value, in a word each. */
export function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(brief);
  const { attemptId, state, at, sentAt, pnr, reason } = Object(value) as Partial<JournalRow>;
  return attemptId === undefined ? value : [attemptId, state, at, sentAt, pnr, reason].join(" ");
}

function kindOf(error: unknown): string {
  if (!ServiceApiError.isInstance(error)) throw new Error(`an error without a type: ${String(error)}`);
  return error.kind;
}

const quotes = { T: quoteOf({ token: "quote of T" }), U: quoteOf({ token: "quote of U" }) };

/** A trip that was quoted and saved. The tokens of each search are its own. */
export function savedTrip(search: keyof typeof quotes): SavedCheckout {
  const flight = { traceId: search, token: `flight of ${search}`, startedAt: day };
  return { version: 1, ...flight, shown: { body: quotes[search], at: day }, journaled: true, attempts: [] };
}
