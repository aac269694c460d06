import { type WebhookAuthError, WebhookError, type WebhookPayloadError } from "../errors/webhook.ts";
import { isReference } from "./receive/acknowledgement.ts";
import type { Progress } from "./receive/delivery-state.ts";
import type { WebhookHooks } from "./types.ts";

/** Calls the hooks that report on one delivery. What they throw changes no response. */
export class Hooks {
  readonly #hooks: WebhookHooks;
  readonly #progress: Progress;
  readonly #keepAlive: (work: Promise<unknown>) => void;

  constructor(hooks: WebhookHooks, progress: Progress, keepAlive: (work: Promise<unknown>) => void) {
    this.#hooks = hooks;
    this.#progress = progress;
    this.#keepAlive = keepAlive;
  }

  onRefused(error: WebhookAuthError | WebhookPayloadError): void {
    addReference(error, this.#progress);
    this.#call(
      () => this.#hooks.onRefused?.(error, this.#progress.event),
      (thrown) => this.onError(thrown),
    );
  }

  onError(error: unknown): void {
    addReference(error, this.#progress);
    this.#call(() => this.#hooks.onError?.(error, this.#progress.event));
  }

  onLateError(error: unknown): void {
    addReference(error, this.#progress);
    this.#call(() => this.#hooks.onLateError?.(error, this.#progress.event));
  }

  #call(hook: () => unknown, onThrow: (error: unknown) => void = () => {}): void {
    this.#keepAlive((async () => hook())().catch(onThrow));
  }
}

/** A delivery that ended before it was parsed is looked into for its reference alone. */
function addReference(error: unknown, { event, body }: Progress): void {
  if (!WebhookError.isInstance(error) || error.clientReferenceId !== undefined) return;
  const value = event?.client_referenceId ?? referenceIn(body);
  // Not by assignment: the error may be of the application's own check, and frozen.
  if (value !== undefined) Reflect.defineProperty(error, "clientReferenceId", { value, enumerable: true });
}

function referenceIn(body: Uint8Array | undefined): string | undefined {
  try {
    const { client_referenceId }: { readonly client_referenceId?: unknown } = JSON.parse(
      new TextDecoder().decode(body),
    );
    return isReference(client_referenceId) ? client_referenceId : undefined;
  } catch {
    return undefined;
  }
}
