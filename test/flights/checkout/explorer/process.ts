/** The real code of a process that books. Its actors book, or close what others have left open. */
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
import { type Actor, type Input, type Kind, ProcessRun } from "../../../support/explorer/process.ts";
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

export interface Booking extends Kind {
  readonly start: Beginning;
  readonly ending: { readonly ending: Ending; readonly saved: SavedCheckout | undefined };
  readonly name: keyof BookingJournal | "credentials" | "fetch";
  readonly content: { readonly text: string; readonly attemptId?: string | undefined };
  readonly model: JournalModel;
  /** The bookings that a look-up can find. */
  readonly sight: readonly Made[];
}

/** The order and the trip of an actor that begins. */
interface Beginning {
  readonly planned: Planned;
  readonly reference: string;
  readonly saved: SavedCheckout;
}

export type Ending =
  | { readonly is: "booked"; readonly pnr: string; readonly isWarned: boolean }
  | { readonly is: "closed"; readonly how: string }
  | { readonly is: "failed"; readonly error: string; readonly kind?: string; readonly outcome?: string };

interface Booker extends Actor {
  readonly planned: Planned;
  readonly reference: string;
  readonly trip: Checkout | undefined;
  readonly aborter: AbortController;
  hasEnded: boolean;
}

const runtime = { AbortController: globalThis.AbortController };

export class CheckoutRun extends ProcessRun<Booking, Booker> {
  #made: readonly Made[] = [];
  /** The random names of attempts, by the names that the world knows. */
  readonly #names = new Map<string, string>();
  readonly #planted: Planted;
  readonly #journal: BookingJournal;
  readonly #api: ServiceApi;

