// Loaded into every test file of a whole run (`run.ts`): notes each statement that the product runs, once per process.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

const directory = process.env.COLLECTED_STATEMENTS
/** Frames of ours in a stack: what lies below src, sandbox, test and so on. */
const FRAME = /(?:file:\/\/)?\/[^\s()]*?\/((?:src|sandbox|test|sdk|bench|trials)\/[^\s():]+\.ts):(\d+)/
/** These pass on the statements of others. */
const PASSED_ON =
  /^src\/kit\/(postgres\/(answer-watch|attempt|connections?|database|pipeline|named-statements|queries)|outbox\/handle-in-time)\.ts$/
/** A text that tests run is looked at this often, in case the product runs it too. */
const LOOKS = 3

const seen = new Map<string, number>()

/** Notes a statement with the place of the product that runs it, and what its parameters are. */
function note(text: string, values: unknown[]): void {
  const looks = seen.get(text) ?? 0
  if (looks >= LOOKS) return
  seen.set(text, looks + 1)
  const place = placeOfCaller()
  if (place && !/^src\/(?!.*\.test(-helper)?\.ts$)/.test(place.file)) return
  seen.set(text, LOOKS)
  const parameters = values.map((value) => String(value).slice(0, 40))
  const line = { file: place?.file ?? '', line: place?.line ?? 0, text, parameters }
  appendFileSync(join(directory!, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`)
}

/** The first frame of ours above the database's own; null when the stack has none. */
function placeOfCaller(): { file: string; line: number } | null {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const { stack = '' } = new Error()
  Error.stackTraceLimit = limit
  for (const frame of stack.split('\n').slice(4)) {
    const [, file, line] = FRAME.exec(frame) ?? []
    if (file && !PASSED_ON.test(file)) return { file, line: Number(line) }
  }
  return null
}

if (directory) {
  const original = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]) {
    const [first, second] = args
    const { text, values } =
      typeof first === 'string'
        ? { text: first, values: second }
        : ((first as { text?: string; values?: unknown } | undefined) ?? {})
    // The store of a transaction is in its text, so there would be one for each store.
    if (typeof text === 'string') {
      const key = text.startsWith('set local') ? text.replace(/'\d+'/, "'0'") : text
      note(key, Array.isArray(values) ? values : [])
    }
    return original.apply(this, args)
  } as typeof pg.Client.prototype.query
}
