/** A world with a store, and with processes that receive webhooks. */
import type { ClaimResult } from "../../../../src/webhooks/index.ts";
import { Code } from "../../../support/explorer/code.ts";
import { type Step, Violation } from "../../../support/explorer/explore.ts";
import type { Effect, Input } from "../../../support/explorer/process.ts";
import { beginning, CodeWorld, type Moment, type Request } from "../../../support/explorer/world.ts";
import { StoreModel } from "../../stores/store-model.ts";
import { options, ReceiverRun, type Receiving, type Sent, tick } from "./process.ts";

const key = "payout:po-1";

/** A delivery, and the process that receives it. */
export interface Planned extends Sent {
  readonly process: number;
}

interface Delivering extends Receiving {
  readonly planned: Planned;
  readonly actor: object;
}

/** All that happened to claims, and to whom. The lists are replaced. */
interface Noted {
  /** The claims under which a handler was started, and those whose work is done, with the place of its process. */
  started: readonly string[];
  done: ReadonlyMap<string, number>;
  /** The claims that the store has called lost. */
  lost: readonly string[];
  takeovers: number;
  /** The number of times that `onConflict` has returned. */
  conflicts: number;
}

export class WebhookWorld extends CodeWorld<Delivering> {
  readonly #noted: Noted;

  constructor(
    plan: readonly Planned[],
    code = new Code<Input<Delivering>, Effect<Delivering>>(() => new ReceiverRun()),
    at: Moment<Delivering> = beginning(new StoreModel()),
    noted: Noted = { started: [], done: new Map(), lost: [], takeovers: 0, conflicts: 0 },
  ) {
    super(plan, code, at);
    this.#noted = noted;
  }

  copy(): WebhookWorld {
    const at = { ...this.at, model: this.at.model.copy() };
    return new WebhookWorld(this.plan, this.code, at, { ...this.#noted });
  }

  ending(): string {
    return this.at.actors.map(({ planned, ending }) => `${planned.status}: ${ending}`).join(", ");
  }

  /** From here on nothing fails: what is under way ends, and a redelivery ends the reference, once its lease is over. */
  async finish(take: (step: Step) => Promise<void>): Promise<void> {
    await this.settle(take);
    this.pass(options.claimLease);
    for (const process of [0, 1]) {
      await take(this.start({ status: "SUCCESS", nonce: this.plan[0]?.nonce, process }));
      await this.settle(take);
      if (this.at.actors.at(-1)?.ending === "FAILED" || !this.#isDone) throw new Violation("a reference that hangs");
    }
  }

  protected stateOf(request: Request<Delivering>): unknown {
    const { of, name, content, result } = request;
    return [this.isLate(request) || of, name, content, result];
  }

  protected stateOfRest(): unknown {
    const { started, done, lost, takeovers, conflicts } = this.#noted;
    return [
      [takeovers, conflicts, this.at.model.state()],
      this.at.actors.map(({ process }, of) => (this.isGone(of) ? "gone" : process)),
      [...started].sort(),
      [...done].map(([token, process]) => `${token} ${this.isDead(process) ? "dead" : process}`).sort(),
      [...lost].sort(),
    ];
  }

  protected cast({ status, nonce }: Planned) {
    return { actor: {}, start: { status, nonce } };
  }

  /** A platform that ends a request ends all that it waits for. */
  protected override isGone(of: number): boolean {
    return this.actor(of).hasLeft === true || super.isGone(of);
  }

  protected canLeave(of: number): boolean {
    const isWaiting = this.at.requests.some((request) => request.of === of && !this.isLate(request));
    return this.actor(of).ending !== undefined && isWaiting;
  }

  protected isWrite({ name }: Request<Delivering>): boolean {
    return name !== "handler" && name !== "onConflict";
  }

  protected choices(request: Request<Delivering>): readonly Step[] {
    const respond = () => this.respond(request, this.act(request));
    if (!this.isWrite(request)) return [this.step("returns", request, respond), this.fault("throws", request)];
    return [
      this.step("acts and responds", request, respond),
      this.step("acts", request, () => this.perform(request)),
      this.fault("fails", request),
      this.orphan("fails, though it is on its way", request),
    ];
  }

  protected override act(request: Request<Delivering>): unknown {
    const { name, of, content } = request;
    if (name === "handler") this.#noted.done = new Map(this.#noted.done).set(content, this.actor(of).process);
    if (name === "onConflict") this.#noted.conflicts++;
    return super.act(request);
  }

  protected override respond(request: Request<Delivering>, value: unknown): Promise<void> {
    const { name, content } = request;
    if (name === "claim" && content === key) {
      const claimed = value as ClaimResult;
      if (claimed.kind === "claimed" && claimed.takenOver) this.#noted.takeovers++;
    }
    if (name === "complete" && value === false) this.#noted.lost = [...this.#noted.lost, content];
    return super.respond(request, value);
  }

  protected timeSteps(): readonly Step[] {
    const take = async () => {
      this.pass(tick);
      for (const process of this.at.processes.keys()) await this.fire(process);
    };
    return this.timers().length > 0 ? [{ name: "tick", isFault: false, isTick: true, take }] : [];
  }

  protected override note(effect: Effect<Delivering>): void {
    if (effect.does === "ask" && effect.name === "handler") this.#onStart(effect.of, effect.content);
    super.note(effect);
  }

  get #isDone(): boolean {
    return this.at.model.find(key)?.state === "done";
  }

  #onStart(of: number, token: string): void {
    const { done, started } = this.#noted;
    if (this.#isDone) this.violate("a handler was started after the commit");
    if (started.includes(token)) this.violate("a handler was started twice under one claim");
    if ([...done.values()].includes(this.actor(of).process))
      this.violate("a process started work again that it had done");
    this.#noted.started = [...started, token];
  }

  protected onEnd(of: number, { response, isTold }: Receiving["ending"]): void {
    this.changeActor(of, { ending: response });
    const { done, takeovers, conflicts } = this.#noted;
    const { status } = this.actor(of).planned;
    const isNotification = status === "DUPLICATE";
    if (response !== "FAILED" && !this.#isDone && !(isNotification && isTold))
      this.violate(`${response} before the commit`);
    if (response === "FAILED" && !isTold) this.violate("FAILED, and no hook was called");
    if (this.#isDone && done.size === 0) this.violate("committed, and not done");
    if (done.size > 1 + takeovers) this.violate("done twice, though no claim was taken over");
    const { effect = "" } = this.at.model.find(key) ?? {};
    const isContradiction = !isNotification && !effect.includes(`status=${status}`);
    if (response === "DUPLICATE" && isContradiction && conflicts === 0) this.violate("a conflict that nobody was told");
  }
}
