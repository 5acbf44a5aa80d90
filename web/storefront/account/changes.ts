import type { AccountContract } from '../../../sdk/src/storefront.ts'
import { day } from '../shared/format.ts'
import type { Wording } from '../shared/texts.ts'
import { type CardAction, statusWord } from './card.ts'
import type { TextKey } from './texts.ts'

/** Whether a contract is now as an action would have it: what an answer that was lost would have said. */
export function isDone(action: CardAction, before: AccountContract, now: AccountContract | undefined): boolean {
  if (action === 'skip') return now !== undefined && now.next_billing_date > before.next_billing_date
  return now?.status === (action === 'pause' ? 'PAUSED' : 'ACTIVE')
}

/** What has become of a contract, in a sentence: of an action, else of what was done elsewhere. `isShown`: its card says the same. */
export function whatHappened(
  words: Wording<TextKey>,
  now: AccountContract,
  action?: CardAction,
  before?: AccountContract
): { text: string; isShown: boolean } {
  const { say, language } = words
  const { name, next_billing_date: next, resumes_at: until } = now
  const dated = (key: TextKey, date: string) => say(key, { name, date: date && day(language, date) })
  const key =
    action && ({ skip: 'skipped', pause: until && 'held', resume: 'resumed', reactivate: 'restored' } as const)[action]
  if (!key) return { text: `${name}: ${statusWord(words, now)}`, isShown: true }
  const said = dated(key, action === 'skip' ? before!.next_billing_date : until)
  const text = next && action !== 'pause' ? `${said} ${say('next')}: ${day(language, next)}` : said
  return { text, isShown: false }
}
