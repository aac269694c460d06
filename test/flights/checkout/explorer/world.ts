/**
 * A world whose steps the explorer chooses, one at a time, so that it can choose each: a journal, a service that books,
 * processes with checkouts, people who look bookings up, and a clock.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, webcrypto } from "node:crypto";
import { ServiceApiError } from "../../../../src/errors/base.ts";
import {
  type BookingJournal,
  type Checkout,
  type CheckoutBooking,
  type JournalRow,
  type LookupResult,
  reconcile,
  resumeCheckout,
  type SavedCheckout,
} from "../../../../src/flights/index.ts";
import { ServiceApi } from "../../../../src/service-api.ts";
import { type Step, Violation, type World } from "../../../support/explorer/explore.ts";
import { JournalModel } from "../../journal/journal-model.ts";
import { booked, day, passengers, quoteOf } from "../support.ts";

/** Milliseconds in which the service makes a booking that it received: the deadline of the call, and some more. */
const processing = 180_000 + 30_000;
/** Milliseconds by which the clock jumps while a machine is suspended: within the time of a row, and beyond it. */
const jumps = [45_000, 300_000];

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
  readonly journal?: (journal: BookingJournal, model: JournalModel) => Partial<BookingJournal>;
  /** Changes the clock of each process. */
  readonly now?: (time: number, process: number) => number;
  /** Whether the credentials of a call take time. */
  readonly areCredentialsSlow?: boolean;
  /** Changes `fetch` of each process. */
  readonly fetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
}

/** One life of a process: after a crash, another one begins. */
interface Process {
  readonly index: number;
  readonly life: number;
  readonly journal: BookingJournal;
  readonly api: ServiceApi;
  readonly now: () => number;
  isDead: boolean;
}

interface Actor {
  readonly index: number;
  readonly planned: Planned;
  readonly process: Process;
  readonly reference: string;
  readonly trip: Checkout | undefined;
  /** The trip as it was saved last. */
  saved: SavedCheckout;
  readonly aborter: AbortController;
  /** All that came to it, in order, with the time. */
  readonly history: string[];
  /** The booking attempt that it made. */
  attemptId?: string;
  /** The ending that its code saw, in a word. */
  ending?: string;
  /** Whether an error has said that nothing is booked under its attempt. */
  isToldNo: boolean;
}

/** A request of an actor that waits for its response. */
interface Request {
  readonly of: Actor;
  readonly name: keyof BookingJournal | "credentials" | "fetch";
  /** The part that decides its effect. */
  readonly content: string;
  /** Has its effect. */
  readonly act: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly at: number;
  /** Its result, once it has acted. */
  result?: { readonly value: unknown };
  /** Whether nobody waits for it any more, although it may still arrive. */
  isOrphan?: boolean;
}

interface Timer {
  readonly of: Actor;
  readonly due: number;
  readonly fire: () => void;
}

/** A booking that the service has made. */
interface Made {
  readonly pnr: string;
  readonly of: Actor;
  readonly reference: string;
}

/** The actor whose code runs. */
const running = new AsyncLocalStorage<Actor>();
const runtime = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  AbortController: globalThis.AbortController,
};
const writes: readonly Request["name"][] = ["claim", "settle", "fetch"];
const isRead = ({ name }: Request) => !writes.includes(name);

export class BookingWorld implements World {
  faults = 0;
  ticks = 0;
  /** Milliseconds by the clock on the wall, and by that of the timers, which stands still while machines are suspended. */
  #now = 0;
  #awake = 0;
  readonly #plan: readonly Planned[];
  readonly #planted: Planted;
  readonly #model = new JournalModel();
  readonly #actors: Actor[] = [];
  readonly #processes: Process[] = [];
  readonly #made: Made[] = [];
  readonly #booked = new Map<string, JournalRow>();
  #requests: Request[] = [];
  #timers: Timer[] = [];
  #violation: Violation | undefined;

