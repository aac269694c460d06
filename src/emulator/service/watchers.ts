import type { EmulatedResponse } from "../http/messages.ts";
import type { ReceivedRequest } from "./received-request.ts";

/** The watch over one request. */
export interface Observation {
  /** Called with the names of the rules that the request meets; `undefined` if it meets none. */
  readonly meets: (name: string | undefined) => void;
  /** Called with the response. Returns the one to send: the same bytes at the same times. */
  readonly isSent: (response: EmulatedResponse) => EmulatedResponse;
  /** Called if no response is sent, because the caller left, or because the emulator drops the connection. */
  readonly isDropped: (byCaller: boolean) => void;
}

/** Watches an emulator, as the console does. */
export interface Watcher {
  /** Called with each request to the service. */
  readonly observe: (request: ReceivedRequest) => Observation;
  /** Called when a list, the clock or the rules may have changed. */
  readonly changed: () => void;
  /** Called when everything was forgotten. */
  readonly cleared: () => void;
}

/** All who watch an emulator: nobody, unless it has a console. */
export class Watchers {
  readonly #all = new Set<Watcher>();

  /** Returns the function that ends the watch. */
  add(watcher: Watcher): () => void {
    this.#all.add(watcher);
    return () => void this.#all.delete(watcher);
  }

  observe(request: ReceivedRequest): Observation {
    const observations = [...this.#all].map((watcher) => watcher.observe(request));
    return {
      meets: (name) => {
        for (const each of observations) each.meets(name);
      },
      isSent: (response) => observations.reduce((sent, each) => each.isSent(sent), response),
      isDropped: (byCaller) => {
        for (const each of observations) each.isDropped(byCaller);
      },
    };
  }

  changed(): void {
    for (const watcher of this.#all) watcher.changed();
  }

  cleared(): void {
    for (const watcher of this.#all) watcher.cleared();
  }
}
