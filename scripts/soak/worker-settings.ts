/** The settings of a worker, as JSON in its only argument. */
export interface WorkerSettings {
  /** The name of the process, one for each start: letters and digits. */
  readonly process: string;
  readonly port: number;
  readonly seed: number;
  /** The folder of the ledgers and of the file journal. */
  readonly folder: string;
  readonly serviceUrl: string;
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** Milliseconds by which the worker's clock is ahead. */
  readonly ahead: number;
  /** Whether it uses the `fetch` of `serviceapi/node`. */
  readonly ownFetch: boolean;
}

export const bookingsTable = "soak_bookings";
export const journalFile = "bookings.journal";
