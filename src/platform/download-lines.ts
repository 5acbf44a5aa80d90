import { Agent, request } from 'undici'

/** More than a line of ids and dates can have. */
const MOST_LINE_BYTES = 1024 * 1024
/** Between two pieces of the file; the whole may take as long as it takes. */
const SILENCE_MS = 60_000

const agent = new Agent({
  connections: 4,
  bodyTimeout: SILENCE_MS,
  headersTimeout: SILENCE_MS,
  connect: { timeout: 10_000 }
})

/** The file is not to be had: its link is too old, or the place does not answer. */
export class NoDownload extends Error {}

/**
 * The lines of a file that a link of the platform's leads to, in pieces as they come. The link itself is the right to read
 * it: our access token stays here, and nothing else is followed. Throws NoDownload.
 */
export async function* downloadLines(url: string): AsyncGenerator<string[]> {
  let rest = Buffer.alloc(0)
  try {
    const answer = await request(url, { dispatcher: agent })
    if (answer.statusCode !== 200) {
      await answer.body.dump()
      throw new NoDownload(`The file of the bulk operation answered ${answer.statusCode}`)
    }
    for await (const chunk of answer.body) {
      const bytes = Buffer.concat([rest, chunk as Buffer])
      const end = bytes.lastIndexOf(0x0a)
      rest = bytes.subarray(end + 1)
      if (rest.length > MOST_LINE_BYTES)
        throw new NoDownload('The file of the bulk operation has a line without an end')
      if (end >= 0) yield bytes.subarray(0, end).toString('utf8').split('\n')
    }
  } catch (err) {
    if (err instanceof NoDownload) throw err
    throw new NoDownload(`The file of the bulk operation did not come whole: ${(err as Error).message}`)
  }
  if (rest.length > 0) yield [rest.toString('utf8')]
}
