import type { ServerResponse } from 'node:http'

/**
 * Gives the memory of each chunk of a response back once it is sent. Left to the collection of garbage, eight clients that sync hold
 * some hundred MB. Only for a response whose chunks are read by nobody else, each in memory of its own.
 */
export function freeWhenSent(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: unknown, sent: (err?: Error | null) => void) => boolean
  response.write = ((chunk: unknown) =>
    write(chunk, (err) => {
      // After an error the system may still read it.
      if (!err && chunk instanceof Uint8Array && chunk.buffer instanceof ArrayBuffer) chunk.buffer.transfer(0)
    })) as typeof response.write
}
