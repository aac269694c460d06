/** Prints an AI response as it arrives (§6.1). `npx tsx examples/stream-response.ts` */
import { StreamError } from "serviceapi";
import { connect } from "./connect.ts";

const { api } = connect();

try {
  for await (const event of api.ai.stream({ user: { text: "Plan a day in Pune" } })) {
    if (event.event === "response_output") process.stdout.write(event.system.text_chunk);
    if (event.event === "response_completed") console.log(`\n(${event.system.text.length} characters)`);
  }
} catch (error) {
  if (!StreamError.isInstance(error)) throw error;
  console.log(`\nThe response was cut off after ${error.partialText.length} characters: ${error.message}`);
}
