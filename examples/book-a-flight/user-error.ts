/** An error that the user of the program can correct. Its message is enough. */
export class UserError extends Error {
  override readonly name = "UserError";
}
