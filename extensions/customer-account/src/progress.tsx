import type { MembershipState } from './membership.ts'
import type { AllWords } from './wording.ts'

type Props = { state: MembershipState; words: AllWords; onAgain: () => void }

/** How a request goes: banners are read out. */
export function Progress({ state, words: { account }, onAgain }: Props) {
  if (state.progress === 'busy') return <s-spinner accessibilityLabel={account.say('loading')} />
  if (state.progress === 'away') {
    return (
      <s-banner tone="warning">
        <s-stack gap="small-300">
          <s-text>{account.say('away')}</s-text>
          <s-button onClick={onAgain}>{account.say('again')}</s-button>
        </s-stack>
      </s-banner>
    )
  }
  if (state.progress === 'idle') return null
  return <s-banner tone="critical">{`${account.say('unchanged')} ${state.message}`}</s-banner>
}
