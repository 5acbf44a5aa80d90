import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../src/program.ts'
import { beforeDrop } from './database.ts'
import { OPERATOR_TOKEN } from './service-builder.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** These may go on as another user of the system, or are the service. */
const ONLY_PROCESSES = ['backup', 'restore', 'serve']

/** How long to wait for a line of output. */
const PATIENCE_MS = 20_000

type Ran = { code: number; out: string; err: string }
type Run = (args: string[], env?: Record<string, string>) => Promise<Ran>

/**
 * The `perennial` command against a running service. Most tests need no process for each command, which would take longer to start
 * than the command takes: it runs in theirs. `process` has the same as processes.
 */
export function commandLine(service: { urls: { public: string } }) {
  const known = { ...process.env, PERENNIAL_URL: service.urls.public, PERENNIAL_TOKEN: OPERATOR_TOKEN }
  const run: Run = async (args, env) => {
    assert.ok(!ONLY_PROCESSES.includes(args[0]!), `${args[0]} needs a process of its own`)
    const [out, err] = [printed(), printed()]
    const code = await runProgram(args, { env: { ...known, ...env }, out: out.stream, err: err.stream })
    return { code, out: out.text(), err: err.text() }
  }
  const runProcess: Run = (args, env) =>
    new Promise((resolve) => {
      execFile(process.execPath, [MAIN, ...args], { env: { ...known, ...env } }, (err, out, stderr) =>
        resolve({ code: err ? Number(err.code) : 0, out, err: stderr })
      )
    })
  return {
    run,
    /** Runs a command with --json and returns its document; the command must succeed. */
    json: documentOf(run),
    process: { run: runProcess, json: documentOf(runProcess) },
    /** A command that runs until it is stopped, as a process. */
    start: (...args: string[]) => followed(spawn(process.execPath, [MAIN, ...args], { env: known }))
  }
}

const documentOf =
  (run: Run) =>
  async (...args: string[]) => {
    const { code, out, err } = await run([...args, '--json'])
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
    return JSON.parse(out)
  }

/** A stream of the process, as a file would be: no terminal. */
function printed() {
  const chunks: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _, written) => {
      chunks.push(String(chunk))
      written()
    }
  })
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => chunks.join('') }
}

/** A process whose output lines can be waited for, in order. */
function followed(child: ChildProcess) {
  const lines: string[] = []
  const more = new Set<() => void>()
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  let open = true
  const wakeAll = () => {
    for (const wake of more) wake()
    more.clear()
  }
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      wakeAll()
    })
  }
  ended.then(() => {
    open = false
    wakeAll()
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code] = await ended
    return code
  }
  beforeDrop(async () => void (open && (await end('SIGKILL'))))

  let read = 0
  return {
    lines,
    /** Waits for the next matching line of either stream and returns the match; earlier lines are skipped. */
    async line(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        while (read < lines.length) {
          const found = pattern.exec(lines[read++]!)
          if (found) return found
        }
        assert.ok(open, `It ended without ${pattern}: ${lines.join('\n')}`)
        const woken = new Promise<'more'>((wake) => more.add(() => wake('more')))
        const late = await Promise.race([woken, wait(PATIENCE_MS, 'late', { ref: false })])
        assert.equal(late, 'more', `It does not say ${pattern}: ${lines.join('\n')}`)
      }
    },
    end,
    ended
  }
}
