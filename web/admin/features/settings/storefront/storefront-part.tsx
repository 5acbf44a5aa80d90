import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { RawMetafield } from '../drift/raw-metafield.tsx'
import { FieldsForm } from '../fields/fields-form.tsx'
import {
  readStorefrontSettings,
  type StorefrontSetting,
  saveStorefrontSetting,
  shopMetafieldsQuery,
  storefrontSettingsQuery
} from '../queries.ts'
import { useStorefrontTexts } from '../storefront-texts.ts'
import { useSettingsTexts } from '../texts.ts'
import { STOREFRONT_FIELDS } from './declared.ts'
import { JsonButton } from './json-button.tsx'
import { SelectorTester } from './selector-tester.tsx'

/** What themes and functions read in metafields of the shop: one form for each, and what the platform has. */
export function StorefrontPart() {
  const { id } = useKnownStore()
  const settings = useQuery(storefrontSettingsQuery(id))
  const { storefrontText } = useSettingsTexts()
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed" maw={720}>
        {storefrontText}
      </Text>
      <QueryView query={settings} height={500}>
        {(known) => known.map((setting) => <OneSetting key={setting.key} setting={setting} />)}
      </QueryView>
      <SelectorTester />
    </Stack>
  )
}

function OneSetting({ setting }: { setting: StorefrontSetting }) {
  const { id: store } = useKnownStore()
  const texts = useStorefrontTexts()
  const { key, value, name, help } = setting
  const fields = STOREFRONT_FIELDS[key]
  const { title = name, text = help } = texts.settings[key] ?? {}
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed" maw={720}>
        {text}
      </Text>
      {fields && (
        <FieldsForm
          fields={fields}
          texts={{ ...texts.fields, ...texts.fieldsOf[key] }}
          value={value}
          read={async () => (await readStorefrontSettings(store)).find((one) => one.key === key)?.value}
          save={async (change) => (await saveStorefrontSetting(store, key, withWholeParts(change, value))).value}
          flagOf={(isOn) => isOn}
          prefix="value."
        />
      )}
      <OnPlatform settingKey={key} action={<JsonButton setting={setting} />} />
    </Section>
  )
}

/** An object inside of a setting is replaced as a whole. */
function withWholeParts(change: Record<string, unknown>, value: Record<string, unknown>) {
  const whole = Object.entries(change).map(([name, given]) => {
    const before = value[name]
    const isObject = typeof given === 'object' && typeof before === 'object'
    return [name, isObject ? { ...before, ...given } : given] as const
  })
  return Object.fromEntries(whole)
}

function OnPlatform({ settingKey, action }: { settingKey: string; action: React.ReactNode }) {
  const { id } = useKnownStore()
  const metafields = useQuery(shopMetafieldsQuery(id))
  return (
    <QueryView query={metafields} height={40}>
      {({ data, waiting }) => {
        const found = data.find(({ key }) => key === settingKey)
        return found && <RawMetafield metafield={found} isWaiting={waiting} action={action} />
      }}
    </QueryView>
  )
}
