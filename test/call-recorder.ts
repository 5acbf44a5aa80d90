// Records which functions of src/ call which, and through which files rows are written and requests are sent. It uses V8's own
// debugger: a breakpoint at the start of each function whose condition notes the stack and never holds.
import { subscribe } from 'node:diagnostics_channel'
import { Session } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'
import pg from 'pg'

Error.stackTraceLimit = 200
// For a breakpoint in a function that has baseline code, V8 looks through the whole heap.
setFlagsFromString('--no-sparkplug')

const ROOT = new URL('../src/', import.meta.url).href
const isCounted = (file: string) => !file.startsWith('kit/')

export type Recording = {
  /** The files of src/ outside kit/ in which a function ran, in the order of their first call. */
  files: string[]
  /** Each pair of files of which the first called the second, also by way of kit/. */
  calls: [caller: string, callee: string][]
  /** The tables that a file itself wrote, and `POST` where it sent a request. */
  effects: Map<string, Set<string>>
}

const session = new Session()
session.connect()
await session.post('Debugger.enable')
// To evaluate the conditions while nothing is recorded would take most of the time.
const setActive = (active: boolean) => session.post('Debugger.setBreakpointsActive', { active })
await setActive(false)
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

let recording: Recording | null = null

/** The files of src/ on the stack, the innermost first; without kit/, and a file that calls itself is there once. */
function callers(): string[] {
  const files = [...new Error().stack!.matchAll(/(file:[^\s)]+?):\d+:\d+\)?$/gm)].flatMap(([, url]) =>
    url!.startsWith(ROOT) ? url!.slice(ROOT.length) : []
  )
  return files.filter(isCounted).filter((file, i, all) => file !== all[i - 1])
}

function noteCall(file: string): false {
  if (!recording) return false
  const { files, calls } = recording
  if (!files.includes(file)) files.push(file)
  const caller = callers().find((other) => other !== file)
  if (caller && !calls.some(([from, to]) => from === caller && to === file)) calls.push([caller, file])
  return false
}
;(globalThis as any).noteCall = noteCall

function noteEffect(effect: string): void {
  const [file] = callers()
  if (!recording || !file) return
  recording.effects.set(file, (recording.effects.get(file) ?? new Set()).add(effect))
}

const WRITES = /\b(?:insert\s+into|delete\s+from)\s+(\w+)|\bupdate\s+(\w+)(?:\s+\w+)?\s+set\b/g
const query = pg.Client.prototype.query as (...args: any[]) => any
pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
  const text: string = args[0]?.text ?? args[0]
  for (const [, inserted, updated] of text.matchAll(WRITES)) noteEffect((inserted ?? updated)!)
  return query.apply(this, args)
} as typeof pg.Client.prototype.query
subscribe('undici:request:create', (message) => noteEffect((message as { request: { method: string } }).request.method))

type Covered = { scriptId: string; file: string; functions: { start: number; end: number }[] }

/** The functions of src/ that have run since the last call of this. */
async function takeCoverage(): Promise<Covered[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith(ROOT) && isCounted(url.slice(ROOT.length)))
    .map(({ scriptId, url, functions }) => ({
      scriptId,
      file: url.slice(ROOT.length),
      // The function that begins at 0 is the module itself: it runs when it is imported.
      functions: functions
        .map(({ ranges: [range] }) => ({ start: range!.startOffset, end: range!.endOffset, count: range!.count }))
        .filter(({ start, count }) => start > 0 && count > 0)
    }))
    .filter(({ functions }) => functions.length > 0)
}

/** The files of src/ outside kit/ in which a function runs during `work`. */
export async function filesRunBy(work: () => Promise<unknown>): Promise<Set<string>> {
  await takeCoverage()
  await work()
  return new Set((await takeCoverage()).map(({ file }) => file))
}

const watched = new Set<string>()

/** Has the functions that run during `work` recorded from now on. */
export async function watchCalls(work: () => Promise<unknown>): Promise<void> {
  await takeCoverage()
  await work()
  for (const { scriptId, file, functions } of await takeCoverage()) {
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const locationOf = (offset: number) => {
      const before = scriptSource.slice(0, offset).split('\n')
      return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)!.length }
    }
    for (const { start, end } of functions) {
      // At its first character the statement of the function around it may stop too.
      const [first] = (
        await session.post('Debugger.getPossibleBreakpoints', {
          start: locationOf(start + 1),
          end: locationOf(end)
        })
      ).locations
      const at = first && `${scriptId}:${first.lineNumber}:${first.columnNumber}`
      if (!at || watched.has(at)) continue
      watched.add(at)
      await session.post('Debugger.setBreakpoint', {
        location: first,
        condition: `globalThis.noteCall(${JSON.stringify(file)})`
      })
    }
  }
}

/** Adds what runs during `work` to a recording. */
export async function recordCalls(into: Recording, work: () => Promise<unknown>): Promise<void> {
  recording = into
  await setActive(true)
  try {
    await work()
  } finally {
    recording = null
    await setActive(false)
  }
}

export const emptyRecording = (): Recording => ({ files: [], calls: [], effects: new Map() })
