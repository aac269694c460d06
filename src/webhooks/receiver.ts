import { WebhookError } from "../errors/webhook.ts";
import { type Answered, answer } from "./answer.ts";
import type { Auth } from "./authenticate.ts";
import { Deadline } from "./deadline.ts";
import { settleNonces } from "./nonces.ts";
import type { Settings } from "./options.ts";
import { type PipelineTerms, type Progress, runPipeline } from "./pipeline.ts";
import type { DeliverySource } from "./received.ts";
import type { RequestContext, WebhookAnswer, WebhookHandlers, WebhooksOptions } from "./types.ts";
import { findWaitUntil } from "./wait-until.ts";

/** What `handler({…})` has established once for all deliveries. */
export interface ReceiverSetup {
  readonly settings: Settings;
  readonly auth: Auth;
  readonly expectedPayout: NonNullable<WebhooksOptions["expectedPayout"]>;
  readonly handlers: WebhookHandlers;
}

/**
 * Answers one delivery, within `ackDeadline` whatever happens: slow bodies, handlers and stores included (policy 43).
 * Work that is not done by then runs on. Never rejects.
 */
export async function receive(
  source: DeliverySource,
  context: RequestContext | undefined,
  setup: ReceiverSetup,
): Promise<WebhookAnswer> {
  const delivery = new Delivery(context, setup);
  const work = delivery.work(source);
  await Promise.race([work, delivery.deadline.expired]);
  return answer(delivery.conclude(work), delivery.progress, delivery.deadline, setup.settings);
}

class Delivery {
  readonly deadline: Deadline;
  readonly progress: Progress = { nonces: [] };
  /** Made when a handler asks for its signal: few do, and it costs more than the rest of the bookkeeping. */
  #controller: AbortController | undefined;
  readonly #terms: PipelineTerms;
  readonly #context: RequestContext | undefined;
  #result: Answered | undefined;
  #stopTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: RequestContext | undefined, { settings, auth, expectedPayout, handlers }: ReceiverSetup) {
    this.#context = context;
    this.deadline = new Deadline(settings.ackDeadline);
    // Where the answer is due first, as it is by default, this timer starts with the answer: most never need it.
    if (settings.workDeadline < settings.ackDeadline) this.#stopWorkLater(settings.workDeadline);
    this.#terms = {
      settings,
      auth,
      expectedPayout,
      handlers,
      deadline: this.deadline,
      signal: () => this.#signal(),
      store: settings.store,
      claimLease: settings.claimLease,
      workDeadline: settings.workDeadline,
      onConflict: (event, done) => this.#tell(() => this.#terms.handlers.onConflict?.(event, done)),
    };
  }

  /** Runs the steps to their end, also after the answer has left. Never rejects. */
  async work(source: DeliverySource): Promise<void> {
    try {
      this.#result = await runPipeline(source, this.#context, this.#terms, this.progress);
    } catch (error) {
      this.#result = WebhookError.isInstance(error) ? "refused" : "FAILED";
      this.#report(error);
    }
    clearTimeout(this.#stopTimer);
    if (this.deadline.isLate || this.progress.nonces.length === 0) return;
    await this.#settleNonces(this.#result === "SUCCESS" || this.#result === "DUPLICATE");
  }

  /** What to answer now. */
  conclude(work: Promise<void>): Answered {
    this.deadline.stop();
    if (this.#result !== undefined) return this.#result;
    this.#stopWorkLater(this.#terms.workDeadline - this.deadline.elapsed());
    this.#keepAlive(Promise.all([work, this.#settleNonces(false)]));
    return "FAILED";
  }

  /** The work is told to stop, not cut off: were its claim given back, it might be done twice. */
  #stopWorkLater(milliseconds: number): void {
    this.#stopTimer ??= setTimeout(() => {
      const error = new Error(`The work was not done after ${this.#terms.workDeadline} ms (\`workDeadline\`).`);
      this.#signal();
      this.#controller?.abort(error);
      this.#report(error);
    }, milliseconds);
  }

  #signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  async #settleNonces(isUsedUp: boolean): Promise<void> {
    try {
      await settleNonces(this.progress.nonces, isUsedUp, this.#terms.store);
    } catch (error) {
      this.#report(error); // The lease of a nonce runs out by itself.
    }
  }

  #report(error: unknown): void {
    const { handlers, deadline } = this.#terms;
    const { event } = this.progress;
    if (deadline.isLate) this.#tell(() => handlers.onLateError?.(error, event));
    else if (WebhookError.isInstance(error)) this.#tell(() => handlers.onRefused?.(error));
    else this.#tell(() => handlers.onError?.(error, event));
  }

  /** What a hook throws changes no answer. */
  #tell(hook: () => unknown): void {
    this.#keepAlive((async () => hook())().catch(() => {}));
  }

  #keepAlive(work: Promise<unknown>): void {
    findWaitUntil(this.#context)(work);
  }
}
