import { observable } from '../observable.ts'

/** Whether the service has answered the last request. A banner says so while it does not. */
export const serviceState = observable<'up' | 'down'>('up')

const ASK_AGAIN_MS = 2_000

let isAsking = false

/** Asks until the service answers, so that the banner goes by itself when no page asks for anything. */
export function markDown(): void {
  serviceState.set('down')
  if (isAsking) return
  isAsking = true
  setTimeout(askAgain, ASK_AGAIN_MS)
}

export function markUp(): void {
  serviceState.set('up')
}

async function askAgain(): Promise<void> {
  const isReady = await fetch('/readyz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false
  )
  isAsking = false
  if (isReady) markUp()
  else markDown()
}
