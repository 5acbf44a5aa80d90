import { Checkbox, Fieldset, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { BrowserRefusal } from '../../../shared/api/errors.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { eventTypeGroups, useEventTypeTexts } from '../../../shared/texts/event-types.ts'
import { createEndpoint, type Endpoint, endpointQuery, updateEndpoint } from '../queries.ts'
import type { Shown } from './new-secret.tsx'
import { useEndpointsTexts } from './texts.ts'

type Props = { endpoint: Endpoint | null; onClose: () => void; onCreated?: (endpoint: Shown) => void }

/** Registers an endpoint, or changes one. */
export function EndpointForm({ endpoint, onClose, onCreated }: Props) {
  const { id, sandbox } = useKnownStore()
  const queries = useQueryClient()
  const texts = useEndpointsTexts()
  const form = useForm({
    initialValues: {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      receives: (endpoint?.all_events ?? true) ? 'all' : 'some',
      events: endpoint && !endpoint.all_events ? endpoint.events : ([] as string[])
    },
    validate: {
      events: (chosen, { receives }) => (receives === 'some' && chosen.length === 0 ? texts.needType : null)
    }
  })
  const submit = useSubmit(form, {
    send: async ({ url, description, receives, events }) => {
      const input = { url: url.trim(), description, events: receives === 'all' ? null : events }
      if (!endpoint) return { created: await createEndpoint(id, input) }
      const now = await queries.fetchQuery({ ...endpointQuery(id, endpoint.id), staleTime: 0 })
      if (saidOf(now) !== saidOf(endpoint)) throw new BrowserRefusal(texts.changedMeanwhile)
      await updateEndpoint(id, endpoint.id, input)
      return { created: null }
    },
    ...(endpoint && { done: texts.saved }),
    onDone: ({ created }) => (created ? onCreated?.(created) : onClose())
  })
  return (
    <FormDialog
      title={endpoint ? texts.editTitle : texts.register}
      submitLabel={endpoint ? texts.save : texts.register}
      submit={submit}
      size="xl"
      isOpen
      onClose={onClose}
    >
      <TextInput
        label={texts.url}
        description={sandbox ? `${texts.urlHelp} ${texts.urlSandbox}` : texts.urlHelp}
        placeholder="https://"
        type="url"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label={texts.description}
        description={texts.descriptionHelp}
        autoComplete="off"
        {...form.getInputProps('description')}
      />
      <Radio.Group label={texts.receives} {...form.getInputProps('receives')}>
        <Stack gap="xs" mt={4}>
          <Radio value="all" label={texts.all} />
          <Radio value="some" label={texts.some} />
        </Stack>
      </Radio.Group>
      {form.values.receives === 'some' && <EventTypes input={form.getInputProps('events')} />}
    </FormDialog>
  )
}

/** What can be edited; `updated_at` stands still with the clock of a sandbox store. */
const saidOf = ({ url, description, all_events, events }: Endpoint) =>
  JSON.stringify([url, description, all_events, events])

function EventTypes({ input }: { input: ReturnType<ReturnType<typeof useForm>['getInputProps']> }) {
  const texts = useEndpointsTexts()
  const types = useEventTypeTexts()
  return (
    <Checkbox.Group aria-label={texts.some} {...input}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {eventTypeGroups(types).map(({ group, items }) => (
          <Fieldset key={group} legend={group} p="sm">
            <Stack gap="xs">
              {items.map((type) => (
                <Checkbox key={type} value={type} label={type} description={types.when[type]} />
              ))}
            </Stack>
          </Fieldset>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}
