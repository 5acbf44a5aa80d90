import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { OPERATOR_TOKEN } from './service-builder.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

type Ran = { code: number; out: string; err: string }

/** The `perennial` command, as a process, against a running service. */
export function commandLine(service: { urls: { public: string } }) {
  const run = (args: string[], env: Record<string, string> = {}): Promise<Ran> =>
    new Promise((resolve) => {
      const given = { ...process.env, PERENNIAL_URL: service.urls.public, PERENNIAL_TOKEN: OPERATOR_TOKEN, ...env }
      execFile(process.execPath, [MAIN, ...args], { env: given }, (err, out, stderr) =>
        resolve({ code: err ? Number(err.code) : 0, out, err: stderr })
      )
    })
  return {
    run,
    /** Runs a command with --json and gives its document; the command must succeed. */
    async json(...args: string[]) {
      const { code, out, err } = await run([...args, '--json'])
      assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
      return JSON.parse(out)
    }
  }
}
