import type { AsyncDisposableIfKnown } from "../../shared/compiler-types.ts";

/** Options of {@link Emulator.listen}. */
export interface ListenOptions {
  /** The port; `0` picks a free port. @default 0 */
  readonly port?: number | undefined;
  /** The host name or IP address to listen on. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /**
   * Further host names under which requests are accepted, such as the name of a Compose service when `host` is
   * `0.0.0.0`. Loopback names, `host` itself and the IP addresses that requests arrive at are always allowed.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves the console at `/`: a page that shows the requests as they arrive, and controls the emulator. It opens only
   * in a browser that uses a loopback name, such as `http://127.0.0.1:4010/`. `true` needs a loopback `host`.
   *
   * @default false
   */
  readonly console?: boolean | ConsoleOptions | undefined;
}

/** Options of the console. */
export interface ConsoleOptions {
  /**
   * Serves the console on a `host` that is not loopback too, as in a container whose port is published on your machine.
   * Personal data then stays masked.
   *
   * @default false
   */
  readonly allowNonLoopbackHost?: boolean | undefined;
}

/** A listening emulator. */
export interface EmulatorServer extends AsyncDisposableIfKnown {
  /** Its URL: use it as `baseUrl`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}
