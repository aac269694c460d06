/** A passenger of the emulator's default search. Nobody has the number 600000000x. */
export function passenger(fields: Readonly<Record<string, unknown>> = {}) {
  return {
    title: "Mr" as const,
    fname: "RAVI",
    lname: "SAMPLE",
    mobile: "6000000001",
    email: "traveller@example.in",
    passenger_type: "adult" as const,
    dob: "1988-07-14",
    gender: "M" as const,
    address: "11 Placeholder Road",
    city: "Samplepur",
    country: "India",
    country_code: "IN",
    ...fields,
  };
}
