/**
 * A world whose steps the explorer chooses, one at a time, so that it can choose each: a journal, a service that books,
 * processes with checkouts, people who look bookings up, and a clock.
 */
import type { JournalRow, SavedCheckout } from "../../../../src/flights/index.ts";
import { Code, type Point } from "../../../support/explorer/code.ts";
import { type Step, Violation, type World } from "../../../support/explorer/explore.ts";
import { JournalModel } from "../../journal/journal-model.ts";
import { booked } from "../support.ts";
import {
  type Asked,
  brief,
  CheckoutRun,
  type Effect,
  type Ending,
  type Input,
  type Made,
  type Planned,
  type Planted,
  savedTrip,
  type TimerId,
} from "./process.ts";

/** Milliseconds in which the service makes a booking that it received: the deadline of the call, and some more. */
const processing = 180_000 + 30_000;
/** Milliseconds by which the clock jumps while a machine is suspended: within the time of a row, and beyond it. */
const jumps = [45_000, 300_000];

/** One life of a process: after a crash, another one begins. */
interface Process {
  readonly index: number;
  readonly life: number;
  readonly point: Point<Input, Effect>;
  readonly isDead: boolean;
}

/** An actor, as it looks from outside. */
interface Actor {
  readonly planned: Planned;
  /** The place of its process in the list of all. */
  readonly process: number;
  readonly reference: string;
  /** The trip as it was saved last. */
  readonly saved: SavedCheckout;
  /** The booking attempt that it made. */
  readonly attemptId?: string;
  /** The ending that its code saw, in a word. */
  readonly ending?: string;
  readonly hasLeft?: boolean;
  /** Whether an error has said that nothing is booked under its attempt. */
  readonly isToldNo: boolean;
}

/** A request of an actor that waits for its response. */
interface Request extends Asked {
  /** The place of its actor in the list of all. */
  readonly of: number;
  readonly at: number;
  /** Its result, once it has acted. */
  readonly result?: { readonly value: unknown };
  /** Whether nobody waits for it any more, although it may still arrive. */
  readonly isOrphan?: boolean;
}

interface Timer {
  readonly id: TimerId;
  readonly due: number;
}

/** All that changes. The lists are replaced, and only the journal changes in place. */
interface Moment {
  faults: number;
  ticks: number;
  /** Milliseconds by the clock on the wall, and by that of the timers, which stands still while machines are suspended. */
  now: number;
  awake: number;
  readonly model: JournalModel;
  actors: readonly Actor[];
  processes: readonly Process[];
  made: readonly (Made & { readonly of: number })[];
  booked: readonly JournalRow[];
  requests: readonly Request[];
  timers: readonly Timer[];
}

const writes: readonly Request["name"][] = ["claim", "settle", "fetch"];
const isRead = ({ name }: Request) => !writes.includes(name);

export class BookingWorld implements World {
  readonly #plan: readonly Planned[];
  readonly #planted: Planted;
  readonly #code: Code<Input, Effect>;
  readonly #at: Moment;
  #violation: Violation | undefined;

