import type { ServiceApiError } from "../../errors/base.ts";
import { plainHeaders } from "../../shared/headers.ts";
import { func, millisecondsOrFalse, oneOf, type Rules, readOptions } from "../../shared/options.ts";
import type { RelayFormatName } from "./formats.ts";

/** Options of {@link AiStream.toReadableStream}. */
export interface RelayOptions {
  /**
   * The format of the bytes. Each of them cuts the text between whole characters.
   *
   * - `sse`: the events of §6.1 as server-sent events, each under its own name. A failure is a last event
   *   `stream_error` with `kind` and `message`.
   * - `text`: the text alone. A failure breaks the body off, so that a cut never passes for an end.
   * - `ui-message`: the UI message stream of the Vercel AI SDK, as `useChat` reads it.
   *
   * @default "sse"
   */
  readonly format?: RelayFormatName | undefined;
  /**
   * Milliseconds of silence after which a comment is sent, to keep proxies from closing the connection; `false`
   * disables it. The format `text` has no comments.
   *
   * @default 15_000
   */
  readonly heartbeat?: number | false | undefined;
  /**
   * Returns the message that a person sees after a failure, in the formats that show one. If it throws or does not
   * return a string, the default is shown.
   *
   * @default () => "The response could not be completed."
   */
  readonly errorText?: ((error: ServiceApiError) => string) | undefined;
}

/** Options of {@link AiStream.toResponse}. */
export interface RelayResponseOptions extends RelayOptions {
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const relayRules: Rules<RelayOptions> = {
  format: oneOf("sse", "text", "ui-message"),
  heartbeat: millisecondsOrFalse(),
  errorText: func,
};
const relayResponseRules: Rules<RelayResponseOptions> = { ...relayRules, headers: plainHeaders };

/** Checks the options of a relay and returns a copy of them. */
export function readRelayOptions(owner: string, options: RelayOptions): RelayOptions {
  return readOptions(owner, options, relayRules);
}

/** Checks the options of a relay as a response and returns a copy of them. */
export function readRelayResponseOptions(owner: string, options: RelayResponseOptions): RelayResponseOptions {
  return readOptions(owner, options, relayResponseRules);
}
