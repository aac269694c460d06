/** A world with a journal, a service that books, processes with checkouts, and people who look bookings up. */
import type { JournalRow, SavedCheckout } from "../../../../src/flights/index.ts";
import { Code } from "../../../support/explorer/code.ts";
import { type Step, Violation } from "../../../support/explorer/explore.ts";
import type { Effect, Failure, Happening, Input } from "../../../support/explorer/process.ts";
import { beginning, CodeWorld, type Moment, type Request, type Timer } from "../../../support/explorer/world.ts";
import { JournalModel } from "../../journal/journal-model.ts";
import { booked } from "../support.ts";
import { type Booking, brief, CheckoutRun, type Made, type Planned, type Planted, savedTrip } from "./process.ts";

/** Milliseconds in which the service makes a booking that it received: the deadline of the call, and some more. */
const processing = 180_000 + 30_000;
/** Milliseconds by which the clock jumps while a machine is suspended: within the time of a row, and beyond it. */
const jumps = [45_000, 300_000];

interface BookingActors extends Booking {
  readonly planned: Planned;
  readonly actor: {
    readonly reference: string;
    /** The trip as it was saved last. */
    readonly saved: SavedCheckout;
    /** The booking attempt that it made. */
    readonly attemptId?: string;
    /** Whether an error has said that nothing is booked under its attempt. */
    readonly isToldNo: boolean;
  };
}

/** The bookings of the service, and the rows of the journal that are booked. The lists are replaced. */
interface Noted {
  made: readonly (Made & { readonly of: number })[];
  booked: readonly JournalRow[];
}

const writes: readonly Booking["name"][] = ["claim", "settle", "fetch"];
const broken: Failure = { message: "the connection broke", code: "ECONNRESET" };
const refused: Failure = { message: "fetch failed", code: "ECONNREFUSED" };

export class BookingWorld extends CodeWorld<BookingActors> {
  readonly #planted: Planted;
  readonly #noted: Noted;

  constructor(
    plan: readonly Planned[],
    planted: Planted = {},
    code = new Code<Input<BookingActors>, Effect<BookingActors>>(() => new CheckoutRun(planted)),
    at: Moment<BookingActors> = beginning(new JournalModel()),
    noted: Noted = { made: [], booked: [] },
  ) {
    super(plan, code, at);
    this.#planted = planted;
    this.#noted = noted;
  }

  copy(): BookingWorld {
    const at = { ...this.at, model: this.at.model.copy() };
    return new BookingWorld(this.plan, this.#planted, this.code, at, { ...this.#noted });
  }

  ending(): string {
    const rows = this.at.model.rows.map(({ state }) => state);
    const endings = this.at.actors.map(({ planned, ending = "crashed" }) => `${planned.does}: ${ending}`);
    return `${endings.join(", ")}; ${rows.join(", ")}`;
  }

  async finish(take: (step: Step) => Promise<void>): Promise<void> {
    await this.settle(take);
    // No response can come any more.
    this.pass(2 * Math.max(...jumps));
    await take(this.start({ process: 2, does: "closeRows" }));
    await this.settle(take);
    await take(this.start({ process: 2, does: "book", reference: "the last" }));
    await this.settle(take);
    const last = this.at.actors.at(-1)?.ending;
    const { made } = this.#noted;
    if (made.length !== 1) throw new Violation(`${made.length} bookings in the end, the last: ${last}`);
    for (const { state, attemptId, pnr } of this.at.model.rows) {
      const own = made.find(({ of }) => this.actor(of).attemptId === attemptId);
      const isRight = own === undefined ? state === "rejected" : state === "booked" && pnr === own.pnr;
      if (!isRight) throw new Violation(`a row that is ${state} in the end, with the PNR ${pnr}`);
    }
    if (this.at.model.rows.every(({ state }) => state !== "booked")) throw new Violation("a booking without a row");
  }

  protected stateOf(request: Request<BookingActors>): unknown {
    const { of, name, content, at, result } = request;
    const time = name === "fetch" ? at : undefined;
    return [this.isLate(request), of, name, content, time, result && [brief(result.value)]];
  }

  protected stateOfRest(): unknown {
    return [
      this.at.model.rows.map(brief),
      this.#seen(),
      this.at.actors.map(({ process, ending, saved, isToldNo, attemptId }) => [
        this.isDead(process) ? "dead" : [process, ending],
        [isToldNo, attemptId, saved.attempts.map(brief)],
      ]),
    ];
  }

  /** The bookings, as a look-up finds them. */
  #seen(): readonly Made[] {
    return this.#noted.made.map(({ pnr, reference }) => ({ pnr, reference }));
  }

