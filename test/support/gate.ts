/** Returns a promise, and the function that resolves it. */
export function gate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}
