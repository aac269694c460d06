/** The airport of a segment (§2.5). */
export interface SegmentPlace {
  /** 3-letter IATA code of the airport. */
  readonly airport_code: string;
  /** Name of the airport. */
  readonly airport_name: string;
  /** Terminal of the airport; may be empty. */
  readonly terminal: string;
  /** Code of the city; it may differ from the airport's (`LON` for `LHR`). */
  readonly city_code: string;
  /** Name of the city. */
  readonly city_name: string;
  /** Code of the country, such as `IN`. */
  readonly country_code: string;
  /** Name of the country. */
  readonly country_name: string;
}

/** Airport and time of a departure (§2.5). */
export interface SegmentOrigin extends SegmentPlace {
  /** Usually wall-clock time at this airport, `YYYY-MM-DD HH:mm:ss`, without a time zone. */
  readonly departure_time: string;
}

/** Airport and time of an arrival (§2.5). */
export interface SegmentDestination extends SegmentPlace {
  /**
   * Usually wall-clock time at this airport, `YYYY-MM-DD HH:mm:ss`. It may lie before the departure by the clock,
   * across time zones.
   */
  readonly arrival_time: string;
}

/** The baggage allowance of a segment (§2.5). */
export interface SegmentBaggage {
  /** Checked baggage, such as `15 KG`. */
  readonly checked_baggage: string;
  /** Cabin baggage, such as `7 KG`. */
  readonly cabin_baggage: string;
}

/** One flight of an itinerary, in a quote and in a booking (§2.5). */
export interface Segment {
  /** Direction of the trip that it belongs to; only `outbound` is documented. */
  readonly trip_indicator: "outbound" | (string & {});
  /** Usually the direction again; only `outbound` is documented. */
  readonly segment_indicator: "outbound" | (string & {});
  /** Usually digits; leading zeros are kept (`007`). */
  readonly flight_number: string;
  /** IATA code of the airline, usually the one that sells the flight. */
  readonly airline_code: string;
  /** Name of that airline. */
  readonly airline_name: string;
  /** Fare class, usually the letter of a booking class. */
  readonly fare_class: string;
  /** Usually the IATA code of the airline that operates the flight. May be empty. */
  readonly operating_carrier: string;
  /** Airport and time of the departure. */
  readonly origin: SegmentOrigin;
  /** Airport and time of the arrival. */
  readonly destination: SegmentDestination;
  /**
   * Duration in hours and minutes, usually of the flight alone, such as `2h 15m`; `durationMinutes` of
   * `serviceapi/flights` parses it.
   */
  readonly duration: string;
  /** Baggage allowance, usually for each passenger. */
  readonly baggage: SegmentBaggage;
  /** Usually the cabin, such as `Economy`; null if the supplier does not say. */
  readonly flight_class: string | null;
  /** Whether there is a stopover; the document does not say at which end, or how long a stopover is. */
  readonly is_stopover: boolean;
  /** Whether an electronic ticket is issued. The field's name has a hyphen. */
  readonly "e-ticket_available": boolean;
  /** Only `Confirmed` is documented. Treat any other value as a flight that is not confirmed. */
  readonly flight_status: "Confirmed" | (string & {});
}
