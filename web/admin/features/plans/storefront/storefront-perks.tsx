import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { kindOf } from '../../../shared/forms/described-keys.ts'
import { May } from '../../../shared/session/may.tsx'
import { useTexts } from '../../../shared/texts/language.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { type Setting, storefrontQuery } from './queries.ts'
import { SettingForm } from './setting-form.tsx'
import { useStorefrontTexts } from './texts.ts'

/** The settings of the storefront that are about perks. */
const SHOWN = ['svc_widget_cart_page', 'svc_widget_cart_page_member', 'order_gift']

/** What the storefront says about perks, and what goes with orders. */
export function StorefrontPerks() {
  const { id } = useKnownStore()
  const settings = useQuery(storefrontQuery(id))
  const texts = useStorefrontTexts()
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed">
        {texts.about}
      </Text>
      <QueryView query={settings}>
        {(all) => (
          <Stack gap="md">
            {SHOWN.flatMap((key) => all.filter((one) => one.key === key)).map((setting) => (
              <OneSetting key={setting.key} setting={setting} />
            ))}
          </Stack>
        )}
      </QueryView>
    </Section>
  )
}

function OneSetting({ setting }: { setting: Setting }) {
  const texts = useStorefrontTexts()
  const { common } = useTexts()
  const { name, help } = texts.names[setting.key] ?? setting
  return (
    <Group justify="space-between" align="flex-start" gap="xs" component="section" aria-label={name}>
      <Stack gap={2} flex={1} miw={220}>
        <Title order={3} size="h6">
          {name}
        </Title>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
        <Text size="sm" fw={500}>
          {summaryOf(setting)}
        </Text>
      </Stack>
      <May permission="manage">
        <DialogButton label={common.edit} aria-label={`${common.edit}: ${name}`} title={name} size="lg">
          {(close) => <SettingForm setting={setting} onClose={close} />}
        </DialogButton>
      </May>
    </Group>
  )

  function summaryOf({ fields, value }: Setting): string {
    const texted = fields.filter((field) => ['text', 'lines'].includes(kindOf(field)))
    if (texted.length === 0) return value.enabled ? texts.on : texts.off
    const own = texted.filter(({ key }) => value[key]).length
    return own === 0 ? texts.theme : texts.more(own)
  }
}
