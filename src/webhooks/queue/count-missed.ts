import type { Ctx } from '#kit/postgres'
import { lookForMissed, type MissedSpan, type Receiver } from './missed-events.ts'

const MAX_COUNTED = 10_000

/** How many events of the span were never queued for the endpoint, up to 10,000, and the sequence of the first of them. */
export async function countMissed(
  ctx: Ctx,
  receiver: Receiver,
  span: MissedSpan
): Promise<{ count: number; first: number | null }> {
  let count = 0
  let first: number | null = null
  let rest = span
  while (rest.after < rest.end && count < MAX_COUNTED) {
    const found = await lookForMissed(ctx, receiver, rest)
    const missed = found.filter(({ isMissed }) => isMissed)
    first ??= missed[0]?.position ?? null
    count = Math.min(count + missed.length, MAX_COUNTED)
    rest = { ...rest, after: found.at(-1)?.position ?? rest.end }
  }
  return { count, first }
}
