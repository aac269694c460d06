/** A world of processes with real code, their requests and timers, and clocks. All that happens is a step. */
import type { Code, Point } from "./code.ts";
import { type Step, Violation, type World } from "./explore.ts";
import type { Asked, Effect, Failure, Happening, Input, Kind, TimerId } from "./process.ts";

/** The types in which worlds differ. */
export interface WorldKind extends Kind {
  /** Somebody, or something, for whom code is to run in a process. */
  readonly planned: { readonly process: number };
  /** All that only this world notes of an actor. */
  readonly actor: object;
}

/** One life of a process: after a crash, another one begins. */
interface Process<K extends Kind> {
  readonly index: number;
  readonly life: number;
  readonly point: Point<Input<K>, Effect<K>>;
  readonly isDead: boolean;
}

/** An actor, as it looks from outside. */
interface Seen<K extends WorldKind> {
  readonly planned: K["planned"];
  /** The place of its process in the list of all. */
  readonly process: number;
  /** The ending that its code saw, in a word. */
  readonly ending?: string;
  readonly hasLeft?: boolean;
}
type Actor<K extends WorldKind> = Seen<K> & K["actor"];

/** A request of an actor that waits for its response. */
export interface Request<K extends Kind> extends Asked<K> {
  /** The place of its actor in the list of all. */
  readonly of: number;
  readonly at: number;
  /** Its result, once it has acted. */
  readonly result?: { readonly value: unknown };
  /** Whether nobody waits for it any more, although it may still arrive. */
  readonly isOrphan?: boolean;
}

export interface Timer {
  readonly id: TimerId;
  readonly due: number;
}

/** All that changes. The lists are replaced, and only the model changes in place. */
export interface Moment<K extends WorldKind> {
  faults: number;
  ticks: number;
  /** Milliseconds by the clock on the wall, and by that of the timers, which stands still while machines are suspended. */
  now: number;
  awake: number;
  readonly model: K["model"];
  actors: readonly Actor<K>[];
  processes: readonly Process<K>[];
  requests: readonly Request<K>[];
  timers: readonly Timer[];
}

export function beginning<K extends WorldKind>(model: K["model"]): Moment<K> {
  return { faults: 0, ticks: 0, now: 0, awake: 0, model, actors: [], processes: [], requests: [], timers: [] };
}

export abstract class CodeWorld<K extends WorldKind> implements World {
  protected readonly plan: readonly K["planned"][];
  protected readonly code: Code<Input<K>, Effect<K>>;
  protected readonly at: Moment<K>;
  #violation: Violation | undefined;

  constructor(plan: readonly K["planned"][], code: Code<Input<K>, Effect<K>>, at: Moment<K>) {
    this.plan = plan;
    this.code = code;
    this.at = at;
  }

  abstract copy(): World;
  abstract ending(): string;
  abstract finish(take: (step: Step) => Promise<void>): Promise<void>;

  get faults(): number {
    return this.at.faults;
  }

  get ticks(): number {
    return this.at.ticks;
  }

