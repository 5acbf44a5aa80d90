import '@shopify/ui-extensions/preact'
import { render } from 'preact'
import { useEffect, useReducer, useState } from 'preact/hooks'
import { Facts } from './facts.tsx'
import { Membership } from './membership.ts'
import { askService, serviceAddress } from './service.ts'
import { contractFacts, statusWord, wordsIn } from './wording.ts'

/** The handle of the page in `shopify.extension.toml`. */
const PAGE = 'extension://perennial-membership'

export default async () => {
  render(<ProfileBlock />, document.body)
}

/** Not there while there is no address; the editor of the staff shows the settings. */
function ProfileBlock() {
  const address = serviceAddress(shopify.settings.value)
  return address === null ? null : <Summary key={address} address={address} />
}

/** What the customer has, and the way to the page. Nothing for those who have nothing, and while nobody answers. */
function Summary({ address }: { address: string }) {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const [membership] = useState(
    () => new Membership(askService(address, shopify.sessionToken.get), () => draw(undefined))
  )
  useEffect(() => {
    void membership.load()
    return () => membership.leave()
  }, [membership])
  const { i18n, localization } = shopify
  const { page, account } = wordsIn(localization.extensionLanguage.value.isoCode, i18n.translate)
  const contracts = membership.state.account?.contracts ?? []
  if (contracts.length === 0) return null
  return (
    <s-section heading={page.say('title')}>
      <s-stack gap="base">
        {contracts.map((contract) => (
          <s-stack key={contract.contract_id} gap="small-300">
            <s-text type="strong">{contract.name}</s-text>
            <s-badge tone={contract.status === 'FAILED' ? 'critical' : 'neutral'}>
              {statusWord(account, contract)}
            </s-badge>
            <Facts facts={contractFacts(account, contract)} />
          </s-stack>
        ))}
        <s-link href={PAGE}>{page.say('manage')}</s-link>
      </s-stack>
    </s-section>
  )
}
