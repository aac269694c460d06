/** Returns a stream of these chunks. */
export function streamOf<T>(chunks: Iterable<T>): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
