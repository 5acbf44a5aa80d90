import { Agent, request } from 'undici'
import { guardedConnector } from '#kit/addresses'
import { parseStorableJson } from '#kit/storable-json'

/** More than a line of ids and dates can need. */
const MAX_LINE_BYTES = 1024 * 1024
/** The longest pause between two chunks, and the longest wait for the end of a line; the whole file may take its time. */
const SILENCE_MS = 60_000

const CONNECT_MS = 10_000
const limits = { connections: 4, bodyTimeout: SILENCE_MS, headersTimeout: SILENCE_MS }
const toPlatform = new Agent({ ...limits, connect: { timeout: CONNECT_MS } })
// A link is text from outside: it must not lead to the machines around us.
const toTheWeb = new Agent({
  ...limits,
  connect: guardedConnector({ loopback: false, allow: [] }, { timeout: CONNECT_MS })
})

/** A file behind a link from the platform, which may be on the platform's own host. */
export type PlatformFile = { url: string; isOnPlatform: boolean }

/** The file cannot be downloaded: its link has expired, or its server does not answer. */
export class DownloadFailed extends Error {}

/**
 * Yields the lines of the file behind a link from the platform, chunk by chunk. The link itself grants access: our access
 * token is not sent, and redirects are not followed. A link to another host than the platform's must be https and public. Throws
 * DownloadFailed.
 */
export async function* downloadLines({ url, isOnPlatform }: PlatformFile): AsyncGenerator<string[]> {
  let rest = Buffer.alloc(0)
  try {
    const response = await request(url, { dispatcher: isOnPlatform ? toPlatform : toTheWeb })
    if (response.statusCode !== 200) {
      await response.body.dump()
      throw new DownloadFailed(`The file of the bulk operation answered ${response.statusCode}`)
    }
    let waitingSince = performance.now()
    for await (const chunk of response.body) {
      const bytes = Buffer.concat([rest, chunk as Buffer])
      const end = bytes.lastIndexOf(0x0a)
      rest = bytes.subarray(end + 1)
      if (rest.length > MAX_LINE_BYTES)
        throw new DownloadFailed('The file of the bulk operation has a line without an end')
      if (end < 0 && performance.now() - waitingSince > SILENCE_MS)
        throw new DownloadFailed('The file of the bulk operation comes too slowly')
      if (end < 0) continue
      yield bytes.subarray(0, end).toString('utf8').split('\n')
      waitingSince = performance.now()
    }
  } catch (err) {
    if (err instanceof DownloadFailed) throw err
    throw new DownloadFailed(`The file of the bulk operation did not come whole: ${(err as Error).message}`)
  }
  if (rest.length > 0) yield [rest.toString('utf8')]
}

/** The object on a line of a bulk operation's file. Throws DownloadFailed for a line that is no JSON. */
export function lineObject(line: string): Record<string, unknown> {
  try {
    return parseStorableJson(line) as Record<string, unknown>
  } catch {
    throw new DownloadFailed("The bulk operation's file has a line that is not JSON")
  }
}
