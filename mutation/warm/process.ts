import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../results.ts'
import type { Answer, Order } from './worker.ts'

/** How a test file ended in a warm process: 'stopped' by its time limit, 'broken' when the process ended by itself. */
export type Ended = { status: 'passed' | 'failed' | 'stopped' | 'broken' } & Answer

const preload = (name: string) => ['--import', pathToFileURL(join(ROOT, name)).href]
const STARTING_MS = 60_000
const NOTHING: Answer = { error: null, isClean: false, ms: 0, parts: {}, refusals: [] }

/** Starts a warm process with the sources in a file; with `active`, that mutant is switched on before anything is loaded. */
export async function startWarmProcess(sources: string, active: string | null = null) {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      ...preload('mutation/warm/hooks.ts'),
      ...preload('test/compare-temporal.ts'),
      join(ROOT, 'mutation/warm/worker.ts')
    ],
    {
      cwd: ROOT,
      env: { ...process.env, MUTATION_WARM: sources, ...(active ? { MUTATION_ACTIVE: active } : {}) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // A group of its own: what a stopped test has started ends with it.
      detached: true
    }
  )
  let stderr = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-4_000)
  })
  let hasEnded = false
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      hasEnded = true
      resolve()
    })
  )
  const stop = () => {
    process.removeListener('exit', stop)
    if (hasEnded) return
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  process.once('exit', stop)

  /** The next message, or null after the time limit or when the process ends. */
  async function answer<T>(limitMs: number): Promise<{ got: T | null; isLate: boolean }> {
    const { promise, resolve } = Promise.withResolvers<{ got: T | null; isLate: boolean }>()
    const take = (got: unknown) => resolve({ got: got as T, isLate: false })
    child.once('message', take)
    const timer = setTimeout(() => resolve({ got: null, isLate: true }), limitMs)
    void ended.then(() => resolve({ got: null, isLate: false }))
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      child.removeListener('message', take)
    }
  }

  const { got } = await answer<{ static: string[] }>(STARTING_MS)
  if (!got) stop()
  return {
    /** The mutants that run when the modules are loaded; null when they could not be loaded. */
    static: got?.static ?? null,
    stderr: () => stderr,
    isAlive: () => !hasEnded && got !== null,
    async run(order: Order, limitMs: number): Promise<Ended> {
      const begin = performance.now()
      // To a process that is just ending it cannot be sent: its end is the answer.
      if (!hasEnded) child.send(order, () => {})
      const { got: said, isLate } = await answer<Answer>(limitMs)
      if (said) return { status: said.error === null ? 'passed' : 'failed', ...said }
      stop()
      return { status: isLate ? 'stopped' : 'broken', ...NOTHING, error: stderr, ms: performance.now() - begin }
    },
    stop
  }
}

export type WarmProcess = Awaited<ReturnType<typeof startWarmProcess>>
