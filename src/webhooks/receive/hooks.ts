import { type WebhookAuthError, WebhookError, type WebhookPayloadError } from "../../errors/webhook.ts";
import type { WebhookHooks } from "../types.ts";
import type { DeliveryState } from "./delivery-context.ts";
import { findReference } from "./references.ts";
import type { WaitUntil } from "./wait-until.ts";

/** Calls the hooks that report on one delivery. What they throw changes no response. */
export class Hooks {
  readonly #hooks: WebhookHooks;
  readonly #state: DeliveryState;
  readonly #keepAlive: WaitUntil;

  constructor(hooks: WebhookHooks, state: DeliveryState, keepAlive: WaitUntil) {
    this.#hooks = hooks;
    this.#state = state;
    this.#keepAlive = keepAlive;
  }

  onRefused(error: WebhookAuthError | WebhookPayloadError): void {
    this.#call(
      error,
      () => this.#hooks.onRefused?.(error, this.#state.event),
      (thrown) => this.onError(thrown),
    );
  }

  onError(error: unknown): void {
    this.#call(error, () => this.#hooks.onError?.(error, this.#state.event));
  }

  onLateError(error: unknown): void {
    this.#call(error, () => this.#hooks.onLateError?.(error, this.#state.event));
  }

  #call(error: unknown, hook: () => unknown, onThrow: (error: unknown) => void = () => {}): void {
    addReference(error, this.#state);
    this.#keepAlive((async () => hook())().catch(onThrow));
  }
}

/** A delivery that was refused before it was parsed is searched for its reference. */
function addReference(error: unknown, { event, body }: DeliveryState): void {
  if (!WebhookError.isInstance(error) || error.clientReferenceId !== undefined) return;
  const value = event?.client_referenceId ?? findReference(body);
  // Not by assignment: the error may be of the application's own check, and frozen.
  if (value !== undefined) Reflect.defineProperty(error, "clientReferenceId", { value, enumerable: true });
}
