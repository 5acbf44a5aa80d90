import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bool, row, sql } from '#kit/postgres'
import type { BuiltStore } from '../test/store-builder.ts'

export type ToWorker = 'go' | 'stop' | 'end'
export type Ran = {
  seconds: number
  cpuSeconds: number
  statements: number
  roundTrips: number
  transactions: number
}
export type FromWorker = { ready: true } | { charged: string[] } | { heapMb: number } | { ran: Ran }

const WORKER = fileURLToPath(new URL('./billing-worker.ts', import.meta.url))
const LOOK_EVERY_MS = 100

export type BillingWorker = Awaited<ReturnType<typeof startBillingWorker>>

/** A process that bills the store on request. `execArgv` are further arguments of Node. */
export async function startBillingWorker(url: string, { storeId }: BuiltStore, execArgv: string[] = []) {
  const child: ChildProcess = fork(WORKER, [url, String(storeId)], { execArgv: ['--expose-gc', ...execArgv] })
  const keys: string[] = []
  const heapMb: number[] = []
  let onMessage = (_: FromWorker) => {}
  const ended = once(child, 'exit')
  child.on('message', (message: FromWorker) => {
    if ('charged' in message) keys.push(...message.charged)
    else if ('heapMb' in message) heapMb.push(message.heapMb)
    onMessage(message)
  })
  const next = <T extends FromWorker>(is: (message: FromWorker) => message is T) =>
    new Promise<T>((resolve, reject) => {
      void ended.then(([code]) => reject(new Error(`A billing worker ended with ${code}`)))
      onMessage = (message) => {
        if (is(message)) resolve(message)
      }
    })
  await next((message): message is { ready: true } => 'ready' in message)
  return {
    /** The idempotency keys of its charges. */
    keys,
    /** Its heap size after garbage collection, once a second. */
    heapMb,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    go: () => void child.send('go' satisfies ToWorker),
    async stop(): Promise<Ran> {
      const ran = next((message): message is { ran: Ran } => 'ran' in message)
      child.send('stop' satisfies ToWorker)
      return (await ran).ran
    },
    async end() {
      child.send('end' satisfies ToWorker)
      await ended
    }
  }
}

/** Returns when the workers have made `charges` charges together. */
export async function untilCharged(workers: BillingWorker[], charges: number): Promise<void> {
  await until(workers, async () => workers.reduce((sum, { keys }) => sum + keys.length, 0) >= charges)
}

/** Returns when the store has no due work left. */
export async function untilDone(workers: BillingWorker[], { inStore }: BuiltStore): Promise<void> {
  const left = () =>
    inStore(({ tx, storeId, now }) =>
      tx.one(
        row({ isLeft: bool }),
        sql`
        select exists (select from subscriptions where store_id = ${storeId} and billing_due_at <= ${now})
            or exists (select from billing_attempts where store_id = ${storeId} and status = 'pending')
            or exists (select from jobs where store_id = ${storeId})
            or exists (select from facts where store_id = ${storeId} and position is null)
            or exists (select from fact_consumers where store_id = ${storeId} and position < last_position) as is_left`
      )
    )
  await until(workers, async () => !(await left()).isLeft)
}

async function until(workers: BillingWorker[], holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    if (!workers.every((worker) => worker.isAlive())) throw new Error('A billing worker has ended')
    await sleep(LOOK_EVERY_MS)
  }
}
