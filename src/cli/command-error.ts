/** Why a command failed: what the server refused, under its code, or what went wrong on this side of it. */
export class CommandError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export const badUsage = (message: string) => new CommandError('usage', message)
