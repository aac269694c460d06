/**
 * Runs one variant of a consumer and prints its line for the table.
 *
 * @param {string} name
 * @param {() => unknown} work Throws, or rejects, if the variant fails.
 */
export async function variant(name, work) {
  const startedAt = performance.now();
  const print = (result, output) => {
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(JSON.stringify({ variant: name, result, seconds, output }));
  };
  try {
    await work();
    print("passed");
  } catch (error) {
    process.exitCode = 1;
    print("failed", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}
