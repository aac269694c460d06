import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AiResponse, CreateResponseParams, StreamResponseParams } from "../../ai/types.ts";
import type { ApiErrorKind } from "../../errors/base.ts";
import type {
  Booking,
  BookParams,
  FareQuote,
  FareQuoteParams,
  FareRule,
  FareRuleParams,
} from "../../flights/types/index.ts";
import type { Operation } from "../../operation.ts";
import type { DisposableIfKnown } from "../../shared/compiler-types.ts";
import type { FindVpasParams, VpaResult } from "../../verification/types.ts";
import type { ReceivedRequest } from "../state/state.ts";
import type { FaultName, ResponseName } from "./names.ts";
import type { Refusal } from "./refusal.ts";

/** A rule, as `on()`, `active` and `unused` return it: the same object each time. */
export interface Rule extends DisposableIfKnown {
  /** Its number, which the route `/__emulator/withdraw` takes. */
  readonly id: number;
  /** The operation; `*` for all of them. */
  readonly operation: string;
  /** The name of its response; `undefined` for a response that has none. */
  readonly name: string | undefined;
  /** The number of requests that it still waits for: `Infinity` without `times`, 0 once it is withdrawn. */
  readonly remaining: number;
  /** Ends it: no further request meets it. So does the end of the block if it is declared with `using`. */
  withdraw(): void;
}

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

/** The text of an AI response as one body. */
export interface TextBody {
  /** `system.text` of the body. */
  readonly text: string;
}

/** The events of a stream (§6.1). */
export interface StreamBody {
  /** The texts of the `response_output` events, numbered from 1. @default one for each word of `text` */
  readonly chunks?: readonly string[] | undefined;
  /** The text of `response_completed`. @default the chunks, joined */
  readonly text?: string | undefined;
  /** Ends the stream with this failure after the chunks, in place of `response_completed`. @default none */
  readonly refusal?: ApiErrorKind | number | undefined;
  /** `message` of the failure. @default that of `refusal()` */
  readonly message?: string | undefined;
}

/** A body, a refusal, a `Response`, which is sent as it is and not checked, or a name. */
export type RuleResponse<Body, Name> = Body | Refusal | Response | Name;

/**
 * A response, or a function that is called for each request with its params. If that returns `undefined`, the request is
 * left to other rules and to the emulator, and does not count.
 */
type Given<Params, Body, Name> =
  | RuleResponse<Body, Name>
  | ((
      params: Params,
      request: ReceivedRequest,
    ) => RuleResponse<Body, Name> | undefined | Promise<RuleResponse<Body, Name> | undefined>);

/** The responses of a rule for each operation, by the operation's name. */
export interface RuleResponses {
  /** §4.1. Without `vpa` and `count`, they follow from `vpaList`. */
  readonly "verification.findVpas": Given<FindVpasParams, PartOf<VpaResult>, ResponseName<"verification.findVpas">>;
  /** §4.2: the text, or a part of the body. */
  readonly "ai.createResponse": Given<
    CreateResponseParams,
    TextBody | PartOf<AiResponse>,
    ResponseName<"ai.createResponse">
  >;
  /** §6.1: the chunks, or a {@link StreamBody}, whose text is sent word by word. */
  readonly "ai.stream": Given<StreamResponseParams, readonly string[] | StreamBody, ResponseName<"ai.stream">>;
  /** §4.4. Its quotes can be booked. */
  readonly "flights.fareQuote": Given<FareQuoteParams, PartOf<FareQuote>, ResponseName<"flights.fareQuote">>;
  /** §4.5. */
  readonly "flights.fareRule": Given<FareRuleParams, PartOf<FareRule>, ResponseName<"flights.fareRule">>;
  /** §4.3. A success is listed in `emulator.bookings`. */
  readonly "flights.book": Given<BookParams, PartOf<Booking>, ResponseName<"flights.book">>;
  /** Of all operations; a sample, of those that have it. */
  readonly "*": RuleResponse<never, ResponseName>;
}

type AnyOperation = Operation<object, unknown>;

/** The parts of an operation that a rule needs: `defineOperation` returns them. */
export interface RuledOperation<Params = unknown, Body = unknown> {
  /** The name in logs and errors. */
  readonly name: string;
  /** The entry of `pathPrefixes`, and the style of refusals. */
  readonly area: AnyOperation["area"];
  /** The path below the area's prefix. */
  readonly path: string;
  /** Fields that the client fills in, and the service requires. */
  readonly autofill: AnyOperation["autofill"];
  /** Schema of the params. */
  readonly params: StandardSchemaV1<Params>;
  /** Schema of the response body. */
  readonly body: StandardSchemaV1<Body>;
  /** Which bodies are successes. Without it their status decides. */
  readonly isSuccess?: NonNullable<AnyOperation["isSuccess"]>;
}

/** An operation by its name, all of them (`*`), or one that `defineOperation` returned. */
export type RuleTarget = keyof RuleResponses | RuledOperation;

/** The responses of a rule for an operation. */
export type ResponseFor<Target> = Target extends keyof RuleResponses
  ? RuleResponses[Target]
  : Target extends RuledOperation<infer Params, infer Body>
    ? Given<Params, PartOf<Body>, FaultName | ApiErrorKind>
    : never;

/** Options of {@link Emulator.on}. */
export interface RuleOptions {
  /** The number of requests. @default all that follow, until a later rule without `times` replaces it */
  readonly times?: number | undefined;
  /** Milliseconds before the response, on the emulator's clock: with `now`, until `clock.advance()`. @default 0 */
  readonly delay?: number | undefined;
  /** Milliseconds of the emulator's clock between two events of `ai.stream`. @default `pace`, in real time */
  readonly eventDelay?: number | undefined;
}
