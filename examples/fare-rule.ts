/** Prints the rules of a fare as the airline states them (§4.5). `npx tsx examples/fare-rule.ts` */
import { connect } from "./connect.ts";

const { api, search } = connect();

const rules = await api.flights.fareRule(search);
for (const { origin, destination, airline, fare_rules, fare_restriction } of rules.data.result) {
  console.log(`${origin}-${destination} with ${airline}: ${fare_restriction ?? "no restriction"}`);
  console.log(fare_rules.slice(0, 120));
}
