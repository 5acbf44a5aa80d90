import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { localTime } from '../../../shared/format/local-time.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { Failure } from '../../../shared/ui/failure.tsx'
import { endpointsQuery, resendFailed, resendPreviewQuery } from '../queries.ts'
import { useDeliveriesTexts } from './texts.ts'

const DAY_MS = 86_400_000
/** Where the service stops counting. */
const MAX_COUNTED = 10_000
const ALL = 'all'

type Props = { endpoint: string; since?: string; isMissed?: boolean; onClose: () => void }

/** Sends again what has failed since a time, and says beforehand how much that is. */
export function ResendFailed({ endpoint, since, isMissed = false, onClose }: Props) {
  const { id, timezone, clock } = useKnownStore()
  const { data: endpoints = [] } = useQuery(endpointsQuery(id))
  const texts = useDeliveriesTexts()
  const { count } = useFormats()
  // Times of deliveries are the store's, which may have a test clock.
  const aDayAgo = (clock ? Date.parse(clock) : Date.now()) - DAY_MS
  const form = useForm({
    initialValues: { since: localTime(since ?? aDayAgo, timezone), endpoint, missed: isMissed }
  })
  const submit = useSubmit(form, {
    send: (values) => resendFailed(id, values),
    done: ({ resent, missed }) => texts.bulkDone(count(resent), count(missed)),
    onDone: onClose
  })
  const { values } = form
  return (
    <FormDialog title={texts.bulk} submitLabel={texts.bulkSubmit} submit={submit} isOpen onClose={onClose}>
      <Text size="sm">{texts.bulkText}</Text>
      <TextInput
        type="datetime-local"
        label={texts.since}
        description={texts.sinceHelp(timezone)}
        {...form.getInputProps('since')}
      />
      <Select
        label={texts.endpoint}
        data={[
          { value: ALL, label: texts.allEndpoints },
          ...endpoints.filter(({ kind }) => kind === 'url').map(({ id: value, url }) => ({ value, label: url }))
        ]}
        allowDeselect={false}
        value={values.endpoint || ALL}
        onChange={(chosen) => form.setFieldValue('endpoint', chosen === ALL ? '' : (chosen ?? ''))}
        error={form.errors.endpoint}
      />
      {values.endpoint !== '' && (
        <Checkbox
          label={texts.missed}
          description={texts.missedHelp}
          {...form.getInputProps('missed', { type: 'checkbox' })}
        />
      )}
      <Preview {...values} />
    </FormDialog>
  )
}

function Preview({ since, endpoint, missed: isMissed }: { since: string; endpoint: string; missed: boolean }) {
  const { id } = useKnownStore()
  const preview = useQuery(resendPreviewQuery(id, { since, endpoint }))
  const texts = useDeliveriesTexts()
  const { count } = useFormats()
  if (preview.isError) return <Failure error={preview.error} />
  return (
    <Stack gap={2} role="status">
      {sentences().map((sentence) => (
        <Text key={sentence} size="sm" fw={500}>
          {sentence}
        </Text>
      ))}
    </Stack>
  )

  function sentences(): string[] {
    if (since === '') return [texts.previewNeeded]
    if (!preview.data) return [texts.counting]
    const { resent, skipped } = preview.data
    const missed = isMissed && endpoint !== '' ? (preview.data.missed ?? 0) : 0
    if (resent + skipped + missed === 0) return [texts.previewNothing]
    const sayMissed = missed < MAX_COUNTED ? texts.previewMissed : texts.previewMissedMax
    return [
      texts.preview(count(resent), resent === 1),
      ...(skipped > 0 ? [texts.previewSkipped(count(skipped))] : []),
      ...(missed > 0 ? [sayMissed(count(missed))] : [])
    ]
  }
}
