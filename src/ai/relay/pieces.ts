import type { UiMessageChunk } from "./ui-message-chunk.ts";

/** The key under which a stream starts a relay for another entry point, which may be of another copy of this package. */
export const relayOf: unique symbol = Symbol.for("serviceapi.relay");

/** A piece of a relay: text, which may be empty, or a chunk, which is sent as one event. */
export type RelayPiece = string | UiMessageChunk;

/** Returns the text of a piece, as it is sent. */
export function textOfPiece(piece: RelayPiece): string {
  return typeof piece === "string" ? piece : data(piece);
}

/** Returns a server-sent event without a name. */
export function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