  constructor(planted: Planted) {
    super();
    this.#planted = planted;
    // The tests note who makes one, which takes as long as the rest of a step.
    Object.assign(globalThis, { AbortController: AbortController.prototype.constructor });
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

  override end(): void {
    super.end();
    Object.assign(globalThis, runtime);
    Reflect.deleteProperty(webcrypto.subtle, "digest");
    // The code that still waits in this run is never continued: nobody listens any more.
    for (const { aborter } of this.actors.values()) Object.defineProperty(aborter.signal, "aborted", { value: true });
  }

  override take(input: Input<Booking>) {
    this.#made = input.sight ?? [];
    return super.take(input);
  }

  protected stateOf(booker: Booker): unknown {
    const { index, history, hasEnded, trip } = booker;
    return [index, history, hasEnded, brief(this.#named(trip?.bookingAttempts)), this.waitsOf(booker)];
  }

  protected start(index: number, { planned, reference, saved }: Beginning): void {
    const { does, on } = planned;
    const options = { journal: this.#journal, now: () => day + this.now };
    const made = () => resumeCheckout(this.#api, this.own(saved), options);
    const again = on === undefined ? undefined : this.actors.get(on)?.trip;
    if (does === "bookAgain" && again === undefined) throw new Error("That trip is of another process, or of nobody.");
    const trip = does === "closeRows" ? undefined : does === "bookAgain" ? again : made();
    const booker: Booker = {
      ...{ index, history: [], requests: [], timers: [] },
      ...{ planned, reference, trip, aborter: new AbortController(), hasEnded: false },
    };
    this.run(booker, async () => {
      const ending = await this.#book(booker).catch(failureOf);
      booker.hasEnded = true;
      return { ending, saved: this.#named(trip?.toJSON()) };
    });
  }

  protected leave(booker: Booker): void {
    this.come(booker, "left");
    booker.aborter.abort(new Error("left"));
  }

  async #book({ planned, trip, reference, aborter }: Booker): Promise<Ending> {
    if (trip === undefined) return { is: "closed", how: await this.#closeRows() };
    if (planned.does === "closeTrip") {
      return { is: "closed", how: (await trip.reconcile(this.#lookUp(reference), reference)).state };
    }
    const { signal } = aborter;
    const { pnr, warnings } = await trip.book({ passengers, clientReferenceId: reference }, { signal });
    return { is: "booked", pnr, isWarned: warnings.some(({ path }) => path[0] === "journal") };
  }

  /** Closes all rows after a look-up, as the guide does; what is not overdue, the library has to refuse. */
  async #closeRows(): Promise<string> {
    const endings: string[] = [];
    for (const row of await this.#journal.pending()) {
      const found = this.#lookUp(row.clientReferenceId);
      const closing = reconcile(this.#journal, row, found, { now: () => day + this.now });
      endings.push(await closing.then(({ state }) => state, kindOf));
    }
    return endings.join();
  }

  /** Asks the service about a reference. */
  #lookUp(reference: string): LookupResult {
    const made = this.#made.find((booking) => booking.reference === reference);
    this.come(this.current, `look-up of ${reference}: ${made?.pnr}`);
    return made === undefined ? "notBooked" : { pnr: made.pnr };
  }

  #makeJournal(): BookingJournal {
    return {
      conflict: (given, options) => {
        const { row, content } = this.#use(given);
        return this.ask("conflict", content, (model) => model.conflicts(row, options)[0]);
      },
      claim: (given, options) => {
        const { row, content } = this.#use(given);
        return this.ask("claim", content, (model) => model.claim(row, options)[0]);
      },
      settle: (given, from) => {
        const row = this.#named(given);
        const settle = this.#planted.settle ?? ((model) => model.settle(row, from));
        return this.ask("settle", { text: `${from} ${brief(row)}` }, (model) => settle(model, row, from));
      },
      find: (reference) => this.ask("find", { text: reference }, (model) => model.find(reference)),
      get: (given) => {
        const attemptId = this.#named(given);
        return this.ask("get", { text: attemptId }, (model) => model.get(attemptId));
      },
      pending: () => this.ask("pending", { text: "" }, (model) => model.pending()),
    };
  }

  #makeApi(): ServiceApi {
    const send: typeof globalThis.fetch = async (_url, init) => {
      const { current } = this;
      const number = current.requests.length;
      const response = this.ask("fetch", { text: "" }, () => undefined).catch((cause: unknown) => {
        throw new TypeError("fetch failed", { cause });
      });
      init?.signal?.addEventListener("abort", () => this.abandon(current, number));
      const body = await response;
      return body === undefined ? new Response(null, { status: 401 }) : Response.json(body);
    };
    return new ServiceApi({
      ...{ baseUrl: "https://api.example.com", clientId: "a" },
      clientSecret: this.#planted.areCredentialsSlow
        ? () => this.ask("credentials", { text: "" }, () => "a-secret")
        : "a-secret",
      fetch: this.#planted.fetch?.(send) ?? send,
    });
  }

  /** Returns a row as the world knows it. An attempt that is new has the number of its actor. */
  #use(given: JournalRow): { readonly row: JournalRow; readonly content: Booking["content"] } {
    const { index, reference } = this.current;
    const isNamed = given.attemptId.startsWith("#") || [...this.#names.values()].includes(given.attemptId);
    const own = [...this.#names.keys()].filter((name) => name.startsWith(`#${index} `)).length;
    if (!isNamed) this.#names.set(`#${index} ${own}`, given.attemptId);
    const row = this.#named(given);
    const attemptId = row.clientReferenceId === reference ? row.attemptId : undefined;
    return { row, content: { text: String(brief(row)), attemptId } };
  }

  protected override brief(value: unknown): unknown {
    return brief(value);
  }

  /** Names attempts as the world does. */
  #named<T>(value: T): T {
    return this.#renamed(value, (name, id) => [id, name]);
  }

  /** Names attempts as they are named in this run. */
  protected override own<T>(value: T): T {
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
  return {
    version: 1,
    ...flight,
    shown: { body: quotes[search], at: day, offers: [`flights of ${search}`] },
    attempts: [],
  };
}
