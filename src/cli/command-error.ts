/** Why a command failed: what the server refused, under its code, or what went wrong on this side of it. */
export class CommandError extends Error {
  readonly code: string
  readonly exitCode: number

  constructor(code: string, message: string, exitCode = 1) {
    super(message)
    this.code = code
    this.exitCode = exitCode
  }
}

export const badUsage = (message: string) => new CommandError('usage', message)
