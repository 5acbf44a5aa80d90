import { createHash } from 'node:crypto'

/** Scripted faults of a shop's webhooks. Values are shares of messages, from 0 to 1. */
export type WebhookFaults = {
  /** Never sent. */
  drop?: number
  /** Sent twice under one webhook id. */
  duplicate?: number
  /** Sent `delayHours` late. */
  late?: number
  /** By the shop's clock; default: a day. */
  delayHours?: number
  /** Each message is delayed by up to ten minutes, so that messages overtake each other. */
  shuffle?: boolean
  seed?: number
}

export type Fate = { copies: number; delaySeconds: number }

const DAY_HOURS = 24
const SHUFFLED_SECONDS = 600

/** The fault of the shop's n-th message since the faults were set; the same for the same seed. */
export function fateOf(faults: WebhookFaults, nth: number): Fate {
  const roll = (what: string) => fraction(`${faults.seed ?? 0}:${nth}:${what}`)
  if (roll('drop') < (faults.drop ?? 0)) return { copies: 0, delaySeconds: 0 }
  const late = roll('late') < (faults.late ?? 0) ? (faults.delayHours ?? DAY_HOURS) * 3600 : 0
  const shuffled = faults.shuffle ? Math.floor(roll('shuffle') * SHUFFLED_SECONDS) : 0
  return { copies: roll('duplicate') < (faults.duplicate ?? 0) ? 2 : 1, delaySeconds: Math.round(late) + shuffled }
}

function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
