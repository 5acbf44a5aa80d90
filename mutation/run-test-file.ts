import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from './results.ts'

/** How a test file ended. `error` is what its first failure says. */
export type Ended = { status: 'passed' | 'failed' | 'stopped' | 'broken'; error: string; ms: number }

/** The text of a failure is complete with its last line; a process that is stuck there is not waited for. */
const REST_OF_FAILURE_MS = 500

/**
 * Runs one test file up to its first failure, or until `limitMs`. It has a group of its own, which ends with it: a test that is
 * stopped does not stop the processes that it started.
 */
export async function runTestFile(file: string, env: Record<string, string>, limitMs: number): Promise<Ended> {
  const begin = performance.now()
  const args = ['--import', join(ROOT, 'test/compare-temporal.ts'), '--test-reporter=tap', file]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  }
  let [hasFailed, isLate, error, stderr] = [false, false, '', '']
  const limit = setTimeout(() => {
    isLate = true
    kill()
  }, limitMs)
  process.once('exit', kill)
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-4_000)
  })
  createInterface(child.stdout).on('line', (line) => {
    if (/^\s*not ok (?!.*# (?:TODO|SKIP))/.test(line) && !hasFailed) {
      hasFailed = true
      setTimeout(kill, REST_OF_FAILURE_MS).unref()
    }
    if (hasFailed) error += `${line}\n`
    if (hasFailed && line.trim() === '...') kill()
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(limit)
  process.removeListener('exit', kill)
  kill()
  const ms = performance.now() - begin
  if (isLate && !hasFailed) return { status: 'stopped', error: '', ms }
  if (hasFailed) return { status: 'failed', error, ms }
  return code === 0 ? { status: 'passed', error: '', ms } : { status: 'broken', error: stderr, ms }
}
