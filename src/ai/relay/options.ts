import type { ServiceApiError } from "../../errors/base.ts";
import { plainHeaders } from "../../shared/headers.ts";
import { func, millisecondsOrFalse, oneOf, type Rules, readOptions } from "../../shared/options.ts";
import type { RelayFormatName } from "./formats.ts";

/** How a stream is passed on to a screen. */
export interface RelayOptions {
  /**
   * - `sse`: the events of §6.1 as server-sent events, each under its own name. A failure is a last event
   *   `stream_error` with `kind` and `message`.
   * - `text`: the text alone. A failure breaks the body off, so that a cut never passes for an end.
   * - `ui-message`: the UI message stream of the Vercel AI SDK, as `useChat` reads it.
   *
   * Text is cut between whole characters in each of them.
   *
   * @default "sse"
   */
  readonly format?: RelayFormatName | undefined;
  /**
   * Milliseconds without a byte after which a comment is sent, lest a proxy gives up; `false` for never. The format
   * `text` has no comments.
   *
   * @default 15_000
   */
  readonly heartbeat?: number | false | undefined;
  /**
   * What a person is told of a failure, where the format has words for it. One that throws, or gives no text, leaves it
   * to the default.
   *
   * @default () => "The response could not be completed."
   */
  readonly errorText?: ((error: ServiceApiError) => string) | undefined;
}

/** Options of {@link AiStream.toResponse}. */
export interface RelayResponseOptions extends RelayOptions {
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const relayRules: Rules<RelayOptions> = {
  format: oneOf("sse", "text", "ui-message"),
  heartbeat: millisecondsOrFalse(1),
  errorText: func,
};
const relayResponseRules: Rules<RelayResponseOptions> = { ...relayRules, headers: plainHeaders };

/** Checks the options of a relay to a screen and returns a copy of them. */
export function readRelayOptions(owner: string, options: RelayOptions): RelayOptions {
  return readOptions(owner, options, relayRules);
}

/** Checks the options of a relay that is a whole response and returns a copy of them. */
export function readRelayResponseOptions(owner: string, options: RelayResponseOptions): RelayResponseOptions {
  return readOptions(owner, options, relayResponseRules);
}
