import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { keyOf, numbersOf } from '../fields/fields.ts'
import { FieldsForm } from '../fields/fields-form.tsx'
import { readSettings, type Settings, saveSettings, settingsQuery } from '../queries.ts'
import { useSettingsTexts } from '../texts.ts'
import { FORMS, type Form, type Part } from './declared.ts'
import { DunningLadder } from './dunning-ladder.tsx'
import { MainPlans } from './main-plans.tsx'

/** The forms of one tab. */
export function SettingsPart({ part }: { part: Part }) {
  const { id } = useKnownStore()
  const settings = useQuery(settingsQuery(id))
  return (
    <QueryView query={settings} height={500}>
      {(known) => (
        <Stack gap="lg">
          {FORMS[part].map((form: Form) => (
            <OneForm key={form.id} form={form} settings={known} />
          ))}
        </Stack>
      )}
    </QueryView>
  )
}

function OneForm({ form, settings }: { form: Form; settings: Settings }) {
  const { id: store } = useKnownStore()
  const { forms, settings: texts } = useSettingsTexts()
  const { title, text } = forms[form.id] ?? { title: form.id, text: '' }
  const { ladder } = form
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed" maw={720}>
        {text}
      </Text>
      {form.id === 'main' && <MainPlans inEffect={settings.main_plan_in_effect} />}
      <FieldsForm
        fields={form.fields}
        texts={texts}
        value={settings}
        read={() => readSettings(store)}
        save={(change) => saveSettings(store, change)}
        flagOf={(isOn) => (isOn ? 'on' : 'off')}
      >
        {ladder &&
          ((values) => (
            <DunningLadder
              days={numbersOf(String(values[keyOf(ladder.days)]))}
              end={texts[ladder.end]?.options?.[String(values[keyOf(ladder.end)])] ?? ''}
            />
          ))}
      </FieldsForm>
    </Section>
  )
}
