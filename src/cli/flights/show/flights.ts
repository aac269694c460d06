import { itinerary, type Layover, type Leg } from "../../../flights/quote/itinerary.ts";
import { durationMinutes, timeOrNull } from "../../../flights/quote/times.ts";
import type { Segment } from "../../../flights/types/index.ts";
import { type Column, formatTable, type Row } from "../../shared/table.ts";

const columns: readonly Column[] = [
  { title: "Flight" },
  { title: "From" },
  { title: "Departs" },
  { title: "To" },
  { title: "Arrives" },
  { title: "Time", align: "right" },
  { title: "Class" },
  { title: "Baggage" },
];

/** Formats the flights of a trip leg by leg, in the local times of the airports. */
export function formatFlights(trip: { readonly segments: readonly Segment[] }): string {
  const { legs } = itinerary(trip);
  return legs.length === 0 ? "The response names no flights." : formatTable(columns, legs.flatMap(legLines));
}

/** Formats whole minutes, such as `2 h 05`. */
export function formatMinutes(minutes: number | null): string {
  if (minutes === null) return "";
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
}

function legLines({ direction, segments, layovers, minutes, origin, destination, departure }: Leg): Row[] {
  const flights = segments.flatMap((segment, i): Row[] => {
    const layover = layovers[i];
    const remark = remarkOn(segment);
    return [
      flightCells(segment),
      ...(remark === "" ? [] : [`  ${remark}`]),
      ...(layover === undefined ? [] : [`  ${layoverText(layover)}`]),
    ];
  });
  const route = origin === "" && destination === "" ? "flight" : `${origin}-${destination}`;
  const facts = [`${direction} ${route}`.trim(), departure?.slice(0, 10), formatMinutes(minutes)];
  return [facts.filter(Boolean).join(", "), ...flights];
}

function flightCells(segment: Segment): string[] {
  const { origin, destination, baggage, flight_class, fare_class } = segment;
  const departure = timeOrNull(origin.departure_time);
  const arrival = timeOrNull(destination.arrival_time);
  const minutes = durationMinutes(segment.duration);
  return [
    `${segment.airline_code} ${segment.flight_number}`.trim(),
    placeName(origin),
    departure?.slice(5, 16) ?? "not known",
    placeName(destination),
    arrivalText(departure, arrival),
    minutes === null ? segment.duration : formatMinutes(minutes),
    [flight_class ?? "", fare_class].filter(Boolean).join(" "),
    [baggage.checked_baggage, baggage.cabin_baggage].filter(Boolean).join(" + "),
  ];
}

function placeName({ airport_code, terminal }: { readonly airport_code: string; readonly terminal: string }): string {
  return terminal === "" ? airport_code : `${airport_code} T${terminal}`;
}

/** The time alone on the day of the departure. */
function arrivalText(departure: string | null, arrival: string | null): string {
  if (arrival === null) return "not known";
  return departure?.slice(0, 10) === arrival.slice(0, 10) ? arrival.slice(11, 16) : arrival.slice(5, 16);
}

function remarkOn({ airline_code, operating_carrier, flight_status }: Segment): string {
  const isOther = operating_carrier !== "" && operating_carrier !== airline_code;
  const isOpen = flight_status !== "" && flight_status.toLowerCase() !== "confirmed";
  return [
    ...(isOther ? [`operated by ${operating_carrier}`] : []),
    ...(isOpen ? [`status ${flight_status}`] : []),
  ].join(", ");
}

function layoverText({ airport, changeTo, minutes, overnight }: Layover): string {
  const where = changeTo === null ? airport : `${airport}, change to ${changeTo}`;
  return `layover ${where}${minutes === null ? "" : `, ${formatMinutes(minutes)}`}${overnight ? ", overnight" : ""}`;
}
