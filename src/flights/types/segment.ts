/** The airport of a segment (§2.5). */
export interface SegmentPlace {
  /** 3-letter IATA code of the airport. */
  readonly airport_code: string;
  /** Name of the airport. */
  readonly airport_name: string;
  /** May be empty. */
  readonly terminal: string;
  /** Code of the city; it may differ from the airport's (`LON` for `LHR`). */
  readonly city_code: string;
  /** Name of the city. */
  readonly city_name: string;
  /** Such as `IN`. */
  readonly country_code: string;
  /** Name of the country. */
  readonly country_name: string;
}

/** Where a segment begins (§2.5). */
export interface SegmentOrigin extends SegmentPlace {
  /** Wall-clock time at this airport, `YYYY-MM-DD HH:mm:ss`, without a time zone. */
  readonly departure_time: string;
}

/** Where a segment ends (§2.5). */
export interface SegmentDestination extends SegmentPlace {
  /** Wall-clock time at this airport, `YYYY-MM-DD HH:mm:ss`. It may lie before the departure by the clock, across time zones. */
  readonly arrival_time: string;
}

/** What may be carried on a segment, as text such as `15 KG` (§2.5). */
export interface SegmentBaggage {
  /** What may be checked in, in words such as `15 KG`. */
  readonly checked_baggage: string;
  /** What may be taken aboard, in words such as `7 KG`. */
  readonly cabin_baggage: string;
}

/** One flight of an itinerary, in a quote and in a booking (§2.5). */
export interface Segment {
  /** Direction of the trip that it belongs to; only `outbound` is documented. */
  readonly trip_indicator: "outbound" | (string & {});
  /** Only `outbound` is documented. */
  readonly segment_indicator: "outbound" | (string & {});
  /** Digits as text; leading zeros count (`007`). */
  readonly flight_number: string;
  /** IATA code of the airline that sells the flight. */
  readonly airline_code: string;
  /** Name of the airline that sells the flight. */
  readonly airline_name: string;
  /** Booking class, a letter. */
  readonly fare_class: string;
  /** IATA code of the airline that flies; empty when it is the one that sells. */
  readonly operating_carrier: string;
  /** Where the flight departs from, and when. */
  readonly origin: SegmentOrigin;
  /** Where the flight arrives, and when. */
  readonly destination: SegmentDestination;
  /** Time in the air as text, such as `2h 15m`; `durationMinutes` of `serviceapi/flights` reads it. */
  readonly duration: string;
  /** What is included, for each passenger. */
  readonly baggage: SegmentBaggage;
  /** Cabin, such as `Economy`, where the supplier says. */
  readonly flight_class: string | null;
  /** True for a stop that is longer than a connection. */
  readonly is_stopover: boolean;
  /** Whether an electronic ticket is issued. The field's name has a hyphen. */
  readonly "e-ticket_available": boolean;
  /** `Confirmed` when a seat is held; other values are not documented and mean that the flight is not safe. */
  readonly flight_status: "Confirmed" | (string & {});
}
