import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AutofilledField } from "../../operation.ts";
import type { Area } from "../../options.ts";
import type { Framing } from "../ai/framing.ts";
import type { Clock } from "../state/clock.ts";
import type { Answer } from "../http/response.ts";
import type { Refused } from "./refusals.ts";
import type { State } from "../state/state.ts";

/** The options with every default filled in. */
export interface Settings {
  readonly pace: number;
  readonly framing: Framing;
  readonly strict: boolean;
  readonly sessionMs: number;
  readonly retryAfterSeconds: number;
}

/** A request that kept the rules of its operation. */
export interface Call<Body> {
  readonly body: Body & { readonly client_referenceId?: string | undefined };
  /** The sample that was asked for by name. */
  readonly scenario: string | undefined;
  readonly state: State;
  readonly clock: Clock;
  readonly settings: Settings;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What of an operation the emulator is built from; the client's own values fit. */
export interface EmulatedOperation<Params> {
  readonly name: string;
  readonly area: Area;
  readonly path: string;
  readonly params: StandardSchemaV1<Params>;
  readonly autofill: readonly AutofilledField[];
}

/** How the emulator answers one operation. */
export interface Behaviour {
  readonly operation: EmulatedOperation<unknown>;
  /** The samples that can be asked for by name. */
  readonly scenarios: readonly string[];
  /** `false` where another behaviour at the same path is meant. */
  readonly accepts: (body: unknown) => boolean;
  readonly answer: (call: Call<unknown>) => Answer | Promise<Answer>;
  /** Refuses a body that broke a rule of `operation.params` at these paths. */
  readonly malformed: (issues: readonly Malformed[], who: Refused, body: unknown) => Answer;
}

/** One broken rule. */
export interface Malformed {
  /** Such as `passengers.0.dob`. */
  readonly path: string;
  readonly message: string;
}

/** Binds behaviour to an operation, whose `params` have been checked by the time `answer` is called. */
export function defineBehaviour<Params extends object>(
  operation: EmulatedOperation<Params>,
  behaviour: Omit<Behaviour, "operation" | "answer" | "accepts"> & {
    readonly accepts?: Behaviour["accepts"];
    readonly answer: (call: Call<Params>) => Answer | Promise<Answer>;
  },
): Behaviour {
  return {
    accepts: () => true,
    ...behaviour,
    operation,
    // The one border: `operation.params` has accepted this body.
    answer: (call) => behaviour.answer(call as Call<Params>),
  };
}
