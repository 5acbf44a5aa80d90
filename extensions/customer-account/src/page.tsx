import '@shopify/ui-extensions/preact'
import { render } from 'preact'
import { useEffect, useReducer, useState } from 'preact/hooks'
import { ContractCard } from './contract-card.tsx'
import { Facts } from './facts.tsx'
import { Membership } from './membership.ts'
import { Progress } from './progress.tsx'
import { askService, pauseDays, serviceAddress } from './service.ts'
import { summary, wordsIn } from './wording.ts'

export default async () => {
  render(<Page />, document.body)
}

function Page() {
  const { i18n, localization, settings } = shopify
  const words = wordsIn(localization.extensionLanguage.value.isoCode, i18n.translate)
  const address = serviceAddress(settings.value)
  return (
    <s-page heading={words.page.say('title')}>
      {address === null ? (
        <s-banner tone="warning">{words.page.say('unset')}</s-banner>
      ) : (
        <Contracts key={address} address={address} words={words} days={pauseDays(settings.value)} />
      )}
    </s-page>
  )
}

type ContractsProps = { address: string; words: ReturnType<typeof wordsIn>; days: number | null }

function Contracts({ address, words, days }: ContractsProps) {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const [ask] = useState(() => askService(address, shopify.sessionToken.get))
  const [membership] = useState(() => new Membership(ask, () => draw(undefined)))
  useEffect(() => {
    void membership.load()
    return () => membership.leave()
  }, [membership])
  const { state } = membership
  const { account } = state
  const facts = account ? summary(words.account, account) : []
  return (
    <s-stack gap="base">
      <Progress state={state} words={words} onAgain={() => membership.tryAgain()} />
      {facts.length > 0 && (
        <s-section>
          <Facts facts={facts} />
        </s-section>
      )}
      {account?.contracts.map((contract) => (
        <ContractCard
          key={contract.contract_id}
          contract={contract}
          words={words}
          ask={ask}
          days={days}
          isBusy={state.progress === 'busy'}
          onAct={(action) => void membership.act(contract.contract_id, action, days)}
          onChanged={() => void membership.load()}
        />
      ))}
      {account?.contracts.length === 0 && <s-paragraph>{words.page.say('empty')}</s-paragraph>}
    </s-stack>
  )
}
