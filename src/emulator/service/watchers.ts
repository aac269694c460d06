import type { EmulatedResponse } from "../http/messages.ts";
import type { ReceivedRequest } from "./received-request.ts";

/** The watch over one request. */
export interface Observation {
  /** Called with the names of the rules that the request meets; `undefined` if it meets none. */
  meets(name: string | undefined): void;
  /** Called with the response. Returns the one to send: the same bytes at the same times. */
  isSent(response: EmulatedResponse): EmulatedResponse;
  /** Called if no response is sent, because the caller left, or because the emulator drops the connection. */
  isDropped(byCaller: boolean): void;
}

/** Watches an emulator, as the console does. */
export interface Watcher {
  /** Called with each request to the service. */
  observe(request: ReceivedRequest): Observation;
  /** Called when everything was forgotten. */
  cleared(): void;
}