  async take(step: Step): Promise<void> {
    if (step.isFault) this.at.faults++;
    if (step.isTick) this.at.ticks++;
    await step.take();
    this.check();
    if (this.#violation !== undefined) throw this.#violation;
  }

  steps(): readonly Step[] {
    const { actors, requests } = this.at;
    const planned = this.plan[actors.length];
    return [
      ...(planned === undefined || !this.canStart(planned) ? [] : [this.start(planned)]),
      ...requests.flatMap((request) => this.stepsOf(request)),
      ...this.busy().map((process) => this.#crash(process)),
      ...[...actors.keys()].filter((of) => this.canLeave(of)).map((of) => this.#leave(of)),
      ...this.timeSteps(),
    ];
  }

  state(): string {
    const { faults, ticks, now, awake, processes, requests } = this.at;
    return JSON.stringify([
      [faults, ticks, now, awake],
      processes.map(({ isDead, index, life, point }) => (isDead ? index : [index, life, point.id])),
      requests.map((request) => JSON.stringify(this.stateOf(request))).sort(),
      this.timers()
        .map(({ id: [of], due }) => `${of} ${due}`)
        .sort(),
      this.stateOfRest(),
    ]);
  }

  protected abstract stateOf(request: Request<K>): unknown;
  protected abstract stateOfRest(): unknown;

  /** Returns the notes about an actor, and all that it needs to start. */
  protected abstract cast(
    planned: K["planned"],
    of: number,
  ): { readonly actor: K["actor"]; readonly start: K["start"] };
  protected abstract onEnd(of: number, ending: K["ending"]): void;
  protected abstract canLeave(of: number): boolean;
  /** All that may happen next to a request that has not acted, and for whose response somebody waits. */
  protected abstract choices(request: Request<K>): readonly Step[];
  /** Whether a request has an effect outside of its process, even if nobody waits for it any more. */
  protected abstract isWrite(request: Request<K>): boolean;
  /** The steps of the clocks: if timers can fire, the next one first. */
  protected abstract timeSteps(): readonly Step[];

  protected canStart(_planned: K["planned"]): boolean {
    return true;
  }

  /** Checks what must hold after each step. */
  protected check(): void {}

  protected act({ act }: Request<K>): unknown {
    return act(this.at.model, this.at.now);
  }

  /** Whether a request may still act. */
  protected isInTime(_request: Request<K>): boolean {
    return true;
  }

  protected inputOf(_process: number, happening: Happening<K>): Input<K> {
    const { now, awake } = this.at;
    return { now, awake, happening };
  }

  protected violate(what: string): void {
    this.#violation ??= new Violation(what);
  }

  /** Takes the steps of a world in which nothing fails any more, until nothing is under way. */
  protected async settle(take: (step: Step) => Promise<void>): Promise<void> {
    for (let step = this.#nextGood(); step !== undefined; step = this.#nextGood()) await take(step);
    const hanging = this.at.actors.findIndex(({ ending, process }) => ending === undefined && !this.isDead(process));
    if (hanging >= 0) throw new Violation(`actor ${hanging} hangs`);
  }

  #nextGood(): Step | undefined {
    for (const request of this.at.requests) {
      const good = this.isLate(request) ? undefined : this.stepsOf(request).find(({ isFault }) => !isFault);
      if (good !== undefined) return good;
    }
    return this.timers().length > 0 ? this.timeSteps()[0] : undefined;
  }

  protected actor(of: number): Actor<K> {
    const actor = this.at.actors[of];
    if (actor === undefined) throw new Error("An actor that has not begun.");
    return actor;
  }

  protected changeActor(of: number, change: Partial<Seen<K>> | Partial<K["actor"]>): void {
    this.at.actors = this.at.actors.map((each, i) => (i === of ? { ...each, ...change } : each));
  }

  protected isDead(process: number): boolean {
    return this.at.processes[process]?.isDead === true;
  }

  protected isGone(of: number): boolean {
    return this.isDead(this.actor(of).process);
  }

  /** Whether nobody waits for a request any more. */
  protected isLate({ of, isOrphan }: Request<K>): boolean {
    return isOrphan === true || this.isGone(of);
  }

  /** The processes that wait for a response. */
  protected busy(): readonly number[] {
    const waiting = this.at.requests.filter((request) => !this.isLate(request));
    const processes = new Set(waiting.map(({ of }) => this.actor(of).process));
    return [...this.at.processes.keys()].filter((process) => processes.has(process));
  }

  /** The timers that can still fire. */
  protected timers(): readonly Timer[] {
    return this.at.timers.filter(({ id: [of] }) => !this.isGone(of));
  }

  protected start(planned: K["planned"]): Step {
    return {
      name: `start of ${JSON.stringify(planned)}`,
      isFault: false,
      take: () => {
        const process = this.#processOf(planned.process);
        const of = this.at.actors.length;
        const { actor, start } = this.cast(planned, of);
        this.at.actors = [...this.at.actors, { planned, process, ...actor }];
        return this.hand(process, { does: "start", of, start });
      },
    };
  }

  protected stepsOf(request: Request<K>): readonly Step[] {
    if (this.isLate(request)) {
      const arrive = () => {
        this.act(request);
        this.remove(request);
      };
      return this.isInTime(request) ? [this.step("arrives late", request, arrive)] : [];
    }
    if (request.result === undefined) return this.choices(request);
    const { value } = request.result;
    return [
      this.step("responds", request, () => this.respond(request, value)),
      this.fault("acted, its response is lost", request),
    ];
  }

  protected step(what: string, { name, of }: Request<K>, take: Step["take"], isFault = false): Step {
    return { name: `${what}: ${name} of actor ${of}`, isFault, take };
  }

  protected fault(what: string, request: Request<K>, failure?: Failure): Step {
    return this.step(what, request, () => this.#fail(request, failure), true);
  }

  /** A request that fails, and may still arrive. */
  protected orphan(what: string, request: Request<K>, failure?: Failure): Step {
    const take = () => {
      const failed = this.#fail(request, failure);
      this.at.requests = [...this.at.requests, { ...request, isOrphan: true }];
      return failed;
    };
    return this.step(what, request, take, true);
  }

  protected perform(request: Request<K>): void {
    this.#change(request, { result: { value: this.act(request) } });
  }

  protected respond(request: Request<K>, value: unknown): Promise<void> {
    const { of, number } = request;
    this.remove(request);
    return this.hand(this.actor(of).process, { does: "respond", of, number, value });
  }

  #fail(request: Request<K>, failure: Failure = { message: `${request.name} failed` }): Promise<void> {
    const { of, number } = request;
    this.remove(request);
    return this.hand(this.actor(of).process, { does: "fail", of, number, failure });
  }

  #change({ of, number }: Pick<Request<K>, "of" | "number">, change: Partial<Request<K>>): void {
    this.at.requests = this.at.requests.map((each) =>
      each.of === of && each.number === number ? { ...each, ...change } : each,
    );
  }

  protected remove({ of, number }: Request<K>): void {
    this.at.requests = this.at.requests.filter((each) => each.of !== of || each.number !== number);
  }

  #crash(process: number): Step {
    return {
      name: `crash of process ${this.at.processes[process]?.index}`,
      isFault: true,
      take: () => {
        this.#changeProcess(process, { isDead: true });
        this.#dropLost();
      },
    };
  }

  #leave(of: number): Step {
    return {
      name: `actor ${of} leaves`,
      isFault: true,
      take: () => {
        this.changeActor(of, { hasLeft: true });
        this.#dropLost();
        return this.hand(this.actor(of).process, { does: "leave", of });
      },
    };
  }

