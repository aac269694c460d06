import type { SearchToken } from "./tokens.ts";

/** What `fareRule` takes (§4.5). */
export interface FareRuleParams {
  /** From the flight search. */
  readonly trace_id: string;
  /** Token of the flight in the search result. A quote token is refused by the compiler. */
  readonly token: SearchToken;
  /** Your own unique reference. Made by the library where absent. */
  readonly client_referenceId?: string | undefined;
}

/** What `fareRule` answers (§4.5). */
export interface FareRule {
  /** `SUCCESS` on success. */
  readonly status: "SUCCESS" | (string & {});
  /** `200` on success, as text. */
  readonly status_code: "200" | (string & {});
  /** Answer of the service in words. */
  readonly message: string;
  /** The rules and the search session that they belong to. */
  readonly data: FareRuleData;
}

export interface FareRuleData {
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  /** One element a direction. */
  readonly result: readonly FareRuleResult[];
}

/** The rules of one direction (§2.7). */
export interface FareRuleResult {
  /** 3-letter IATA code. */
  readonly origin: string;
  /** 3-letter IATA code. */
  readonly destination: string;
  /** IATA code of the airline. */
  readonly airline: string;
  /** `0` where that does not apply. */
  readonly flight_id: number;
  /** `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` where that does not apply. */
  readonly departure_time: string;
  /** `YYYY-MM-DD HH:mm:ss`, for round trips; `0001-01-01 00:00:00` where that does not apply. */
  readonly return_time: string;
  /** The rules in the words of the airline. Untrusted HTML: never put it into a page as it is. */
  readonly fare_rules: string;
  /** What the fare includes. */
  readonly fare_inclusions: readonly string[];
  /** What the fare forbids, in words; null where it forbids nothing. */
  readonly fare_restriction: string | null;
}
