import { createHash } from 'node:crypto'

/** What goes wrong with a shop's webhooks, by script. Shares of messages, 0 to 1. */
export type WebhookFaults = {
  /** Never sent. */
  drop?: number
  /** Sent twice under one webhook id. */
  duplicate?: number
  /** Sent `delayHours` late. */
  late?: number
  /** By the shop's clock; a day when left out. */
  delayHours?: number
  /** Each message waits up to ten minutes of its own, so that later ones overtake it. */
  shuffle?: boolean
  seed?: number
}

export type Fate = { copies: number; delaySeconds: number }

const DAY_HOURS = 24
const SHUFFLED_SECONDS = 600

/** What becomes of the shop's n-th message since the faults were set: of one seed always the same. */
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
