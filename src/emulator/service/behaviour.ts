import type { ValidationIssue } from "../../errors/base.ts";
import type { EchoRule } from "../../operation.ts";
import type { EmulatedResponse } from "../http/messages.ts";
import type { Settings } from "../options.ts";
import type { BrokenRule, Caller } from "../rules/refusal.ts";
import type { RuledOperation } from "../rules/types.ts";
import type { Clock } from "../state/clock.ts";
import type { State } from "../state/state.ts";

/** A request whose body the `params` of its operation accepted. */
export interface Call<Body> {
  readonly body: Body & { readonly client_referenceId?: string | undefined };
  readonly sample: string | undefined;
  readonly state: State;
  readonly clock: Clock;
  readonly settings: Settings;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** The parts of an operation that the emulator is built from. The client's own operations fit. */
export interface EmulatedOperation<Params> extends Omit<RuledOperation<Params>, "body" | "isSuccess"> {
  readonly echo: readonly EchoRule[];
}

/** Checks the bodies that rules respond for an operation, and makes responses of them. */
export interface Bodies<Params> {
  /** Whether it responds with events, one after the other. */
  readonly hasEvents?: boolean;
  /** The fields of a body, if they are known. */
  readonly fields?: readonly string[] | undefined;
  /** Returns why the service could not send this. */
  check(given: unknown): readonly ValidationIssue[];
  /** @param eventDelay - Milliseconds between two events of a stream. */
  respond(call: Call<Params>, given: unknown, eventDelay: number | undefined): EmulatedResponse;
}

/** The emulator's behaviour for one operation. Its methods are called only with bodies that `operation.params` accepted. */
export interface Behaviour<Params = unknown> {
  readonly operation: EmulatedOperation<Params>;
  readonly samples: readonly string[];
  /** `false` if the body is for another behaviour at the same path. @default all bodies */
  accepts?(body: unknown): boolean;
  respond(call: Call<Params>): EmulatedResponse | Promise<EmulatedResponse>;
  /** Refuses a body that breaks these rules of `operation.params`. @default `refuseFields` */
  refuseBody?(broken: readonly BrokenRule[], caller: Caller, body: unknown): EmulatedResponse;
  readonly bodies: Bodies<Params>;
}
