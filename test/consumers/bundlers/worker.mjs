import { runProgram } from "./program.mjs";

// Where Node's modules are is for the test to say: with a compatibility flag, or on a late date, workerd has some.
export default {
  async fetch(request) {
    try {
      return new Response(await runProgram({ hasNode: new URL(request.url).pathname === "/node" }));
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};
