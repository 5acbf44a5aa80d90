import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const TOKEN = 'trial-operator-token-0123456789abcdef'

type JsonObject = Record<string, unknown>

/** A free port, for a process that keeps it over several starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts the service as a separate process and waits until it is ready. `env` extends or overrides the environment. */
export async function startProcess(options: {
  databaseUrl: string
  dataDir: string
  port?: number
  sandboxPort?: number
  /** The program of another version; this one's by default. */
  main?: string
  env?: Record<string, string>
}) {
  const child: ChildProcess = spawn(process.execPath, [options.main ?? MAIN, 'serve'], {
    env: {
      ...process.env,
      DATABASE_URL: options.databaseUrl,
      DATA_DIR: options.dataDir,
      PORT: String(options.port ?? 0),
      SANDBOX_PORT: String(options.sandboxPort ?? 0),
      DEMO: 'off',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      PERENNIAL_TOKEN: TOKEN,
      // What a process that was killed has sent is looked for after ten seconds.
      PLATFORM_TIMEOUT_SECONDS: '5',
      ...options.env
    },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  child.once('exit', () => process.removeListener('exit', killWithUs))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const found = /(?:API|Health)\s+(http:\/\/127\.0\.0\.1:\d+)/.exec(output)
      if (found) resolve(found[1]!)
    })
    child.once('exit', (code) => reject(new Error(`The service ended with ${code} before it was ready: ${output}`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  return {
    url,
    pid: child.pid!,
    /** Its exit code, once it has ended; null after a signal that it does not handle. */
    ended: new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code))),
    signal: (name: NodeJS.Signals) => child.kill(name),
    async call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<JsonObject> {
      const response = await request(`${url}/admin/api${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        // Advancing a clock over thousands of renewals responds when they are done.
        headersTimeout: 0
      })
      const parsed = (await response.body.json()) as JsonObject
      if (response.statusCode >= 300)
        throw new Error(`${method} ${path}: ${response.statusCode} ${JSON.stringify(parsed)}`)
      return parsed
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM')
  }
}