  /** A request that was sent may still arrive; others, and responses, are lost with whoever waited for them. */
  #dropLost(): void {
    this.at.requests = this.at.requests.filter(
      (request) => !this.isLate(request) || (request.result === undefined && this.isWrite(request)),
    );
  }

  /** Fires the timers of a process that are due. */
  protected async fire(process: number): Promise<void> {
    const due = this.timers().filter((timer) => {
      return this.actor(timer.id[0]).process === process && timer.due <= this.at.awake;
    });
    this.at.timers = this.at.timers.filter((timer) => !due.includes(timer));
    const timers = due.map(({ id }) => id).sort(([a, m], [b, n]) => a - b || m - n);
    if (timers.length > 0) await this.hand(process, { does: "tick", timers });
  }

  protected pass(milliseconds: number, isAwake = true): void {
    this.at.now += milliseconds;
    if (isAwake) this.at.awake += milliseconds;
  }

  #processOf(index: number): number {
    const alive = this.at.processes.findIndex((process) => process.index === index && !process.isDead);
    if (alive >= 0) return alive;
    const life = this.at.processes.filter((process) => process.index === index).length;
    this.at.processes = [...this.at.processes, { index, life, point: this.code.start, isDead: false }];
    return this.at.processes.length - 1;
  }

  #changeProcess(at: number, change: Partial<Process<K>>): void {
    this.at.processes = this.at.processes.map((each, i) => (i === at ? { ...each, ...change } : each));
  }

  /** Hands something to the code of a process. */
  protected async hand(process: number, happening: Happening<K>): Promise<void> {
    const { point } = this.at.processes[process] ?? { point: this.code.start };
    const reaction = await this.code.react(point, this.inputOf(process, happening));
    this.#changeProcess(process, { point: reaction.point });
    for (const effect of reaction.effects) this.note(effect);
  }

  protected note(effect: Effect<K>): void {
    const { of } = effect;
    switch (effect.does) {
      case "ask":
        this.at.requests = [...this.at.requests, { ...effect, at: this.at.now }];
        break;
      case "abandon":
        this.#change({ of, number: effect.number }, { isOrphan: true });
        this.#dropLost();
        break;
      case "setTimer":
        this.at.timers = [...this.at.timers, { id: [of, effect.number], due: effect.due }];
        break;
      case "clearTimer":
        this.at.timers = this.at.timers.filter(({ id }) => id[0] !== of || id[1] !== effect.number);
        break;
      case "end":
        this.onEnd(of, effect.ending);
        break;
    }
  }
}
