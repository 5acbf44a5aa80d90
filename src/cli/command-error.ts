/** Why a command failed: the server's error with its code, or an error on the client's side. */
export class CommandError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The server refused a file: what its message names is in the file, not in a flag. */
export class FileRefused extends CommandError {}

/** The connection was lost before a response: nobody knows how much of the request was done. */
export class ConnectionLost extends CommandError {}

export const badUsage = (message: string) => new CommandError('usage', message)
