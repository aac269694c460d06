import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AiResponse, CreateResponseParams, StreamResponseParams } from "../../ai/types.ts";
import type { AreaName } from "../../area.ts";
import type {
  Booking,
  BookParams,
  FareQuote,
  FareQuoteParams,
  FareRule,
  FareRuleParams,
} from "../../flights/types/index.ts";
import type { AutofilledField } from "../../operation.ts";
import type { ClientOptions } from "../../options.ts";
import type { OperationResponse } from "../../transport/classify.ts";
import type { FindVpasParams, VpaResult } from "../../verification/types.ts";
import type { OperationName } from "../catalogue/scenario-names.ts";
import type { ReceivedRequest } from "../service/received-request.ts";
import type { Refusal, StreamRefusal } from "./refusal.ts";

/** A part of a body: the emulator completes it. A list is the whole list, and its elements may be parts. */
export type PartOf<T> = unknown extends T
  ? T
  : T extends string
    ? T | (string & {})
    : T extends readonly (infer Element)[]
      ? readonly PartOf<Element>[]
      : T extends object
        ? { readonly [Name in keyof T]?: PartOf<T[Name]> | undefined }
        : T;

/** A scripted stream (§6.1). */
export interface StreamScript {
  /** The texts of the `response_output` events, numbered from 1. @default one for each word of `text` */
  readonly chunks?: readonly string[] | undefined;
  /** The text of `response_completed`. @default the chunks, joined */
  readonly text?: string | undefined;
  /** Ends the stream with a failure after the chunks, in place of `response_completed`. @default none */
  readonly refusal?: StreamRefusal | undefined;
}

/** A body, a refusal, or a `Response`, which is sent as it is and not checked. */
export type Scripted<Body> = Body | Refusal | Response;

/**
 * A scripted response, or a function that is called for each request with its params. If that returns `undefined`, the
 * request is left to other scripts and to the emulator, and does not count.
 */
export type Script<Params, Body> =
  | Scripted<Body>
  | ((params: Params, request: ReceivedRequest) => Scripted<Body> | undefined | Promise<Scripted<Body> | undefined>);

/** The script of each operation, by its name. */
export interface Scripts {
  /** §4.1. Without `vpa` and `count`, they follow from `vpaList`. */
  readonly "verification.findVpas": Script<FindVpasParams, PartOf<VpaResult>>;
  /** §4.2: the text, or a part of the body. */
  readonly "ai.createResponse": Script<CreateResponseParams, string | PartOf<AiResponse>>;
  /** §6.1: the text, which is sent word by word; its chunks; or a {@link StreamScript}. */
  readonly "ai.stream": Script<StreamResponseParams, string | readonly string[] | StreamScript>;
  /** §4.4. Its quotes can be booked. */
  readonly "flights.fareQuote": Script<FareQuoteParams, PartOf<FareQuote>>;
  /** §4.5. */
  readonly "flights.fareRule": Script<FareRuleParams, PartOf<FareRule>>;
  /** §4.3. A success is listed in `emulator.bookings`. */
  readonly "flights.book": Script<BookParams, PartOf<Booking>>;
}

/** The parts of an operation that a script needs: `defineOperation` returns them. */
export interface ScriptedOperation<Params = unknown, Body = unknown> {
  /** The name in logs and errors. */
  readonly name: string;
  /** The entry of `pathPrefixes`, and the style of refusals. */
  readonly area: AreaName;
  /** The path below the area's prefix. */
  readonly path: string;
  /** Fields that the client fills in, and the service requires. */
  readonly autofill: readonly AutofilledField[];
  /** Schema of the params. */
  readonly params: StandardSchemaV1<Params>;
  /** Schema of the response body. */
  readonly body: StandardSchemaV1<Body>;
  /** Which bodies are successes. Without it their status decides. */
  readonly isSuccess?: (response: OperationResponse, options: ClientOptions) => boolean;
}

/** An operation by its name, or one that `defineOperation` returned. */
export type ScriptTarget = OperationName | ScriptedOperation;

/** The script that an operation takes. */
export type ScriptFor<Target> = Target extends OperationName
  ? Scripts[Target]
  : Target extends ScriptedOperation<infer Params, infer Body>
    ? Script<Params, PartOf<Body>>
    : never;

/** Options of {@link Emulator.script}. */
export interface ScriptOptions {
  /** The number of requests. @default all that follow, until a later scenario or script without `times` replaces it */
  readonly times?: number | undefined;
  /** Milliseconds before the response, on the emulator's clock: with `now`, until `clock.advance()`. @default 0 */
  readonly delay?: number | undefined;
  /**
   * Milliseconds between two events of `ai.stream`, the one operation that takes it, on the emulator's clock.
   *
   * @default `pace` of the emulator, in real time
   */
  readonly eventDelay?: number | undefined;
}

/** Options of {@link Emulator.use}. */
export interface ScenarioOptions {
  /**
   * The one operation to use it for: `flights.book`, or the name of an operation of your own that a script was passed
   * for.
   *
   * @default every operation that knows the scenario
   */
  readonly operation?: OperationName | (string & {}) | undefined;
  /** The number of requests. @default all that follow, until a later scenario or script without `times` replaces it */
  readonly times?: number | undefined;
}
