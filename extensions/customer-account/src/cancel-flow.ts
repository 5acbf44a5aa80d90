import type { Account, CancellationReason, ContractOffer, MatchedOffer } from '../../../sdk/src/storefront-answers.ts'
import type { Failure } from '../../../web/storefront/shared/api.ts'
import { untilAnswered } from '../../../web/storefront/shared/until-answered.ts'
import type { Ask } from './service.ts'

/** Where the customer is. `null` lists are being read. */
export type CancelState =
  | { step: 'closed' }
  | { step: 'reasons'; reasons: CancellationReason[] | null }
  | { step: 'offers'; offers: MatchedOffer[] | null; isBusy: boolean; failure: string | null }
  | { step: 'confirmation' }
  | { step: 'sending' }
  | { step: 'waiting' }
  | { step: 'refused'; message: string }
  | { step: 'cancelled' }
  | { step: 'kept'; offer: MatchedOffer }

/** Of a cancellation without a choice, as the API has it where none is sent. */
const OTHER = 'other'

/**
 * How a contract is cancelled: reasons, offers that match, confirmation. `cancelAnyway` leads on from every step, also while a step is
 * being read, and what cannot be read is left out: no failure keeps anybody.
 */
export class CancelFlow {
  state: CancelState = { step: 'closed' }
  /** What was chosen; kept when the customer goes back. */
  reason = ''
  comment = ''
  readonly #contractId: string
  readonly #ask: Ask
  readonly #onChange: () => void
  readonly #again = new EventTarget()
  #stop = new AbortController()
  /** What was asked for an earlier step comes too late. */
  #turn = 0

  constructor(contractId: string, ask: Ask, onChange: () => void) {
    this.#contractId = contractId
    this.#ask = ask
    this.#onChange = onChange
  }

  /** Asks why. */
  async start(): Promise<void> {
    const turn = this.#enter({ step: 'reasons', reasons: null })
    const reasons = await this.#ask<CancellationReason[]>('churn/reasons').catch(() => [])
    if (turn !== this.#turn) return
    if (reasons.length > 0) this.#enter({ step: 'reasons', reasons })
    else this.#enter({ step: 'confirmation' })
  }

  /** Takes the choice, and shows what the store offers for it. */
  async showOffers(): Promise<void> {
    const turn = this.#enter({ step: 'offers', offers: null, isBusy: false, failure: null })
    const query = new URLSearchParams({ cancellation_reason: this.reason || OTHER, contract_id: this.#contractId })
    const matched = await this.#ask<{ offers: MatchedOffer[] }[]>(`churn/offers?${query}`).catch(() => [])
    if (turn !== this.#turn) return
    const offers = matched.flatMap((one) => one.offers)
    if (offers.length > 0) this.#enter({ step: 'offers', offers, isBusy: false, failure: null })
    else this.#enter({ step: 'confirmation' })
  }

  /** Stays with an offer. When that fails, the offers are still there, and so is the way out. */
  async accept(offer: MatchedOffer): Promise<void> {
    const { state } = this
    if (state.step !== 'offers' || state.isBusy) return
    const turn = this.#enter({ ...state, isBusy: true, failure: null })
    const query = new URLSearchParams({ cancellation_reason: this.reason || OTHER })
    const path = `churn/${encodeURIComponent(this.#contractId)}/offers/${offer.id}/activation?${query}`
    try {
      await this.#ask<ContractOffer>(path, {})
      if (turn === this.#turn) this.#enter({ step: 'kept', offer })
    } catch (err) {
      if (turn === this.#turn) this.#enter({ ...state, failure: (err as Failure).message })
    }
  }

  /** From every step towards the end: to the confirmation, and from there it cancels. */
  async cancelAnyway(): Promise<void> {
    const { step } = this.state
    if (step === 'reasons' || step === 'offers') this.#enter({ step: 'confirmation' })
    else if (step === 'confirmation') await this.#cancel()
  }

  /** Ends a wait for the next try. */
  tryAgain(): void {
    this.#again.dispatchEvent(new Event('again'))
  }

  /** Keeps the membership, or closes what is done. A request that is on its way is not called back. */
  close(): void {
    this.#stop.abort()
    this.#enter({ step: 'closed' })
  }

  async #cancel(): Promise<void> {
    const stop = new AbortController()
    this.#stop = stop
    this.#enter({ step: 'sending' })
    try {
      const done = await untilAnswered(() => this.#send(), {
        stop: stop.signal,
        again: [this.#again],
        onWait: () => this.#enter({ step: 'waiting' })
      })
      if (done && !stop.signal.aborted) this.#enter({ step: 'cancelled' })
    } catch (err) {
      if (!stop.signal.aborted) this.#enter({ step: 'refused', message: (err as Failure).message })
    }
  }

  /** Cancels. What another try has cancelled before, or somebody else has, is cancelled. */
  async #send(): Promise<true> {
    const id = this.#contractId
    const { comment } = this
    try {
      await this.#ask(`churn/${encodeURIComponent(id)}/cancellation`, {
        reason: this.reason || OTHER,
        ...(comment && { comment })
      })
    } catch (err) {
      if ((err as Failure).isTemporary) throw err
      const { contracts } = await this.#ask<Account>('account').catch(() => ({ contracts: [] }))
      if (contracts.find((one) => one.contract_id === id)?.status !== 'CANCELLED') throw err
    }
    return true
  }

  #enter(state: CancelState): number {
    this.state = state
    this.#onChange()
    return ++this.#turn
  }
}
