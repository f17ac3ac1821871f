// What stops a start, in words for the operator: the command line prints the message alone, without a stack.

/** The store cannot be used as it is; `message` says why and what to do. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}
