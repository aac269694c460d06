/** The real code of a process that receives webhooks. Its actors are deliveries. */
import type { Claim, WebhookCheck, WebhookStore } from "../../../../src/webhooks/index.ts";
import { Webhooks } from "../../../../src/webhooks/index.ts";
import { doneWorkOf } from "../../../../src/webhooks/receive/delivery.ts";
import { type Actor, type Kind, ProcessRun } from "../../../support/explorer/process.ts";
import type { StoreModel } from "../../stores/store-model.ts";

/** Milliseconds by which the clock moves. All deadlines are a few of them. */
export const tick = 2_500;
export const options = { ackTimeout: 2 * tick, workTimeout: 2 * tick, claimLease: 2 * tick } as const;

/** The status of a payout, and the nonce of its delivery. */
export interface Sent {
  readonly status: "SUCCESS" | "FAILED" | "DUPLICATE";
  readonly nonce?: string | undefined;
}

const auth: readonly WebhookCheck[] = [
  {
    name: "nonce",
    check({ header }) {
      const nonce = header("x-nonce");
      return nonce === undefined ? nonce : { nonce };
    },
  },
];

export interface Receiving extends Kind {
  readonly start: Sent;
  readonly ending: { readonly response: string; readonly isTold: boolean };
  readonly name: keyof WebhookStore | "handler" | "onConflict";
  /** The token of a claim; the key for which one is asked. */
  readonly content: string;
  readonly model: StoreModel;
}

interface Delivered extends Actor {
  isTold: boolean;
  /** Whether the platform has ended its request, and all that it waits for with it (Workers). */
  isFrozen: boolean;
  response?: string;
}

export class ReceiverRun extends ProcessRun<Receiving, Delivered> {
  readonly #store: WebhookStore = {
    claim: (name, request) => this.ask("claim", name, (store, now) => store.claim(name, request, now)),
    complete: (claim) => this.ask("complete", claim.token, (store) => store.complete(claim)),
    release: (claim) => this.ask("release", claim.token, (store) => store.release(claim)),
    recordConflict: (name, effect) => this.ask("recordConflict", "", (store) => store.recordConflict(name, effect)),
    find: (name) => this.ask("find", "", (store) => store.find(name)),
    forget: async () => {},
  };
  readonly #receive: (event: object, nonce?: string) => Promise<string>;

  constructor() {
    super();
    const work = (_event: unknown, context: { readonly claim: Claim | undefined }) =>
      this.ask("handler", context.claim?.token ?? "none", () => undefined);
    const receiver = new Webhooks({ auth, findOrder: "none", store: this.#store, ...options }).handler({
      ...{ SUCCESS: work, FAILED: work, REJECTED: work },
      onFailure: () => {
        this.current.isTold = true;
      },
      onConflict: () => this.ask("onConflict", "", () => undefined),
    });
    this.#receive = async (event, nonce) => {
      const headers: Record<string, string> = nonce === undefined ? {} : { "x-nonce": nonce };
      const { body } = await receiver.receive({ headers, body: JSON.stringify(event) });
      return JSON.parse(body).status as string;
    };
  }

  override state(): string {
    return `${super.state()} ${JSON.stringify([...doneWorkOf(this.#store).values()])}`;
  }

  protected stateOf(delivered: Delivered): unknown {
    const { index, history, response, isTold, isFrozen } = delivered;
    return isFrozen ? index : [index, history, response, isTold, this.waitsOf(delivered)];
  }

  protected start(index: number, { status, nonce }: Sent): void {
    const event = { status, client_referenceId: "po-1", transactionId: "T1", txn_amount: 1 };
    const whole = status === "SUCCESS" ? { ...event, utr: "U1" } : event;
    const delivered: Delivered = { index, history: [], requests: [], timers: [], isTold: false, isFrozen: false };
    this.run(delivered, async () => {
      const response = await this.#receive(whole, nonce);
      delivered.response = response;
      return { response, isTold: delivered.isTold };
    });
  }

  protected leave(delivered: Delivered): void {
    delivered.isFrozen = true;
  }

  /** All pauses are whole ticks: their length decides only the order, which is the explorer's. */
  protected override pauseOf(delay: number): number {
    return Math.max(1, Math.round(delay / tick)) * tick;
  }
}