  /** A trip of another actor must have begun; to be booked again, it must be there still. */
  protected override canStart({ on, does }: Planned): boolean {
    const other = on === undefined ? undefined : this.at.actors[on];
    return on === undefined || (other !== undefined && (does !== "bookAgain" || !this.isDead(other.process)));
  }

  protected cast(planned: Planned, of: number) {
    const { does, on, search = "T" } = planned;
    const other = on === undefined ? undefined : this.at.actors[on];
    const saved = other?.saved ?? savedTrip(search);
    const reference = planned.reference ?? (does === "closeTrip" ? other?.reference : undefined) ?? `order-${of}`;
    return { actor: { reference, saved, isToldNo: false }, start: { planned, reference, saved } };
  }

  protected onEnd(of: number, { ending, saved }: Booking["ending"]): void {
    this.changeActor(of, { ending: this.#judge(of, ending) });
    if (saved !== undefined) this.changeActor(of, { saved });
  }

  /** Returns the ending of an actor, in a word. */
  #judge(of: number, ending: Booking["ending"]["ending"]): string {
    const { planned, attemptId = "" } = this.actor(of);
    if (ending.is === "closed") return ending.how;
    if (ending.is === "booked") {
      const row = this.at.model.get(attemptId);
      if (ending.pnr !== pnrOf(of)) this.violate(`the PNR ${ending.pnr} for actor ${of}`);
      if (row?.state !== "booked" && !ending.isWarned) this.violate("booked, not recorded, and no warning says so");
      return "booked";
    }
    if (planned.does === "closeRows") return "the journal failed";
    const { error, kind, outcome } = ending;
    if (kind === undefined) {
      this.violate(`an error without a type: ${error}`);
      return "raw";
    }
    if (planned.does !== "closeTrip") this.changeActor(of, { isToldNo: outcome !== "unknown" });
    if (this.actor(of).isToldNo && this.#noted.made.some((made) => made.of === of))
      this.violate(`${kind}: ${outcome}, though booked`);
    return `${kind} (${outcome})`;
  }

  protected override check(): void {
    for (const { of, pnr } of this.#noted.made) this.#checkRow(of, pnr);
    this.#checkBooked();
  }

  /** A booking must have a row that forbids another one, and that somebody will look up. */
  #checkRow(of: number, pnr: string): void {
    const row = this.at.model.get(this.actor(of).attemptId ?? "");
    if (row === undefined || row.state === "rejected") this.violate(`the row of ${pnr} is ${row?.state ?? "missing"}`);
  }

  /** A row that is booked does not change. */
  #checkBooked(): void {
    const { model } = this.at;
    const changed = this.#noted.booked.find((row) => model.get(row.attemptId) !== row);
    if (changed !== undefined) this.violate(`a row that was booked is ${model.get(changed.attemptId)?.state}`);
    this.#noted.booked = model.rows.filter(({ state }) => state === "booked");
  }

  #book(of: number): unknown {
    const pnr = pnrOf(of);
    const { isToldNo, reference } = this.actor(of);
    if (isToldNo) this.violate("booked, though the caller was told that it is not");
    if (this.#noted.made.length > 0) this.violate("a second booking");
    this.#noted.made = [...this.#noted.made, { pnr, of, reference }];
    return booked(pnr);
  }

  protected canLeave(of: number): boolean {
    const { planned, ending, hasLeft, process } = this.actor(of);
    const isBooking = planned.does !== "closeRows" && planned.does !== "closeTrip";
    return isBooking && ending === undefined && hasLeft !== true && !this.isDead(process);
  }

  /** The first timer of each process: that of another may fire before it, if its process is busy. */
  #lateTimers(): readonly Timer[] {
    const alive = this.timers().toSorted((a, b) => a.due - b.due);
    const first = new Map(alive.toReversed().map((timer) => [this.actor(timer.id[0]).process, timer]));
    return [...first.values()].sort((a, b) => a.due - b.due);
  }

