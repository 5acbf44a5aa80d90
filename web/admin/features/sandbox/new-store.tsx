import { Select, SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { instantOf } from '../../shared/format/instant-of.ts'
import { localTime } from '../../shared/format/local-time.ts'
import { FormParts } from '../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import { createSandboxStore } from './queries.ts'
import { useSandboxTexts } from './texts.ts'

/** Another store on the sandbox, with a clock to move or in real time. */
export function NewStore({ onClose }: { onClose: () => void }) {
  const { timezone, currency } = useKnownStore()
  const { newStore: texts } = useSandboxTexts()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: {
      name: '',
      domain: '',
      timezone,
      currency,
      hasClock: true,
      clock: localTime(Date.now(), timezone)
    }
  })
  const submit = useSubmit(form, {
    send: ({ hasClock, clock, ...facts }) =>
      createSandboxStore({ ...facts, ...(hasClock && { clock: instantOf(clock, facts.timezone) }) }),
    done: texts.done,
    onDone: ({ id }) => navigate(`/stores/${id}/sandbox`)
  })
  return (
    <FormParts submit={submit} submitLabel={texts.create} onClose={onClose}>
      <Text size="sm">{texts.text}</Text>
      <TextInput label={texts.name} required {...form.getInputProps('name')} data-autofocus />
      <TextInput label={texts.domain} description={texts.domainHelp} required {...form.getInputProps('domain')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={texts.timezone}
          data={zones(timezone)}
          searchable
          allowDeselect={false}
          {...form.getInputProps('timezone')}
        />
        <TextInput label={texts.currency} {...form.getInputProps('currency')} />
      </SimpleGrid>
      <Switch label={texts.withClock} {...form.getInputProps('hasClock', { type: 'checkbox' })} />
      {form.getValues().hasClock && (
        <TextInput type="datetime-local" label={texts.clock} {...form.getInputProps('clock')} />
      )}
    </FormParts>
  )
}

/** All time zones that the browser knows, and the one that is there already. */
const zones = (own: string) => [...new Set([own, ...Intl.supportedValuesOf('timeZone')])].sort()
