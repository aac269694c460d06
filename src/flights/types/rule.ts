import type { SearchToken } from "./tokens.ts";

/** The parameters of `fareRule` (§4.5). */
export interface FareRuleParams {
  /** `trace_id` of the flight search. */
  readonly trace_id: string;
  /** Token of the flight in the search result. The compiler refuses a quote token. */
  readonly token: SearchToken;
  /** Your unique reference. @default generated */
  readonly client_referenceId?: string | undefined;
}

/** The response of `fareRule` (§4.5). */
export interface FareRule {
  /** `SUCCESS` on success. */
  readonly status: "SUCCESS" | (string & {});
  /** `200` on success, as a string. */
  readonly status_code: "200" | (string & {});
  /** Message of the service. */
  readonly message: string;
  /** The rules and the search session that they belong to. */
  readonly data: FareRuleData;
}

/** The rules with their search session (§2.7). */
export interface FareRuleData {
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  /** Usually one element for each direction. */
  readonly result: readonly FareRuleResult[];
}

/** The rules of one journey (§2.7). */
export interface FareRuleResult {
  /** 3-letter IATA code. */
  readonly origin: string;
  /** 3-letter IATA code. */
  readonly destination: string;
  /** IATA code of the airline. */
  readonly airline: string;
  /** `0` if not applicable. */
  readonly flight_id: number;
  /** `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` if it does not apply. */
  readonly departure_time: string;
  /** `YYYY-MM-DD HH:mm:ss`, for round trips; `0001-01-01 00:00:00` if it does not apply. */
  readonly return_time: string;
  /** The rules as the airline words them. Untrusted HTML: never put it into a page as it is. */
  readonly fare_rules: string;
  /** Services that the fare includes. */
  readonly fare_inclusions: readonly string[];
  /** Restrictions as text; null if there are none. */
  readonly fare_restriction: string | null;
}