  protected isWrite({ name }: Request<BookingActors>): boolean {
    return writes.includes(name);
  }

  protected override isInTime({ name, at }: Request<BookingActors>): boolean {
    return name !== "fetch" || this.at.now < at + processing;
  }

  protected override stepsOf(request: Request<BookingActors>): readonly Step[] {
    const steps = super.stepsOf(request);
    if (request.name !== "fetch" || !this.isLate(request)) return steps;
    return [...steps, this.step("never arrives", request, () => this.remove(request))];
  }

  protected choices(request: Request<BookingActors>): readonly Step[] {
    const acts = this.isInTime(request) ? [this.step("acts", request, () => this.perform(request))] : [];
    if (request.name !== "fetch") {
      const orphans = this.isWrite(request) ? [this.orphan("fails, though on its way", request, broken)] : [];
      return [...acts, this.fault("fails", request), ...orphans];
    }
    const refuse = this.step("is refused", request, () => this.respond(request, undefined));
    return [
      ...acts,
      ...(this.isInTime(request) ? [refuse] : []),
      this.fault("finds the connection refused", request, refused),
      this.orphan("loses its connection", request, broken),
    ];
  }

  protected override act(request: Request<BookingActors>): unknown {
    return request.name === "fetch" ? this.#book(request.of) : super.act(request);
  }

  protected timeSteps(): readonly Step[] {
    const isBusy = this.busy().length > 0;
    return [
      ...this.#lateTimers().map((timer) => this.#tick(timer)),
      ...(isBusy ? jumps.map((jump) => this.#jump(jump)) : []),
    ];
  }

  #tick({ id, due }: Timer): Step {
    const { process } = this.actor(id[0]);
    return {
      name: `time passes until a timer of process ${this.at.processes[process]?.index}`,
      isFault: false,
      isTick: true,
      take: () => {
        this.pass(Math.max(0, due - this.at.awake));
        return this.fire(process);
      },
    };
  }

  #jump(milliseconds: number): Step {
    return {
      name: `the machines are suspended for ${milliseconds / 1_000} s`,
      isFault: false,
      isTick: true,
      take: () => this.pass(milliseconds, false),
    };
  }

  protected override inputOf(process: number, happening: Happening<BookingActors>): Input<BookingActors> {
    const { processes, actors } = this.at;
    const input = super.inputOf(process, happening);
    const now = this.#planted.now?.(input.now, processes[process]?.index ?? process) ?? input.now;
    const looksUp = actors.some(({ planned, process: at }) => at === process && planned.does.startsWith("close"));
    return { ...input, now, sight: looksUp ? this.#seen() : [] };
  }

  protected override note(effect: Effect<BookingActors>): void {
    const attemptId = effect.does === "ask" ? effect.content.attemptId : undefined;
    if (attemptId !== undefined && this.at.model.get(attemptId) === undefined) {
      this.changeActor(effect.of, { attemptId: this.actor(effect.of).attemptId ?? attemptId });
    }
    super.note(effect);
  }
}

function pnrOf(actor: number): string {
  return `PNR00${actor}`;
}