  constructor(plan: readonly Planned[], planted: Planted = {}, code?: Code<Input, Effect>, at?: Moment) {
    this.#plan = plan;
    this.#planted = planted;
    this.#code = code ?? new Code(() => new CheckoutRun(planted));
    this.#at = at ?? {
      ...{ faults: 0, ticks: 0, now: 0, awake: 0, model: new JournalModel() },
      ...{ actors: [], processes: [], made: [], booked: [], requests: [], timers: [] },
    };
  }

  copy(): BookingWorld {
    return new BookingWorld(this.#plan, this.#planted, this.#code, { ...this.#at, model: this.#at.model.copy() });
  }

  get faults(): number {
    return this.#at.faults;
  }

  get ticks(): number {
    return this.#at.ticks;
  }

  async take(step: Step): Promise<void> {
    if (step.isFault) this.#at.faults++;
    if (step.isTick) this.#at.ticks++;
    await step.take();
    for (const { of, pnr } of this.#at.made) this.#checkRow(of, pnr);
    this.#checkBooked();
    if (this.#violation !== undefined) throw this.#violation;
  }

  steps(): readonly Step[] {
    const { actors, requests, processes } = this.#at;
    const planned = this.#plan[actors.length];
    const working = [...processes.keys()].filter((process) => this.#isAtWork(process));
    return [
      ...(planned === undefined || !this.#canStart(planned) ? [] : [this.#start(planned)]),
      ...requests.flatMap((request) => this.#stepsOf(request)),
      ...working.map((process) => this.#crash(process)),
      ...actors.flatMap((actor, index) => (this.#canLeave(actor) ? [this.#leave(index)] : [])),
      ...this.#lateTimers().map((timer) => this.#tick(timer)),
      ...(working.length > 0 ? jumps.map((jump) => this.#jump(jump)) : []),
    ];
  }

  state(): string {
    const { faults, ticks, now, awake, model, made, actors, requests, processes, timers } = this.#at;
    return JSON.stringify([
      [faults, ticks, now, awake],
      model.rows.map(brief),
      made.map(({ pnr, reference }) => [pnr, reference]),
      actors.map(({ process, ending, saved, isToldNo, attemptId }) => [
        this.#isDead(process) ? "dead" : [process, ending],
        [isToldNo, attemptId, saved.attempts.map(brief)],
      ]),
      processes.map(({ isDead, index, life, point }) => (isDead ? index : [index, life, point.id])),
      requests
        .map((request) => {
          const { of, name, content, at, result } = request;
          const time = name === "fetch" ? at : undefined;
          return JSON.stringify([this.#isLate(request), of, name, content, time, result && [brief(result.value)]]);
        })
        .sort(),
      timers
        .filter(({ id: [of] }) => !this.#isGone(of))
        .map(({ id: [of], due }) => `${of} ${due}`)
        .sort(),
    ]);
  }

  ending(): string {
    const rows = this.#at.model.rows.map(({ state }) => state);
    const endings = this.#at.actors.map(({ planned, ending = "crashed" }) => `${planned.does}: ${ending}`);
    return `${endings.join(", ")}; ${rows.join(", ")}`;
  }

  async finish(take: (step: Step) => Promise<void>): Promise<void> {
    const settle = async () => {
      for (let step = this.#nextGood(); step !== undefined; step = this.#nextGood()) await take(step);
    };
    await settle();
    const hanging = this.#at.actors.findIndex(({ ending, process }) => ending === undefined && !this.#isDead(process));
    if (hanging >= 0) throw new Violation(`actor ${hanging} hangs`);
    // No response can come any more.
    this.#pass(2 * Math.max(...jumps), true);
    await take(this.#start({ process: 2, does: "closeRows" }));
    await settle();
    await take(this.#start({ process: 2, does: "book", reference: "the last" }));
    await settle();
    const last = this.#at.actors.at(-1)?.ending;
    if (this.#at.made.length !== 1)
      throw new Violation(`${this.#at.made.length} bookings in the end, the last: ${last}`);
    for (const { state, attemptId, pnr } of this.#at.model.rows) {
      const made = this.#at.made.find(({ of }) => this.#at.actors[of]?.attemptId === attemptId);
      const isRight = made === undefined ? state === "rejected" : state === "booked" && pnr === made.pnr;
      if (!isRight) throw new Violation(`a row that is ${state} in the end, with the PNR ${pnr}`);
    }
    if (this.#at.model.rows.every(({ state }) => state !== "booked")) throw new Violation("a booking without a row");
  }

  /** The next step of a world in which nothing fails any more; undefined once nothing is under way. */
  #nextGood(): Step | undefined {
    const waiting = this.#at.requests.flatMap((request) => (this.#isLate(request) ? [] : this.#stepsOf(request)));
    const [timer] = this.#lateTimers();
    return waiting.find(({ isFault }) => !isFault) ?? (timer && this.#tick(timer));
  }

  /** A trip of another actor must have begun; to be booked again, it must be there still. */
  #canStart({ on, does }: Planned): boolean {
    const other = on === undefined ? undefined : this.#at.actors[on];
    return on === undefined || (other !== undefined && (does !== "bookAgain" || !this.#isDead(other.process)));
  }

  #start(planned: Planned): Step {
    const { does, on, search = "T", process: number } = planned;
    return {
      name: `${does} in process ${number}${on === undefined ? "" : `, on the trip of ${on}`}`,
      isFault: false,
      take: () => {
        const process = this.#processOf(number);
        const of = this.#at.actors.length;
        const other = on === undefined ? undefined : this.#at.actors[on];
        const saved = other?.saved ?? savedTrip(search);
        const reference = planned.reference ?? (does === "closeTrip" ? other?.reference : undefined) ?? `order-${of}`;
        this.#at.actors = [...this.#at.actors, { planned, process, reference, saved, isToldNo: false }];
        return this.#hand(process, { does: "start", of, planned, begin: { reference, saved } });
      },
    };
  }

  #onEnd(of: number, ending: Ending, saved: SavedCheckout | undefined): void {
    const text = this.#judge(of, ending);
    this.#changeActor(of, { ending: text, ...(saved && { saved }) });
  }

  /** Returns the ending of an actor, in a word. */
  #judge(of: number, ending: Ending): string {
    const { planned, attemptId = "" } = this.#actor(of);
    if (ending.is === "closed") return ending.how;
    if (ending.is === "booked") {
      const row = this.#at.model.get(attemptId);
      if (ending.pnr !== pnrOf(of)) this.#violate(`the PNR ${ending.pnr} for actor ${of}`);
      if (row?.state !== "booked" && !ending.isWarned) this.#violate("booked, not recorded, and no warning says so");
      return "booked";
    }
    if (planned.does === "closeRows") return "the journal failed";
    const { error, kind, outcome } = ending;
    if (kind === undefined) {
      this.#violate(`an error without a type: ${error}`);
      return "raw";
    }
    if (planned.does !== "closeTrip") this.#changeActor(of, { isToldNo: outcome !== "unknown" });
    if (this.#actor(of).isToldNo && this.#at.made.some((made) => made.of === of))
      this.#violate(`${kind}: ${outcome}, though booked`);
    return `${kind} (${outcome})`;
  }

  /** A booking must have a row that forbids another one, and that somebody will look up. */
  #checkRow(of: number, pnr: string): void {
    const row = this.#at.model.get(this.#actor(of).attemptId ?? "");
    if (row === undefined || row.state === "rejected") this.#violate(`the row of ${pnr} is ${row?.state ?? "missing"}`);
  }

  /** A row that is booked does not change. */
  #checkBooked(): void {
    const { booked, model } = this.#at;
    const changed = booked.find((row) => model.get(row.attemptId) !== row);
    if (changed !== undefined) this.#violate(`a row that was booked is ${model.get(changed.attemptId)?.state}`);
    this.#at.booked = model.rows.filter(({ state }) => state === "booked");
  }

  #book(of: number): unknown {
    const pnr = pnrOf(of);
    const { isToldNo, reference } = this.#actor(of);
    if (isToldNo) this.#violate("booked, though the caller was told that it is not");
    if (this.#at.made.length > 0) this.#violate("a second booking");
    this.#at.made = [...this.#at.made, { pnr, of, reference }];
    return booked(pnr);
  }

  #actor(of: number): Actor {
    const actor = this.#at.actors[of];
    if (actor === undefined) throw new Error("An actor that has not begun.");
    return actor;
  }

  #isDead(process: number): boolean {
    return this.#at.processes[process]?.isDead === true;
  }

  #isGone(of: number): boolean {
    return this.#isDead(this.#actor(of).process);
  }

  /** Whether nobody waits for a request any more. */
  #isLate({ of, isOrphan }: Request): boolean {
    return isOrphan === true || this.#isGone(of);
  }

  #isAtWork(process: number): boolean {
    return this.#at.requests.some((request) => this.#actor(request.of).process === process && !this.#isLate(request));
  }

  #canLeave({ planned, ending, hasLeft, process }: Actor): boolean {
    const isBooking = planned.does !== "closeRows" && planned.does !== "closeTrip";
    return isBooking && ending === undefined && hasLeft !== true && !this.#isDead(process);
  }

  /** The first timer of each process: that of another may fire before it, if its process is busy. */
  #lateTimers(): readonly Timer[] {
    const alive = this.#at.timers.filter(({ id: [of] }) => !this.#isGone(of)).sort((a, b) => a.due - b.due);
    const first = new Map(alive.toReversed().map((timer) => [this.#actor(timer.id[0]).process, timer]));
    return [...first.values()].sort((a, b) => a.due - b.due);
  }

  #stepsOf(request: Request): readonly Step[] {
    const { of, name } = request;
    const step = (what: string, isFault: boolean, take: Step["take"]): Step => ({
      name: `${what}: ${name} of actor ${of}`,
      isFault,
      take,
    });
    const fail = (what: string, message = `${name} failed`, code?: string) =>
      step(what, true, () => this.#fail(request, message, code));
    const perform = () => {
      const value = name === "fetch" ? this.#book(of) : request.act(this.#at.model);
      this.#replace(request, { result: { value } });
    };
    const orphan = (what: string) =>
      step(what, true, () => {
        const failed = this.#fail(request, "the connection broke", "ECONNRESET");
        this.#at.requests = [...this.#at.requests, { ...request, isOrphan: true }];
        return failed;
      });
    const isInTime = name !== "fetch" || this.#at.now < request.at + processing;
    if (this.#isLate(request)) {
      const arrive = () => {
        perform();
        this.#remove(request);
      };
      const vanish = step("never arrives", false, () => this.#remove(request));
      return [...(isInTime ? [step("arrives late", false, arrive)] : []), ...(name === "fetch" ? [vanish] : [])];
    }
    if (request.result !== undefined) {
      const { value } = request.result;
      return [step("responds", false, () => this.#respond(request, value)), fail("acted, its response is lost")];
    }
    const acts = isInTime ? [step("acts", false, perform)] : [];
    if (name !== "fetch")
      return [...acts, fail("fails"), ...(isRead(request) ? [] : [orphan("fails, though on its way")])];
    return [
      ...acts,
      ...(isInTime ? [step("is refused", false, () => this.#respond(request, undefined))] : []),
      fail("finds the connection refused", "fetch failed", "ECONNREFUSED"),
      orphan("loses its connection"),
    ];
  }

  #respond(request: Request, value: unknown): Promise<void> {
    const { of, number } = request;
    this.#remove(request);
    return this.#hand(this.#actor(of).process, { does: "respond", of, number, value });
  }

  #fail(request: Request, message: string, code?: string): Promise<void> {
    const { of, number, name } = request;
    this.#remove(request);
    const isOfNetwork = name === "fetch";
    return this.#hand(this.#actor(of).process, { does: "fail", of, number, message, code, isOfNetwork });
  }

  #replace({ of, number }: Pick<Request, "of" | "number">, change: Partial<Request>): void {
    this.#at.requests = this.#at.requests.map((each) =>
      each.of === of && each.number === number ? { ...each, ...change } : each,
    );
  }

  #remove({ of, number }: Request): void {
    this.#at.requests = this.#at.requests.filter((each) => each.of !== of || each.number !== number);
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

  #leave(of: number): Step {
    return {
      name: `the user of actor ${of} leaves`,
      isFault: true,
      take: () => {
        this.#changeActor(of, { hasLeft: true });
        return this.#hand(this.#actor(of).process, { does: "leave", of });
      },
    };
  }

  /** A request that was sent may still arrive; a response is lost with whoever waited for it. */
  #dropLost(): void {
    this.#at.requests = this.#at.requests.filter(
      (request) => !this.#isLate(request) || (request.result === undefined && !isRead(request)),
    );
  }

  #tick({ id, due }: Timer): Step {
    const { process } = this.#actor(id[0]);
    return {
      name: `time passes until a timer of process ${this.#at.processes[process]?.index}`,
      isFault: false,
      isTick: true,
      take: () => {
        this.#pass(Math.max(0, due - this.#at.awake), true);
        const isDue = (timer: Timer) => this.#actor(timer.id[0]).process === process && timer.due <= this.#at.awake;
        const timers = this.#at.timers.filter(isDue).map((timer) => timer.id);
        this.#at.timers = this.#at.timers.filter((timer) => !isDue(timer));
        return this.#hand(process, { does: "tick", timers: timers.sort(([a, m], [b, n]) => a - b || m - n) });
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
    this.#at.now += milliseconds;
    if (isAwake) this.#at.awake += milliseconds;
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

  #changeActor(at: number, change: Partial<Actor>): void {
    this.#at.actors = this.#at.actors.map((each, i) => (i === at ? { ...each, ...change } : each));
  }

  /** Hands something to the code of a process. */
  async #hand(process: number, happening: Happening): Promise<void> {
    const { index, point } = this.#at.processes[process] ?? { index: process, point: this.#code.start };
    const { now, awake, made, actors } = this.#at;
    const looksUp = actors.some(({ planned, process: at }) => at === process && planned.does.startsWith("close"));
    const reaction = await this.#code.react(point, {
      ...{ now: this.#planted.now?.(now, index) ?? now, awake },
      made: looksUp ? made.map(({ pnr, reference }) => ({ pnr, reference })) : [],
      ...happening,
    });
    this.#changeProcess(process, { point: reaction.point });
    for (const effect of reaction.effects) this.#note(effect);
  }

  #note(effect: Effect): void {
    const { of } = effect;
    switch (effect.does) {
      case "ask":
        this.#at.requests = [...this.#at.requests, { ...effect, at: this.#at.now }];
        break;
      case "abandon":
        this.#replace({ of, number: effect.number }, { isOrphan: true });
        this.#dropLost();
        break;
      case "setTimer":
        this.#at.timers = [...this.#at.timers, { id: [of, effect.number], due: effect.due }];
        break;
      case "clearTimer":
        this.#at.timers = this.#at.timers.filter(({ id }) => id[0] !== of || id[1] !== effect.number);
        break;
      case "use":
        if (this.#at.model.get(effect.attemptId) !== undefined) break;
        this.#changeActor(of, { attemptId: this.#actor(of).attemptId ?? effect.attemptId });
        break;
      case "end":
        this.#onEnd(of, effect.ending, effect.saved);
        break;
    }
  }

  #violate(what: string): void {
    this.#violation ??= new Violation(what);
  }
}

/** Something that comes to the code, without the time. */
type Happening<I = Input> = I extends Input ? Omit<I, "now" | "awake" | "made"> : never;

function pnrOf(actor: number): string {
  return `PNR00${actor}`;
}
