/** Finds the UPI IDs of a mobile number (§4.1). `npx tsx examples/find-vpas.ts [number]` */
import { NotFoundError } from "serviceapi";
import { isUsable } from "serviceapi/verification";
import { connect } from "./connect.ts";

const { api } = connect();
const vpa_mobile = process.argv[2] ?? "60000 00001";

try {
  const result = await api.verification.findVpas({ vpa_mobile, consent: "Y" });
  console.log(`${result.name || "(no name)"}: ${result.vpaList.join(", ")}`);
  console.log(isUsable(result) ? "can be paid to" : `not to be paid to: the account is ${result.accountStatus}`);
} catch (error) {
  if (!NotFoundError.isInstance(error)) throw error;
  console.log("No UPI ID is linked to this number.");
}
