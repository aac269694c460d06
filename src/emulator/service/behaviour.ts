import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ValidationIssue } from "../../errors/base.ts";
import type { Operation } from "../../operation.ts";
import type { EmulatedResponse } from "../http/messages.ts";
import type { Settings } from "../options.ts";
import type { BrokenRule, Caller, Refused } from "../rules/refusal.ts";
import type { Clock, Until } from "../state/clock.ts";
import type { ReceivedRequest, State } from "../state/state.ts";

/** A request whose body the `params` of its operation accepted. */
export interface Call<Body> {
  readonly body: Body & { readonly client_referenceId?: string | undefined };
  /** The sample that the request, or a rule, names. */
  readonly sample: string | undefined;
  readonly caller: Caller;
  readonly state: State;
  readonly clock: Clock;
  /** Waits on the clock, until the emulator is reset. */
  readonly until: Until;
  readonly settings: Settings;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** A request that a rule may meet. */
export interface RuledRequest extends Call<unknown> {
  readonly behaviour: Behaviour;
  readonly received: ReceivedRequest;
  /** Resolves to the refusal of the request, if the service refuses it: then it meets no function and no body. */
  readonly refusal: () => Promise<Refused | undefined>;
}

/** The meaning of a rule for a request: a response, or a fault of the response after it was processed. */
export interface Effect {
  readonly respond?: (request: RuledRequest) => EmulatedResponse | Promise<EmulatedResponse>;
  readonly suffer?: (response: EmulatedResponse, request: RuledRequest) => EmulatedResponse | Promise<EmulatedResponse>;
}

/**
 * The emulator's behaviour for one operation. Its methods are called only with bodies that `operation.params` accepted,
 * and throw `Refused` if the service refuses the request.
 */
export interface Behaviour<Params = unknown> {
  readonly operation: Pick<Operation<object, unknown>, "name" | "area" | "path" | "autofill" | "echo"> & {
    readonly params: StandardSchemaV1<Params>;
  };
  readonly samples: readonly string[];
  /** `false` if the body is for another behaviour at the same path. @default all bodies */
  accepts?(body: unknown): boolean;
  respond(call: Call<Params>): EmulatedResponse | Promise<EmulatedResponse>;
  /** Returns the refusal of a body that breaks rules of `operation.params`. @default `refuseFields` */
  refuseBody?(broken: readonly BrokenRule[], caller: Caller): Refused;
  readonly hasEvents?: boolean;
  readonly fields?: readonly string[] | undefined;
  /** Returns why the service could not send this, which a rule responds. */
  check(given: unknown): readonly ValidationIssue[];
  /** @param eventDelay - Milliseconds between two events of a stream. */
  respondWith(call: Call<Params>, given: unknown, eventDelay: number | undefined): EmulatedResponse;
}
