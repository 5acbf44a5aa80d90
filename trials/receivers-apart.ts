import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ReceiverCounts, ReceiverKind } from './receiver-kinds.ts'

/** Receivers of these kinds, and a good one (`canaryUrl`), in a process of their own. */
export async function receiversApart(kinds: ReceiverKind[]) {
  const child = fork(new URL('receivers-process.ts', import.meta.url), [JSON.stringify(kinds.map(({ name }) => name))])
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The process of the receivers ended with ${code}`)
  })
  failed.catch(() => {})
  const message = async <T>(): Promise<T> => (await Promise.race([once(child, 'message'), failed]))[0] as T
  const addresses = await message<{ canaryUrl: string; urls: string[] }>()
  return {
    ...addresses,
    counts(): Promise<ReceiverCounts> {
      const answer = message<ReceiverCounts>()
      child.send('counts')
      return answer
    },
    close: () => void child.kill('SIGKILL')
  }
}
