import { Anchor, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { May } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { FactList } from '../../../shared/ui/fact-list.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { SettingsPart } from '../parts/settings-part.tsx'
import { storefrontSettingsQuery } from '../queries.ts'
import { Apple } from './apple.tsx'
import { Campaigns } from './campaigns.tsx'
import { Google } from './google.tsx'
import { refreshPasses, type Wallet, walletQuery } from './queries.ts'
import { useWalletTexts } from './texts.ts'

/** Passes in phones: what signs them, how they look, and the sales that they show. */
export function WalletPart() {
  const { id } = useKnownStore()
  const wallet = useQuery(walletQuery(id))
  return (
    <Stack gap="lg">
      <SettingsPart part="wallet" />
      <QueryView query={wallet} height={400}>
        {(known) => (
          <>
            <Passes wallet={known} />
            <Apple apple={known.apple} />
            <Google google={known.google} />
          </>
        )}
      </QueryView>
      <Campaigns />
    </Stack>
  )
}

function Passes({ wallet: { passes, devices, google_offered, problems } }: { wallet: Wallet }) {
  const { id } = useKnownStore()
  const { passes: texts } = useWalletTexts()
  const { count } = useFormats()
  return (
    <Section title={texts.title}>
      <FactList
        facts={[
          [texts.switch, <Switch key="switch" />],
          [texts.given, count(passes)],
          [texts.devices, count(devices)],
          [texts.offered, count(google_offered)],
          [texts.problems, count(problems)]
        ]}
      />
      <May permission="manage">
        <Group>
          <ConfirmButton {...texts.refresh} change={() => refreshPasses(id)} />
        </Group>
      </May>
    </Section>
  )
}

/** Whether members can get a pass, which is said with the settings of the storefront. */
function Switch() {
  const { id } = useKnownStore()
  const settings = useQuery(storefrontSettingsQuery(id))
  const { passes: texts } = useWalletTexts()
  const { common } = useTexts()
  const value = settings.data?.find(({ key }) => key === 'svc_wallet_pass_settings')?.value as
    | { wallet_pass_enabled?: unknown }
    | undefined
  return (
    <>
      {value && (
        <Text span size="sm">
          {value.wallet_pass_enabled ? common.yes : common.no} ·{' '}
        </Text>
      )}
      <Anchor component={Link} to={`/stores/${id}/settings/storefront`} size="sm">
        {texts.toSwitch}
      </Anchor>
    </>
  )
}