  constructor(plan: readonly Planned[], planted: Planted = {}) {
    this.#plan = plan;
    this.#planted = planted;
    Object.assign(globalThis, {
      setTimeout: (fire: () => void, delay: number) => this.#setTimer(fire, delay),
      clearTimeout: (timer: unknown) => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      },
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
  }

  end(): void {
    Object.assign(globalThis, runtime);
    Reflect.deleteProperty(performance, "now");
    Reflect.deleteProperty(webcrypto.subtle, "digest");
    // The code that still waits in this world is never continued: nobody listens any more.
    for (const { aborter } of this.#actors) Object.defineProperty(aborter.signal, "aborted", { value: true });
  }

  async take(step: Step): Promise<void> {
    if (step.isFault) this.faults++;
    if (step.isTick) this.ticks++;
    step.take();
    await new Promise((resolve) => setImmediate(resolve));
    for (const { of, pnr } of this.#made) this.#checkRow(of, pnr);
    this.#checkBooked();
    if (this.#violation !== undefined) throw this.#violation;
  }

  steps(): readonly Step[] {
    const planned = this.#plan[this.#actors.length];
    return [
      ...(planned === undefined || !this.#canStart(planned) ? [] : [this.#start(planned)]),
      ...this.#requests.flatMap((request) => this.#stepsOf(request)),
      ...this.#processes.filter((process) => this.#isAtWork(process)).map((process) => this.#crash(process)),
      ...this.#actors.filter((actor) => this.#canLeave(actor)).map((actor) => this.#leave(actor)),
      ...this.#lateTimers().map((timer) => this.#tick(timer)),
      ...(this.#isAnyAtWork() ? jumps.map((jump) => this.#jump(jump)) : []),
    ];
  }

  state(): string {
    const text = JSON.stringify([
      [this.faults, this.ticks, this.#now, this.#awake],
      this.#model.rows.map(brief),
      this.#made.map(({ pnr, reference }) => [pnr, reference]),
      this.#actors.map(({ process, history, ending, saved, isToldNo, attemptId, trip }) => [
        process.isDead ? "dead" : [process.index, process.life, history, ending],
        [isToldNo, attemptId, saved.attempts.map(brief)],
        process.isDead ? undefined : trip?.bookingAttempts.map(brief),
      ]),
      this.#requests
        .map((request) => {
          const { of, name, content, at, result } = request;
          const time = name === "fetch" ? at : undefined;
          return JSON.stringify([isLate(request), of.index, name, content, time, result && [brief(result.value)]]);
        })
        .sort(),
      this.#timers
        .filter(({ of }) => !of.process.isDead)
        .map(({ of, due }) => `${of.index} ${due}`)
        .sort(),
    ]);
    return this.#named(text);
  }

  ending(): string {
    const rows = this.#model.rows.map(({ state }) => state);
    return `${this.#actors.map(({ planned, ending = "crashed" }) => `${planned.does}: ${ending}`).join(", ")}; ${rows.join(", ")}`;
  }

  async finish(take: (step: Step) => Promise<void>): Promise<void> {
    const settle = async () => {
      for (let step = this.#nextGood(); step !== undefined; step = this.#nextGood()) await take(step);
    };
    await settle();
    const hanging = this.#actors.find(({ ending, process }) => ending === undefined && !process.isDead);
    if (hanging !== undefined) throw new Violation(`actor ${hanging.index} hangs`);
    // No response can come any more.
    this.#pass(2 * Math.max(...jumps), true);
    await take(this.#start({ process: 2, does: "closeRows" }));
    await settle();
    await take(this.#start({ process: 2, does: "book", reference: "the last" }));
    await settle();
    const last = this.#actors.at(-1)?.ending;
    if (this.#made.length !== 1) throw new Violation(`${this.#made.length} bookings in the end, the last: ${last}`);
    for (const { state, attemptId, pnr } of this.#model.rows) {
      const made = this.#made.find(({ of }) => of.attemptId === attemptId);
      const isRight = made === undefined ? state === "rejected" : state === "booked" && pnr === made.pnr;
      if (!isRight) throw new Violation(`a row that is ${state} in the end, with the PNR ${pnr}`);
    }
    if (this.#model.rows.every(({ state }) => state !== "booked")) throw new Violation("a booking without a row");
  }

  /** The next step of a world in which nothing fails any more; undefined once nothing is under way. */
  #nextGood(): Step | undefined {
    const waiting = this.#requests.flatMap((request) => (isLate(request) ? [] : this.#stepsOf(request)));
    const [timer] = this.#lateTimers();
    return waiting.find(({ isFault }) => !isFault) ?? (timer && this.#tick(timer));
  }

  /** A trip of another actor must have begun; to be booked again, it must be there still. */
  #canStart({ on, does }: Planned): boolean {
    const other = on === undefined ? undefined : this.#actors[on];
    return on === undefined || (other !== undefined && (does !== "bookAgain" || !other.process.isDead));
  }

  #start(planned: Planned): Step {
    const { does, on, search = "T", process: number } = planned;
    return {
      name: `${does} in process ${number}${on === undefined ? "" : `, on the trip of ${on}`}`,
      isFault: false,
      take: () => {
        const process = this.#processOf(number);
        const index = this.#actors.length;
        const other = on === undefined ? undefined : this.#actors[on];
        const saved = other?.saved ?? savedTrip(search);
        const options = { journal: process.journal, now: process.now };
        const made = () => resumeCheckout(process.api, saved, options);
        const trip = does === "closeRows" ? undefined : does === "bookAgain" ? other?.trip : made();
        const actor: Actor = {
          ...{ index, planned, process, trip, saved, isToldNo: false },
          reference: planned.reference ?? (does === "closeTrip" ? other?.reference : undefined) ?? `order-${index}`,
          ...{ aborter: new AbortController(), history: [`${this.#now}`] },
        };
        this.#actors.push(actor);
        running.run(actor, () => {
          void this.#run(actor).then(
            (ending) => this.#end(actor, ending),
            (error) => this.#end(actor, this.#judge(actor, error)),
          );
        });
      },
    };
  }

  async #run(actor: Actor): Promise<string> {
    const { planned, trip, process, reference } = actor;
    if (trip === undefined) return await this.#closeRows(process);
    if (planned.does === "closeTrip") {
      return (await trip.reconcile(this.#lookUp(reference), reference)).state;
    }
    const { signal } = actor.aborter;
    const booking = await trip.book({ passengers, clientReferenceId: reference }, { signal });
    this.#onBooked(actor, booking);
    return "booked";
  }

  /** Closes all rows after a look-up, as the guide does; what is not overdue, the library has to refuse. */
  async #closeRows({ journal, now }: Process): Promise<string> {
    const endings: string[] = [];
    for (const row of await journal.pending()) {
      const found = this.#lookUp(row.clientReferenceId);
      const closing = reconcile(journal, row, found, { now });
      endings.push(await closing.then(({ state }) => state, kindOf));
    }
    return endings.join();
  }

  #clockOf(process: number): () => number {
    return () => day + (this.#planted.now?.(this.#now, process) ?? this.#now);
  }

  /** Asks the service about a reference. */
  #lookUp(reference: string): LookupResult {
    const made = this.#made.find((booking) => booking.reference === reference);
    return made === undefined ? "notBooked" : { pnr: made.pnr };
  }

  #end(actor: Actor, ending: string): void {
    if (actor.process.isDead) return;
    actor.ending = ending;
    if (actor.trip !== undefined) actor.saved = actor.trip.toJSON();
  }

  #onBooked({ index, attemptId = "" }: Actor, { pnr, warnings }: CheckoutBooking): void {
    const row = this.#model.get(attemptId);
    const isWarned = warnings.some(({ path }) => path[0] === "journal");
    if (pnr !== pnrOf(index)) this.#violate(`the PNR ${pnr} for actor ${index}`);
    if (row?.state !== "booked" && !isWarned) this.#violate("booked, not recorded, and no warning says so");
  }

  /** Returns the ending of an actor that sees an error. */
  #judge(actor: Actor, error: unknown): string {
    if (actor.planned.does === "closeRows") return "the journal failed";
    if (!ServiceApiError.isInstance(error)) {
      this.#violate(`an error without a type: ${String(error)}`);
      return "raw";
    }
    const { kind, outcome } = error;
    if (actor.planned.does !== "closeTrip") actor.isToldNo = outcome !== "unknown";
    if (actor.isToldNo && this.#made.some(({ of }) => of === actor))
      this.#violate(`${kind}: ${outcome}, though booked`);
    return `${kind} (${outcome})`;
  }

  /** A booking must have a row that forbids another one, and that somebody will look up. */
  #checkRow({ attemptId = "" }: Actor, pnr: string): void {
    const row = this.#model.get(attemptId);
    if (row === undefined || row.state === "rejected") this.#violate(`the row of ${pnr} is ${row?.state ?? "missing"}`);
  }

  /** A row that is booked does not change. */
  #checkBooked(): void {
    for (const row of this.#model.rows) {
      const before = this.#booked.get(row.attemptId);
      if (row.state === "booked") this.#booked.set(row.attemptId, before ?? row);
      if (before !== undefined && before !== row) this.#violate(`a row that was booked is ${row.state}`);
    }
  }

  #book(request: Request): unknown {
    const { of } = request;
    const pnr = pnrOf(of.index);
    if (of.isToldNo) this.#violate("booked, though the caller was told that it is not");
    if (this.#made.length > 0) this.#violate("a second booking");
    this.#made.push({ pnr, of, reference: of.reference });
    return booked(pnr);
  }

  #isAtWork(process: Process): boolean {
    return this.#requests.some((request) => request.of.process === process && !isLate(request));
  }

  #isAnyAtWork(): boolean {
    return this.#processes.some((process) => this.#isAtWork(process));
  }

