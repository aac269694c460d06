import type {
  BarcodeDetails,
  BookedPassenger,
  BookedSeat,
  Passenger,
  ServiceChoice,
} from "../../../flights/types/index.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";
import { extraPrices, type Party, passengerFare } from "./fares.ts";

/** Returns a passenger as booked (§2.9): the echo of the request with a fare, the seats, and the lead's barcodes. */
export function bookedPassenger(quoted: QuotedResult, passenger: Passenger, party: Party, n: number): BookedPassenger {
  const { title, fname, lname, passenger_type, dob, gender, seat = [] } = passenger;
  const { mobile, email, address, city, country_code, country } = passenger;
  const isLead = party.index === 0;
  return {
    passenger_id: 9_000_000 + n * 10 + party.index,
    barcode_details: isLead ? barcodes(quoted, passenger, n) : { Id: 0, Barcode: [] },
    ...{ title, fname, lname, passenger_type, dob, gender },
    ...{ mobile, email, address, city, country_code, country },
    is_lead_passenger: isLead,
    fare: passengerFare(quoted, passenger, party),
    seat: seat.map((choice) => bookedSeat(choice, quoted)),
  };
}

/** Returns one barcode for each direction. */
function barcodes(quoted: QuotedResult, { fname, lname }: Passenger, n: number): BarcodeDetails {
  const directions = [...new Set(quoted.segments.map(({ trip_indicator }) => trip_indicator))];
  return {
    Id: 900_000 + n * 10,
    Barcode: directions.map((_, index) => ({
      Index: index + 1,
      Format: "PDF417",
      Content: `M1${lname}/${fname} DEMO ONLY`,
      BarCodeInBase64: index === 0 ? null : "REVNTw==",
      JourneyWayType: index + 1,
    })),
  };
}

const seatTypes: Readonly<Record<string, string>> = { A: "Window", C: "Aisle", D: "Aisle", F: "Window" };

function bookedSeat({ code, origin, destination }: ServiceChoice, quoted: QuotedResult): BookedSeat {
  const leg = quoted.segments.find(
    (segment) => segment.origin.airport_code === origin && segment.destination.airport_code === destination,
  );
  const seat_no = code.replace(/^\d+/, "");
  return {
    code,
    desc: "Demo seat",
    airline_code: leg?.airline_code ?? quoted.airline_code,
    flight_number: leg?.flight_number ?? "",
    craft_type: "DEMO-320",
    row_no: code.slice(0, code.length - seat_no.length),
    seat_no,
    seat_type: seatTypes[seat_no] ?? "Middle",
    price: extraPrices(quoted).seat,
    currency: quoted.fare.currency,
    origin,
    destination,
  };
}
