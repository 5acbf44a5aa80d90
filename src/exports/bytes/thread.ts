// A thread that runs exports: their bytes pass through it, so that the requests of the main thread do not wait behind them.
import { parentPort, workerData } from 'node:worker_threads'
import { isTemporary } from '#kit/postgres'
import { createConnections } from './connections.ts'
import type { FromThread, ThreadOptions, ToThread } from './messages.ts'
import { yieldThread } from './priority.ts'
import { Cancelled, Export } from './run-export.ts'

yieldThread()
const port = parentPort!
const connections = createConnections(workerData as ThreadOptions)
const running = new Map<number, Export>()

const say = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

async function start({ id, plan, encoding }: Extract<ToThread, { kind: 'start' }>): Promise<void> {
  const one = new Export(plan, encoding, (chunk) => say({ kind: 'bytes', id, chunk }, [chunk.buffer]))
  running.set(id, one)
  try {
    const rows = await one.run(connections)
    say({ kind: 'ended', id, rows })
  } catch (err) {
    if (err instanceof Cancelled) say({ kind: 'cancelled', id })
    else {
      const { message, code = null } = err as Error & { code?: string }
      say({ kind: 'failed', id, message, code, isTemporary: isTemporary(err) })
    }
  } finally {
    running.delete(id)
  }
}

async function stop(): Promise<void> {
  await connections.close()
  say({ kind: 'stopped' })
  port.close()
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'start') void start(message)
  else if (message.kind === 'taken') running.get(message.id)?.taken(message.bytes)
  else if (message.kind === 'cancel') running.get(message.id)?.cancel()
  else void stop()
})