  #canLeave({ planned, ending, aborter, process }: Actor): boolean {
    const isBooking = planned.does !== "closeRows" && planned.does !== "closeTrip";
    return isBooking && ending === undefined && !aborter.signal.aborted && !process.isDead;
  }

  /** The first timer of each process: that of another may fire before it, if its process is busy. */
  #lateTimers(): readonly Timer[] {
    const alive = this.#timers.filter(({ of }) => !of.process.isDead).sort((a, b) => a.due - b.due);
    return [...new Map(alive.toReversed().map((timer) => [timer.of.process, timer])).values()].sort(
      (a, b) => a.due - b.due,
    );
  }

  #setTimer(fire: () => void, delay: number): Timer {
    const of = running.getStore();
    if (of === undefined) throw new Error("A timer of no actor.");
    const timer = { of, due: this.#awake + delay, fire };
    this.#timers.push(timer);
    return timer;
  }

  #stepsOf(request: Request): readonly Step[] {
    const { of, name } = request;
    const step = (what: string, isFault: boolean, take: () => void): Step => ({
      name: `${what}: ${name} of actor ${of.index}`,
      isFault,
      take,
    });
    const fail = (what: string, error = `${name} failed`, code?: string) =>
      step(what, true, () => this.#fail(request, error, code));
    const perform = () => {
      request.result = { value: request.act() };
    };
    const orphan = (what: string) =>
      step(what, true, () => {
        this.#fail(request, "the connection broke", "ECONNRESET");
        request.isOrphan = true;
        this.#requests.push(request);
      });
    const isInTime = name !== "fetch" || this.#now < request.at + processing;
    if (isLate(request)) {
      const arrive = () => {
        perform();
        this.#remove(request);
      };
      const vanish = step("never arrives", false, () => this.#remove(request));
      return [...(isInTime ? [step("arrives late", false, arrive)] : []), ...(name === "fetch" ? [vanish] : [])];
    }
    if (request.result !== undefined) {
      return [step("responds", false, () => this.#respond(request)), fail("acted, its response is lost")];
    }
    const acts = isInTime ? [step("acts", false, perform)] : [];
    if (name !== "fetch")
      return [...acts, fail("fails"), ...(isRead(request) ? [] : [orphan("fails, though on its way")])];
    const refuse = step("is refused", false, () => {
      request.result = { value: undefined };
      this.#respond(request);
    });
    return [
      ...acts,
      ...(isInTime ? [refuse] : []),
      fail("finds the connection refused", "fetch failed", "ECONNREFUSED"),
      orphan("loses its connection"),
    ];
  }

  #respond(request: Request): void {
    const value = request.result?.value;
    this.#come(request, JSON.stringify(brief(value) ?? null));
    request.resolve(value);
  }

  #fail(request: Request, message: string, code?: string): void {
    this.#come(request, message);
    const cause = Object.assign(new Error(message), { code });
    request.reject(request.name === "fetch" ? new TypeError("fetch failed", { cause }) : cause);
  }

  #come(request: Request, what: string): void {
    this.#remove(request);
    request.of.history.push(`${this.#now} ${this.#awake} ${request.name} ${request.content} ${what}`);
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

  #leave(actor: Actor): Step {
    return {
      name: `the user of actor ${actor.index} leaves`,
      isFault: true,
      take: () => {
        actor.history.push(`${this.#now} ${this.#awake} left`);
        running.run(actor, () => actor.aborter.abort(new Error("left")));
      },
    };
  }

  /** A request that was sent may still arrive; a response is lost with whoever waited for it. */
  #dropLost(): void {
    this.#requests = this.#requests.filter(
      (request) => !isLate(request) || (request.result === undefined && !isRead(request)),
    );
  }

  #tick(timer: Timer): Step {
    return {
      name: `time passes until a timer of process ${timer.of.process.index}`,
      isFault: false,
      isTick: true,
      take: () => {
        this.#pass(Math.max(0, timer.due - this.#awake), true);
        for (const one of this.#timers.filter(({ of, due }) => of.process === timer.of.process && due <= this.#awake)) {
          // A timer that an earlier one has cleared does not fire.
          if (!this.#timers.includes(one)) continue;
          this.#timers = this.#timers.filter((each) => each !== one);
          one.of.history.push(`${this.#now} ${this.#awake} timer`);
          running.run(one.of, one.fire);
        }
      },
    };
  }

  #jump(milliseconds: number): Step {
    return {
      name: `the machines are suspended for ${milliseconds / 1_000} s`,
      isFault: false,
      isTick: true,
      take: () => this.#pass(milliseconds, false),
    };
  }

  #pass(milliseconds: number, isAwake: boolean): void {
    this.#now += milliseconds;
    if (isAwake) this.#awake += milliseconds;
  }

  #processOf(index: number): Process {
    const lives = this.#processes.filter((process) => process.index === index);
    const alive = lives.find(({ isDead }) => !isDead);
    if (alive !== undefined) return alive;
    const started = this.#startProcess(index, lives.length);
    this.#processes.push(started);
    return started;
  }

  #startProcess(index: number, life: number): Process {
    const ask = <T>(name: Request["name"], content: string, act: (request: Request) => T): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const of = running.getStore();
        if (of === undefined) throw new Error("A request of no actor.");
        const request: Request = {
          ...{ of, name, content, reject, at: this.#now },
          resolve: resolve as Request["resolve"],
          act: () => act(request),
        };
        this.#requests.push(request);
      });
    const model = this.#model;
    const seen = (row: JournalRow) => {
      const actor = running.getStore();
      if (actor !== undefined && row.clientReferenceId === actor.reference && model.get(row.attemptId) === undefined)
        actor.attemptId ??= row.attemptId;
      return brief(row) as string;
    };
    const kept: BookingJournal = {
      conflict: (row, options) => ask("conflict", seen(row), () => model.conflicts(row, options)[0]),
      claim: (row, options) => ask("claim", seen(row), () => model.claim(row, options)[0]),
      settle: (row, from) => ask("settle", `${from} ${brief(row)}`, () => model.settle(row, from)),
      find: (reference) => ask("find", reference, () => model.find(reference)),
      get: (attemptId) => ask("get", attemptId, () => model.get(attemptId)),
      pending: () => ask("pending", "", () => model.pending()),
    };
    const send: typeof globalThis.fetch = async (_url, init) => {
      const answer = ask("fetch", "", (request) => this.#book(request));
      const request = this.#requests.at(-1);
      init?.signal?.addEventListener("abort", () => {
        if (request === undefined) return;
        request.isOrphan = true;
        this.#dropLost();
      });
      const body = await answer;
      return body === undefined ? new Response(null, { status: 401 }) : Response.json(body);
    };
    const api = new ServiceApi({
      ...{ baseUrl: "https://api.example.com", clientId: "a" },
      clientSecret: this.#planted.areCredentialsSlow ? () => ask("credentials", "", () => "a-secret") : "a-secret",
      fetch: this.#planted.fetch?.(send) ?? send,
    });
    const journal = { ...kept, ...this.#planted.journal?.(kept, model) };
    return { index, life, journal, api, now: this.#clockOf(index), isDead: false };
  }

  /** The random names of attempts, by the actor. */
  #named(text: string): string {
    return this.#actors.reduce(
      (named, { attemptId, index }) => (attemptId === undefined ? named : named.replaceAll(attemptId, `#${index}`)),
      text,
    );
  }

  #violate(what: string): void {
    this.#violation ??= new Violation(what);
  }
}

/** Whether nobody waits for a request any more. */
function isLate({ of, isOrphan }: Request): boolean {
  return isOrphan === true || of.process.isDead;
}

function pnrOf(actor: number): string {
  return `PNR00${actor}`;
}

/** The rows in a value, in a word each. */
function brief(value: unknown): unknown {
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
function savedTrip(search: keyof typeof quotes): SavedCheckout {
  const flight = { traceId: search, token: `flight of ${search}`, startedAt: day };
  return { version: 1, ...flight, shown: { body: quotes[search], at: day }, journaled: true, attempts: [] };
}
