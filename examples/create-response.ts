/** Creates an AI response and a follow-up (§4.2). `npx tsx examples/create-response.ts` */
import { connect } from "./connect.ts";

const { api } = connect();

const first = await api.ai.createResponse({
  user: {
    text: "What is written on this boarding pass?",
    images: ["https://example.com/demo/boarding-pass.png"],
  },
});
console.log(first.system.text);

const second = await api.ai.createResponse({
  user: { text: "Now in one sentence." },
  context_token: first.context_token,
});
console.log(second.system.text);
