import { useReducer, useState } from 'preact/hooks'
import type { AccountContract } from '../../../sdk/src/storefront-answers.ts'
import { CancelFlow } from './cancel-flow.ts'
import { CancelSteps } from './cancel-steps.tsx'
import { Facts } from './facts.tsx'
import type { DirectAction } from './membership.ts'
import type { Ask } from './service.ts'
import { type AllWords, contractFacts, pauseWord, statusWord } from './wording.ts'

type Props = {
  contract: AccountContract
  words: AllWords
  ask: Ask
  /** For how many days a pause is. */
  days: number | null
  isBusy: boolean
  onAct: (action: DirectAction) => void
  /** The flow has ended and may have changed the contract. */
  onChanged: () => void
}

/** One contract: what it is, what it costs and when, and what the customer may do with it. */
export function ContractCard({ contract, words, ask, days, isBusy, onAct, onChanged }: Props) {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const [flow] = useState(() => new CancelFlow(contract.contract_id, ask, () => draw(undefined)))
  const { account, cancel } = words
  const { actions } = contract
  const button = (action: DirectAction, text = account.say(action)) =>
    actions[action] && (
      <s-button disabled={isBusy} onClick={() => onAct(action)}>
        {text}
      </s-button>
    )
  const close = () => {
    flow.close()
    onChanged()
  }
  return (
    <s-section heading={contract.name}>
      <s-stack gap="base">
        <s-badge tone={contract.status === 'FAILED' ? 'critical' : 'neutral'}>{statusWord(account, contract)}</s-badge>
        <Facts facts={contractFacts(account, contract)} />
        {flow.state.step === 'closed' ? (
          <s-stack direction="inline" gap="small-300">
            {button('reactivate')}
            {button('resume')}
            {button('skip')}
            {button('pause', pauseWord(account, days))}
            {actions.cancel && (
              <s-button tone="critical" disabled={isBusy} onClick={() => void flow.start()}>
                {cancel.say('button')}
              </s-button>
            )}
          </s-stack>
        ) : (
          <CancelSteps flow={flow} name={contract.name} words={words} onClose={close} />
        )}
      </s-stack>
    </s-section>
  )
}
