import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { type EventType, useEventTypeTexts } from '../../../shared/texts/event-types.ts'
import { EventTypeSelect } from '../../../shared/ui/event-type-select.tsx'
import { type Endpoint, sendTest } from '../queries.ts'
import { useEndpointsTexts } from './texts.ts'

/** Sends a sample, and leads to its delivery. */
export function TestSend({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { id } = useKnownStore()
  const navigate = useNavigate()
  const texts = useEndpointsTexts()
  const { when } = useEventTypeTexts()
  const form = useForm<{ event: EventType | '' }>({ initialValues: { event: endpoint.events[0] as EventType } })
  const submit = useSubmit(form, {
    send: ({ event }) => sendTest(id, endpoint.id, event),
    onDone: ({ webhook_id }) => navigate(`/stores/${id}/webhooks/deliveries/${webhook_id}`)
  })
  const { event } = form.values
  return (
    <FormDialog title={texts.testTitle} submitLabel={texts.send} submit={submit} isOpen onClose={onClose}>
      <Text size="sm">{texts.testText}</Text>
      <EventTypeSelect
        label={texts.eventType}
        description={event && when[event]}
        allowDeselect={false}
        value={event}
        onChange={(type) => form.setFieldValue('event', type)}
        error={form.errors.event}
      />
    </FormDialog>
  )
}
