/** Looks up the UPI IDs of many mobile numbers (§4.1). `npx tsx examples/find-many.ts [number …]` */
import { findMany, isUsable } from "serviceapi/verification";
import { connect } from "./connect.ts";

const { api } = connect();
const given = process.argv.slice(2);
const numbers = given.length > 0 ? given : ["60000 00001", "+91 60000 00002", "6000000404", "6000000001", "12"];

const results = findMany(api, numbers, {
  // The account holders of all these numbers have agreed.
  consent: "Y",
  pendingRetries: 3,
  onProgress: ({ done, total }) => process.stderr.write(`${done} of ${total}\n`),
});
for await (const row of results) {
  if (row.kind === "found") console.log(row.index, row.result.vpa, isUsable(row.result) ? "usable" : "not usable");
  else console.log(row.index, row.kind, row.error.message);
}
