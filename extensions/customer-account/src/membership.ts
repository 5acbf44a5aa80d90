import type { Account, AccountContract, ContractAction } from '../../../sdk/src/storefront-answers.ts'
import type { Failure } from '../../../web/storefront/shared/api.ts'
import { untilAnswered } from '../../../web/storefront/shared/until-answered.ts'
import type { Ask } from './service.ts'

/** What a contract is asked for at once; cancelling is a flow of its own. */
export type DirectAction = Exclude<ContractAction, 'cancel'>

/** What the customer has, and how a request of theirs went. */
export type MembershipState = {
  /** Null while it has not been read. */
  account: Account | null
  /** `away`: nobody answers, and it is tried again. `refused`: `message` says why nothing has changed. */
  progress: 'idle' | 'busy' | 'away' | 'refused'
  message: string
}

/** The membership of the customer who is logged in: reads it until it is there, and changes it. */
export class Membership {
  state: MembershipState = { account: null, progress: 'busy', message: '' }
  readonly #ask: Ask
  readonly #onChange: () => void
  readonly #again = new EventTarget()
  readonly #stop = new AbortController()

  constructor(ask: Ask, onChange: () => void) {
    this.#ask = ask
    this.#onChange = onChange
  }

  /** Reads the account, again and again while nobody answers. */
  async load(): Promise<void> {
    try {
      const account = await untilAnswered(() => this.#ask<Account>('account'), {
        stop: this.#stop.signal,
        again: [this.#again],
        onWait: () => this.#become({ progress: 'away', message: '' })
      })
      if (account) this.#become({ account, progress: 'idle', message: '' })
    } catch (err) {
      this.#become({ progress: 'refused', message: (err as Failure).message })
    }
  }

  /** Ends a wait for the next try. */
  tryAgain(): void {
    this.#again.dispatchEvent(new Event('again'))
  }

  /** Ends the tries; the page is gone. */
  leave(): void {
    this.#stop.abort()
  }

  /** Does what the customer asks for. A pause is for so many days, or until they resume. */
  async act(contractId: string, action: DirectAction, pauseDays: number | null): Promise<void> {
    if (this.state.progress === 'busy') return
    const path = `contracts/${encodeURIComponent(contractId)}/${action === 'reactivate' ? 'reactivation' : action}`
    this.#become({ progress: 'busy', message: '' })
    try {
      const changed = await this.#ask<AccountContract>(
        path,
        action === 'pause' && pauseDays !== null ? { duration: pauseDays } : {}
      )
      const { account } = this.state
      const contracts = account?.contracts.map((one) => (one.contract_id === contractId ? changed : one))
      this.#become({ account: account && { ...account, contracts: contracts! }, progress: 'idle' })
    } catch (err) {
      this.#become({ progress: 'refused', message: (err as Failure).message })
    }
  }

  #become(change: Partial<MembershipState>): void {
    if (this.#stop.signal.aborted) return
    this.state = { ...this.state, ...change }
    this.#onChange()
  }
}
